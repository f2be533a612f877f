import { assertEquals, assertRejects } from "@std/assert";
import { SharedOperation } from "./shared_operation.ts";

/** Work that ends when it is told to, or aborted. */
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

Deno.test("everybody who waits is told the end of the work", async () => {
  const { attempt, finish } = work();
  const waiting = [attempt.join(), attempt.join(new AbortController().signal)];
  finish();
  await Promise.all(waiting);
});

Deno.test("who gives up is let go, and the work goes on for the others", async () => {
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

Deno.test("the last one who gives up ends the work", async () => {
  const { attempt, signal } = work();
  const controllers = [new AbortController(), new AbortController()];
  const waiting = controllers.map((controller) => attempt.join(controller.signal));
  for (const controller of controllers) controller.abort(new Error("enough"));
  for (const each of waiting) await assertRejects(() => each, Error, "enough");
  assertEquals(signal().aborted, true);
});

Deno.test("cancel() ends the work for everybody, with one reason", async () => {
  const { attempt } = work();
  const waiting = assertRejects(() => attempt.join(), Error, "closed");
  await attempt.cancel(new Error("closed"));
  await waiting;
});
