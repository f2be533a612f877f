/**
 * Measures how much longer a turn of a session and a step of a file journal take after many others.
 *
 *     scale.ts TURNS STEPS
 *
 * Prints the ratios of the duration after TURNS turns or STEPS steps to the duration after 10 as
 * one line of JSON. Each duration is the median of 150 turns or steps.
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
} from "@parley/runtime/session";

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
  const session = new AgentSession(new ToolLoopAgent({ name: "a", model }), {
    id: "s",
    ...options,
  });
  return { operate: () => session.run("go"), close: () => Promise.resolve() };
}

function fileSession(path: string): Subject {
  const store = jsonlSessions(() => fileStore(path));
  return { ...sessionWith({ store }), close: () => store.close() };
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

const [turns = 1000, steps = 1000] = Deno.args.map(Number);
const folder = await Deno.makeTempDir({ prefix: "parley-bench-" });
let files = 0;
try {
  const stepRunner = () => recordSteps(new MemoryJournal());
  const ratios: ScaleRatios = {
    sessionTurn: await ratioOf(turns, async () => await sessionWith({ store: memorySessions() })),
    recordedSessionTurn: await ratioOf(
      turns,
      async () => await sessionWith({ store: memorySessions(), stepRunner: stepRunner() }),
    ),
    fileSessionTurn: await ratioOf(turns, async () => await fileSession(newPath())),
    journalStep: await ratioOf(steps, () => openJournal(newPath())),
  };
  console.log(JSON.stringify(ratios));
} finally {
  await Deno.remove(folder, { recursive: true });
}
