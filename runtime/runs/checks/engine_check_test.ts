import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { memoryRuns } from "../../runs.ts";
import { engineCheck } from "./engine_check.ts";

Deno.test("a check of an engine waits no longer than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  const check = engineCheck("passes", () => Promise.resolve());
  for (const timeoutMs of [5, 2 ** 31, Infinity]) {
    await check.run(() => memoryRuns(), { timeoutMs });
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
