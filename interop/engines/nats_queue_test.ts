import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentCommMessage, CommError } from "@parley/comm";
import { natsQueue, type NatsQueueOptions } from "@parley/comm/nats";
import { type MessageQueue, Reject } from "@parley/comm/queues";
import { queueChecks } from "@parley/comm/testing";
import { HAS_NATS, INSTALL_NATS, type NatsServer, startNats } from "./nats_server.ts";

/** Name of the stream that stores the messages of the `office` inbox. */
const STREAM = "parley_messages_office";

const skipped = HAS_NATS ? "" : ` (skipped: nats-server is not installed; run "${INSTALL_NATS}")`;

function messageOf(payload: string | number): AgentCommMessage {
  return new AgentCommMessage({
    sender: "did:web:ann.example",
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload,
  });
}

/** A server, a connection, and a function that opens queues with the `office` inbox. */
interface Setup {
  readonly server: NatsServer;
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  open(options?: Partial<NatsQueueOptions>): Promise<MessageQueue>;
}

function test(name: string, body: (setup: Setup) => Promise<void>): void {
  Deno.test(`natsQueue() ${name}${skipped}`, { ignore: !HAS_NATS }, async () => {
    await using server = await startNats();
    await using connected = await connectTo(server);
    const { connection, client } = connected;
    const open = (options: Partial<NatsQueueOptions> = {}) =>
      natsQueue({
        jetstream: client,
        inboxOf: () => "office",
        retryDelayMs: 1,
        maxRetryDelayMs: 1,
        onError: () => {},
        ...options,
      });
    await body({ server, connection, client, open });
  });
}

interface Connected extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
}

async function connectTo({ url }: NatsServer): Promise<Connected> {
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
  });
  const client = jetstream(connection, { timeout: 1000 });
  return { connection, client, [Symbol.asyncDispose]: () => connection.close() };
}

/** Consumes the given number of messages and returns their payloads. */
async function payloadsOf(queue: MessageQueue, count: number): Promise<unknown[]> {
  const payloads: unknown[] = [];
  const stopping = new AbortController();
  await queue.consume("office", ({ message }) => {
    payloads.push(message.payload);
    if (payloads.length === count) stopping.abort();
  }, { concurrency: 1, signal: stopping.signal });
  return payloads;
}

/** Returns the numbers of stored, undelivered, and unacknowledged messages. */
async function countsOf(client: JetStreamClient): Promise<readonly number[]> {
  const manager = await client.jetstreamManager();
  const { state } = await manager.streams.info(STREAM);
  const info = await manager.consumers.info(STREAM, "all");
  return [state.messages, info.num_pending, info.num_ack_pending];
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!await isSo()) assert(performance.now() < end, "the condition is false after 20 seconds");
}

Deno.test(`natsQueue() passes the checks for queues${skipped}`, {
  ignore: !HAS_NATS,
}, async (t) => {
  await using server = await startNats();
  await using connected = await connectTo(server);
  for (const check of queueChecks) {
    await t.step(
      check.name,
      () => check.run((options) => natsQueue({ ...options, jetstream: connected.client })),
    );
  }
});

test("does not store an acknowledged message again after a restart of the server", async (setup) => {
  const { server, client, open } = setup;
  await using queue = await open();
  const message = messageOf("once");
  await queue.send(message);
  assertEquals(await payloadsOf(queue, 1), ["once"]);
  await server.restart();
  await until(() => countsOf(client).then(() => true, () => false));
  await queue.send(message);
  await queue.send(messageOf("next"));
  assertEquals(await payloadsOf(queue, 1), ["next"]);
});

test("forgets acknowledged messages after deduplicationMs, but no other messages", async (setup) => {
  const { client, open } = setup;
  await using queue = await open({ deduplicationMs: 100, takeoverMs: 200 });
  const [first, held] = [messageOf("first"), messageOf("held")];
  await queue.send(first);
  const stopping = new AbortController();
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const consuming = queue.consume("office", async ({ message }) => {
    started.resolve();
    if (message.payload === "held") await release.promise;
  }, { signal: stopping.signal });
  await started.promise;
  await until(async () => (await countsOf(client))[0] === 0);
  await queue.send(held);
  await queue.send(messageOf("acknowledged"));
  await until(async () => (await countsOf(client))[2] === 1);
  // Wait until the messages are old enough for the queue's second deletion pass.
  const manager = await client.jetstreamManager();
  const { state } = await manager.streams.info(STREAM);
  const end = Date.parse(state.last_ts) + 500;
  await until(() => Promise.resolve(Date.now() > end));
  assertEquals(await countsOf(client), [2, 0, 1]);
  await queue.send(held);
  release.resolve();
  await until(async () => (await countsOf(client))[0] === 0);
  stopping.abort();
  await consuming;
  await queue.send(first);
  assertEquals(await payloadsOf(queue, 1), ["first"]);
});

test("delivers the message of a consumer that has disappeared after takeoverMs", async (setup) => {
  const { server, open } = setup;
  await using dying = await connectTo(server);
  const first = await open({ jetstream: dying.client, takeoverMs: 500 });
  await first.send(messageOf("task"));
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const consuming = first.consume("office", async ({ signal }) => {
    started.resolve();
    await dying.connection.close();
    signal.addEventListener("abort", () => aborted.resolve());
    await aborted.promise;
  });
  const failing = assertRejects(() => consuming, CommError);
  // Otherwise, the second consumer could receive the message before the first.
  await started.promise;
  const attempts: number[] = [];
  await using second = await open({ takeoverMs: 500 });
  const stopping = new AbortController();
  await second.consume("office", ({ attempt }) => {
    attempts.push(attempt);
    stopping.abort();
  }, { signal: stopping.signal });
  assertEquals(attempts, [2]);
  assertEquals((await failing).code, "receive_failed");
  await first.close();
});

test("does not deliver a message again while its handler is running", async ({ open }) => {
  await using queue = await open({ takeoverMs: 200 });
  await queue.send(messageOf("slow"));
  const stopping = new AbortController();
  const attempts: number[] = [];
  await queue.consume("office", async ({ attempt, signal }) => {
    attempts.push(attempt);
    const end = performance.now() + 1000;
    await until(() => Promise.resolve(performance.now() > end));
    assert(!signal.aborted);
    stopping.abort();
  }, { signal: stopping.signal });
  assertEquals(attempts, [1]);
});

test("aborts handlers while the server does not respond, and continues after a restart", async (setup) => {
  const { server, open } = setup;
  const errors: unknown[] = [];
  await using queue = await open({ takeoverMs: 500, onError: (error) => errors.push(error) });
  await queue.send(messageOf("before"));
  const stopping = new AbortController();
  const delivered: unknown[] = [];
  await queue.consume("office", async ({ message: { payload }, attempt, signal }) => {
    delivered.push(payload);
    if (delivered.length === 3) stopping.abort();
    if (payload === "after" || attempt > 1) return;
    await server.kill();
    const error = await assertRejects(() => queue.send(messageOf("during")), CommError);
    assertEquals(error.code, "send_failed");
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    await server.restart();
    await until(() => queue.send(messageOf("after")).then(() => true, () => false));
  }, { concurrency: 1, signal: stopping.signal });
  assertEquals(delivered.sort(), ["after", "before", "before"]);
  assert(errors.some((error) => String(error).includes("NATS does not respond")));
});

test("rejects if the connection is closed", async ({ connection, open }) => {
  await using queue = await open();
  const failing = assertRejects(() => queue.consume("office", () => {}), CommError);
  await queue.send(messageOf(1));
  await connection.close();
  assertEquals((await failing).code, "receive_failed");
  const sending = await assertRejects(() => queue.send(messageOf(2)), CommError);
  assertEquals(sending.code, "send_failed");
});

test("turns a stored text that is not a message into a dead letter", async ({ client, open }) => {
  await using queue = await open();
  await queue.send(messageOf("a"));
  await client.publish("parley.messages.office.0.unknown", "[17]");
  const stopping = new AbortController();
  const consuming = queue.consume("office", () => {}, { signal: stopping.signal });
  await until(async () => (await queue.deadLetters("office")).length === 1);
  stopping.abort();
  await consuming;
  const [letter] = await queue.deadLetters("office");
  assertEquals([letter?.message, letter?.json, letter?.attempts], [undefined, "[17]", 1]);
  assert(letter?.reason.startsWith("Cannot accept message"), letter?.reason);
});

test("stores a dead letter of the maximum size, and redrives a message repeatedly", async (setup) => {
  await using queue = await setup.open();
  const payload = '"'.repeat(499_000);
  await queue.send(messageOf(payload));
  for (let count = 0; count < 3; count++) {
    const stopping = new AbortController();
    await queue.consume("office", () => {
      stopping.abort();
      throw new Reject("\u0000".repeat(2000));
    }, { signal: stopping.signal });
    const letters = await queue.deadLetters("office");
    assertEquals(letters.map(({ message }) => message?.payload === payload), [true]);
    assertEquals(await queue.redrive("office"), 1);
  }
  assertEquals((await payloadsOf(queue, 1))[0] === payload, true);
});

test("rejects an inbox whose stream is ordered differently", async ({ open }) => {
  await using queue = await open();
  await queue.send(messageOf(1));
  await using ordered = await open({ orderedInboxes: ["office"] });
  const error = await assertRejects(() => ordered.send(messageOf(2)), CommError);
  assertEquals(error.code, "send_failed");
  assert(error.message.includes('described as "Inbox: unordered"'), error.message);
});

test("changes the settings of an existing inbox", async ({ client, open }) => {
  for (const takeoverMs of [10_000, 5000]) {
    await using queue = await open({ takeoverMs, retentionMs: takeoverMs * 1000 });
    await queue.send(messageOf(takeoverMs));
    await payloadsOf(queue, 1);
  }
  const manager = await client.jetstreamManager();
  const { config: { max_age } } = await manager.streams.info(STREAM);
  const { config: { ack_wait } } = await manager.consumers.info(STREAM, "all");
  assertEquals([max_age, ack_wait], [5_000_000 * 1e6, 5000 * 1e6]);
});

test("rejects messages beyond its limits", async ({ open }) => {
  const codeOf = (error: unknown): unknown => error instanceof CommError ? error.code : error;
  for (const limit of [{ maxStoredMessages: 2 }, { maxStoredBytes: 2000 }]) {
    let [count, code]: [number, unknown] = [0, undefined];
    const inboxOf = () => Object.keys(limit)[0] ?? "";
    await using queue = await open({ ...limit, inboxOf });
    for (; code === undefined; count++) {
      await queue.send(messageOf("x".repeat(500))).catch((error) => code = codeOf(error));
    }
    assertEquals([count, code], [3, "capacity_exceeded"]);
  }
  await using pending = await open({ maxPendingMessages: 2 });
  const sends = [1, 2, 3].map((each) => pending.send(messageOf(each)));
  const results = await Promise.allSettled(sends);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected"]);
  let inbox = "first";
  await using one = await open({ maxInboxes: 1, inboxOf: () => inbox });
  await one.send(messageOf(1));
  inbox = "second";
  assertEquals(codeOf(await one.send(messageOf(2)).catch((error) => error)), "capacity_exceeded");
});

Deno.test(`natsQueue() rejects if the server has no JetStream${skipped}`, {
  ignore: !HAS_NATS,
}, async () => {
  await using server = await startNats({ hasJetStream: false });
  await using connected = await connectTo(server);
  const error = await assertRejects(
    () => natsQueue({ jetstream: connected.client, inboxOf: () => "office" }),
    CommError,
  );
  assertEquals(error.code, "receive_failed");
  assert(error.message.includes("jetstream"), error.message);
});
