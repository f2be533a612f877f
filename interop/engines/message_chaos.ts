/**
 * Chaos test for messages: signed messages are sent and consumed while the queue's engine and the
 * consumers are repeatedly killed. The effects of the messages are stored in PostgreSQL, which is
 * also the queue engine if pg-boss is tested.
 *
 * @module
 */

import { AgentCommMessage, createSigner, type MessageSigner, signMessage } from "@parley/comm";
import type { SqlClient } from "@parley/comm/pgboss";
import { PostgresReplayStore } from "@parley/comm/postgres";
import type { MessageQueue } from "@parley/comm/queues";
import pg from "pg";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { CHAOS_INBOX, type ChaosEngineName, openChaosQueue } from "./message_chaos_queue.ts";
import { startNats } from "./nats_server.ts";

/** Payload of the message that the consumers reject until the `fixed` table has a row. */
export const POISON = 77;

/** Options for {@linkcode runMessageChaos}. */
export interface MessageChaosOptions {
  readonly engine: ChaosEngineName;
  /** Path to the `postgres` program. */
  readonly program: string;
  /** Number of messages. */
  readonly messages: number;
  /** Number of times that the engine is killed. */
  readonly engineKills: number;
  /** Number of consumers that are killed. */
  readonly consumerKills: number;
  readonly isOrdered: boolean;
  /** Time after which the test fails, in milliseconds. */
  readonly timeoutMs: number;
}

/** Counts from a chaos test. */
export interface MessageChaosResult {
  /** Messages that were not processed although `send()` resolved. */
  readonly lost: number;
  /** Messages whose effect was stored twice. */
  readonly twice: number;
  /** Messages that were processed after a later message from the same sender. */
  readonly inversions: number;
  /** Reasons recorded for the dead letters before they were redriven. */
  readonly deadLetters: readonly string[];
  readonly redriven: number;
  readonly engineKills: number;
  readonly consumerKills: number;
  /** Consumers that exited without being killed. */
  readonly crashed: number;
}

const CONSUMERS = 2;

const TABLES = `
  create table effect (seq bigserial, sender text not null, payload text not null);
  create table fixed (at timestamptz);
`;

/** Runs the chaos test with new servers. */
export async function runMessageChaos(options: MessageChaosOptions): Promise<MessageChaosResult> {
  const { engine, program, isOrdered, timeoutMs } = options;
  await using server = await startPostgres({ program });
  await executeSql(server, TABLES);
  await createReplayTable(server);
  await using nats = engine === "nats" ? await startNats() : undefined;
  const killed = nats ?? server;
  await using opened = await openChaosQueue({ engine, url: killed.url, isOrdered });
  const { queue } = opened;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signers = [await signerOf(1), await signerOf(2)];
  const recipient = await signerOf(3);
  const args = [engine, killed.url, server.url, recipient.did, String(isOrdered)];
  await using chaos = new Chaos(killed, args, options);
  const sending = sendAll(queue, signers, recipient.did, options, deadline);
  try {
    await untilEffects(server, options.messages - 1, deadline);
    await sending;
    const letters = await untilDeadLetter(queue, deadline);
    await executeSql(server, "insert into fixed values (now())");
    const redriven = await queue.redrive(CHAOS_INBOX);
    await untilEffects(server, options.messages, deadline);
    return { ...await count(server, options), ...chaos.kills, deadLetters: letters, redriven };
  } catch (error) {
    const counts = { ...await count(server, options).catch(() => undefined), ...chaos.kills };
    throw new Error(`The chaos test failed: ${JSON.stringify(counts)}`, { cause: error });
  }
}

/** A server that can be killed and started again with the same data. */
interface Restartable {
  readonly url: string;
  restart(): Promise<void>;
}

/**
 * Runs two consumers, and kills a consumer or the engine each time the number of processed messages
 * reaches a planned count.
 */
class Chaos implements AsyncDisposable {
  readonly #engine: Restartable;
  readonly #args: readonly string[];
  readonly #consumers = new Map<Deno.ChildProcess, Promise<void>>();
  /** Counts of processed messages at which a consumer or the engine is killed. */
  readonly #plan: { readonly at: number; readonly target: "engine" | "consumer" }[];
  #processed = 0;
  #restarting: Promise<void> = Promise.resolve();
  #isEnded = false;
  #engineKills = 0;
  #consumerKills = 0;
  #crashed = 0;

  constructor(engine: Restartable, args: readonly string[], options: MessageChaosOptions) {
    const { messages, engineKills, consumerKills } = options;
    this.#engine = engine;
    this.#args = args;
    const spread = (kills: number, target: "engine" | "consumer", offset: number) =>
      Array.from({ length: kills }, (_, index) => ({
        at: Math.floor(messages * (index + offset) / (kills + 1)),
        target,
      }));
    this.#plan = [...spread(engineKills, "engine", 0.8), ...spread(consumerKills, "consumer", 0.5)]
      .sort((first, second) => first.at - second.at);
    for (let count = 0; count < CONSUMERS; count++) this.#start();
  }

  get kills(): Pick<MessageChaosResult, "engineKills" | "consumerKills" | "crashed"> {
    const [engineKills, consumerKills] = [this.#engineKills, this.#consumerKills];
    return { engineKills, consumerKills, crashed: this.#crashed };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await this.#restarting;
    for (const child of this.#consumers.keys()) child.kill("SIGKILL");
    await Promise.all(this.#consumers.values());
  }

  #start(): void {
    const worker = new URL("./message_chaos_worker.ts", import.meta.url).pathname;
    const config = new URL("../deno.json", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", "--config", config, worker, ...this.#args],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#consumers.set(child, this.#watch(child));
  }

  async #watch(child: Deno.ChildProcess): Promise<void> {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      this.#processed += text.split("\n").length - 1;
      this.#killNext(child);
    }
    await child.stdin.abort().catch(() => {});
    if ((await child.status).signal !== "SIGKILL") this.#crashed++;
    this.#consumers.delete(child);
  }

  #killNext(child: Deno.ChildProcess): void {
    const [next] = this.#plan;
    if (this.#isEnded || next === undefined || this.#processed < next.at) return;
    this.#plan.shift();
    if (next.target === "engine") {
      this.#engineKills++;
      this.#restarting = this.#restarting.then(() => this.#engine.restart());
    } else {
      this.#consumerKills++;
      child.kill("SIGKILL");
      this.#start();
    }
  }
}

/** Sends the messages, sequentially for each sender, and every tenth message twice. */
async function sendAll(
  queue: MessageQueue<SqlClient>,
  signers: readonly MessageSigner[],
  recipient: string,
  { messages }: MessageChaosOptions,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(signers.map(async (signer, index) => {
    for (let payload = index; payload < messages; payload += signers.length) {
      const draft = new AgentCommMessage({
        sender: signer.did,
        recipient,
        protocol: "agent.task.v1",
        messageType: "task_assign",
        payload,
      });
      const message = await signMessage(draft, signer);
      await sendUntilStored(queue, message, signal);
      if (payload % 10 === 0) await sendUntilStored(queue, message, signal);
    }
  }));
}

async function sendUntilStored(
  queue: MessageQueue<SqlClient>,
  message: AgentCommMessage,
  signal: AbortSignal,
): Promise<void> {
  await retry(() => queue.send(message), signal);
}

/** Calls a function until it succeeds: the engine might be restarting. */
async function retry<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch {
      await pause();
    }
  }
}

async function untilEffects(server: Postgres, count: number, signal: AbortSignal): Promise<void> {
  const sql = "select count(distinct payload)::int as count from effect";
  for (;;) {
    const [row] = await retry(() => executeSql(server, sql), signal);
    if (Number(row?.count) >= count) return;
    await pause();
  }
}

async function untilDeadLetter(
  queue: MessageQueue<SqlClient>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (;;) {
    const letters = await retry(() => queue.deadLetters(CHAOS_INBOX), signal);
    if (letters.length > 0) return letters.map(({ reason }) => reason);
    await pause();
  }
}

/**
 * Counts how often the handler has processed each message. The redriven poison message does not
 * count as out of order.
 */
async function count(
  server: Postgres,
  { messages }: MessageChaosOptions,
): Promise<Pick<MessageChaosResult, "lost" | "twice" | "inversions">> {
  const rows = await executeSql(server, "select sender, payload from effect order by seq");
  const payloads = new Set(rows.map(({ payload }) => payload));
  const latest = new Map<unknown, number>();
  let inversions = 0;
  for (const { sender, payload } of rows) {
    const number = Number(payload);
    if (number === POISON) continue;
    if (number < (latest.get(sender) ?? -1)) inversions++;
    latest.set(sender, Math.max(number, latest.get(sender) ?? -1));
  }
  return { lost: messages - payloads.size, twice: rows.length - payloads.size, inversions };
}

async function createReplayTable(server: Postgres): Promise<void> {
  const db: SqlClient = {
    query: async (text, values) => ({ rows: await query(server, text, values) }),
  };
  await new PostgresReplayStore({ db }).createTable();
}

function executeSql(server: Postgres, text: string): Promise<Record<string, unknown>[]> {
  return query(server, text);
}

async function query(
  { url }: Postgres,
  text: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function signerOf(byte: number): Promise<MessageSigner> {
  return await createSigner({ seed: new Uint8Array(32).fill(byte) });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}
