import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { callSafely, callWithin } from "./call_within.ts";
import { CommError, timedOut } from "./error.ts";

function never(): Promise<never> {
  return new Promise(() => {});
}

function fail(reason: string, options: { readonly cause: unknown }): Error {
  return new Error(`the function ${reason}`, options);
}

/** Settings with the members that each of the two functions needs. */
function limitsOf(signal?: AbortSignal) {
  return { signal, timeoutMs: 1000, late: () => timedOut("sign message", 1000), fail };
}

Deno.test("callWithin() and callSafely() return the result of the function", async () => {
  for (const call of [callWithin, callSafely]) {
    assertEquals(await call(() => 1, limitsOf()), 1);
    assertEquals(await call(() => Promise.resolve(2), limitsOf(new AbortController().signal)), 2);
  }
});

Deno.test("callWithin() and callSafely() stop waiting and abort the signal of the function if the timeout expires", async () => {
  using time = new FakeTime();
  const texts = [
    "Cannot sign message: timed out after 1000 ms",
    "the function timed out after 1000 ms",
  ];
  for (const [index, call] of [callWithin, callSafely].entries()) {
    let received: AbortSignal | undefined;
    const calling = call(({ signal }) => {
      received = signal;
      return never();
    }, limitsOf());
    const rejected = assertRejects(() => calling, Error, texts[index]);
    await time.tickAsync(999);
    assertEquals(received?.aborted, false);
    await time.tickAsync(1);
    await rejected;
    assertEquals(received?.aborted, true);
  }
});

Deno.test("callSafely() reports a timeout with a cause", async () => {
  using time = new FakeTime();
  const rejected = assertRejects(() => callSafely(never, limitsOf()), Error);
  await time.tickAsync(1000);
  const { cause } = await rejected;
  assertEquals(cause instanceof CommError && cause.code, "timeout");
});

Deno.test("callWithin() and callSafely() reject with the reason of the signal", async () => {
  const reason = new Error("the caller aborted the operation");
  for (const call of [callWithin, callSafely]) {
    const aborting = new AbortController();
    let received: AbortSignal | undefined;
    const endless = ({ signal }: { readonly signal: AbortSignal }) => {
      received = signal;
      return never();
    };
    const calling = assertRejects(() => call(endless, limitsOf(aborting.signal)));
    aborting.abort(reason);
    assertStrictEquals(await calling, reason);
    assertStrictEquals(received?.reason, reason);
    let calls = 0;
    const late = () => call(() => void calls++, limitsOf(AbortSignal.abort(reason)));
    assertStrictEquals(await assertRejects(late), reason);
    assertEquals(calls, 0);
  }
});

Deno.test("callWithin() rethrows errors, and callSafely() converts them", async () => {
  const error = new Error("the key is locked");
  const calls = [
    () => {
      throw error;
    },
    () => Promise.reject(error),
  ];
  for (const throwing of calls) {
    assertStrictEquals(await assertRejects(() => callWithin(throwing, limitsOf())), error);
    const converted = await assertRejects(() => callSafely(throwing, limitsOf()), Error);
    assertEquals([converted.message, converted.cause], ["the function threw an error", error]);
  }
});

Deno.test("callWithin() rejects with the reason of a signal that aborts during the call", async () => {
  const aborting = new AbortController();
  const reason = new Error("the caller aborted the operation");
  const results = [() => 1, () => Promise.resolve(1), () => Promise.reject(new Error("failed"))];
  for (const result of results) {
    const abort = () => {
      aborting.abort(reason);
      return result();
    };
    assertStrictEquals(
      await assertRejects(() => callWithin(abort, limitsOf(aborting.signal))),
      reason,
    );
  }
});

Deno.test("callWithin() starts no timer for a result that is available immediately", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  assertEquals(await callWithin(async () => await Promise.resolve(1), limitsOf()), 1);
  assertEquals(timers.calls.length, 0);
});
