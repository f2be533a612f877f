import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { TIMED_OUT, waitFor } from "./wait_for.ts";

Deno.test("waitFor() waits no longer than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", (expire) => {
    if (typeof expire === "function") queueMicrotask(() => expire());
    return JSON.parse("0");
  });
  for (const ms of [5, 2 ** 31, Infinity]) {
    assertEquals(await waitFor(new Promise(() => {}), ms), TIMED_OUT);
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
