/**
 * Latency of successive calls over stdio: a client that waits for each response.
 *
 * The fastest turn does not show pauses, which occur in a few percent of the calls. Therefore the
 * latency of every call is measured, in alternating turns of the contenders.
 *
 * @module
 */

import { type Latency, latencyOf } from "../measure.ts";
import type { Connected } from "./round_trips.ts";

const WARM_UP = 2000;
const TURNS = 20;
const CALLS_PER_TURN = 500;

/**
 * Measures the contenders, in microseconds. Several contenders with one name are processes of the
 * same contender: the lowest value of all processes counts, because a process whose client and
 * server share a processor is several times slower for as long as it runs.
 */
export async function measureLatencies(
  contenders: readonly Connected[],
): Promise<ReadonlyMap<string, Latency>> {
  const measured = contenders.map((contender) => ({ contender, times: [] as number[] }));
  for (const { contender } of measured) await callRepeatedly(contender, WARM_UP);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const { contender, times } of measured) {
      times.push(...await callRepeatedly(contender, CALLS_PER_TURN));
    }
  }
  const latencies = new Map<string, Latency>();
  for (const { contender: { name }, times } of measured) {
    latencies.set(name, lowest(latencies.get(name), latencyOf(times)));
  }
  return latencies;
}

async function callRepeatedly({ run }: Connected, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < count; call++) {
    const startedAt = performance.now();
    await run();
    times.push((performance.now() - startedAt) * 1000);
  }
  return times;
}

function lowest(known: Latency | undefined, other: Latency): Latency {
  if (known === undefined) return other;
  return {
    mean: Math.min(known.mean, other.mean),
    p50: Math.min(known.p50, other.p50),
    p98: Math.min(known.p98, other.p98),
    p99: Math.min(known.p99, other.p99),
  };
}
