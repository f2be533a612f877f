/**
 * The readers of runs in this process.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { type LiveEvent, type LiveRun, readLive } from "../log/live_run.ts";
import type { RunExecutor } from "./run_executor.ts";
import type { RunHead, RunLog } from "../log/run_log.ts";
import { readStoredTurn } from "./session_state.ts";
import type { AttachOptions, readAttachOptions } from "./sessions_options.ts";

/** What all readers have in common. */
export interface RunReaderSettings {
  readonly log: RunLog;
  /** Maximum number of readers. */
  readonly maxReaders: number;
  /** Aborted when all readers must end. */
  readonly signal: AbortSignal;
}

/** Opens and counts readers. */
export class RunReaders {
  readonly #runs: RunExecutor;
  readonly #settings: RunReaderSettings;
  #count = 0;

  constructor(runs: RunExecutor, settings: RunReaderSettings) {
    this.#runs = runs;
    this.#settings = settings;
  }

  /** Returns a run that can be read. */
  open(
    head: RunHead,
    { after, onInterrupted, signal, until }: ReturnType<typeof readAttachOptions>,
  ): LiveRun {
    const { log, signal: closed } = this.#settings;
    const { epoch, key: sessionId, runId, turnId } = head;
    const start = (detached: AbortSignal): AsyncGenerator<LiveEvent, void> => {
      const signals = [detached, closed, ...signal ? [signal] : []];
      return readLive(head, {
        log,
        after,
        until,
        signal: AbortSignal.any(signals),
        owner: `session "${sessionId}"`,
        onIdle: (head) => this.#continueFor(head, onInterrupted),
        onRead: () => this.#addReader(),
      });
    };
    return {
      sessionId,
      runId,
      epoch,
      turn: readStoredTurn(head.key, head.turn),
      ...turnId !== undefined && { turnId },
      [Symbol.asyncIterator]: () => detachable(start),
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
    await this.#runs.takeOver(head);
    return "look";
  }

  #addReader(): () => void {
    const { maxReaders } = this.#settings;
    if (this.#count >= maxReaders) throw AgentError.capacityExceeded("readers", maxReaders);
    this.#count++;
    return () => {
      this.#count--;
    };
  }
}

/** Returns an iterator that can be closed while it waits. */
function detachable(
  start: (detached: AbortSignal) => AsyncGenerator<LiveEvent, void>,
): AsyncIterator<LiveEvent, void> {
  const controller = new AbortController();
  const events = start(controller.signal);
  return {
    next: () => events.next(),
    return: async () => {
      controller.abort();
      return await events.return();
    },
  };
}
