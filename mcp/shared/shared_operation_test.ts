import { assert, assertEquals, assertRejects } from "@std/assert";
import { SharedOperation } from "./shared_operation.ts";

/** An operation that ends when the test resolves it or when it is aborted. */
function create(): {
  operation: SharedOperation;
  join: (signal?: AbortSignal) => Promise<void>;
  finish: () => void;
  signal: () => AbortSignal;
} {
  const operation = new SharedOperation();
  const done = Promise.withResolvers<void>();
  let given = new AbortController().signal;
  const work = (signal: AbortSignal): Promise<void> => {
    given = signal;
    signal.addEventListener("abort", () => done.reject(signal.reason));
    return done.promise;
  };
  return {
    operation,
    join: (signal) => operation.join(work, signal),
    finish: done.resolve,
    signal: () => given,
  };
}

/** An operation that was aborted but has not ended. */
async function createAborted(): Promise<{ operation: SharedOperation; end: () => void }> {
  const operation = new SharedOperation();
  const { promise, resolve } = Promise.withResolvers<void>();
  const controller = new AbortController();
  const aborted = operation.join(async (signal) => {
    await promise;
    signal.throwIfAborted();
  }, controller.signal);
  controller.abort(new Error("the first caller has aborted"));
  const ended = assertRejects(() => aborted, Error, "the first caller has aborted");
  await Promise.resolve();
  return { operation, end: () => (resolve(), ended) };
}

Deno.test("join() settles with the operation for all callers", async () => {
  const { join, finish } = create();
  const waiting = [join(), join(new AbortController().signal)];
  finish();
  await Promise.all(waiting);
});

Deno.test("an aborted join() rejects while the operation continues for the other callers", async () => {
  const { join, finish, signal } = create();
  const controller = new AbortController();
  const impatient = join(controller.signal);
  const patient = join();
  controller.abort(new Error("enough"));
  await assertRejects(() => impatient, Error, "enough");
  assertEquals(signal().aborted, false);
  finish();
  await patient;
});

Deno.test("the last aborted join() aborts the operation", async () => {
  const { join, signal } = create();
  const controllers = [new AbortController(), new AbortController()];
  const waiting = controllers.map((controller) => join(controller.signal));
  for (const controller of controllers) controller.abort(new Error("enough"));
  for (const each of waiting) await assertRejects(() => each, Error, "enough");
  assertEquals(signal().aborted, true);
});

Deno.test("cancel() aborts the operation for all callers with one reason", async () => {
  const { operation, join } = create();
  const waiting = assertRejects(() => join(), Error, "closed");
  await operation.cancel(new Error("closed"));
  await waiting;
});

Deno.test("join() starts the operation again after it has ended", async () => {
  const operation = new SharedOperation();
  let count = 0;
  const work = (): Promise<void> => {
    count++;
    return count === 1 ? Promise.reject(new Error("failed")) : Promise.resolve();
  };
  await assertRejects(() => operation.join(work), Error, "failed");
  await operation.join(work);
  assertEquals(count, 2);
});

Deno.test("join() starts the operation again after an aborted operation has ended", async () => {
  const { operation, end } = await createAborted();
  let hasStarted = false;
  const next = operation.join(() => {
    hasStarted = true;
    return Promise.resolve();
  });
  await Promise.resolve();
  assertEquals(hasStarted, false);
  end();
  await next;
  assertEquals(hasStarted, true);
});

Deno.test("join() rejects if its signal aborts before an aborted operation has ended", async () => {
  const { operation, end } = await createAborted();
  const controller = new AbortController();
  const next = operation.join(() => Promise.resolve(), controller.signal);
  controller.abort(new Error("the second caller has aborted"));
  await assertRejects(() => next, Error, "the second caller has aborted");
  end();
});

Deno.test("cancel() rejects a join() that waits for the end of an aborted operation", async () => {
  const { operation, end } = await createAborted();
  const next = assertRejects(() => operation.join(() => Promise.resolve()), Error, "closed");
  const cancelled = operation.cancel(new Error("closed"));
  end();
  await cancelled;
  await next;
});

Deno.test("join() does not start the operation if the signal is already aborted", async () => {
  const signal = AbortSignal.abort(new Error("too late"));
  const work = (): Promise<void> => Promise.reject(new Error("was started"));
  await assertRejects(() => new SharedOperation().join(work, signal), Error, "too late");
});

Deno.test("join() rejects if the operation aborts the caller's signal before it returns", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const work = async (signal: AbortSignal): Promise<void> => {
    controller.abort(reason);
    await new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    );
  };
  const joined = new SharedOperation().join(work, controller.signal);
  assertEquals(await assertRejects(() => joined), reason);
});

Deno.test("join() never starts the operation after its signal has aborted, whenever the signal aborts", async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const { operation, end } = await createAborted();
    const controller = new AbortController();
    const { signal } = controller;
    const isAborted: boolean[] = [];
    const work = (): Promise<void> => Promise.resolve(void isAborted.push(signal.aborted));
    const next = operation.join(work, signal).catch(() => {});
    const ended = end();
    for (let tick = 0; tick < ticks; tick++) await null;
    controller.abort();
    await Promise.all([ended, next]);
    assert(!isAborted.includes(true), `started after ${ticks} ticks`);
  }
});
