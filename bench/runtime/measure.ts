/**
 * Measures one subject on one shape in a process of its own, and prints one JSON line.
 *
 *     deno run -A --v8-flags=--expose-gc bench/runtime/measure.ts SUBJECT ITERATIONS CALLS HISTORY PAYLOAD BUDGET_MS
 *
 * @module
 */

import { type Run, SUBJECTS } from "./subjects.ts";

/** What was measured. */
export interface Measurement {
  /** The shortest run, in milliseconds: on a shared machine the only steady figure. */
  readonly minMs: number;
  /** How many runs there were. */
  readonly runs: number;
  /** What a finished run keeps alive, in kilobytes. */
  readonly retainedKb: number;
}

const KEPT_RUNS = 8;

function collect(): void {
  const { gc } = globalThis as { gc?: () => void };
  for (let round = 0; round < 4; round++) gc?.();
}

async function shortest(run: Run, budgetMs: number): Promise<{ minMs: number; runs: number }> {
  const begun = performance.now();
  let minMs = Infinity;
  let runs = 0;
  while (performance.now() - begun < budgetMs || runs < 3) {
    const start = performance.now();
    await run();
    minMs = Math.min(minMs, performance.now() - start);
    runs++;
  }
  return { minMs, runs };
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
if (subject === undefined) throw new Error(`Cannot measure "${name}": there is no such subject`);
const run = await subject({ iterations, calls, history, payload });
const timed = await shortest(run, budgetMs);
const retainedKb = await retained(run);
console.log(JSON.stringify({ ...timed, retainedKb } satisfies Measurement));
