import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { boundedCall } from "./bounded_call.ts";

const LATE = new Error("too late");
const LIMITS = { signal: undefined, timeoutMs: 1000, late: () => LATE };
function never(): Promise<never> {
  return new Promise(() => {});
}

Deno.test("boundedCall() returns the result, and throws the error of the function", async () => {
  assertEquals(await boundedCall(() => 1, LIMITS), 1);
  assertEquals(await boundedCall(() => Promise.resolve(2), LIMITS), 2);
  const fail = (): never => {
    throw new Error("broken");
  };
  await assertRejects(() => boundedCall(fail, LIMITS), Error, "broken");
  await assertRejects(() => boundedCall(() => Promise.reject(LATE), LIMITS), Error, "too late");
});

Deno.test("boundedCall() ends a call that ignores its signal when the time is over", async () => {
  using time = new FakeTime();
  const ended = assertRejects(() => boundedCall(never, LIMITS), Error, "too late");
  await time.tickAsync(1000);
  await ended;
});

Deno.test("boundedCall() ends a call that ignores its signal when the caller aborts", async () => {
  const stop = new AbortController();
  let seen: AbortSignal | undefined;
  const call = (signal: AbortSignal): Promise<never> => {
    seen = signal;
    return never();
  };
  const ended = assertRejects(
    () => boundedCall(call, { ...LIMITS, signal: stop.signal }),
    Error,
    "no longer needed",
  );
  stop.abort(new Error("no longer needed"));
  await ended;
  assertEquals(seen?.reason, stop.signal.reason);
});

Deno.test("boundedCall() does not call the function if the signal is already aborted", async () => {
  let calls = 0;
  const signal = AbortSignal.abort(new Error("aborted before"));
  const call = (): number => calls++;
  await assertRejects(() => boundedCall(call, { ...LIMITS, signal }), Error, "aborted before");
  assertEquals(calls, 0);
});
