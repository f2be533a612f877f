/**
 * Compares the tool loop with a loop written by hand, in turns within one process, and prints one
 * line of JSON:
 *
 *     loop.ts BUDGET_MS
 *
 * @module
 */

import { type Contender, measureFastestTurns, ratioOf } from "../measure.ts";
import { PARLEY_OPTIONS, type Shape, SUBJECTS } from "./subjects.ts";

/** Costs of the tool loop. Ratios are relative to the loop written by hand. */
export interface LoopCosts {
  /** Time of an iteration with one tool call. */
  readonly iteration: number;
  /** Time of an iteration with eight tool calls. */
  readonly eightCalls: number;
  /** Time of a run of 1,000 iterations. */
  readonly iterations1000: number;
  /** Time that an option adds to an iteration, relative to the whole iteration written by hand. */
  readonly options: Readonly<Record<string, number>>;
  /** Bytes that an iteration with one tool call allocates. */
  readonly bytesPerIteration: number;
  /** The same for the loop written by hand. */
  readonly handMadeBytesPerIteration: number;
  /** Microseconds per iteration of a run of 1,000, keyed by the number of earlier messages. */
  readonly byHistory: Readonly<Record<string, number>>;
  /** Microseconds per iteration of a run of 100, keyed by the number of registered tools. */
  readonly byTools: Readonly<Record<string, number>>;
}

const BASE: Shape = { iterations: 100, calls: 1, history: 0, payload: 100 };
const HISTORIES = [10, 100, 1000, 10_000];
const TOOLS = [1, 10, 100, 1000];

const [budget = "1500"] = Deno.args;
const totalMs = Number(budget);

async function contenderOf(
  name: string,
  shape: Shape,
  subject = SUBJECTS[name],
): Promise<Contender> {
  if (subject === undefined) throw new Error(`Unknown subject "${name}"`);
  return { name, operations: shape.iterations, run: await subject(shape) };
}

/** Returns the time of the loop, relative to the loop written by hand. */
async function compare(shape: Shape): Promise<number> {
  const contenders = [
    await contenderOf("parley", shape),
    await contenderOf("hand-made", shape),
  ];
  return ratioOf(await measureFastestTurns(contenders, { totalMs }), "hand-made", "parley");
}

/** Returns the time that each option adds to an iteration. */
async function compareOptions(): Promise<Record<string, number>> {
  const contenders = [await contenderOf("hand-made", BASE)];
  for (const [name, subject] of Object.entries(PARLEY_OPTIONS)) {
    contenders.push(await contenderOf(name, BASE, subject));
  }
  const speeds = await measureFastestTurns(contenders, { totalMs, turnMs: 1 });
  const us = (name: string): number => 1e6 / (speeds.get(name) ?? NaN);
  return Object.fromEntries(
    Object.keys(PARLEY_OPTIONS).map((name) => [name, (us(name) - us("none")) / us("hand-made")]),
  );
}

/** Returns the microseconds per iteration for each shape, keyed by size. */
async function measureSizes(
  shapes: readonly (readonly [number, Shape])[],
): Promise<Record<string, number>> {
  const contenders: Contender[] = [];
  for (const [size, shape] of shapes) {
    contenders.push({ ...await contenderOf("parley", shape), name: String(size) });
  }
  const speeds = await measureFastestTurns(contenders, { totalMs });
  return Object.fromEntries([...speeds].map(([size, speed]) => [size, 1e6 / speed]));
}

/**
 * Returns the bytes that an iteration allocates: the median growth of the heap in runs after a
 * collection.
 */
async function bytesPerIteration(name: string): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  const { run } = await contenderOf(name, BASE);
  for (let count = 0; count < 400; count++) await run();
  const growths: number[] = [];
  for (let count = 0; count < 30; count++) {
    gc?.();
    const before = Deno.memoryUsage().heapUsed;
    await run();
    growths.push(Deno.memoryUsage().heapUsed - before);
  }
  const [median = NaN] = growths.sort((one, other) => one - other).slice(15);
  return median / BASE.iterations;
}

const costs: LoopCosts = {
  iteration: await compare(BASE),
  eightCalls: await compare({ ...BASE, calls: 8 }),
  iterations1000: await compare({ ...BASE, iterations: 1000 }),
  options: await compareOptions(),
  bytesPerIteration: await bytesPerIteration("parley"),
  handMadeBytesPerIteration: await bytesPerIteration("hand-made"),
  byHistory: await measureSizes(
    HISTORIES.map((history) => [history, { ...BASE, iterations: 1000, history }] as const),
  ),
  byTools: await measureSizes(TOOLS.map((tools) => [tools, { ...BASE, tools }] as const)),
};
console.log(JSON.stringify(costs));
