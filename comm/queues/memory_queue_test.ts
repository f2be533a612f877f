import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { CommError } from "../shared/error.ts";
import { createMessage } from "../testdata/messages.ts";
import { nextTurn } from "./check_setup.ts";
import { memoryQueue } from "./memory_queue.ts";
import { Reject } from "./message_queue.ts";
import { queueChecks } from "./queue_checks.ts";

for (const check of queueChecks) {
  Deno.test(`memoryQueue() ${check.name}`, () => check.run(memoryQueue, { timeoutMs: 10_000 }));
}

Deno.test("send() of a queue in memory rejects at the limits, which dead letters count towards", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", maxMessages: 2, onError: () => {} });
  for (const id of [1, 2]) await queue.send(createMessage(id));
  const full = await assertRejects(() => queue.send(createMessage(3)), CommError);
  assertEquals(full.code, "capacity_exceeded");
  await queue.send(createMessage(1));
  const stopping = new AbortController();
  await queue.consume("bob", ({ message }) => {
    if (message.id === "1") throw new Reject("poison");
    stopping.abort();
  }, { signal: stopping.signal, concurrency: 1 });
  await queue.send(createMessage(3));
  await assertRejects(() => queue.send(createMessage(4)), CommError);

  await using small = memoryQueue({ inboxOf: () => "bob", maxBytes: 1000 });
  await small.send(createMessage(1, "x".repeat(500)));
  await assertRejects(() => small.send(createMessage(2, "x".repeat(500))), CommError);
});

Deno.test("A queue in memory tracks as many acknowledged messages as it can store", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", maxMessages: 2 });
  const ids: string[] = [];
  const consuming = queue.consume("bob", ({ message: { id } }) => {
    ids.push(id);
  });
  // Acknowledging message 3 evicts the key of message 1, so only message 1 is stored and delivered
  // again.
  for (const id of [1, 2, 3, 3, 1]) {
    await queue.send(createMessage(id));
    await nextTurn();
  }
  await queue.close();
  await consuming;
  assertEquals(ids, ["1", "2", "3", "1"]);
});

Deno.test("memoryQueue() delays each attempt twice as long as the previous one, up to a limit", async () => {
  using time = new FakeTime();
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    retryDelayMs: 100,
    maxRetryDelayMs: 250,
    maxAttempts: 4,
    onError: () => {},
  });
  const times: number[] = [];
  const stopping = new AbortController();
  const consuming = queue.consume("bob", () => {
    times.push(time.now);
    throw new Error("the attempt fails");
  }, { signal: stopping.signal });
  const start = time.now;
  await queue.send(createMessage(1));
  for (let step = 0; step < 100; step++) await time.tickAsync(10);
  assertEquals(times.map((each) => each - start), [0, 100, 300, 550]);
  stopping.abort();
  await consuming;
});

Deno.test("memoryQueue() delays no attempt longer than the longest delay of a timer", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    retryDelayMs: 2 ** 40,
    maxRetryDelayMs: Infinity,
    onError: () => {},
  });
  const stopping = new AbortController();
  const failed = Promise.withResolvers<void>();
  using timers = stub(globalThis, "setTimeout", () => {
    failed.resolve();
    return JSON.parse("0");
  });
  const consuming = queue.consume("bob", () => {
    throw new Error("the attempt fails");
  }, { signal: stopping.signal });
  await queue.send(createMessage(1));
  await failed.promise;
  assertEquals(timers.calls.map(({ args }) => args[1]), [0x7fffffff]);
  stopping.abort();
  await consuming;
});

Deno.test("memoryQueue() reports the errors of handlers", async () => {
  const errors: unknown[] = [];
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    retryDelayMs: 1,
    onError: (error) => errors.push(error),
  });
  await queue.send(createMessage(1));
  const failure = new Error("the disk is full");
  const stopping = new AbortController();
  await queue.consume("bob", ({ attempt }) => {
    if (attempt === 1) throw failure;
    stopping.abort();
  }, { signal: stopping.signal });
  assertEquals(errors, [failure]);
});

Deno.test("memoryQueue() and its methods reject invalid arguments", async () => {
  const inboxOf = () => "bob";
  // @ts-expect-error inboxOf is required
  assertThrows(() => memoryQueue({}), TypeError, '"inboxOf"');
  assertThrows(
    () => memoryQueue({ inboxOf, orderedInboxes: ["a b"] }),
    TypeError,
    "orderedInboxes",
  );
  // @ts-expect-error a list is required
  assertThrows(() => memoryQueue({ inboxOf, orderedInboxes: "bob" }), TypeError, "orderedInboxes");
  for (const name of ["maxMessages", "maxBytes", "maxMessageBytes", "maxAttempts"] as const) {
    assertThrows(() => memoryQueue({ inboxOf, [name]: 0.5 }), RangeError, `"${name}"`);
  }
  for (const name of ["retryDelayMs", "maxRetryDelayMs", "handlerTimeoutMs"] as const) {
    assertThrows(() => memoryQueue({ inboxOf, [name]: 0 }), RangeError, `"${name}"`);
  }
  await using queue = memoryQueue({ inboxOf: () => "not a name" });
  await assertRejects(() => queue.send(createMessage(1)), TypeError, '"inboxOf()"');
  // @ts-expect-error there are no transactions
  await assertRejects(() => queue.send(createMessage(1), { tx: {} }), TypeError, '"tx"');
  await assertRejects(() => queue.consume("a b", () => {}), TypeError, '"inbox"');
  // @ts-expect-error a function is required
  await assertRejects(() => queue.consume("bob", "x"), TypeError, '"handler"');
  await assertRejects(() => queue.consume("bob", () => {}, { concurrency: 0 }), RangeError);
  const transactional = { transactional: true };
  await assertRejects(() => queue.consume("bob", () => {}, transactional), TypeError);
  await assertRejects(() => queue.deadLetters("bob", { limit: 0 }), RangeError, '"limit"');
});
