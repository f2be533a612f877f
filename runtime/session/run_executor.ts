/**
 * The runs of sessions that this process executes.
 *
 * @module
 */

import { callInBackground, resolveWithin } from "@parley/internal/timers";
import { AgentError } from "../shared/error.ts";
import { ActiveRun, type ActiveRunSettings } from "./active_run.ts";
import { readLogEntry } from "../log/log_entry.ts";
import { PartialText } from "./partial_text.ts";
import { encodeRunIdPrefix } from "./record.ts";
import type { RunHead } from "../log/run_log.ts";
import { readStoredTurn } from "./session_state.ts";
import type { SendOptions } from "./sessions_options.ts";

/** Number of entries that are read at once. */
const PAGE = 1000;
/** Delay after which the entries of runs that cannot be read anymore are deleted. */
const PURGE_DELAY_MS = 1000;

/** Claims runs and executes them in the background. */
export class RunExecutor {
  readonly #settings: ActiveRunSettings;
  readonly #maxRuns: number;
  /** Runs in progress, with the promise of their end. */
  readonly #active = new Map<ActiveRun, { readonly name: string; readonly end: Promise<void> }>();
  /** Stops the timer after which entries are deleted. */
  #purge: (() => void) | undefined;
  #isClosed = false;

  constructor(settings: ActiveRunSettings, maxRuns: number) {
    this.#settings = settings;
    this.#maxRuns = maxRuns;
  }

  /** Whether no further runs are started. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of runs that can be started. */
  get free(): number {
    return Math.max(0, this.#maxRuns - this.#active.size);
  }

  /** Stops a run if this process executes it. */
  stop(head: RunHead): void {
    for (const [run, { name }] of this.#active) if (name === nameOf(head)) run.stop();
  }

  /** Waits for the end of the runs, for at most `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#purge?.();
    if (this.#active.size > 0) await resolveWithin(this.#ends(), ms);
  }

  /** Releases the runs that have not ended, so that another process can continue them. */
  async release(): Promise<void> {
    for (const run of this.#active.keys()) run.release();
    await this.#ends();
  }

  #ends(): Promise<unknown> {
    return Promise.all([...this.#active.values()].map(({ end }) => end));
  }

  /** Claims a run and starts to execute it. Returns `undefined` if another process was faster. */
  async start(
    { epoch, key }: Pick<RunHead, "key" | "epoch">,
    claim: Pick<RunHead, "runId" | "turn" | "turnId"> & { readonly isNew: boolean },
    { decisions, prepare }: {
      readonly decisions?: SendOptions["decisions"];
      readonly prepare?: () => Promise<void>;
    } = {},
  ): Promise<RunHead | undefined> {
    const maxRuns = this.#maxRuns;
    if (this.#active.size >= maxRuns) throw AgentError.capacityExceeded("runs", maxRuns);
    const turn = readStoredTurn(key, claim.turn);
    const { leaseMs } = this.#settings;
    const head = await this.#settings.storage.log.claim(key, {
      metadata: {},
      keepRuns: 0,
      ...claim,
      leaseMs,
      seenEpoch: epoch,
    });
    if (head === undefined) return undefined;
    void this.#track(head, (run) => run.execute({ turn, decisions, prepare }));
    return head;
  }

  /** Executes a claimed run, which never rejects. */
  #track(head: RunHead, work: (run: ActiveRun) => Promise<void>): Promise<void> {
    const run = new ActiveRun(head, this.#settings);
    const end = work(run).finally(() => {
      this.#active.delete(run);
      this.#purgeLater();
    });
    this.#active.set(run, { name: nameOf(head), end });
    return end;
  }

  /** Deletes the entries of ended runs when they cannot be read anymore. */
  #purgeLater(): void {
    if (this.#purge !== undefined || this.#isClosed) return;
    const purge = async (): Promise<void> => {
      this.#purge = undefined;
      await this.#settings.storage.log.purge({ keepRunsMs: 0 });
    };
    const ms = this.#settings.keepEndedMs + PURGE_DELAY_MS;
    this.#purge = callInBackground(() => void purge().catch(this.#settings.onError), ms);
  }

  /** Continues an interrupted run. Returns `false` if another process was faster. */
  async takeOver(head: RunHead): Promise<boolean> {
    if (await this.endIfRecorded(head)) return false;
    if (this.#settings.storage.steps === undefined) return await this.giveUp(head, true);
    return await this.start(head, claimOf(head, false)) !== undefined;
  }

  /**
   * Ends a run that is part of the session already: its process has stopped between adding the
   * record and ending the run.
   */
  async endIfRecorded(head: RunHead): Promise<boolean> {
    const { epoch, key, runId } = head;
    const { log, records, steps } = this.#settings.storage;
    if (runId === `${encodeRunIdPrefix(key)}/${await records.count(key)}`) return false;
    const { leaseMs } = this.#settings;
    const claimed = await log.claim(key, { ...claimOf(head, false), leaseMs, seenEpoch: epoch });
    if (claimed === undefined) return true;
    await log.finish(key, claimed.epoch, { phase: "ended", entries: [], keepMs: 0, result: null });
    await steps?.delete(key);
    return true;
  }

  /**
   * Adds the finished iterations and the text of a run that waits or was interrupted to the
   * session. Returns `false` if another process was faster.
   */
  async giveUp(head: RunHead, isReadable = false): Promise<boolean> {
    const { key } = head;
    if (await this.endIfRecorded(head)) return true;
    const turn = readStoredTurn(key, head.turn);
    const text = await this.#partialTextOf(head);
    const { leaseMs } = this.#settings;
    const claimed = await this.#settings.storage.log.claim(key, {
      ...claimOf(head, false),
      leaseMs,
      seenEpoch: head.epoch,
    });
    if (claimed === undefined) return false;
    await this.#track(claimed, (run) => run.giveUp({ turn, text, isReadable }));
    return true;
  }

  async #partialTextOf({ count, epoch, first, key }: RunHead): Promise<string> {
    const partial = new PartialText();
    for (let from = first; from < count; from += PAGE) {
      for (
        const entry of await this.#settings.storage.log.read(key, epoch, { from, limit: PAGE })
      ) {
        const event = readLogEntry(entry);
        if (typeof event !== "string") partial.add(event);
      }
    }
    return partial.text;
  }

  isActive(head: RunHead): boolean {
    const name = nameOf(head);
    return [...this.#active.values()].some((run) => run.name === name);
  }
}

function claimOf({ metadata, runId, turn, turnId }: RunHead, isNew: boolean) {
  return { runId, turn, turnId, metadata, isNew, keepRuns: 0 };
}

function nameOf({ epoch, key }: RunHead): string {
  return `${epoch} ${key}`;
}
