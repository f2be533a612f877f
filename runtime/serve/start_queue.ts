/**
 * Starts that wait for the end of the run of their session.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { AgentError } from "../shared/error.ts";
import { KeyedTurns } from "./keyed_turns.ts";

/** Limits of the starts that wait. */
export interface StartQueueLimits {
  /** Maximum number of starts of one session. */
  readonly maxQueuedStarts: number;
  /** Maximum number of starts of all sessions. */
  readonly maxRuns: number;
  /** Maximum number of starts of one caller. */
  readonly maxOpenRunsPerCaller: number;
}

/** Lets the starts of a session take turns, in the order in which they arrive. */
export class StartQueue {
  readonly #limits: StartQueueLimits;
  readonly #quota: Quota;
  readonly #turns: KeyedTurns;

  constructor(limits: StartQueueLimits) {
    this.#limits = limits;
    this.#turns = new KeyedTurns(limits.maxQueuedStarts);
    this.#quota = new Quota(limits.maxRuns, limits.maxOpenRunsPerCaller / limits.maxRuns);
  }

  /**
   * Starts a run when no earlier start of the session waits.
   *
   * @param key Id of the session in the storage.
   * @param callerKey Caller whose share the start uses.
   * @throws {AgentError} With code `capacity_exceeded` if too many starts wait.
   */
  async use<Result>(
    key: string,
    callerKey: string,
    start: () => Promise<Result>,
  ): Promise<Result> {
    const { maxOpenRunsPerCaller, maxRuns } = this.#limits;
    if (!this.#quota.has(1, undefined)) throw AgentError.capacityExceeded("starts", maxRuns);
    if (!this.#quota.has(1, callerKey)) {
      throw AgentError.capacityExceeded("starts of one caller", maxOpenRunsPerCaller);
    }
    this.#quota.take(1, callerKey);
    try {
      return await this.#turns.use(key, start);
    } finally {
      this.#quota.take(-1, callerKey);
    }
  }
}
