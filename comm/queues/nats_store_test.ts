import { assert, assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { natsQueue, type NatsQueueOptions } from "../nats.ts";
import { formatMessage } from "../message/message_json.ts";
import { CommError } from "../shared/error.ts";
import { memoryJetStream } from "../testdata/jetstream.ts";
import { createMessage } from "../testdata/messages.ts";
import { nextTurn } from "./check_setup.ts";
import { type MessageQueue, Reject } from "./message_queue.ts";
import { openInbox } from "./nats_inbox.ts";
import { readNatsOptions } from "./nats_options.ts";
import type { NatsJetStream, NatsManager } from "./nats_types.ts";
import { queueChecks } from "./queue_checks.ts";

function failing(): Promise<never> {
  return Promise.reject(new Error("no responders"));
}

/** A manager for a server that rejects all requests. */
const MANAGER: NatsManager = {
  streams: {
    add: failing,
    update: failing,
    info: failing,
    getMessage: failing,
    deleteMessage: failing,
    purge: failing,
  },
  consumers: { add: failing, update: failing, info: failing, delete: failing },
};

const JETSTREAM: NatsJetStream = {
  consumers: { get: failing },
  publish: failing,
  jetstreamManager: () => Promise.resolve(MANAGER),
};

function open(options: Partial<NatsQueueOptions> = {}) {
  return natsQueue({ jetstream: JETSTREAM, inboxOf: () => "office", ...options });
}

for (const check of queueChecks) {
  Deno.test(`natsQueue() ${check.name}`, async () => {
    await check.run((options) => natsQueue({ ...options, jetstream: memoryJetStream() }), {
      timeoutMs: 10_000,
    });
  });
}

Deno.test("natsQueue() rejects invalid options", async () => {
  // @ts-expect-error the client is required
  await assertRejects(() => open({ jetstream: {} }), TypeError, '"jetstream"');
  for (const prefix of ["", "a_b", "a.b", "x".repeat(33)]) {
    await assertRejects(() => open({ prefix }), TypeError, '"prefix"');
  }
  const limits = [
    "replicas",
    "partitions",
    "takeoverMs",
    "maxInboxes",
    "maxMessageBytes",
    "maxPendingMessages",
    "maxPendingBytes",
    "maxStoredMessages",
    "maxStoredBytes",
    "retentionMs",
    "deduplicationMs",
  ] as const;
  for (const name of limits) {
    await assertRejects(() => open({ [name]: 0 }), RangeError, `"${name}"`);
  }
  await assertRejects(() => open({ partitions: 257 }), RangeError, '"partitions"');
});

Deno.test("natsQueue() rejects messages beyond maxStoredMessages, but not those that are stored", async () => {
  await using queue = await open({ jetstream: memoryJetStream(), maxStoredMessages: 2 });
  for (const id of [1, 2, 2]) await queue.send(createMessage(id));
  const error = await assertRejects(() => queue.send(createMessage(3)), CommError);
  assertEquals(error.code, "capacity_exceeded");
  assertEquals(error.message, 'Cannot queue message: inbox "office" is full (capacity 2)');
});

Deno.test("natsQueue() has no transactions", async () => {
  await using queue = await open();
  // @ts-expect-error there are no transactions
  await assertRejects(() => queue.send(createMessage(1), { tx: {} }), TypeError, '"tx"');
  const transactional = { transactional: true };
  await assertRejects(
    () => queue.consume("office", () => {}, transactional),
    TypeError,
    '"transactional"',
  );
});

Deno.test("natsQueue() and its methods reject if the server rejects requests", async () => {
  const codeOf = async (call: () => Promise<unknown>): Promise<unknown> =>
    (await assertRejects(call, CommError, "no responders")).code;
  const jetstream = { ...JETSTREAM, jetstreamManager: failing };
  assertEquals(await codeOf(() => open({ jetstream })), "receive_failed");
  await using queue = await open();
  assertEquals(await codeOf(() => queue.send(createMessage(1))), "send_failed");
  assertEquals(await codeOf(() => queue.consume("office", () => {})), "receive_failed");
  assertEquals(await codeOf(() => queue.deadLetters("office")), "receive_failed");
  assertEquals(await codeOf(() => queue.redrive("office")), "receive_failed");
});

Deno.test("natsQueue() limits messages to 1,000,000 bytes by default", async () => {
  await using queue = await open();
  const error = await assertRejects(
    () => queue.send(createMessage(1, "x".repeat(1_000_000))),
    CommError,
  );
  assertEquals(error.code, "message_too_large");
});

Deno.test("natsQueue() waits no longer than the longest delay of a timer before it extends acknowledgment timeouts", async () => {
  const { setTimeout: start } = globalThis;
  using timers = stub(globalThis, "setTimeout", (callback, ms) => start(callback, ms));
  await using queue = await natsQueue({
    jetstream: memoryJetStream(),
    inboxOf: () => "bob",
    takeoverMs: 2 ** 40,
  });
  const stopping = new AbortController();
  const handled = Promise.withResolvers<void>();
  const consuming = queue.consume("bob", () => handled.resolve(), { signal: stopping.signal });
  await queue.send(createMessage(1));
  await handled.promise;
  stopping.abort();
  await consuming;
  const delays = timers.calls.map(({ args }) => Number(args[1] ?? 0));
  assertEquals(Math.max(...delays), 0x7fffffff);
});

/** Consumes an inbox with a handler that rejects all messages. Returns a function that stops it. */
function startRejecting(queue: MessageQueue): {
  readonly calls: () => number;
  stop(): Promise<void>;
} {
  let calls = 0;
  const stopping = new AbortController();
  const consuming = queue.consume("office", () => {
    calls++;
    throw new Reject("poison");
  }, { signal: stopping.signal });
  return {
    calls: () => calls,
    async stop() {
      stopping.abort();
      await consuming;
    },
  };
}

Deno.test("redrive() of natsQueue() moves each dead letter once while a consumer rejects it again", async () => {
  const jetstream = memoryJetStream();
  await using queue = await open({ jetstream, onError: () => {} });
  const rejecting = startRejecting(queue);
  for (const id of [1, 2]) await queue.send(createMessage(id));
  while ((await queue.deadLetters("office")).length < 2) await nextTurn();
  const manager = await jetstream.jetstreamManager();
  const { deleteMessage, info } = manager.streams;
  let expected = 2;
  // Each deletion waits until the redriven message is a dead letter again.
  manager.streams.deleteMessage = async (stream, ...args) => {
    expected++;
    while ((await info(stream)).state.last_seq < expected) await nextTurn();
    return await deleteMessage(stream, ...args);
  };
  assertEquals(await queue.redrive("office"), 2);
  assertEquals(rejecting.calls(), 4);
  await rejecting.stop();
});

Deno.test("natsQueue() drops the oldest dead letters beyond maxStoredMessages", async () => {
  const jetstream = memoryJetStream();
  const options = { jetstream, onError: () => {}, maxStoredMessages: 2 };
  for (const id of [1, 2, 3]) {
    await using queue = await open({ ...options, maxStoredMessages: 3 });
    await queue.send(createMessage(id));
  }
  await using queue = await open(options);
  const rejecting = startRejecting(queue);
  while (rejecting.calls() < 3) await nextTurn();
  await rejecting.stop();
  const letters = await queue.deadLetters("office");
  assertEquals(letters.map(({ message }) => message?.id), ["2", "3"]);
});

Deno.test("deadLetters() of natsQueue() returns a damaged dead letter without a reason", async () => {
  const jetstream = memoryJetStream();
  await using queue = await open({ jetstream });
  await queue.deadLetters("office");
  const expect = { lastSubjectSequence: 0 };
  for (const [index, text] of ["{", '{"reason":{"toString":1}}', "null"].entries()) {
    await jetstream.publish(`parley.dead.office.0.${index}`, `${text}\nx`, { expect });
  }
  const letters = await queue.deadLetters("office");
  const damaged = { message: undefined, json: "x", reason: "", attempts: 0 };
  assertEquals(letters, [damaged, damaged, damaged]);
});

Deno.test("natsQueue() computes the age of messages with the clock of the server", async () => {
  const jetstream = memoryJetStream();
  const manager = await jetstream.jetstreamManager();
  const { add } = manager.consumers;
  const dayMs = 86_400_000;
  for (const offsetMs of [-dayMs, dayMs]) {
    const serverMs = Date.now() + offsetMs;
    let startMs = NaN;
    manager.consumers.add = async (stream, config) => {
      startMs = Date.parse(config.opt_start_time ?? "");
      return { ...await add(stream, config), created: new Date(serverMs).toISOString() };
    };
    const limits = { ...readNatsOptions({ jetstream, inboxOf: () => "office" }).limits };
    const inbox = await openInbox({ name: "office", jetstream, manager, limits });
    await inbox.openConsumers();
    await inbox.deleteAcknowledged();
    // No message is deleted that is younger than `deduplicationMs` according to the server.
    assert(startMs <= serverMs - limits.deduplicationMs);
  }
});

Deno.test("natsQueue() stores a message although a forged copy is stored", async () => {
  await using queue = await open({ jetstream: memoryJetStream() });
  for (const payload of ["forged", "genuine", "genuine"]) {
    await queue.send(createMessage(1, payload));
  }
  await queue.send(createMessage(2, "last"));
  const handled: unknown[] = [];
  const stopping = new AbortController();
  await queue.consume("office", ({ message: { payload } }) => {
    handled.push(payload);
    if (payload === "last") stopping.abort();
  }, { signal: stopping.signal, concurrency: 1 });
  assertEquals(handled, ["forged", "genuine", "last"]);
});

Deno.test("natsQueue() rejects a message that is not valid UTF-8 instead of repairing it", async () => {
  const jetstream = memoryJetStream();
  await using queue = await open({ jetstream, onError: () => {} });
  await queue.deadLetters("office");
  const bytes = new TextEncoder().encode(formatMessage(createMessage("~")));
  bytes[bytes.lastIndexOf("~".charCodeAt(0))] = 0xff;
  {
    // Another program can store any bytes in the stream.
    using _encode = stub(TextEncoder.prototype, "encode", () => bytes);
    const expect = { lastSubjectSequence: 0 };
    await jetstream.publish("parley.messages.office.0.1", "", { expect });
  }
  const stopping = new AbortController();
  let calls = 0;
  const consuming = queue.consume("office", () => void calls++, { signal: stopping.signal });
  let letters = await queue.deadLetters("office");
  while (letters.length + calls === 0) {
    await nextTurn();
    letters = await queue.deadLetters("office");
  }
  stopping.abort();
  await consuming;
  assertEquals([calls, letters.length], [0, 1]);
  assert(letters[0]?.reason.includes("Unicode"), letters[0]?.reason);
});
