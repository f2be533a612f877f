import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { callWithin } from "./call_within.ts";

const LATE = new Error("too late");
const REASON = new Error("no longer needed");
const FAILED = new Error("the key is locked");

function never(): Promise<never> {
  return new Promise(() => {});
}

function settingsOf(signal?: AbortSignal) {
  return { signal, timeoutMs: 1000, late: () => LATE };
}

Deno.test("callWithin() returns the result of the function, or rejects with its error", async () => {
  const signals = [undefined, new AbortController().signal];
  for (const signal of signals) {
    assertEquals(await callWithin(() => 1, settingsOf(signal)), 1);
    assertEquals(await callWithin(() => Promise.resolve(2), settingsOf(signal)), 2);
    const failing = [
      () => {
        throw FAILED;
      },
      () => Promise.reject(FAILED),
    ];
    for (const fail of failing) {
      assertStrictEquals(await assertRejects(() => callWithin(fail, settingsOf(signal))), FAILED);
    }
  }
});

Deno.test("callWithin() stops waiting and aborts the signal of the function if the timeout expires", async () => {
  using time = new FakeTime();
  let received: AbortSignal | undefined;
  const calling = callWithin(({ signal }) => {
    received = signal;
    return never();
  }, settingsOf());
  const rejected = assertRejects(() => calling);
  await time.tickAsync(999);
  assertEquals(received?.aborted, false);
  await time.tickAsync(1);
  assertStrictEquals(await rejected, LATE);
  assertStrictEquals(received?.reason, LATE);
});

Deno.test("callWithin() stops waiting for a function that does not read its signal", async () => {
  using time = new FakeTime();
  const rejected = assertRejects(() => callWithin(never, settingsOf()));
  await time.tickAsync(1000);
  assertStrictEquals(await rejected, LATE);
});

Deno.test("callWithin() rejects with the reason of a signal that aborts before or during the call", async () => {
  let calls = 0;
  const late = () => callWithin(() => calls++, settingsOf(AbortSignal.abort(REASON)));
  assertStrictEquals(await assertRejects(late), REASON);
  assertEquals(calls, 0);

  const aborting = new AbortController();
  let received: AbortSignal | undefined;
  const calling = callWithin(({ signal }) => {
    received = signal;
    return never();
  }, settingsOf(aborting.signal));
  const rejected = assertRejects(() => calling);
  aborting.abort(REASON);
  assertStrictEquals(await rejected, REASON);
  assertStrictEquals(received?.reason, REASON);

  for (const result of [() => 1, () => Promise.resolve(1), () => Promise.reject(FAILED)]) {
    const stopping = new AbortController();
    const abort = () => {
      stopping.abort(REASON);
      return result();
    };
    const aborted = () => callWithin(abort, settingsOf(stopping.signal));
    assertStrictEquals(await assertRejects(aborted), REASON);
  }
});

Deno.test("callWithin() accepts Infinity", async () => {
  using time = new FakeTime();
  const slow = Promise.withResolvers<string>();
  const calling = callWithin(() => slow.promise, { ...settingsOf(), timeoutMs: Infinity });
  await time.tickAsync(100_000);
  slow.resolve("late");
  assertEquals(await calling, "late");
});

Deno.test("callWithin() starts no timer for a result that is available immediately", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  assertEquals(await callWithin(async () => await Promise.resolve(1), settingsOf()), 1);
  assertEquals(timers.calls.length, 0);
});

Deno.test("callWithin() leaves no timer and no listener behind", async () => {
  using time = new FakeTime();
  const { signal } = new AbortController();
  using added = stub(signal, "addEventListener");
  using removed = stub(signal, "removeEventListener");
  const slow = Promise.withResolvers<number>();
  const calling = callWithin(() => slow.promise, settingsOf(signal));
  await time.runMicrotasks();
  assertEquals(added.calls.length, 1);
  slow.resolve(1);
  assertEquals(await calling, 1);
  assertEquals(removed.calls[0]?.args.slice(0, 2), added.calls[0]?.args.slice(0, 2));
});
