import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { check } from "./check.ts";

Deno.test("check() waits no longer than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  const passing = check("passes", () => Promise.resolve());
  for (const timeoutMs of [5, 2 ** 31]) await passing.run(() => undefined, { timeoutMs });
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1]);
});
