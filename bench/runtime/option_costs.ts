/**
 * Measures how much longer an iteration of the tool loop takes with each of its options.
 *
 *     option_costs.ts BUDGET_MS
 *
 * All variants take turns in one process, because machine load and previously compiled code affect
 * the speed. Prints the microseconds per iteration as one line of JSON.
 *
 * @module
 */

import { measureFastestTurns } from "../measure.ts";
import { PARLEY_OPTIONS } from "./subjects.ts";

const SHAPE = { iterations: 100, calls: 1, history: 0, payload: 100 };

const contenders = await Promise.all(
  Object.entries(PARLEY_OPTIONS).map(async ([name, subject]) => ({
    name,
    operations: SHAPE.iterations,
    run: await subject(SHAPE),
  })),
);
const speeds = await measureFastestTurns(contenders, { totalMs: Number(Deno.args[0]), turnMs: 1 });
console.log(
  JSON.stringify(Object.fromEntries([...speeds].map(([name, speed]) => [name, 1e6 / speed]))),
);
