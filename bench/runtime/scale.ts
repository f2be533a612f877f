/**
 * Measures how much longer a turn of a session and a step of a file journal take after many others.
 *
 *     scale.ts TURNS STEPS SERVER_TURNS
 *
 * Prints the ratios of the duration after TURNS turns or STEPS steps, or after SERVER_TURNS turns
 * of the sessions of a server, to the duration after 10 as one line of JSON. Each duration is the
 * median of 150 turns or steps.
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

const EARLY = 10;
/** Number of measured operations in a round. */
const SAMPLES = 3;
const ROUNDS = 50;

/** Ratios of late durations to early durations. */
export interface ScaleRatios {
  readonly sessionTurn: number;
  /** The same, for a session whose steps are recorded. */
  readonly recordedSessionTurn: number;
  /** The same, for a session in a file. */
  readonly fileSessionTurn: number;
  readonly journalStep: number;
  /** The same, for the sessions of a server in memory. */
  readonly serverTurn: number;
  /** The same, for the sessions of a server in an SQLite file. */
  readonly sqliteServerTurn: number;
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

function median(durations: readonly number[]): number {
  return durations.toSorted((first, second) => first - second)[durations.length >> 1] ?? NaN;
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

/**
 * Measures operations after `total` others and after 10 others. The two take turns, because the
 * time to write to a disk changes from one second to the next.
 */
async function ratioOf(total: number, create: () => Promise<Subject>): Promise<number> {
  const [early, late]: [number[], number[]] = [[], []];
  const old = await create();
  await durationsOf(old, total, 0);
  for (let round = 0; round < ROUNDS; round++) {
    const young = await create();
    early.push(...await durationsOf(young, EARLY + SAMPLES, SAMPLES));
    late.push(...await durationsOf(old, SAMPLES, SAMPLES));
    await young.close();
  }
  await old.close();
  return median(late) / median(early);
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
  const ratios: ScaleRatios = {
    sessionTurn: await ratioOf(turns, async () => await sessionWith({ store: memorySessions() })),
    recordedSessionTurn: await ratioOf(
      turns,
      async () => await sessionWith({ store: memorySessions(), stepRunner: stepRunner() }),
    ),
    fileSessionTurn: await ratioOf(turns, async () => await fileSession(newPath())),
    journalStep: await ratioOf(steps, () => openJournal(newPath())),
    serverTurn: await ratioOf(serverTurns, async () => await serverSession(inMemory)),
    sqliteServerTurn: await ratioOf(serverTurns, async () => await serverSession(inSqlite)),
  };
  console.log(JSON.stringify(ratios));
} finally {
  await Deno.remove(folder, { recursive: true });
}
