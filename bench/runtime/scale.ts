/**
 * Measures how long a turn of a session and a step of a file journal take after many others.
 *
 *     scale.ts TURNS STEPS SERVER_TURNS
 *
 * Prints the durations in microseconds as one line of JSON, keyed by the number of earlier turns or
 * steps: 10, powers of ten, and TURNS, STEPS or SERVER_TURNS. Each duration is the median of 100
 * turns or steps.
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
} from "@parley/runtime/session";
import { sqliteStorage } from "@parley/runtime/sqlite";
import { median } from "../measure.ts";

const SMALLEST = 10;
/** Number of measured operations in a round. */
const SAMPLES = 4;
const ROUNDS = 25;

/** Durations in microseconds, keyed by the number of earlier operations. */
export type Durations = Readonly<Record<string, number>>;

/** Durations of turns and steps. */
export interface ScaleCosts {
  readonly sessionTurn: Durations;
  /** The same, for a session whose steps are recorded. */
  readonly recordedSessionTurn: Durations;
  /** The same, for a session in a file. */
  readonly fileSessionTurn: Durations;
  readonly journalStep: Durations;
  /** The same, for the sessions of a server in memory. */
  readonly serverTurn: Durations;
  /** The same, for the sessions of a server in an SQLite file. */
  readonly sqliteServerTurn: Durations;
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

/** Executes operations, and returns the durations of the last ones. */
async function durationsOf(subject: Subject, count: number, last: number): Promise<number[]> {
  const durations: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await subject.operate();
    if (index >= count - last) durations.push(performance.now() - start);
  }
  return durations;
}

/** Returns 10, the powers of ten up to a tenth of the largest size, and the largest size. */
function sizesUpTo(largest: number): number[] {
  const sizes: number[] = [];
  for (let size = SMALLEST; size <= largest / 10; size *= 10) sizes.push(size);
  return [...sizes, largest];
}

/**
 * Measures operations after other operations. The sizes take turns, because the time to write to a
 * disk changes from one second to the next. The object of the largest size is used in all rounds,
 * and the measured operations increase its size. The other objects are created for each round.
 */
async function durationsBySize(
  largest: number,
  create: () => Promise<Subject>,
): Promise<Durations> {
  const durations = new Map(sizesUpTo(largest).map((size): [number, number[]] => [size, []]));
  const old = await create();
  await durationsOf(old, largest, 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [size, measured] of durations) {
      if (size === largest) {
        measured.push(...await durationsOf(old, SAMPLES, SAMPLES));
        continue;
      }
      const young = await create();
      measured.push(...await durationsOf(young, size + SAMPLES, SAMPLES));
      await young.close();
    }
  }
  await old.close();
  return Object.fromEntries([...durations].map(([size, ms]) => [size, median(ms) * 1000]));
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
    sessionTurn: await durationsBySize(
      turns,
      async () => await sessionWith({ store: memorySessions() }),
    ),
    recordedSessionTurn: await durationsBySize(
      turns,
      async () => await sessionWith({ store: memorySessions(), stepRunner: stepRunner() }),
    ),
    fileSessionTurn: await durationsBySize(turns, async () => await fileSession(newPath())),
    journalStep: await durationsBySize(steps, () => openJournal(newPath())),
    serverTurn: await durationsBySize(serverTurns, async () => await serverSession(inMemory)),
    sqliteServerTurn: await durationsBySize(serverTurns, async () => await serverSession(inSqlite)),
  };
  console.log(JSON.stringify(costs));
} finally {
  await Deno.remove(folder, { recursive: true });
}
