/**
 * Measures `ReplayGuard` while it fills, while it is full, and while entries expire. The former
 * implementation of `ReplayGuard`, which evicted the oldest entry of one map, is measured in the
 * same way.
 *
 * @module
 */

import { ReplayGuard } from "@parley/comm/policy";
import { type Contender, type CpuRounds, measureCpuRounds } from "../measure.ts";

const SENDER = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
const MAX_ENTRIES = 100_000;
const TTL_MS = 600_000;
/**
 * Time between two messages in the steady state, in milliseconds. Entries expire before the guard
 * is full.
 */
const STEP_MS = TTL_MS / (0.9 * MAX_ENTRIES);

/** The method of a replay guard that is measured. */
interface Guard {
  begin(sender: string, id: string, untilMs: number): unknown;
}

/** Creates a guard with a clock. */
type CreateGuard = (now: () => number) => Guard;

/**
 * The former ReplayGuard: a single map whose oldest entries are deleted when they expire or exceed
 * the limit.
 */
class FormerGuard implements Guard {
  readonly #entries = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(sender: string, id: string): boolean {
    const nowMs = this.#now();
    for (const [key, untilMs] of this.#entries) {
      if (untilMs >= nowMs) break;
      this.#entries.delete(key);
    }
    const key = `${sender} ${id}`;
    if (this.#entries.has(key)) return false;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= MAX_ENTRIES) this.#entries.delete(oldest);
    this.#entries.set(key, nowMs + TTL_MS);
    return true;
  }
}

/** A replay guard, its clock, and the number of messages that were added to it. */
class Workload {
  readonly #guard: Guard;
  #nowMs = 1_000_000_000_000;
  #count = 0;

  constructor(create: CreateGuard) {
    this.#guard = create(() => this.#nowMs);
  }

  /** Adds messages at a fixed interval. */
  async add(messages: number, stepMs: number): Promise<void> {
    for (let index = 0; index < messages; index++) {
      this.#nowMs += stepMs;
      const id = `019b7ca9-8f2e-7a00-8000-${String(this.#count++).padStart(12, "0")}`;
      await this.#guard.begin(SENDER, id, this.#nowMs + TTL_MS);
    }
  }
}

/** Creates a contender for each phase. */
async function createPhases(
  name: string,
  create: CreateGuard,
  chunk: number,
): Promise<Contender[]> {
  const [full, steady] = [new Workload(create), new Workload(create)];
  await full.add(MAX_ENTRIES, 0);
  await steady.add(MAX_ENTRIES, STEP_MS);
  return [
    {
      name: `${name}, filling`,
      operations: MAX_ENTRIES,
      run: () => new Workload(create).add(MAX_ENTRIES, 0),
    },
    { name: `${name}, full`, operations: chunk, run: () => full.add(chunk, 0) },
    { name: `${name}, steady`, operations: chunk, run: () => steady.add(chunk, STEP_MS) },
  ];
}

/** Measures both implementations in all phases. */
export async function measureReplayGuards(): Promise<CpuRounds> {
  const options = { ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, maxSharePerSender: 1 };
  return await measureCpuRounds([
    ...await createPhases("ReplayGuard", (now) => new ReplayGuard({ ...options, now }), 50_000),
    ...await createPhases("former ReplayGuard", (now) => new FormerGuard(now), 1000),
  ], { rounds: 12, turnMs: 1 });
}
