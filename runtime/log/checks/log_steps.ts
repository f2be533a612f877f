/**
 * Steps that the checks of logs and storages have in common.
 *
 * @module
 */

import type { RunClaim, RunFinish, RunHead, RunLog } from "../run_log.ts";

/** A long lease, which does not expire during a check. */
export const LEASE_MS = 3_600_000;

/** Returns a claim of a new run. */
export function claimOf(claim: Partial<RunClaim> = {}): RunClaim {
  return {
    runId: "r/0",
    isNew: true,
    turn: "Hi",
    turnId: undefined,
    metadata: {},
    leaseMs: LEASE_MS,
    seenEpoch: 0,
    keepRuns: 10,
    ...claim,
  };
}

/** Returns the end of an execution. */
export function finishOf(finish: Partial<RunFinish> = {}): RunFinish {
  return { phase: "ended", entries: [], keepMs: LEASE_MS, result: null, ...finish };
}

/** Claims a run. Throws if another process has claimed it. */
export async function claim(
  log: RunLog,
  key: string,
  options: Partial<RunClaim> = {},
): Promise<RunHead> {
  const head = await log.claim(key, claimOf(options));
  if (head === undefined) throw new Error("claim() must succeed");
  return head;
}

/** Resolves with whether a wait ends before the other promise. */
export async function endsFirst(wait: Promise<void>, other: Promise<unknown>): Promise<boolean> {
  return await Promise.race([wait.then(() => true), other.then(() => false)]);
}
