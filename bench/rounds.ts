/**
 * Side-by-side measurement by processor time, round by round.
 *
 * Native cryptography runs on threads. How long a thread that sleeps takes to wake says more about the machine, and who
 * else is using it, than about a library; processor time, of all threads together, says what the work costs. Two
 * contenders are compared within each round, since from one round to the next the machine may change its speed, and the
 * median of the comparisons is taken.
 *
 * @module
 */

import type { Contender, Speeds } from "./measure.ts";

/** How long to measure. */
export interface RoundsOptions {
  /** How many rounds count; the default is 60. */
  readonly rounds?: number;
  /** How long a turn lasts at least; the default is 20. */
  readonly turnMs?: number;
}

/** What one operation cost in every round, by contender: microseconds of processor time, and by the clock. */
export type Rounds = ReadonlyMap<string, readonly Cost[]>;

/** What one operation cost, in microseconds. */
export interface Cost {
  /** Processor time. */
  readonly cpu: number;
  /** By the clock. */
  readonly wall: number;
}

/** Lets contenders take turns, after all of them have warmed up. */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds = 60, turnMs = 20 }: RoundsOptions = {},
): Promise<Rounds> {
  for (const contender of contenders) await takeTurn(contender, 300);
  const costs = new Map(contenders.map(({ name }): [string, Cost[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // Another begins each time, for whoever comes after a wasteful one pays for some of its garbage.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      costs.get(contender.name)?.push(await takeTurn(contender, turnMs));
    }
  }
  return costs;
}

async function takeTurn({ run, operations = 1 }: Contender, turnMs: number): Promise<Cost> {
  const startedCpu = cpuMicroseconds();
  const started = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < turnMs) {
    await run();
    count += operations;
    elapsed = performance.now() - started;
  }
  return { cpu: (cpuMicroseconds() - startedCpu) / count, wall: elapsed * 1000 / count };
}

function cpuMicroseconds(): number {
  const { process } = globalThis as unknown as {
    process: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Operations in a second of processor time: the median of the rounds. */
export function speedsOf(rounds: Rounds): Speeds {
  return new Map([...rounds].map(([name, costs]) => [
    name,
    1e6 / median(costs.map(({ cpu }) => cpu)),
  ]));
}

/** How many times less than a peer a contender costs: the median of the rounds. */
export function ratioIn(
  rounds: Rounds,
  name: string,
  peer: string,
  by: keyof Cost = "cpu",
): number {
  const [own, other] = [rounds.get(name), rounds.get(peer)];
  if (own === undefined || other === undefined) {
    throw new RangeError(`Cannot compare "${name}" with "${peer}": one was not measured`);
  }
  return median(own.map((cost, round) => (other[round]?.[by] ?? NaN) / cost[by]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
