import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { AgentCommMessage } from "../message/message.ts";
import { CommError } from "../shared/error.ts";
import { signatureInvalid } from "../signing/verify_error.ts";
import { sqliteQueue, type SqliteQueueOptions, type SqliteTransaction } from "../sqlite.ts";
import { createMessage } from "../testdata/messages.ts";
import { SQLITE_QUEUE_TESTS } from "../testdata/sqlite_queue_files.ts";
import type { MessageQueue, QueueDelivery } from "./message_queue.ts";
import { Reject } from "./message_queue.ts";
import { queueChecks } from "./queue_checks.ts";

type Queue = MessageQueue<SqliteTransaction>;

const FILES = new URL("../testdata/sqlite_queue_files.ts", import.meta.url).pathname;
const FLOOD = ["did:web:a.flood.com", "did:web:flood.com:b"];

for (const check of queueChecks) {
  Deno.test(`sqliteQueue() in memory ${check.name}`, () =>
    check.run((options) => sqliteQueue(":memory:", options), { timeoutMs: 10_000 }));
}

for (const name of SQLITE_QUEUE_TESTS) {
  Deno.test(`sqliteQueue() in a file ${name}`, async () => {
    const args = ["run", "--quiet", "--no-check", "-A", FILES, name];
    const { success, stdout, stderr } = await new Deno.Command("deno", { args }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert(success && out === "passed\n", err);
  });
}

function open(options: Partial<SqliteQueueOptions> = {}): Queue {
  return sqliteQueue(":memory:", { inboxOf: () => "bob", onError: () => {}, ...options });
}

function from(sender: string, id: string = crypto.randomUUID()): AgentCommMessage {
  return new AgentCommMessage({ ...createMessage(id), sender });
}

/** Waits until the queue has executed the transactions of a few turns of the event loop. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Consumes the messages in an inbox. Stops after `count` deliveries. */
async function consume(
  queue: Queue,
  count: number,
  handler: (delivery: QueueDelivery<SqliteTransaction>) => void,
): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let left = count;
  await queue.consume("bob", (delivery) => {
    if (--left === 0) stopping.abort();
    handler(delivery);
  }, { signal, concurrency: 1 });
}

Deno.test("send() of a queue in SQLite rejects at the limits", async () => {
  await using queue = open({ maxMessages: 2 });
  for (const id of [1, 2, 1]) await queue.send(createMessage(id));
  const full = await assertRejects(() => queue.send(createMessage(3)), CommError);
  assertEquals(full.code, "capacity_exceeded");
  await consume(queue, 1, () => {});
  await queue.send(createMessage(3));
  await assertRejects(() => queue.send(createMessage(4)), CommError);

  await using small = open({ maxBytes: 1000 });
  await small.send(createMessage(1, "x".repeat(500)));
  const tooLarge = await assertRejects(
    () => small.send(createMessage(2, "x".repeat(500))),
    CommError,
  );
  assertEquals(tooLarge.code, "capacity_exceeded");
});

Deno.test("a full queue in SQLite stores the other messages of the same turn", async () => {
  await using queue = open({ maxMessages: 1 });
  const sends = [createMessage(1), createMessage(2), createMessage(1)];
  const results = await Promise.allSettled(sends.map((message) => queue.send(message)));
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  const ids: string[] = [];
  await consume(queue, 1, ({ message }) => {
    ids.push(message.id);
  });
  assertEquals(ids, ["1"]);
});

Deno.test("sqliteQueue() limits the messages of each sender to its share", async () => {
  await using queue = open({ maxMessages: 8, maxSharePerSender: 0.25 });
  for (const sender of FLOOD) await queue.send(from(sender));
  for (const sender of FLOOD) {
    const error = await assertRejects(() => queue.send(from(sender)), CommError);
    assertEquals(error.code, "capacity_exceeded");
  }
  await queue.send(from("did:web:ann.example"));
});

Deno.test("sqliteQueue() gives a sender a share of the handlers, and lets senders take turns", async () => {
  for (const [maxSharePerSender, expected] of [[0.5, 2], [1, 4]] as const) {
    await using queue = open({ maxSharePerSender });
    for (let n = 0; n < 4; n++) {
      for (const sender of FLOOD) await queue.send(from(sender));
    }
    await queue.send(from("did:web:ann.example"));
    const called: string[] = [];
    const stopping = new AbortController();
    const consuming = queue.consume("bob", async ({ message: { sender }, signal }) => {
      called.push(sender);
      if (sender === "did:web:ann.example") return;
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    }, { concurrency: 4, signal: stopping.signal });
    await nextTurns();
    stopping.abort();
    await consuming;
    // The message of another sender does not wait for the eight messages of the domain.
    assert(called.slice(0, 2).includes("did:web:ann.example"), called.join());
    const ofFlood = called.filter((sender) => FLOOD.includes(sender));
    assertEquals(ofFlood.length, expected);
  }
});

Deno.test("sqliteQueue() tracks acknowledged messages for deduplicationMs, and at most maxMessages", async () => {
  using time = new FakeTime();
  await using queue = open({ deduplicationMs: 1000, maxMessages: 3 });
  const ids: string[] = [];
  const stopping = new AbortController();
  const consuming = queue.consume("bob", ({ message: { id } }) => {
    ids.push(id);
  }, { signal: stopping.signal });
  const send = async (...all: readonly number[]) => {
    for (const id of all) {
      await queue.send(createMessage(id));
      await nextTurns();
    }
  };
  await send(1, 2, 3, 1);
  assertEquals(ids, ["1", "2", "3"]);
  // Acknowledging message 4 removes message 1, which is therefore stored again.
  await send(4, 2, 1);
  assertEquals(ids, ["1", "2", "3", "4", "1"]);
  await time.tickAsync(1000);
  await send(4, 4);
  assertEquals(ids, ["1", "2", "3", "4", "1", "4"]);
  stopping.abort();
  await consuming;
});

Deno.test("a sender of a queue in SQLite uses only its share of the tracked messages", async () => {
  await using queue = open({ maxMessages: 4, maxSharePerSender: 0.5 });
  const ann = from("did:web:ann.example");
  await queue.send(ann);
  await consume(queue, 1, () => {});
  for (let n = 0; n < 6; n++) {
    await queue.send(from(FLOOD[0] ?? ""));
    await consume(queue, 1, () => {});
  }
  await queue.send(ann);
  await queue.send(from("did:web:ben.example", "last"));
  await consume(queue, 1, ({ message }) => assertEquals(message.id, "last"));
});

Deno.test("sqliteQueue() deletes and reports the oldest dead letters beyond their limits", async () => {
  const errors: unknown[] = [];
  await using queue = open({
    maxDeadLetters: 4,
    maxDeadLetterShare: 0.5,
    onError: (error) => errors.push(error),
  });
  for (const id of [1, 2, 3]) await queue.send(createMessage(id));
  await consume(queue, 3, ({ message: { id } }) => {
    throw new Reject(id === "1" ? "disk full" : "poison");
  });
  const letters = await queue.deadLetters("bob");
  // The dead letter with the same reason is deleted rather than the oldest one.
  assertEquals(letters.map(({ message, reason }) => [message?.id, reason]), [
    ["1", "disk full"],
    ["3", "poison"],
  ]);
  const dropped = errors.filter((error) => error instanceof CommError);
  assertEquals(dropped.map(({ code, message }) => [code, message]), [[
    "capacity_exceeded",
    'Cannot keep dead letter "did:web:ann.example 2" (poison): limit of dead letters reached',
  ]]);
});

Deno.test("sqliteQueue() counts the dead letters in bytes, and not against the messages", async () => {
  await using queue = open({ maxMessages: 1, maxDeadLetterBytes: 1000, maxDeadLetterShare: 1 });
  for (const id of [1, 2, 3]) {
    await queue.send(createMessage(id, "x".repeat(300)));
    await consume(queue, 1, () => {
      throw new Reject("poison");
    });
  }
  const letters = await queue.deadLetters("bob");
  assertEquals(letters.map(({ message }) => message?.id), ["2", "3"]);
  await queue.send(createMessage(4));
  // The queue has no capacity for the redriven messages.
  assertEquals(await queue.redrive("bob"), 0);
  assertEquals((await queue.deadLetters("bob")).length, 2);
});

Deno.test("messages that fail verification do not delete the dead letters of a sender in SQLite", async () => {
  await using queue = open({ maxDeadLetters: 4, maxDeadLetterShare: 0.5 });
  for (let id = 1; id <= 6; id++) await queue.send(createMessage(id));
  await consume(queue, 6, ({ message: { id } }) => {
    if (id === "1") throw new Reject("disk full");
    throw new Reject("forged", { cause: signatureInvalid("did:web:ann.example") });
  });
  const ids = (await queue.deadLetters("bob")).map(({ message }) => message?.id);
  assertEquals(ids, ["1", "5", "6"]);
});

Deno.test("a forged copy of a message does not keep a queue in SQLite from storing the message", async () => {
  await using queue = open({ orderedInboxes: [] });
  await queue.send(createMessage(1, "forged"));
  await queue.send(createMessage(1, "genuine"));
  const payloads: unknown[] = [];
  await consume(queue, 2, ({ message: { payload } }) => {
    payloads.push(payload);
    if (payload === "forged") throw new Reject("forged");
  });
  assertEquals(payloads.toSorted(), ["forged", "genuine"]);
});

Deno.test("sqliteQueue() delays each attempt twice as long as the previous one, up to a limit", async () => {
  using time = new FakeTime();
  await using queue = open({ retryDelayMs: 100, maxRetryDelayMs: 250, maxAttempts: 4 });
  const times: number[] = [];
  const stopping = new AbortController();
  const start = time.now;
  await queue.send(createMessage(1));
  const consuming = queue.consume("bob", () => {
    times.push(time.now - start);
    throw new Error("the attempt fails");
  }, { signal: stopping.signal });
  for (let step = 0; step < 60; step++) {
    await nextTurns();
    await time.tickAsync(10);
  }
  assertEquals(times, [0, 100, 300, 550]);
  stopping.abort();
  await consuming;
});

Deno.test("sqliteQueue() executes the sends, claims and acknowledgments of a turn in one transaction", async () => {
  const { exec } = DatabaseSync.prototype;
  const executed: string[] = [];
  using _exec = stub(DatabaseSync.prototype, "exec", function (this: DatabaseSync, sql: string) {
    executed.push(sql);
    Reflect.apply(exec, this, [sql]);
  });
  await using queue = open();
  await queue.send(createMessage("first"));
  const stopping = new AbortController();
  let handled = 0;
  const consuming = queue.consume("bob", () => {
    if (++handled === 40) stopping.abort();
  }, { signal: stopping.signal });
  await nextTurns();
  executed.length = 0;
  const numbers = Array.from({ length: 39 }, (_, index) => index);
  await Promise.all(numbers.map((number) => queue.send(createMessage(number))));
  await consuming;
  // One turn stores all messages and claims 8 of them. The following turns acknowledge these, and
  // claim the next 8. The last turn acknowledges the last 7.
  assertEquals(executed, Array(6).fill(["begin immediate", "commit"]).flat());
});

Deno.test("sqliteQueue() claims again after a transaction that cannot be committed", async () => {
  const errors: unknown[] = [];
  await using queue = open({ onError: (error) => errors.push(String(error)), pollIntervalMs: 1 });
  await queue.send(createMessage(1));
  const { exec } = DatabaseSync.prototype;
  let failures = 0;
  using _exec = stub(DatabaseSync.prototype, "exec", function (this: DatabaseSync, sql: string) {
    // The first transaction reads the dead letters, and the second one claims the message.
    if (sql === "commit" && ++failures === 2) throw new Error("disk I/O error");
    Reflect.apply(exec, this, [sql]);
  });
  const attempts: number[] = [];
  await queue.deadLetters("bob");
  await consume(queue, 1, ({ attempt }) => {
    attempts.push(attempt);
  });
  assertEquals(attempts, [1]);
  assertEquals(errors, ["CommError: Cannot receive message: disk I/O error"]);
});

Deno.test("a handler that blocks the event loop does not lose its message to its own process", async () => {
  await using queue = open({ leaseMs: 1000 });
  const ids: string[] = [];
  const ended = Promise.withResolvers<void>();
  const stopping = new AbortController();
  await queue.send(createMessage(1));
  const consuming = queue.consume("bob", ({ message }) => {
    ids.push(message.id);
    return message.id === "1" ? ended.promise : undefined;
  }, { signal: stopping.signal });
  await nextTurns();
  const { now } = Date;
  using _now = stub(Date, "now", () => now() + 60_000);
  await queue.send(createMessage(2));
  await nextTurns();
  assertEquals(ids, ["1", "2"]);
  ended.resolve();
  stopping.abort();
  await consuming;
});

Deno.test("sqliteQueue() lets the program run while it consumes messages", async () => {
  await using queue = open();
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  await Promise.all(numbers.map((number) => queue.send(createMessage(number))));
  const stopping = new AbortController();
  let handled = 0;
  const consuming = queue.consume("bob", () => {
    if (++handled === 8) setImmediate(() => stopping.abort());
  }, { signal: stopping.signal });
  await consuming;
  assert(handled < 200, `${handled} messages were handled before the abort`);
});

Deno.test("sqliteQueue() and its methods reject invalid arguments", async () => {
  const inboxOf = () => "bob";
  // @ts-expect-error a path is required
  assertThrows(() => sqliteQueue(), TypeError, '"path" must be a non-empty string');
  assertThrows(() => sqliteQueue("", { inboxOf }), TypeError, '"path"');
  // @ts-expect-error inboxOf is required
  assertThrows(() => sqliteQueue(":memory:", {}), TypeError, '"inboxOf"');
  const limits = [
    "maxMessages",
    "maxBytes",
    "maxDeadLetters",
    "maxDeadLetterBytes",
    "maxInboxes",
    "leaseMs",
    "pollIntervalMs",
    "busyTimeoutMs",
  ] as const;
  for (const name of limits) {
    assertThrows(() => open({ [name]: 0.5 }), RangeError, `"${name}"`);
  }
  for (const name of ["leaseMs", "pollIntervalMs", "busyTimeoutMs"]) {
    assertThrows(() => open({ [name]: 2 ** 31 }), RangeError, `"${name}"`);
    open({ [name]: 2 ** 31 - 1 }).close();
  }
  assertThrows(() => open({ deduplicationMs: 0 }), RangeError, '"deduplicationMs"');
  for (const name of ["maxSharePerSender", "maxDeadLetterShare"]) {
    assertThrows(() => open({ [name]: 2 }), RangeError, `"${name}"`);
  }
  await using queue = open();
  const transactional = { transactional: true };
  await assertRejects(
    () => queue.consume("bob", () => {}, transactional),
    TypeError,
    '"transactional" must be false: SQLite has one writer at a time',
  );
  using tx = new DatabaseSync(":memory:");
  tx.exec("begin");
  await assertRejects(
    () => queue.send(createMessage(1), { tx }),
    TypeError,
    '"tx" must be omitted: a queue in memory has no transactions',
  );
});

Deno.test("sqliteQueue() rejects more inboxes than the maximum", async () => {
  let inbox = "first";
  await using queue = open({ inboxOf: () => inbox, maxInboxes: 1 });
  await queue.send(createMessage(1));
  inbox = "second";
  const error = await assertRejects(() => queue.send(createMessage(2)), CommError);
  assertEquals(error.code, "capacity_exceeded");
  await queue.deadLetters("first");
});

for (const end of ["abort", "close"]) {
  Deno.test(`consume() of an empty inbox in SQLite keeps the process running until ${end}()`, async () => {
    const { pathname } = new URL("../testdata/idle_consumer.ts", import.meta.url);
    const args = ["run", "--quiet", "--no-check", pathname, "sqlite", end];
    const { success, stdout } = await new Deno.Command("deno", { args }).output();
    assertEquals([success, new TextDecoder().decode(stdout)], [true, "stopped\n"]);
  });
}
