import { assertEquals, assertRejects } from "@std/assert";
import { SharedOperation } from "./shared_operation.ts";

/** An operation that ends when the test resolves it or when it is aborted. */
function work(): { attempt: SharedOperation; finish: () => void; signal: () => AbortSignal } {
  const done = Promise.withResolvers<void>();
  let given = new AbortController().signal;
  const attempt = new SharedOperation((signal) => {
    given = signal;
    signal.addEventListener("abort", () => done.reject(signal.reason));
    return done.promise;
  });
  return { attempt, finish: done.resolve, signal: () => given };
}

Deno.test("join() settles with the operation for all callers", async () => {
  const { attempt, finish } = work();
  const waiting = [attempt.join(), attempt.join(new AbortController().signal)];
  finish();
  await Promise.all(waiting);
});

Deno.test("an aborted join() rejects while the operation continues for the other callers", async () => {
  const { attempt, finish, signal } = work();
  const controller = new AbortController();
  const impatient = attempt.join(controller.signal);
  const patient = attempt.join();
  controller.abort(new Error("enough"));
  await assertRejects(() => impatient, Error, "enough");
  assertEquals(signal().aborted, false);
  finish();
  await patient;
});

Deno.test("the last aborted join() aborts the operation", async () => {
  const { attempt, signal } = work();
  const controllers = [new AbortController(), new AbortController()];
  const waiting = controllers.map((controller) => attempt.join(controller.signal));
  for (const controller of controllers) controller.abort(new Error("enough"));
  for (const each of waiting) await assertRejects(() => each, Error, "enough");
  assertEquals(signal().aborted, true);
});

Deno.test("cancel() aborts the operation for all callers with one reason", async () => {
  const { attempt } = work();
  const waiting = assertRejects(() => attempt.join(), Error, "closed");
  await attempt.cancel(new Error("closed"));
  await waiting;
});
