import { assert, assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import { readRequest, type RequestOptions } from "./request_options.ts";
import { RequestTimeout } from "./send_request.ts";

/** Starts the timeout of a tool call. */
function start(
  options: RequestOptions,
  timeouts: TimeoutScheduler = new TimeoutScheduler(),
): RequestTimeout {
  const request = { method: "tools/call", params: { name: "add" } };
  return new RequestTimeout({ timeouts }, request, readRequest(options));
}

function reasonOf({ signal }: RequestTimeout): string {
  assert(signal.reason instanceof McpError);
  return signal.reason.message;
}

Deno.test("RequestTimeout aborts after timeoutMs, which renew() restarts", () => {
  using time = new FakeTime();
  const timeout = start({
    timeoutMs: 100,
    maxTotalMs: 1000,
  });
  time.tick(99);
  timeout.renew();
  time.tick(99);
  assert(!timeout.signal.aborted);
  time.tick(1);
  assertEquals(
    reasonOf(timeout),
    'Cannot complete "tools/call" ("add"): timed out after 100 ms ("timeoutMs")',
  );
  timeout.end();
});

Deno.test("RequestTimeout aborts after maxTotalMs despite renew()", () => {
  using time = new FakeTime();
  const timeout = start({
    timeoutMs: 100,
    maxTotalMs: 150,
  });
  time.tick(99);
  timeout.renew();
  time.tick(51);
  assert(reasonOf(timeout).endsWith('after 150 ms ("maxTotalMs")'));
  timeout.end();
});

Deno.test("RequestTimeout aborts with the reason of the caller's signal", () => {
  const controller = new AbortController();
  const timeouts = new TimeoutScheduler();
  const timeout = start({ signal: controller.signal }, timeouts);
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(timeout.signal.reason, reason);
  timeout.end();
  timeouts.stop();
});

Deno.test("RequestTimeout behaves like an AbortSignal", () => {
  for (const looksFirst of [true, false]) {
    const timeouts = new TimeoutScheduler();
    const timeout = start({}, timeouts);
    const received: string[] = [];
    const leave = (): void => void received.push("left");
    timeout.addEventListener("abort", () => received.push("stays"));
    timeout.addEventListener("abort", leave);
    timeout.removeEventListener("abort", leave);
    timeout.throwIfAborted();
    if (looksFirst) assert(!timeout.signal.aborted);
    const [first, second] = [new Error("first"), new Error("second")];
    timeout.abort(first);
    timeout.abort(second);
    assertEquals(received[0], "stays");
    assert(!received.includes("left"));
    assertEquals([timeout.reason, timeout.signal.reason], [first, first]);
    assertEquals(timeout.signal, timeout.signal);
    assertThrows(() => timeout.throwIfAborted(), Error, "first");
    timeout.end();
    timeouts.stop();
  }
});

Deno.test("RequestTimeout.pauseTimeout() pauses the timeout until all promises settle", async () => {
  using time = new FakeTime();
  const timeout = start({
    timeoutMs: 100,
    maxTotalMs: 100,
    maxInputMs: 10_000,
  });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  timeout.pauseTimeout(first.promise);
  timeout.pauseTimeout(second.promise);
  time.tick(1000);
  timeout.renew();
  first.reject(new Error("declined"));
  await time.tickAsync(1000);
  second.resolve();
  await time.tickAsync(99);
  assert(!timeout.signal.aborted);
  await time.tickAsync(1);
  assert(timeout.signal.aborted);
  timeout.end();
});

Deno.test("RequestTimeout aborts when the pauses together last longer than maxInputMs", async () => {
  using time = new FakeTime();
  const timeout = start({ timeoutMs: 100, maxTotalMs: 500, maxInputMs: 1000 });
  for (let pause = 0; pause < 4; pause++) {
    const input = Promise.withResolvers<void>();
    timeout.pauseTimeout(input.promise);
    await time.tickAsync(240);
    input.resolve();
    await time.tickAsync(10);
  }
  assert(!timeout.signal.aborted);
  timeout.pauseTimeout(new Promise(() => {}));
  timeout.pauseTimeout(new Promise(() => {}));
  await time.tickAsync(39);
  assert(!timeout.signal.aborted);
  await time.tickAsync(1);
  assert(reasonOf(timeout).endsWith('timed out after 1000 ms ("maxInputMs")'));
  timeout.end();
});

Deno.test("RequestTimeout limits pauses to the value of maxTotalMs by default", async () => {
  using time = new FakeTime();
  const timeout = start({ timeoutMs: 100, maxTotalMs: 500 });
  timeout.pauseTimeout(new Promise(() => {}));
  await time.tickAsync(500);
  assert(reasonOf(timeout).endsWith('timed out after 500 ms ("maxInputMs")'));
  timeout.pauseTimeout(Promise.resolve());
  await time.tickAsync(10_000);
  timeout.end();
});

Deno.test("RequestTimeout.pauseTimeout() does not restart an ended timeout", async () => {
  const held = Promise.withResolvers<void>();
  const timeouts = new TimeoutScheduler();
  const timeout = start({ timeoutMs: 1 }, timeouts);
  timeout.pauseTimeout(held.promise);
  timeout.end();
  timeouts.stop();
  held.resolve();
  await held.promise;
  assert(!timeout.signal.aborted);
});

Deno.test("the timeouts of a request can be Infinity and must be positive", () => {
  using time = new FakeTime();
  const timeout = start({
    timeoutMs: Infinity,
    maxTotalMs: Infinity,
  });
  time.tick(2 ** 33);
  assert(!timeout.signal.aborted);
  timeout.end();
  for (const ms of [0, -1, NaN]) {
    assertThrows(() => readRequest({ timeoutMs: ms }), RangeError, '"timeoutMs" must be');
    assertThrows(() => readRequest({ maxTotalMs: ms }), RangeError, '"maxTotalMs" must be');
    assertThrows(() => readRequest({ maxInputMs: ms }), RangeError, '"maxInputMs" must be');
  }
});
