/**
 * A log of runs in memory.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { settle } from "../shared/settle.ts";
import { ChangeSignal } from "./change_signal.ts";
import {
  hasChanged,
  isInterruptedRun,
  type RunClaim,
  type RunFinish,
  type RunHead,
  type RunHistoryFilter,
  type RunHistoryPosition,
  type RunHold,
  type RunLog,
  type RunLogFilter,
  type RunPhase,
  type RunPurge,
  type RunRange,
} from "./run_log.ts";

/** Options for {@linkcode MemoryRunLog}. */
export interface MemoryRunLogOptions {
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /**
   * Called before a session is claimed, with whether a run starts. If the function throws, the
   * claim rejects with the error.
   */
  readonly onClaim?: (key: string, isNew: boolean) => void;
  /**
   * Maximum size of the entries of all sessions, in UTF-16 code units of JSON; a positive integer.
   * Beyond it, `append` rejects with code `capacity_exceeded`, and the end of a run is still
   * stored. If omitted, the size is not limited.
   */
  readonly maxChars?: number;
}

/** The newest run of a session. */
interface StoredRun {
  readonly key: string;
  readonly runId: string;
  readonly epoch: number;
  phase: RunPhase;
  leaseUntil: number;
  isStopping: boolean;
  readonly turn: JsonValue;
  readonly turnId: string | undefined;
  readonly metadata: JsonObject;
  readonly takeovers: number;
  first: number;
  result: JsonValue;
  keepUntil: number;
  readonly startedAt: number;
  changedAt: number;
  /** Entries of all epochs of the run, each with its epoch. */
  entries: { readonly epoch: number; readonly entry: JsonValue }[];
  /** Size of the entries, if it is limited. */
  chars: number;
}

/** Maximum time that a reader waits before it reads the log again, in milliseconds. */
const LOOK_MS = 1000;

/** Keeps the log of runs in memory. Methods without a promise are for a storage in memory. */
export class MemoryRunLog implements RunLog {
  readonly #now: () => number;
  readonly #onClaim: (key: string, isNew: boolean) => void;
  readonly #maxChars: number;
  readonly #changes = new ChangeSignal();
  readonly #runs = new Map<string, StoredRun>();
  /** Earlier runs of each session, oldest first. */
  readonly #earlier = new Map<string, readonly RunHead[]>();
  /** Ids of the sessions of runs, keyed by run id. */
  readonly #keys = new Map<string, string>();
  /** Highest epoch of the deleted sessions. */
  #deletedEpoch = 0;
  /** Size of the entries of all runs, if it is limited. */
  #chars = 0;

  constructor({ maxChars = Infinity, now, onClaim = () => {} }: MemoryRunLogOptions) {
    this.#now = now;
    this.#maxChars = maxChars;
    this.#onClaim = onClaim;
  }

  claim(key: string, claim: RunClaim): Promise<RunHead | undefined> {
    return settle(() => this.#claim(key, claim));
  }

  head(key: string): Promise<RunHead | undefined> {
    return settle(() => this.headOf(key));
  }

  append(key: string, epoch: number, entries: readonly JsonValue[]): Promise<RunHold> {
    return settle(() => {
      const run = this.#held(key, epoch);
      if (run === undefined) return "fenced";
      const chars = this.#sizeOf(entries);
      if (this.#chars + chars > this.#maxChars) this.#dropUnreadable();
      if (this.#chars + chars > this.#maxChars) {
        throw AgentError.capacityExceeded("characters in the log of runs", this.#maxChars);
      }
      return this.#add(run, entries, chars);
    });
  }

  renew(key: string, epoch: number, leaseMs: number): Promise<RunHold> {
    return settle(() => {
      const run = this.#held(key, epoch);
      if (run === undefined) return "fenced";
      run.leaseUntil = this.#now() + leaseMs;
      return run.isStopping ? "stop" : "held";
    });
  }

  finish(key: string, epoch: number, finish: RunFinish): Promise<boolean> {
    return settle(() => this.end(key, epoch, finish));
  }

  requestStop(key: string, epoch: number): Promise<boolean> {
    return settle(() => {
      const run = this.#held(key, epoch);
      if (run === undefined) return false;
      run.isStopping = true;
      this.#changes.notify(key);
      return true;
    });
  }

  read(key: string, epoch: number, { from, limit }: RunRange): Promise<readonly JsonValue[]> {
    return settle(() => {
      const page = this.#runs.get(key)?.entries.slice(from, from + limit) ?? [];
      return page.filter((one) => one.epoch === epoch).map(({ entry }) => entry);
    });
  }

  changed(seen: RunHead, signal: AbortSignal): Promise<void> {
    return hasChanged(seen, this.headOf(seen.key))
      ? Promise.resolve()
      : this.#changes.wait(seen.key, signal, LOOK_MS);
  }

  list({ after, isInterrupted, limit, phase }: RunLogFilter): Promise<readonly RunHead[]> {
    return settle(() => {
      const keys = [...this.#runs.keys()].filter((key) => after === undefined || key > after);
      return keys.sort().flatMap((key) => this.headOf(key) ?? [])
        .filter((head) => phase === undefined || head.phase === phase)
        .filter((head) => isInterrupted === undefined || isInterruptedRun(head) === isInterrupted)
        .slice(0, limit);
    });
  }

  find(runId: string): Promise<RunHead | undefined> {
    return settle(() => {
      const key = this.#keys.get(runId);
      if (key === undefined) return undefined;
      const newest = this.headOf(key);
      if (newest?.runId === runId) return newest;
      return this.#earlier.get(key)?.find((run) => run.runId === runId);
    });
  }

  history({ after, limit, prefix = "" }: RunHistoryFilter): Promise<readonly RunHead[]> {
    return settle(() => {
      // The ids are compared first: a program may look for one of many sessions before each run.
      const keys = [...this.#runs.keys()].filter((key) => key.startsWith(prefix));
      const newest = keys.flatMap((key) => this.headOf(key) ?? []);
      const earlier = keys.flatMap((key) => this.#earlier.get(key) ?? []);
      return [...newest, ...earlier]
        .filter((run) => after === undefined || comparePositions(run, after) > 0)
        .sort(comparePositions)
        .slice(0, limit);
    });
  }

  delete(key: string, epoch: number): Promise<boolean> {
    return settle(() => this.remove(key, epoch));
  }

  purge({ keepRunsMs }: RunPurge): Promise<number> {
    return settle(() => {
      const oldest = this.#now() - keepRunsMs;
      for (const key of [...this.#earlier.keys()]) {
        this.#keep(key, (run) => run.changedAt >= oldest);
      }
      return this.#dropUnreadable();
    });
  }

  /** Returns the state of the newest run of a session. */
  headOf(key: string): RunHead | undefined {
    const run = this.#runs.get(key);
    if (run === undefined) return undefined;
    const { chars: _, entries, keepUntil, leaseUntil, ...head } = run;
    const now = this.#now();
    return {
      ...head,
      count: entries.length,
      isLeased: head.phase === "running" && leaseUntil > now,
      isReadable: head.phase !== "ended" || keepUntil > now,
    };
  }

  /** Returns true if the caller with this epoch executes the newest run of a session. */
  isHeld(key: string, epoch: number): boolean {
    return this.#held(key, epoch) !== undefined;
  }

  /** Ends the execution of a run, as `finish` does. */
  end(key: string, epoch: number, { entries, keepMs, phase, result }: RunFinish): boolean {
    const run = this.#held(key, epoch);
    if (run === undefined) return false;
    this.#add(run, entries, this.#sizeOf(entries));
    const now = this.#now();
    Object.assign(run, { phase, result, keepUntil: now + keepMs, changedAt: now });
    this.#changes.notify(key);
    return true;
  }

  /** Deletes the runs of a session, as `delete` does. */
  remove(key: string, epoch: number): boolean {
    const head = this.headOf(key);
    if ((head?.epoch ?? 0) !== epoch || head?.isLeased === true) return false;
    this.#deletedEpoch = Math.max(this.#deletedEpoch, epoch);
    this.#keep(key, () => false);
    if (head !== undefined) this.#keys.delete(head.runId);
    this.#chars -= this.#runs.get(key)?.chars ?? 0;
    this.#runs.delete(key);
    this.#changes.notify(key);
    return true;
  }

  /** Ends all waits for changes. */
  wakeAll(): void {
    this.#changes.notifyAll();
  }

  #claim(key: string, claim: RunClaim): RunHead | undefined {
    const { epoch, isNew, keepRuns, leaseMs, seenEpoch, ...rest } = claim;
    const earlier = this.headOf(key);
    const lastEpoch = earlier?.epoch ?? 0;
    const isFree = epoch === undefined
      ? lastEpoch === seenEpoch && earlier?.isLeased !== true &&
        (isNew || earlier?.phase !== "ended")
      : lastEpoch < epoch;
    if (!isFree) return undefined;
    this.#onClaim(key, isNew);
    if (isNew && earlier !== undefined) this.#keepEarlier(earlier, claim.runId, keepRuns);
    const { entries: stored = [], chars: size = 0 } = this.#runs.get(key) ?? {};
    const entries = isNew ? [] : stored;
    const chars = isNew ? 0 : size;
    this.#chars += chars - size;
    const now = this.#now();
    const wasRunning = earlier?.phase === "running";
    this.#runs.set(key, {
      ...rest,
      key,
      epoch: epoch ?? (earlier === undefined ? this.#deletedEpoch : lastEpoch) + 1,
      phase: "running",
      leaseUntil: now + leaseMs,
      isStopping: false,
      takeovers: isNew ? 0 : (earlier?.takeovers ?? 0) + (wasRunning ? 1 : 0),
      first: entries.length,
      result: null,
      keepUntil: 0,
      startedAt: isNew ? now : earlier?.startedAt ?? now,
      changedAt: now,
      entries,
      chars,
    });
    this.#keys.set(claim.runId, key);
    this.#changes.notify(key);
    return this.headOf(key);
  }

  /** Keeps the state of a run before the next run of its session starts. */
  #keepEarlier(run: RunHead, nextId: string, maxRuns: number): void {
    const { key, phase, runId } = run;
    this.#keys.delete(runId);
    const ended: readonly RunHead[] = phase === "ended"
      ? [{ ...run, count: 0, first: 0, isReadable: false }]
      : [];
    const runs = [...this.#earlier.get(key) ?? [], ...ended].filter((one) => one.runId !== nextId);
    this.#earlier.set(key, runs);
    for (const one of ended) this.#keys.set(one.runId, key);
    this.#keep(key, (_, index) => index >= runs.length - maxRuns);
  }

  /** Deletes the earlier runs of a session that do not meet a condition. */
  #keep(key: string, isKept: (run: RunHead, index: number) => boolean): void {
    const runs = this.#earlier.get(key) ?? [];
    const kept = runs.filter(isKept);
    for (const run of runs) if (!kept.includes(run)) this.#keys.delete(run.runId);
    if (kept.length > 0) this.#earlier.set(key, kept);
    else this.#earlier.delete(key);
  }

  /** Returns the run if the caller with this epoch executes it. */
  #held(key: string, epoch: number): StoredRun | undefined {
    const run = this.#runs.get(key);
    return run?.epoch === epoch && run.phase === "running" ? run : undefined;
  }

  #sizeOf(entries: readonly JsonValue[]): number {
    if (this.#maxChars === Infinity) return 0;
    return entries.reduce<number>((sum, entry) => sum + JSON.stringify(entry).length, 0);
  }

  /** Deletes the entries of ended runs that cannot be read anymore. Returns their number. */
  #dropUnreadable(): number {
    let dropped = 0;
    for (const [key, run] of this.#runs) {
      if (run.entries.length === 0 || this.headOf(key)?.isReadable) continue;
      this.#chars -= run.chars;
      Object.assign(run, { entries: [], first: 0, chars: 0 });
      dropped++;
    }
    return dropped;
  }

  #add(run: StoredRun, entries: readonly JsonValue[], chars: number): RunHold {
    run.chars += chars;
    this.#chars += chars;
    for (const entry of entries) run.entries.push({ epoch: run.epoch, entry });
    if (entries.length > 0) this.#changes.notify(run.key);
    return run.isStopping ? "stop" : "held";
  }
}

/** Compares positions for a list whose first run is the most recently changed one. */
function comparePositions(one: RunHistoryPosition, other: RunHistoryPosition): number {
  if (one.changedAt !== other.changedAt) return other.changedAt - one.changedAt;
  if (one.runId === other.runId) return 0;
  return one.runId < other.runId ? 1 : -1;
}
