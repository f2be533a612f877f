import { assertEquals, assertRejects } from "@std/assert";
import { abortable } from "./abortable.ts";

Deno.test("abortable() settles with the promise", async () => {
  const { signal } = new AbortController();
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
  const late = Promise.reject(new Error("late"));
  assertEquals(await assertRejects(() => abortable(late, controller.signal)), reason);
  reject(new Error("late too"));
});
