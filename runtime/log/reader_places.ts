/**
 * The places of the readers of a process.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { AgentError } from "../shared/error.ts";
import type { LiveEvent } from "./live_run.ts";

/** Limits of the readers of a process. */
export interface ReaderLimits {
  readonly maxReaders: number;
  /** Maximum number of readers of one session or durable run. */
  readonly maxOwnerReaders: number;
  /** Owner of a log, for error messages: `session` or `run`. */
  readonly owner: string;
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
    this.#quota = new Quota(limits.maxReaders, limits.maxOwnerReaders / limits.maxReaders);
  }

  /**
   * Reserves a place.
   *
   * @param key Id of the session or of the durable run.
   * @throws {AgentError} With code `capacity_exceeded` if the process, the session or the durable
   * run has too many readers.
   */
  reserve(key: string): ReaderPlace {
    this.#take(key);
    let isTaken = true;
    const leave = (): void => {
      this.#reserved.delete(place);
      if (isTaken) this.#quota.take(-1, key);
      isTaken = false;
    };
    const start = (): () => void => {
      this.#reserved.delete(place);
      if (!isTaken) this.#take(key);
      isTaken = true;
      return leave;
    };
    const place: ReaderPlace = { leave, start };
    this.#reserved.set(place, Date.now());
    return place;
  }

  #take(key: string): void {
    const { maxOwnerReaders, maxReaders, owner } = this.#limits;
    if (!this.#quota.has(1, key)) this.#freeUnused();
    if (!this.#quota.has(1, undefined)) throw AgentError.capacityExceeded("readers", maxReaders);
    if (!this.#quota.has(1, key)) {
      throw AgentError.capacityExceeded(`readers of one ${owner}`, maxOwnerReaders);
    }
    this.#quota.take(1, key);
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

/**
 * Returns an iterator over the events of a run that can be closed while it waits, and before it has
 * started.
 *
 * @param place Place of the reader.
 * @param start Starts to read. The signal is aborted when the iterator is closed.
 */
export function detachable(
  place: ReaderPlace,
  start: (place: ReaderPlace, detached: AbortSignal) => AsyncGenerator<LiveEvent, void>,
): AsyncIterator<LiveEvent, void> {
  const controller = new AbortController();
  const events = start(place, controller.signal);
  return {
    next: () => events.next(),
    return: async () => {
      controller.abort();
      try {
        return await events.return();
      } finally {
        // A generator that has not started does not leave its place.
        place.leave();
      }
    },
  };
}
