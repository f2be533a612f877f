/**
 * The places of the readers of a process.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { AgentError } from "../shared/error.ts";

/** Limits of the readers of a process. */
export interface ReaderLimits {
  readonly maxReaders: number;
  readonly maxSessionReaders: number;
}

/** The place of a reader. */
export interface ReaderPlace {
  /**
   * Called when the reader starts. Returns `leave`.
   *
   * @throws {AgentError} With code `capacity_exceeded` if the place was given to another reader.
   */
  start(): () => void;
  /** Frees the place. Further calls have no effect. */
  leave(): void;
}

/**
 * Time for which a place is kept for a reader that does not start, in milliseconds. A response that
 * is neither read nor cancelled would otherwise keep its place forever.
 */
const KEEP_MS = 30_000;

/** Reserves places for readers before they start. */
export class ReaderPlaces {
  readonly #limits: ReaderLimits;
  readonly #quota: Quota;
  /** Places of readers that have not started, oldest first, with the time of the reservation. */
  readonly #reserved = new Map<ReaderPlace, number>();

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
    this.#quota = new Quota(limits.maxReaders, limits.maxSessionReaders / limits.maxReaders);
  }

  /**
   * Reserves a place.
   *
   * @throws {AgentError} With code `capacity_exceeded` if the process or the session has too many
   * readers.
   */
  reserve(sessionId: string): ReaderPlace {
    this.#take(sessionId);
    let isTaken = true;
    const leave = (): void => {
      this.#reserved.delete(place);
      if (isTaken) this.#quota.take(-1, sessionId);
      isTaken = false;
    };
    const start = (): () => void => {
      this.#reserved.delete(place);
      if (!isTaken) this.#take(sessionId);
      isTaken = true;
      return leave;
    };
    const place: ReaderPlace = { leave, start };
    this.#reserved.set(place, Date.now());
    return place;
  }

  #take(sessionId: string): void {
    const { maxReaders, maxSessionReaders } = this.#limits;
    if (!this.#quota.has(1, sessionId)) this.#freeUnused();
    if (!this.#quota.has(1, undefined)) throw AgentError.capacityExceeded("readers", maxReaders);
    if (!this.#quota.has(1, sessionId)) {
      throw AgentError.capacityExceeded("readers of one session", maxSessionReaders);
    }
    this.#quota.take(1, sessionId);
  }

  /** Frees the places of readers that have not started in time. */
  #freeUnused(): void {
    const oldest = Date.now() - KEEP_MS;
    for (const [place, reservedAt] of this.#reserved) {
      if (reservedAt > oldest) return;
      place.leave();
    }
  }
}
