import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { AgentCommMessage } from "../message/message.ts";
import { CommError } from "../shared/error.ts";
import { signatureInvalid } from "../signing/verify_error.ts";
import { createMessage } from "../testdata/messages.ts";
import { nextTurn } from "./check_setup.ts";
import { memoryQueue } from "./memory_queue.ts";
import { type MessageQueue, type QueueDelivery, Reject } from "./message_queue.ts";
import { queueChecks } from "./queue_checks.ts";

for (const check of queueChecks) {
  Deno.test(`memoryQueue() ${check.name}`, () => check.run(memoryQueue, { timeoutMs: 10_000 }));
}

Deno.test("send() of a queue in memory rejects at the limits", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", maxMessages: 2, onError: () => {} });
  for (const id of [1, 2]) await queue.send(createMessage(id));
  const full = await assertRejects(() => queue.send(createMessage(3)), CommError);
  assertEquals(full.code, "capacity_exceeded");
  await queue.send(createMessage(1));
  const stopping = new AbortController();
  await queue.consume("bob", () => stopping.abort(), { signal: stopping.signal, concurrency: 1 });
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
  const limits = [
    "maxMessages",
    "maxBytes",
    "maxDeadLetters",
    "maxDeadLetterBytes",
    "maxInboxes",
    "maxMessageBytes",
    "maxAttempts",
  ] as const;
  for (const name of limits) {
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

Deno.test("send() stores no message if inboxOf throws or does not return a name", async () => {
  const answers: readonly (() => unknown)[] = [
    () => {
      throw new TypeError('no database for "inboxOf()"');
    },
    () => Promise.reject(new Error("no database")),
    () => Promise.resolve("bob"),
    ...[undefined, null, 5, "", "a b", "bob\n", "b".repeat(101), ["bob"], new String("bob")]
      .map((inbox) => () => inbox),
  ];
  for (const answer of answers) {
    const errors: unknown[] = [];
    let inboxOf: () => unknown = answer;
    await using queue = memoryQueue({
      // The types do not permit some names, but functions in JavaScript can return them.
      inboxOf: () => inboxOf() as string,
      onError: (error) => errors.push(error),
    });
    await assertRejects(() => queue.send(createMessage(1)), TypeError, '"inboxOf()"');
    inboxOf = () => "bob";
    await queue.send(createMessage(2));
    const stopping = new AbortController();
    const ids: string[] = [];
    await queue.consume("bob", ({ message }) => {
      ids.push(message.id);
      stopping.abort();
    }, { signal: stopping.signal });
    assertEquals([ids, errors], [["2"], []]);
  }
});

Deno.test("memoryQueue() keeps a message whose handler throws a value without a text form", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    maxAttempts: 2,
    retryDelayMs: 1,
    onError: () => {},
  });
  await queue.send(createMessage(1));
  await queue.send(createMessage("last"));
  const stopping = new AbortController();
  let calls = 0;
  await queue.consume("bob", ({ message, attempt }) => {
    if (message.id === "last" && calls === 2) return stopping.abort();
    if (message.id === "last") throw new Error("later");
    calls = attempt;
    throw Object.create(null);
  }, { signal: stopping.signal, concurrency: 1 });
  const letters = await queue.deadLetters("bob");
  assertEquals(letters.map(({ message, reason }) => [message?.id, reason]), [["1", "an object"]]);
});

Deno.test("memoryQueue() runs a handler that sends to its own inbox within the concurrency", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob" });
  const stopping = new AbortController();
  let [running, maximum, handled] = [0, 0, 0];
  await queue.send(createMessage(0));
  await queue.consume("bob", () => {
    maximum = Math.max(maximum, ++running);
    handled++;
    if (handled < 10_000) queue.send(createMessage(handled));
    else stopping.abort();
    running--;
  }, { signal: stopping.signal, concurrency: 1 });
  assertEquals([handled, maximum], [10_000, 1]);
});

/** Consumes an inbox with a handler that rejects all messages, until `count` are rejected. */
async function rejectAll(queue: MessageQueue, count: number): Promise<void> {
  const stopping = new AbortController();
  let rejected = 0;
  await queue.consume("bob", () => {
    if (++rejected === count) stopping.abort();
    throw new Reject("poison");
  }, { signal: stopping.signal, concurrency: 1 });
}

Deno.test("dead letters of a queue in memory do not use the capacity of messages", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", maxMessages: 2, onError: () => {} });
  for (const id of [1, 2]) await queue.send(createMessage(id));
  await rejectAll(queue, 2);
  assertEquals((await queue.deadLetters("bob")).length, 2);
  for (const id of [1, 3, 4]) await queue.send(createMessage(id));
  await assertRejects(() => queue.send(createMessage(5)), CommError);
  // The queue has no capacity for the redriven messages.
  assertEquals(await queue.redrive("bob"), 0);
  assertEquals((await queue.deadLetters("bob")).length, 2);
});

Deno.test("memoryQueue() drops and reports the oldest dead letters beyond their limit", async () => {
  const errors: unknown[] = [];
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    maxDeadLetters: 4,
    maxDeadLetterShare: 0.5,
    onError: (error) => errors.push(error),
  });
  for (const id of [1, 2, 3]) await queue.send(createMessage(id));
  await rejectAll(queue, 3);
  const letters = await queue.deadLetters("bob");
  assertEquals(letters.map(({ message }) => message?.id), ["2", "3"]);
  const dropped = errors.filter((error) => error instanceof CommError);
  assertEquals(dropped.map(({ code, message }) => [code, message]), [[
    "capacity_exceeded",
    'Cannot keep dead letter "did:web:ann.example 1" (poison): limit of dead letters reached',
  ]]);
});

Deno.test("memoryQueue() limits the messages of each sender to its share", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", maxMessages: 4, maxSharePerSender: 0.5 });
  for (const id of [1, 2]) await queue.send(createMessage(id));
  const full = await assertRejects(() => queue.send(createMessage(3)), CommError);
  assertEquals(full.code, "capacity_exceeded");
  await queue.send(new AgentCommMessage({ ...createMessage(3), sender: "did:web:ben.example" }));
});

for (const end of ["abort", "close"]) {
  Deno.test(`consume() of an empty inbox in memory keeps the process running until ${end}()`, async () => {
    const { pathname } = new URL("../testdata/idle_consumer.ts", import.meta.url);
    const args = ["run", "--quiet", "--no-check", pathname, "memory", end];
    const { success, stdout } = await new Deno.Command("deno", { args }).output();
    assertEquals([success, new TextDecoder().decode(stdout)], [true, "stopped\n"]);
  });
}

Deno.test("memoryQueue() rejects more inboxes than the maximum", async () => {
  let inbox = "first";
  await using queue = memoryQueue({ inboxOf: () => inbox, maxInboxes: 1 });
  await queue.send(createMessage(1));
  inbox = "second";
  for (const call of [() => queue.send(createMessage(2)), () => queue.deadLetters(inbox)]) {
    const error = await assertRejects(call, CommError, '"maxInboxes" is 1');
    assertEquals(error.code, "capacity_exceeded");
  }
  await queue.deadLetters("first");
});

Deno.test("a forged copy of a message does not keep a queue in memory from storing the message", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", onError: () => {} });
  const handled: unknown[] = [];
  const stopping = new AbortController();
  const handler = ({ message: { payload } }: QueueDelivery) => {
    handled.push(payload);
    if (handled.length === 3) stopping.abort();
    if (payload === "forged") throw new Reject("forged");
  };
  await queue.send(createMessage(1, "forged"));
  // One forged copy is pending, and the other one is a dead letter.
  const consuming = queue.consume("bob", handler, { signal: stopping.signal, concurrency: 1 });
  await queue.send(createMessage(1, "genuine"));
  await queue.send(createMessage(1, "genuine"));
  for (let n = 0; n < 2; n++) await queue.send(createMessage(2, "forged"));
  await consuming;
  assertEquals(handled.toSorted(), ["forged", "forged", "genuine"]);
  await queue.send(createMessage(2, "forged"));
  assertEquals((await queue.deadLetters("bob")).length, 2);
  const stoppingAgain = new AbortController();
  await queue.send(createMessage(2, "genuine"));
  await queue.consume("bob", ({ message }) => {
    assertEquals(message.payload, "genuine");
    stoppingAgain.abort();
  }, { signal: stoppingAgain.signal, concurrency: 1 });
});

Deno.test("messages that fail verification do not drop the dead letters of a sender", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    maxDeadLetters: 4,
    maxDeadLetterShare: 0.5,
    onError: () => {},
  });
  const stopping = new AbortController();
  for (let id = 1; id <= 6; id++) await queue.send(createMessage(id, id === 1 ? "genuine" : null));
  await queue.consume("bob", ({ message: { id, payload } }) => {
    if (id === "6") stopping.abort();
    if (payload === "genuine") throw new Reject("disk full");
    throw new Reject("forged", { cause: signatureInvalid("did:web:ann.example") });
  }, { signal: stopping.signal, concurrency: 1 });
  const ids = (await queue.deadLetters("bob")).map(({ message }) => message?.id);
  assertEquals(ids, ["1", "5", "6"]);
});

Deno.test("memoryQueue() removes messages without searching or moving the other ones", async () => {
  // An array moves its items when the first one is removed. A map or a set that is iterated passes
  // over the entries that were removed before.
  const searches: string[] = [];
  const record = (kind: string, size: number): number => size > 100 ? searches.push(kind) : 0;
  const { shift } = Array.prototype;
  using _shift = stub(Array.prototype, "shift", function (this: unknown[]): unknown {
    record("Array.shift()", this.length);
    return Reflect.apply(shift, this, []);
  });
  const { keys } = Map.prototype;
  using _keys = stub(Map.prototype, "keys", function (this: Map<unknown, unknown>) {
    record("Map.keys()", this.size);
    return Reflect.apply(keys, this, []);
  });
  const { [Symbol.iterator]: entries } = Map.prototype;
  using _map = stub(Map.prototype, Symbol.iterator, function (this: Map<unknown, unknown>) {
    record("a loop over a map", this.size);
    return Reflect.apply(entries, this, []);
  });
  const { [Symbol.iterator]: values } = Set.prototype;
  using _set = stub(Set.prototype, Symbol.iterator, function (this: Set<unknown>) {
    record("a loop over a set", this.size);
    return Reflect.apply(values, this, []);
  });
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    orderedInboxes: ["bob"],
    maxMessages: 1000,
    maxDeadLetters: 400,
    onError: () => {},
  });
  // The second round finds all ids tracked, and all dead letters in use.
  for (const round of [1, 2]) {
    for (let n = 0; n < 1000; n++) {
      const sender = n % 2 === 0 ? "did:web:ann.example" : `did:web:ben${n}.example`;
      await queue.send(new AgentCommMessage({ ...createMessage(`${round}-${n}`), sender }));
    }
    const stopping = new AbortController();
    let left = 1000;
    await queue.consume("bob", ({ message: { id } }) => {
      if (--left === 0) stopping.abort();
      if (id.endsWith("1")) throw new Reject("poison");
    }, { signal: stopping.signal });
  }
  assertEquals(searches, []);
});
