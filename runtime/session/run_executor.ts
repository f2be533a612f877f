/**
 * The runs of sessions that this process executes.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { callInBackground, resolveWithin } from "@parley/internal/timers";
import { AgentError } from "../shared/error.ts";
import { ActiveRun } from "./active_run.ts";
import type { ActiveRunSettings } from "./run_settings.ts";
import { readLogEntry } from "../log/log_entry.ts";
import { PartialText } from "./partial_text.ts";
import { encodeRunIdPrefix } from "./record.ts";
import { isInterruptedRun, type RunHead } from "../log/run_log.ts";
import { takenOver } from "./step_journal.ts";
import { readStoredTurn } from "./session_state.ts";
import type { AttachOptions, SendOptions } from "./sessions_options.ts";

/** Number of entries in one read. */
const PAGE = 1000;
/** Delay after which the entries of runs that cannot be read anymore are deleted. */
const PURGE_DELAY_MS = 1000;

/** Limits of the runs that a process executes. */
export interface RunLimits {
  readonly maxRuns: number;
  readonly maxPartyRuns: number;
}

/** Options for the start of a claimed run. */
interface RunStart {
  /** Party on whose behalf the run is executed. */
  readonly party?: string | undefined;
  readonly decisions?: SendOptions["decisions"];
  readonly signals?: SendOptions["signals"];
  readonly prepare?: (() => Promise<void>) | undefined;
}

/** A run that this process has claimed. */
interface BegunRun {
  readonly head: RunHead;
  /** The end of the run. Never rejects. */
  readonly end: Promise<void>;
}

/** Claims runs and executes them in the background. */
export class RunExecutor {
  readonly #settings: ActiveRunSettings;
  readonly #limits: RunLimits;
  /** Runs in progress, and runs that are being claimed. */
  readonly #quota: Quota;
  /** Runs in progress, with the promise of their end. */
  readonly #active = new Map<ActiveRun, { readonly name: string; readonly end: Promise<void> }>();
  /** Work that uses the storage and can claim a run. */
  readonly #work = new Set<Promise<unknown>>();
  #places = 0;
  /** Stops the timer after which entries are deleted. */
  #purge: (() => void) | undefined;
  #isClosed = false;

  constructor(settings: ActiveRunSettings, limits: RunLimits) {
    this.#settings = settings;
    this.#limits = limits;
    this.#quota = new Quota(limits.maxRuns, limits.maxPartyRuns / limits.maxRuns);
  }

  /** Whether no further runs are started. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Stops a run if this process executes it. */
  stop(head: RunHead): void {
    for (const [run, { name }] of this.#active) if (name === nameOf(head)) run.stop();
  }

  /** Waits for the end of the runs and of claims, for at most `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#purge?.();
    if (this.#active.size > 0 || this.#work.size > 0) await resolveWithin(this.#ends(), ms);
  }

  /**
   * Releases the runs that have not ended, so that another process can continue them. Waits for
   * claims, because the storage must not be disposed of before.
   */
  async release(): Promise<void> {
    for (const run of this.#active.keys()) run.release();
    await this.#ends();
  }

  #ends(): Promise<unknown> {
    return Promise.allSettled([...this.#work, ...[...this.#active.values()].map(({ end }) => end)]);
  }

  /**
   * Calls a function that uses the storage to claim a run. The storage is not disposed of before
   * the function has finished.
   *
   * @throws {AgentError} With code `sessions_closed` if no further runs are started.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw AgentError.sessionsClosed();
    const working = work();
    this.#work.add(working);
    try {
      return await working;
    } finally {
      this.#work.delete(working);
    }
  }

  /**
   * Claims a run and starts to execute it. Returns `undefined` if another process was faster.
   *
   * @throws {AgentError} With code `capacity_exceeded` if the process or the party has too many
   * runs, and with code `sessions_closed` if no further runs are started.
   */
  async start(
    { epoch, key }: Pick<RunHead, "key" | "epoch">,
    claim: Pick<RunHead, "metadata" | "runId" | "turn" | "turnId"> & { readonly isNew: boolean },
    { decisions, party, prepare, signals }: RunStart = {},
  ): Promise<RunHead | undefined> {
    return await this.during(async () => {
      const turn = readStoredTurn(key, claim.turn);
      const { keepRuns, leaseMs, storage: { log } } = this.#settings;
      const begun = await this.#begin(
        () => log.claim(key, { ...claim, keepRuns, leaseMs, seenEpoch: epoch }),
        party,
        (run) => run.execute({ turn, decisions, prepare, signals }),
      );
      return begun?.head;
    });
  }

  /** Claims a run in a place that is reserved before, and executes it. */
  async #begin(
    claim: () => Promise<RunHead | undefined>,
    party: string | undefined,
    work: (run: ActiveRun) => Promise<void>,
  ): Promise<BegunRun | undefined> {
    const leave = this.#reserve(party);
    let begun: BegunRun | undefined;
    try {
      const head = await claim();
      if (head === undefined) return undefined;
      if (this.#isClosed) await this.#refuse(head);
      begun = { head, end: this.#track(head, work, leave) };
      return begun;
    } finally {
      if (begun === undefined) leave();
    }
  }

  /** Releases a run that was claimed too late. */
  async #refuse({ epoch, key }: RunHead): Promise<never> {
    const { onError, storage: { log } } = this.#settings;
    const released = { phase: "released", entries: [], keepMs: 0, result: null } as const;
    // Without the release, the run is interrupted when its lease expires.
    await log.finish(key, epoch, released).catch(onError);
    throw AgentError.sessionsClosed();
  }

  /** Reserves the place of a run. Returns a function that frees the place once. */
  #reserve(party: string | undefined): () => void {
    if (this.#isClosed) throw AgentError.sessionsClosed();
    const { maxPartyRuns, maxRuns } = this.#limits;
    if (!this.#quota.has(1, undefined)) throw AgentError.capacityExceeded("runs", maxRuns);
    if (!this.#quota.has(1, party)) {
      throw AgentError.capacityExceeded("runs of one party", maxPartyRuns);
    }
    this.#quota.take(1, party);
    this.#places++;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#quota.take(-1, party);
      this.#places--;
    };
  }

  /** Executes a claimed run, which never rejects. */
  #track(
    head: RunHead,
    work: (run: ActiveRun) => Promise<void>,
    leave: () => void,
  ): Promise<void> {
    const run = new ActiveRun(head, this.#settings, leave);
    const end = work(run).finally(() => {
      this.#active.delete(run);
      leave();
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
      await this.#settings.storage.log.purge({ keepRunsMs: this.#settings.keepRunsMs });
    };
    const ms = this.#settings.keepEndedMs + PURGE_DELAY_MS;
    this.#purge = callInBackground(() => void purge().catch(this.#settings.onError), ms);
  }

  /** Continues an interrupted run. Returns `false` if another process was faster. */
  async takeOver(head: RunHead): Promise<boolean> {
    return await this.during(async () => {
      if (await this.endIfRecorded(head)) return false;
      const error = this.#failureOf(head);
      if (error !== undefined) return await this.giveUp(head, { error });
      return await this.start(head, claimOf(head, false)) !== undefined;
    });
  }

  /** Continues interrupted runs while there are places. Returns their number. */
  async recover(heads: readonly RunHead[]): Promise<number> {
    let recovered = 0;
    for (const head of heads) {
      if (this.#places >= this.#limits.maxRuns) return recovered;
      try {
        if (await this.takeOver(head)) recovered++;
      } catch (error) {
        if (this.#isClosed) throw error;
        // A message has taken the last place.
        if (AgentError.isAgentError(error) && error.is("capacity_exceeded")) return recovered;
        this.#settings.onError(error);
      }
    }
    return recovered;
  }

  /** Returns the state of a run that can be read. Takes over an interrupted run. */
  async findReadable(
    head: RunHead,
    onInterrupted: AttachOptions["onInterrupted"],
  ): Promise<RunHead | undefined> {
    if (!head.isReadable) return undefined;
    if (!isInterruptedRun(head)) return head;
    if (onInterrupted === "report") return undefined;
    await this.takeOver(head);
    const current = await this.#settings.storage.log.head(head.key);
    return current?.isReadable ? current : undefined;
  }

  /** Returns the error of an interrupted run that cannot be continued. */
  #failureOf({ phase, runId, takeovers }: RunHead): AgentError | undefined {
    const { maxTakeovers, storage } = this.#settings;
    if (storage.steps === undefined) return takenOver(runId);
    if (phase !== "running" || takeovers < maxTakeovers) return undefined;
    const stops = takeovers === 0 ? "has stopped" : `has stopped ${takeovers + 1} times`;
    const reason = `its process ${stops}, and the run may be the cause`;
    return AgentError.run("run_limit", "continue", { runId, reason });
  }

  /**
   * Ends a run that is part of the session already: its process has stopped between adding the
   * record and ending the run. Executes nothing, so it needs no place.
   */
  async endIfRecorded(head: RunHead): Promise<boolean> {
    return await this.during(async () => {
      const { key, runId } = head;
      const { log, records, steps } = this.#settings.storage;
      if (runId === `${encodeRunIdPrefix(key)}/${await records.count(key)}`) return false;
      const claimed = await this.#claimAgain(head);
      if (claimed === undefined) return true;
      const ended = { phase: "ended", entries: [], keepMs: 0, result: null } as const;
      await log.finish(key, claimed.epoch, ended);
      await steps?.delete(key);
      return true;
    });
  }

  /**
   * Adds the finished iterations and the text of a run that waits or was interrupted to the
   * session. Returns `false` if another process was faster.
   *
   * @throws {AgentError} With code `core` if the agent cannot be created. The run is then still
   * interrupted, so that its tool calls do not vanish from the conversation.
   */
  async giveUp(
    head: RunHead,
    { error, party }: {
      readonly error?: AgentError;
      readonly party?: string | undefined;
    } = {},
  ): Promise<boolean> {
    return await this.during(async () => {
      const { key } = head;
      if (await this.endIfRecorded(head)) return true;
      const turn = readStoredTurn(key, head.turn);
      const text = await this.#partialTextOf(head);
      let failure: AgentError | undefined;
      const begun = await this.#begin(() => this.#claimAgain(head), party, async (run) => {
        failure = await run.giveUp({ turn, text, error, isReadable: error !== undefined });
      });
      await begun?.end;
      if (failure !== undefined) throw failure;
      return begun !== undefined;
    });
  }

  #claimAgain(head: RunHead): Promise<RunHead | undefined> {
    const { epoch: seenEpoch, key } = head;
    const { keepRuns, leaseMs, storage: { log } } = this.#settings;
    return log.claim(key, { ...claimOf(head, false), keepRuns, leaseMs, seenEpoch });
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
  return { runId, turn, turnId, metadata, isNew };
}

function nameOf({ epoch, key }: RunHead): string {
  return `${epoch} ${key}`;
}
