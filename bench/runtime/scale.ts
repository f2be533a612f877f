/**
 * Measures the processor time of a turn of a session and of a step of a file journal after many
 * others. The time of a disk would hide how this time grows.
 *
 *     scale.ts TURNS STEPS SERVER_TURNS
 *
 * Prints the times in microseconds as one line of JSON, keyed by the number of earlier turns or
 * steps: 10, powers of ten, and TURNS, STEPS or SERVER_TURNS. Each time is the median of 20 groups
 * of 4 turns or steps.
 *
 * @module
 */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { fileStore } from "@parley/runtime/file";
import { JsonlJournal, MemoryJournal, recordSteps } from "@parley/runtime/journal";
import {
  AgentSession,
  type AgentSessionOptions,
  jsonlSessions,
  memorySessions,
  memoryStorage,
  openSessions,
  type Sessions,
  type SessionStorage,
} from "@parley/runtime/session";
import { sqliteStorage } from "@parley/runtime/sqlite";
import { cpuUsedUs, median } from "../measure.ts";

const SMALLEST = 10;
/** Number of measured operations in a round. */
const SAMPLES = 4;
const ROUNDS = 20;

/** Processor time in microseconds, keyed by the number of earlier operations. */
export type Costs = Readonly<Record<string, number>>;

/** Costs of turns and steps. */
export interface ScaleCosts {
  readonly sessionTurn: Costs;
  /** The same, for a session whose steps are recorded. */
  readonly recordedSessionTurn: Costs;
  /** The same, for a session in a file. */
  readonly fileSessionTurn: Costs;
  readonly journalStep: Costs;
  /** The same, for the sessions of a server in memory. */
  readonly serverTurn: Costs;
  /** The same, for the sessions of a server in an SQLite file. */
  readonly sqliteServerTurn: Costs;
  /** First turns of sessions, keyed by the number of earlier sessions. */
  readonly newSession: Costs;
  /** The same, in an SQLite file. */
  readonly sqliteNewSession: Costs;
}

/** An object whose operations are measured in order. */
interface Subject {
  operate(): Promise<unknown>;
  close(): Promise<unknown>;
}

const model: LanguageModel = {
  modelId: "instant",
  generate: () =>
    Promise.resolve({
      message: { role: "assistant", content: [{ type: "text", text: "done" }] },
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    }),
};

function sessionWith(options: Omit<AgentSessionOptions, "id">): Subject {
  const session = new AgentSession(agent(), { id: "s", ...options });
  return { operate: () => session.run("go"), close: () => Promise.resolve() };
}

function fileSession(path: string): Subject {
  const store = jsonlSessions(() => fileStore(path));
  return { ...sessionWith({ store }), close: () => store.close() };
}

function agent(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "a", model });
}

/** The sessions of a server, of which each receives one message. */
function newSessions(storage: SessionStorage): Subject {
  const sessions = openSessions({ agent, storage });
  const operate = async () => {
    for await (const _ of await sessions.send(`s${files++}`, "go"));
  };
  return { operate, close: () => sessions.close() };
}

/** A session of a server, which has others. */
function serverSession(sessions: Sessions): Subject {
  const id = `s${files++}`;
  const operate = async () => {
    for await (const _ of await sessions.send(id, "go"));
  };
  return { operate, close: () => Promise.resolve() };
}

async function openJournal(path: string): Promise<Subject> {
  const journal = await JsonlJournal.open(fileStore(path));
  const value = "x".repeat(100);
  const operate = () =>
    journal.append({ v: 1, key: `r/i${journal.size}/model`, kind: "model", value });
  return { operate, close: () => journal.close() };
}

async function operate(subject: Subject, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await subject.operate();
}

/** Executes operations. Returns the processor time of one operation, in microseconds. */
async function measure(subject: Subject): Promise<number> {
  const startedUs = cpuUsedUs();
  await operate(subject, SAMPLES);
  return (cpuUsedUs() - startedUs) / SAMPLES;
}

/** Returns 10, the powers of ten up to a tenth of the largest size, and the largest size. */
function sizesUpTo(largest: number): number[] {
  const sizes: number[] = [];
  for (let size = SMALLEST; size <= largest / 10; size *= 10) sizes.push(size);
  return [...sizes, largest];
}

/**
 * Measures operations after other operations. The sizes take turns. The object of the largest size
 * is used in all rounds, and the measured operations increase its size. The other objects are
 * created for each round.
 */
async function costsBySize(largest: number, create: () => Promise<Subject>): Promise<Costs> {
  const costs = new Map(sizesUpTo(largest).map((size): [number, number[]] => [size, []]));
  const old = await create();
  await operate(old, largest);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [size, measured] of costs) {
      if (size === largest) {
        measured.push(await measure(old));
        continue;
      }
      const young = await create();
      await operate(young, size);
      measured.push(await measure(young));
      await young.close();
    }
  }
  await old.close();
  return Object.fromEntries([...costs].map(([size, us]) => [size, median(us)]));
}

/** Returns the path of a new file. */
function newPath(): string {
  return `${folder}/${files++}.jsonl`;
}

const [turns = 1000, steps = 1000, serverTurns = 5000] = Deno.args.map(Number);
const folder = await Deno.makeTempDir({ prefix: "parley-bench-" });
let files = 0;
try {
  await using inMemory = openSessions({ agent, storage: memoryStorage() });
  await using inSqlite = openSessions({ agent, storage: sqliteStorage(`${folder}/sessions.db`) });
  const stepRunner = () => recordSteps(new MemoryJournal());
  const costs: ScaleCosts = {
    sessionTurn: await costsBySize(
      turns,
      async () => await sessionWith({ store: memorySessions() }),
    ),
    recordedSessionTurn: await costsBySize(
      turns,
      async () => await sessionWith({ store: memorySessions(), stepRunner: stepRunner() }),
    ),
    fileSessionTurn: await costsBySize(turns, async () => await fileSession(newPath())),
    journalStep: await costsBySize(steps, () => openJournal(newPath())),
    serverTurn: await costsBySize(serverTurns, async () => await serverSession(inMemory)),
    newSession: await costsBySize(1000, async () => await newSessions(memoryStorage())),
    sqliteNewSession: await costsBySize(
      1000,
      async () => await newSessions(sqliteStorage(newPath())),
    ),
    sqliteServerTurn: await costsBySize(serverTurns, async () => await serverSession(inSqlite)),
  };
  console.log(JSON.stringify(costs));
} finally {
  await Deno.remove(folder, { recursive: true });
}
