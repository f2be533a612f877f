/**
 * Measures agent runs with one of the compared libraries in a separate process, and prints the
 * result as one line of JSON.
 *
 *     child.ts SUBJECT ITERATIONS CALLS HISTORY PAYLOAD BUDGET_MS
 *
 * @module
 */

import { measureShortestRun, type ShortestRun } from "../measure.ts";
import { type Run, SUBJECTS } from "./subjects.ts";

/** Measurement of agent runs with one of the compared libraries. */
export interface Measurement extends ShortestRun {
  /** Memory retained by the output of one run, in kilobytes. */
  readonly retainedKb: number;
}

const KEPT_RUNS = 8;

function collect(): void {
  const { gc } = globalThis as { gc?: () => void };
  for (let round = 0; round < 4; round++) gc?.();
}

async function retained(run: Run): Promise<number> {
  collect();
  const before = Deno.memoryUsage().heapUsed;
  const kept: unknown[] = [];
  for (let count = 0; count < KEPT_RUNS; count++) kept.push(await run());
  collect();
  return (Deno.memoryUsage().heapUsed - before) / kept.length / 1024;
}

const [name = "", ...numbers] = Deno.args;
const [iterations = 0, calls = 0, history = 0, payload = 0, budgetMs = 0] = numbers.map(Number);
const subject = SUBJECTS[name];
if (subject === undefined) throw new Error(`Unknown subject "${name}"`);
const run = await subject({ iterations, calls, history, payload });
const timed = await measureShortestRun(run, budgetMs);
const retainedKb = await retained(run);
console.log(JSON.stringify({ ...timed, retainedKb } satisfies Measurement));
