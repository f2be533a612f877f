/**
 * Starts that wait for the end of the run of their session.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { Semaphore } from "@parley/internal/semaphore";
import { AgentError } from "../shared/error.ts";

/** Limits of the starts that wait. */
export interface StartQueueLimits {
  /** Maximum number of starts of one session. */
  readonly maxQueuedStarts: number;
  /** Maximum number of starts of all sessions. */
  readonly maxRuns: number;
  /** Maximum number of starts of one caller. */
  readonly maxOpenRunsPerCaller: number;
}

interface SessionTurns {
  readonly turns: Semaphore;
  users: number;
}

/** Lets the starts of a session take turns, in the order in which they arrive. */
export class StartQueue {
  readonly #limits: StartQueueLimits;
  readonly #quota: Quota;
  readonly #sessions = new Map<string, SessionTurns>();

  constructor(limits: StartQueueLimits) {
    this.#limits = limits;
    this.#quota = new Quota(limits.maxRuns, limits.maxOpenRunsPerCaller / limits.maxRuns);
  }

  /**
   * Calls a function when no earlier start of the session waits.
   *
   * @throws {AgentError} With code `capacity_exceeded` if too many starts wait.
   */
  async use<Result>(
    key: string,
    callerKey: string,
    start: () => Promise<Result>,
  ): Promise<Result> {
    const { maxOpenRunsPerCaller, maxQueuedStarts, maxRuns } = this.#limits;
    if (!this.#quota.has(1, undefined)) throw AgentError.capacityExceeded("starts", maxRuns);
    if (!this.#quota.has(1, callerKey)) {
      throw AgentError.capacityExceeded("starts of one caller", maxOpenRunsPerCaller);
    }
    const session = this.#sessions.get(key) ?? { turns: new Semaphore(1), users: 0 };
    if (session.users >= maxQueuedStarts) {
      throw AgentError.capacityExceeded("starts of one session", maxQueuedStarts);
    }
    this.#sessions.set(key, session);
    session.users++;
    this.#quota.take(1, callerKey);
    try {
      await session.turns.acquire();
      return await start();
    } finally {
      session.turns.release();
      this.#quota.take(-1, callerKey);
      session.users--;
      if (session.users === 0) this.#sessions.delete(key);
    }
  }
}
