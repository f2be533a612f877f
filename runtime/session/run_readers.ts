/**
 * The readers of runs in this process.
 *
 * @module
 */

import { type LiveEvent, type LiveRun, readLive } from "../log/live_run.ts";
import {
  detachable,
  type ReaderLimits,
  type ReaderPlace,
  ReaderPlaces,
} from "../log/reader_places.ts";
import type { RunExecutor } from "./run_executor.ts";
import type { RunHead, RunLog } from "../log/run_log.ts";
import { readStoredTurn } from "./session_state.ts";
import type { AttachOptions, readAttachOptions } from "./sessions_options.ts";

/** Settings of all readers. */
export interface RunReaderSettings extends ReaderLimits {
  readonly log: RunLog;
  /** Aborted when all readers must end. */
  readonly signal: AbortSignal;
}

/** Opens and counts readers. */
export class RunReaders {
  readonly #runs: RunExecutor;
  readonly #settings: RunReaderSettings;
  readonly #places: ReaderPlaces;

  constructor(runs: RunExecutor, settings: RunReaderSettings) {
    this.#runs = runs;
    this.#settings = settings;
    this.#places = new ReaderPlaces(settings);
  }

  /**
   * Reserves the place of a reader that has not started.
   *
   * @throws {AgentError} With code `capacity_exceeded` if there are too many readers.
   */
  reserve(sessionId: string): ReaderPlace {
    return this.#places.reserve(sessionId);
  }

  /**
   * Returns a run that can be read.
   *
   * @param reserved Place of the first reader. If omitted, a place is reserved when a loop starts.
   */
  open(
    head: RunHead,
    { after, onInterrupted, signal, until }: ReturnType<typeof readAttachOptions>,
    reserved?: ReaderPlace,
  ): LiveRun {
    const { log, signal: closed } = this.#settings;
    const { epoch, key: sessionId, runId, turnId } = head;
    let first = reserved;
    const start = (
      place: ReaderPlace,
      detached: AbortSignal,
    ): AsyncGenerator<LiveEvent, void> => {
      const signals = [detached, closed, ...signal ? [signal] : []];
      return readLive(head, {
        log,
        after,
        until,
        signal: AbortSignal.any(signals),
        owner: `session "${sessionId}"`,
        onIdle: (head) => this.#continueFor(head, onInterrupted),
        onRead: () => place.start(),
      });
    };
    return {
      sessionId,
      runId,
      epoch,
      turn: readStoredTurn(head.key, head.turn),
      ...turnId !== undefined && { turnId },
      [Symbol.asyncIterator]: () => {
        const place = first ?? this.reserve(sessionId);
        first = undefined;
        return detachable(place, start);
      },
    };
  }

  /** Continues the run that a reader reads. */
  async #continueFor(
    head: RunHead,
    mode: AttachOptions["onInterrupted"],
  ): Promise<"look" | "wait" | "end"> {
    if (head.phase === "waiting") return "wait";
    if (mode === "report" || this.#runs.isClosed) return "end";
    // The event loop was blocked for longer than the lease, which will be renewed.
    if (this.#runs.isActive(head)) return "wait";
    try {
      await this.#runs.takeOver(head);
    } catch (error) {
      if (this.#runs.isClosed) return "end";
      throw error;
    }
    return "look";
  }
}
