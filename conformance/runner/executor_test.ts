import { assert, assertEquals } from "@std/assert";
import { loadSuite } from "../suite.ts";
import { excludeSignals } from "./executor.ts";

Deno.test("excludeSignals() excludes exactly the cases that send a signal, and only on Windows", () => {
  const cases = [...loadSuite().values()];
  assertEquals(cases.filter((each) => excludeSignals(each, false) !== undefined), []);
  const excluded = cases.filter((each) => excludeSignals(each, true) !== undefined);
  assert(excluded.some(({ id }) => id === "mcp/stdio/sigterm"));
  for (const each of excluded) {
    assert(JSON.stringify(each).includes('"signal"'), each.id);
    assertEquals(excludeSignals(each, true), {
      verdict: "n/a",
      note: "Windows has no signals",
    });
  }
});
