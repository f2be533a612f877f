import { assert, assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { RequestTimeout } from "./request_timeout.ts";

Deno.test("RequestTimeout aborts exactly when the timeout expires", () => {
  using time = new FakeTime();
  const timeout = new RequestTimeout(1000);
  time.tick(999);
  assertEquals([timeout.expired, timeout.signal.aborted], [undefined, false]);
  time.tick(1);
  assertEquals([timeout.expired, timeout.signal.aborted], ["total", true]);
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
    assertEquals([timeout.expired, timeout.signal.reason], [undefined, reason]);
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
  assertEquals([timeout.expired, timeout.signal.aborted], [undefined, false]);
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

Deno.test("RequestTimeout limits the silence while data is waited for, but not the time between", async () => {
  using time = new FakeTime();
  using clock = stub(performance, "now", () => Date.now());
  const timeout = new RequestTimeout(100_000);
  timeout.startIdleTimeout(1000);
  await time.tickAsync(5000);
  assertEquals(timeout.expired, undefined);
  for (let count = 0; count < 3; count++) {
    const data = Promise.withResolvers<number>();
    const waiting = timeout.waitForData(data.promise);
    await time.tickAsync(999);
    data.resolve(count);
    assertEquals(await waiting, count);
  }
  const silent = assertRejects(() => timeout.waitForData(new Promise(() => {})), DOMException);
  await time.tickAsync(1999);
  await silent;
  assertEquals(timeout.expired, "idle");
  timeout.close();
  assert(clock.calls.length > 0);
});

Deno.test("RequestTimeout does not limit silence if the timeout is 0 or is not started", async () => {
  using time = new FakeTime();
  for (const start of [true, false]) {
    const timeout = new RequestTimeout(100_000);
    if (start) timeout.startIdleTimeout(0);
    const waiting = timeout.waitForData(new Promise(() => {})).catch(() => {});
    await time.tickAsync(50_000);
    assertEquals(timeout.expired, undefined);
    timeout.close();
    await Promise.race([waiting, Promise.resolve()]);
  }
});
