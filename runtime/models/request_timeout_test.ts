import { assert, assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { RequestTimeout } from "./request_timeout.ts";

Deno.test("RequestTimeout aborts exactly when the timeout expires", () => {
  using time = new FakeTime();
  const timeout = new RequestTimeout(1000);
  time.tick(999);
  assertEquals([timeout.isExpired, timeout.signal.aborted], [false, false]);
  time.tick(1);
  assertEquals([timeout.isExpired, timeout.signal.aborted], [true, true]);
  assert(timeout.signal.reason instanceof DOMException);
  timeout.close();
});

Deno.test("RequestTimeout aborts with the caller's reason, even if the signal is already aborted", () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const before = new RequestTimeout(1000, controller.signal);
  controller.abort(reason);
  const after = new RequestTimeout(1000, controller.signal);
  for (const timeout of [before, after]) {
    assertEquals([timeout.isExpired, timeout.signal.reason], [false, reason]);
    timeout.close();
  }
});

Deno.test("RequestTimeout does not abort after close()", () => {
  using time = new FakeTime();
  const controller = new AbortController();
  const timeout = new RequestTimeout(1000, controller.signal);
  timeout.close();
  timeout.close();
  controller.abort();
  time.tick(2000);
  assertEquals([timeout.isExpired, timeout.signal.aborted], [false, false]);
});

Deno.test("RequestTimeout.race() settles like the promise, or rejects with the reason if aborted first", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const timeout = new RequestTimeout(1000, controller.signal);
  assertEquals(await timeout.race(Promise.resolve(5)), 5);
  await assertRejects(() => timeout.race(Promise.reject(new Error("broken"))), Error, "broken");
  const waiting = timeout.race(new Promise(() => {}));
  controller.abort(reason);
  assertEquals(await assertRejects(() => waiting), reason);
  assertEquals(await assertRejects(() => timeout.race(new Promise(() => {}))), reason);
  timeout.close();
});

Deno.test("RequestTimeout waits no longer than the longest delay of a timer", () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  for (const ms of [5, 2 ** 31, Infinity]) new RequestTimeout(ms).close();
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
