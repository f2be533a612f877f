/**
 * Measures contenders that take turns, so that noise on the machine affects all of them equally.
 *
 * {@linkcode measureFastestTurns} measures elapsed time, and {@linkcode measureCpuRounds} measures
 * processor time.
 *
 * @module
 */

import process from "node:process";

/** A program to measure. */
export interface Contender {
  /** Name of the contender in tables and ratios. */
  readonly name: string;
  /**
   * Number of operations per call to `run`.
   *
   * @default {1}
   */
  readonly operations?: number;
  /** Performs the operations. */
  run(): unknown;
}

/** Operations per second, keyed by contender. */
export type Speeds = ReadonlyMap<string, number>;

/** Cost of one operation, in microseconds. */
export interface Cost {
  /** Processor time of all threads per operation. */
  readonly cpuUs: number;
  /** Elapsed time per operation. */
  readonly wallUs: number;
}

/** Costs of one operation in each round, keyed by contender. */
export type CpuRounds = ReadonlyMap<string, readonly Cost[]>;

/** Options for {@linkcode measureFastestTurns}. */
export interface TurnsOptions {
  /**
   * Total duration of each contender's turns, in milliseconds.
   *
   * @default {1500}
   */
  readonly totalMs?: number;
  /**
   * Minimum time for which a contender runs before the next contender's turn, in milliseconds.
   *
   * @default {5}
   */
  readonly turnMs?: number;
}

/** Options for {@linkcode measureCpuRounds}. */
export interface RoundsOptions {
  /**
   * Number of measured rounds.
   *
   * @default {60}
   */
  readonly rounds?: number;
  /**
   * Minimum time for which a contender runs before the next contender's turn, in milliseconds.
   *
   * @default {20}
   */
  readonly turnMs?: number;
}

/** Duration of the warm-up before the rounds, in milliseconds. */
const ROUNDS_WARM_UP_MS = 300;

/**
 * Measures contenders by elapsed time. Returns the speed of each contender's fastest turn. On a
 * shared machine, most turns are disturbed, but each contender has some undisturbed turns.
 */
export async function measureFastestTurns(
  contenders: readonly Contender[],
  { totalMs = 1500, turnMs = 5 }: TurnsOptions = {},
): Promise<Speeds> {
  const best = new Map<string, number>();
  for (const contender of contenders) await takeTurn(contender, totalMs / 5);
  const startedAt = performance.now();
  while (performance.now() - startedAt < totalMs * contenders.length) {
    for (const contender of contenders) {
      const speed = 1e6 / (await takeTurn(contender, turnMs)).wallUs;
      best.set(contender.name, Math.max(best.get(contender.name) ?? 0, speed));
    }
  }
  return best;
}

/**
 * Measures contenders by processor time, round by round.
 *
 * Native cryptography runs on background threads. The time until a sleeping thread wakes depends on
 * the machine and its load, not on the library. The total processor time of all threads does not
 * include waiting time. Contenders are compared within a round, because the machine's clock speed
 * can change between rounds.
 */
export async function measureCpuRounds(
  contenders: readonly Contender[],
  { rounds = 60, turnMs = 20 }: RoundsOptions = {},
): Promise<CpuRounds> {
  for (const contender of contenders) await takeTurn(contender, ROUNDS_WARM_UP_MS);
  const costs = new Map(contenders.map(({ name }): [string, Cost[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // The order of the contenders rotates because part of a contender's garbage is collected during
    // the next contender's turn.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      costs.get(contender.name)?.push(await takeTurn(contender, turnMs));
    }
  }
  return costs;
}

async function takeTurn({ run, operations = 1 }: Contender, turnMs: number): Promise<Cost> {
  const startedCpuUs = cpuUsedUs();
  const startedAt = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < turnMs) {
    await run();
    count += operations;
    elapsedMs = performance.now() - startedAt;
  }
  return { cpuUs: (cpuUsedUs() - startedCpuUs) / count, wallUs: elapsedMs * 1000 / count };
}

/** Returns the processor time used by this process so far, in microseconds. */
export function cpuUsedUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Result of {@linkcode measureShortestRun}. */
export interface ShortestRun {
  /** Duration of the shortest run, in milliseconds. */
  readonly minMs: number;
  /** Number of measured runs. */
  readonly runs: number;
}

/** Repeats a run for the given duration, but at least 3 times. */
export async function measureShortestRun(
  run: () => Promise<unknown>,
  budgetMs: number,
): Promise<ShortestRun> {
  const startedAt = performance.now();
  let minMs = Infinity;
  let runs = 0;
  while (performance.now() - startedAt < budgetMs || runs < 3) {
    const runStartedAt = performance.now();
    await run();
    minMs = Math.min(minMs, performance.now() - runStartedAt);
    runs++;
  }
  return { minMs, runs };
}

/** Returns the median operations per second of processor time across all rounds. */
export function toCpuSpeeds(rounds: CpuRounds): Speeds {
  return new Map([...rounds].map(([name, costs]) => [
    name,
    1e6 / median(costs.map(({ cpuUs }) => cpuUs)),
  ]));
}

/** Returns the value of `name` divided by the value of `otherName`. */
export function ratioOf(
  values: ReadonlyMap<string, number>,
  name: string,
  otherName: string,
): number {
  const [own, other] = [values.get(name), values.get(otherName)];
  if (own === undefined || other === undefined) throw notMeasured(name, otherName);
  return own / other;
}

/** Returns the cost of `otherName` divided by the cost of `name`, as the median over all rounds. */
export function medianRatioOf(
  rounds: CpuRounds,
  name: string,
  otherName: string,
  by: keyof Cost = "cpuUs",
): number {
  const [own, other] = [rounds.get(name), rounds.get(otherName)];
  if (own === undefined || other === undefined) throw notMeasured(name, otherName);
  return median(own.map((cost, round) => (other[round]?.[by] ?? NaN) / cost[by]));
}

/** Elapsed time of the calls of a contender. */
export interface Latency {
  readonly mean: number;
  readonly p50: number;
  readonly p98: number;
  readonly p99: number;
}

/** Returns the mean and the quantiles of elapsed times, in the unit of the times. */
export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return { mean, p50: quantile(0.5), p98: quantile(0.98), p99: quantile(0.99) };
}

/** Returns the median, or `NaN` if the list is empty. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function notMeasured(name: string, otherName: string): RangeError {
  return new RangeError(`Cannot compare "${name}" with "${otherName}": one was not measured`);
}
