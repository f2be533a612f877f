/**
 * Compares the tool loop with a loop written by hand, in turns within one process, and prints one
 * line of JSON:
 *
 *     loop.ts BUDGET_MS
 *
 * @module
 */

import { measureFastestTurns } from "../measure.ts";
import { type Shape, type Subject, SUBJECTS } from "./subjects.ts";

/** What an iteration costs, compared with the loop written by hand. */
export interface LoopRatios {
  /** Time of an iteration with one tool call. */
  readonly iteration: number;
  /** Time of an iteration with eight tool calls. */
  readonly eightCalls: number;
  /** Bytes that an iteration with one tool call allocates. */
  readonly bytesPerIteration: number;
  /** The same for the loop written by hand. */
  readonly handMadeBytesPerIteration: number;
}

const [budget = "1500"] = Deno.args;
const totalMs = Number(budget);
const ITERATIONS = 100;
const LOOPS = ["parley", "hand-made", "bare"] as const;

async function compare(calls: number): Promise<ReadonlyMap<string, number>> {
  const shape = { iterations: ITERATIONS, calls, history: 0, payload: 100 };
  const contenders = await Promise.all(
    LOOPS.map(async (name) => ({ name, run: await subjectOf(name)(shape) })),
  );
  return await measureFastestTurns(contenders, { totalMs });
}

function subjectOf(name: string): Subject {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`Unknown subject "${name}"`);
  return subject;
}

function ratioOf(speeds: ReadonlyMap<string, number>): number {
  return (speeds.get("hand-made") ?? NaN) / (speeds.get("parley") ?? NaN);
}

/**
 * Returns the bytes that an iteration allocates: the smallest growth of the heap in runs that the
 * collector did not interrupt.
 */
async function bytesPerIteration(name: string): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  const shape: Shape = { iterations: ITERATIONS, calls: 1, history: 0, payload: 100 };
  const run = await subjectOf(name)(shape);
  for (let count = 0; count < 200; count++) await run();
  const growths: number[] = [];
  for (let count = 0; count < 30; count++) {
    gc?.();
    const before = Deno.memoryUsage().heapUsed;
    await run();
    growths.push(Deno.memoryUsage().heapUsed - before);
  }
  const [median = NaN] = growths.sort((one, other) => one - other).slice(15);
  return median / ITERATIONS;
}

const [one, eight] = [await compare(1), await compare(8)];
console.log(
  JSON.stringify(
    {
      iteration: ratioOf(one),
      eightCalls: ratioOf(eight),
      bytesPerIteration: await bytesPerIteration("parley"),
      handMadeBytesPerIteration: await bytesPerIteration("hand-made"),
    } satisfies LoopRatios,
  ),
);
