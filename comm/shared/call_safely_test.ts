import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { callSafely } from "./call_safely.ts";
import { CommError } from "./error.ts";

function never(): Promise<never> {
  return new Promise(() => {});
}

function fail(reason: string, options: { readonly cause: unknown }): Error {
  return new Error(`the function ${reason}`, options);
}

function settingsOf(signal?: AbortSignal) {
  return { signal, timeoutMs: 1000, fail };
}

Deno.test("callSafely() returns the result of the function, and converts its error", async () => {
  assertEquals(await callSafely(() => 1, settingsOf()), 1);
  const error = new Error("the key is locked");
  const failing = [
    () => {
      throw error;
    },
    () => Promise.reject(error),
  ];
  for (const call of failing) {
    const converted = await assertRejects(() => callSafely(call, settingsOf()), Error);
    assertEquals([converted.message, converted.cause], ["the function threw an error", error]);
  }
});

Deno.test("callSafely() reports a timeout with a cause", async () => {
  using time = new FakeTime();
  const rejected = assertRejects(
    () => callSafely(never, settingsOf()),
    Error,
    "the function timed out after 1000 ms",
  );
  await time.tickAsync(1000);
  const { cause } = await rejected;
  assertEquals(cause instanceof CommError && cause.code, "timeout");
});

Deno.test("callSafely() rejects with the reason of the signal", async () => {
  const reason = new Error("the caller aborted the operation");
  const aborting = new AbortController();
  const calling = assertRejects(() => callSafely(never, settingsOf(aborting.signal)));
  aborting.abort(reason);
  assertStrictEquals(await calling, reason);
  const late = () => callSafely(() => 1, settingsOf(AbortSignal.abort(reason)));
  assertStrictEquals(await assertRejects(late), reason);
});
