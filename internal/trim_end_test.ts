import { assert, assertEquals } from "@std/assert";
import { trimEnd } from "./trim_end.ts";

Deno.test("trimEnd() removes only characters at the end", () => {
  assertEquals(trimEnd("a..b. .", ". "), "a..b");
  assertEquals(["...", "", "a"].map((text) => trimEnd(text, ".")), ["", "", "a"]);
});

Deno.test("trimEnd() takes linear time", () => {
  const startedAt = performance.now();
  const text = `${".".repeat(1_000_000)}x`;
  assertEquals(trimEnd(text, "."), text);
  assert(performance.now() - startedAt < 1000);
});
