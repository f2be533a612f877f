import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { delay, settlesWithin } from "./message_codec.ts";

Deno.test("delay() and settlesWithin() wait no longer than the longest delay of a timer", async () => {
  for (const wait of [delay, (ms: number) => settlesWithin(new Promise(() => {}), ms)]) {
    using timers = stub(globalThis, "setTimeout", (resolve) => {
      if (typeof resolve === "function") queueMicrotask(() => resolve());
      return JSON.parse("0");
    });
    for (const ms of [5, 2 ** 31, Infinity]) await wait(ms);
    assertEquals(timers.calls.map(({ args }) => args[1]), [5, 0x7fffffff, 0x7fffffff]);
  }
});
