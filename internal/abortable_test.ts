import { assertEquals, assertRejects } from "@std/assert";
import { abortable, settlesBefore } from "./abortable.ts";

Deno.test("abortable() settles with the promise", async () => {
  const { signal } = new AbortController();
  assertEquals(await abortable(Promise.resolve(1), undefined), 1);
  assertEquals(await abortable(Promise.resolve(1), signal), 1);
  await assertRejects(() => abortable(Promise.reject(new Error("no")), signal), Error, "no");
});

Deno.test("abortable() rejects with the signal's reason and handles a later rejection of the promise", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { promise, reject } = Promise.withResolvers<void>();
  const waiting = assertRejects(() => abortable(promise, controller.signal));
  controller.abort(reason);
  assertEquals(await waiting, reason);
  reject(new Error("late"));
});

Deno.test("abortable() rejects with the reason of an aborted signal even if the promise has settled", async () => {
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  const settled = [() => Promise.resolve(1), () => Promise.reject(new Error("no"))];
  for (const work of settled) {
    assertEquals(await assertRejects(() => abortable(work(), signal)), reason);
  }
});

Deno.test("settlesBefore() returns false if the signal is aborted, even if the promise has settled", async () => {
  assertEquals(await settlesBefore(Promise.resolve(), new AbortController().signal), true);
  assertEquals(await settlesBefore(Promise.resolve(), AbortSignal.abort()), false);
});
