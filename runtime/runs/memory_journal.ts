/**
 * An in-memory journal for durable runs.
 *
 * @module
 */

import { sizeOfJson } from "../shared/json_size.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { formatValue } from "@parley/internal/format-value";
import { copyJson, defined } from "@parley/internal/json";
import { Quota } from "@parley/internal/quota";
import type { RunClock } from "./clock.ts";
import type {
  AppendOutcome,
  CloseOutcome,
  OpenRun,
  RunEnd,
  RunFilter,
  RunJournal,
  RunPosition,
  SignalOutcome,
} from "./contracts.ts";
import type { NewRun, RunRecord, RunSignal, RunStatus } from "./run_record.ts";
import { compareIds } from "../shared/id_order.ts";
import { DEFAULT_PAGE, updatedAtOf } from "./list_query.ts";

/** Limits of every journal. */
export interface StoredJournalLimits {
  /** Maximum number of runs of one party. */
  readonly maxPartyRuns: number;
  /** Maximum number of signals per run for which the run does not wait. */
  readonly maxSignals: number;
}

/** Limits of a journal in memory. */
export interface JournalLimits extends StoredJournalLimits {
  /** Maximum number of runs. */
  readonly maxRuns: number;
  /** Maximum size of the messages, metadata and steps of all runs, in bytes of UTF-8 JSON. */
  readonly maxBytes: number;
  /** Time after which a run that has ended is deleted, in milliseconds. */
  readonly retentionMs: number;
}

const ENDED: ReadonlySet<RunStatus> = new Set<RunStatus>(["done", "failed", "cancelled"]);

/** Returns true if a run with this status cannot continue. */
export function isEnded(status: RunStatus): boolean {
  return ENDED.has(status);
}

/**
 * Returns true if a run waits for a decision or a signal, rather than only for a scheduled time.
 */
export function isBlocked({ status, waitingFor }: RunRecord): boolean {
  return status === "waiting" && waitingFor.some(({ kind }) => kind !== "time");
}

/**
 * Returns the keys of the decisions and signals for which a run waits. Until the run is closed
 * again, they are stored even if the run has too many signals.
 */
export function awaitedKeysOf(end: RunEnd): readonly string[] {
  if (end.status !== "waiting") return [];
  return end.waitingFor.flatMap(({ key, kind }) => kind === "time" ? [] : [key]);
}

/**
 * Returns the error for a run that cannot be started, because its party has too many runs that have
 * not ended.
 */
export function tooManyRuns({ party, runId }: NewRun, maxPartyRuns: number): AgentError {
  const reason = `${formatValue(party)} has ${maxPartyRuns} runs that have not ended, the maximum`;
  return AgentError.run("run_limit", "start", { runId, reason });
}

/**
 * Returns the start of the keys of decisions on approvals in a run. Decisions are counted
 * separately from the signals of tools, so that neither can displace the other.
 */
export function decisionPrefixOf(runId: string): string {
  return `${runId}/`;
}

interface StoredRun {
  record: RunRecord;
  /** Keys of the signals for which the run waited when it was last closed. */
  awaited: readonly string[];
  /** Size of the message, the metadata and the steps, in bytes of UTF-8 JSON. */
  bytes: number;
  readonly steps: Map<string, JournalEntry>;
  readonly signals: Map<string, JsonValue>;
}

/** Stores runs in memory. Values are copied, as if the journal were in a different process. */
export class MemoryRunJournal implements RunJournal {
  readonly #runs: Map<string, StoredRun> = new Map();
  /** Runs that have ended, keyed by run id, in the order in which they ended. */
  readonly #ended: Map<string, StoredRun> = new Map();
  readonly #quota: Quota;
  readonly #bytes: Quota;
  readonly #clock: RunClock;
  readonly #limits: JournalLimits;
  /**
   * The newest epoch of the deleted runs. A new run with the id of a deleted run has a newer one.
   */
  #deletedEpoch = 0;

  constructor(clock: RunClock, limits: JournalLimits) {
    this.#clock = clock;
    this.#limits = limits;
    const share = limits.maxPartyRuns / limits.maxRuns;
    this.#quota = new Quota(limits.maxRuns, share);
    this.#bytes = new Quota(limits.maxBytes, share);
  }

  async create(run: NewRun): Promise<boolean> {
    await null;
    if (this.#runs.has(run.runId)) return false;
    this.#makeRoom(run);
    const bytes = sizeOfJson(run.input) + (run.metadata ? sizeOfJson(run.metadata) : 0);
    this.#makeRoomFor(bytes, run, "start");
    const createdAt = this.#time();
    const record: RunRecord = {
      ...copyJson(run),
      status: "queued",
      epoch: this.#deletedEpoch,
      waitingFor: [],
      createdAt,
      updatedAt: createdAt,
    };
    this.#runs.set(run.runId, { record, bytes, awaited: [], steps: new Map(), signals: new Map() });
    this.#quota.take(1, run.party);
    this.#bytes.take(bytes, run.party);
    return true;
  }

  /**
   * Deletes runs that have ended until there is room for a message or a step.
   *
   * @throws {AgentError} With code `run_limit` if no run that has ended can be deleted.
   */
  #makeRoomFor(bytes: number, { party, runId }: NewRun, action: "continue" | "start"): void {
    while (!this.#bytes.has(bytes, party)) {
      const isFull = !this.#bytes.has(bytes, undefined);
      const ended = this.#firstEnded(party) ?? (isFull ? this.#firstEnded() : undefined);
      if (ended === undefined) {
        const whose = isFull ? "all runs" : `the runs of ${formatValue(party)}`;
        const reason = `${whose} that have not ended use the maximum number of bytes`;
        throw AgentError.run("run_limit", action, { runId, reason });
      }
      this.#delete(ended);
    }
  }

  /** Deletes runs that have ended until there is room for a run. */
  #makeRoom(run: NewRun): void {
    const { maxPartyRuns, maxRuns, retentionMs } = this.#limits;
    const { party, runId } = run;
    const oldest = this.#clock.now() - retentionMs;
    for (const [endedId, { record }] of this.#ended) {
      if (Date.parse(record.updatedAt) > oldest) break;
      this.#delete(endedId);
    }
    if (this.#quota.has(1, party)) return;
    // A party that has reached its share makes room with a run of its own.
    const isFull = !this.#quota.has(1, undefined);
    const ended = this.#firstEnded(party) ?? (isFull ? this.#firstEnded() : undefined);
    if (ended !== undefined) return this.#delete(ended);
    if (!isFull) throw tooManyRuns(run, maxPartyRuns);
    throw AgentError.core(
      `Cannot start run "${runId}": the engine already stores the maximum number of runs (${maxRuns}), and none has ended`,
    );
  }

  /** Returns the id of the run that ended first, of a party or of all parties. */
  #firstEnded(party?: string): string | undefined {
    for (const [runId, { record }] of this.#ended) {
      if (party === undefined || record.party === party) return runId;
    }
    return undefined;
  }

  #delete(runId: string): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    this.#deletedEpoch = Math.max(this.#deletedEpoch, run.record.epoch);
    this.#runs.delete(runId);
    this.#ended.delete(runId);
    this.#quota.take(-1, run.record.party);
    this.#bytes.take(-run.bytes, run.record.party);
  }

  async open(runId: string): Promise<OpenRun | undefined> {
    await null;
    const run = this.#findOpen(runId);
    if (run === undefined) return undefined;
    const { due: _, error: __, ...rest } = run.record;
    this.#update(run, { ...rest, status: "running", epoch: rest.epoch + 1, waitingFor: [] });
    return {
      run: copyJson(run.record),
      steps: new Map([...run.steps].map(([key, entry]) => [key, copyJson(entry)])),
      signals: new Map([...run.signals].map(([key, value]) => [key, copyJson(value)])),
    };
  }

  async append(runId: string, epoch: number, entry: JournalEntry): Promise<AppendOutcome> {
    await null;
    const run = this.#findHeld(runId, epoch);
    if (run === undefined) return "fenced";
    if (run.steps.has(entry.key)) return "present";
    const bytes = sizeOfJson({ ...entry });
    this.#makeRoomFor(bytes, run.record, "continue");
    this.#bytes.take(bytes, run.record.party);
    run.bytes += bytes;
    run.steps.set(entry.key, copyJson(entry));
    return "stored";
  }

  async close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome> {
    await null;
    const run = this.#findHeld(runId, epoch);
    if (run === undefined) return "fenced";
    const isSignalled = awaitedKeysOf(end).some((key) => run.signals.has(key));
    if (isSignalled) return "signalled";
    if (end.status !== "queued") run.awaited = awaitedKeysOf(end);
    this.#update(run, { ...run.record, ...copyJson(end) });
    return "closed";
  }

  async signal(runId: string, key: string, value: JsonValue): Promise<SignalOutcome> {
    await null;
    const run = this.#runs.get(runId);
    if (run === undefined) return "not_found";
    if (isEnded(run.record.status)) return "ended";
    const existing = run.signals.get(key);
    if (existing !== undefined) {
      return formatSorted(existing) === formatSorted(value) ? "present" : "conflict";
    }
    const isAwaited = run.awaited.includes(key);
    if (!isAwaited) {
      const prefix = decisionPrefixOf(runId);
      const isSameKind = (other: string) => other.startsWith(prefix) === key.startsWith(prefix);
      const others = [...run.signals.keys()].filter(isSameKind);
      if (others.length >= this.#limits.maxSignals) return "full";
    }
    run.signals.set(key, copyJson(value));
    if (isAwaited && run.record.status === "waiting") {
      const { due: _, ...rest } = run.record;
      this.#update(run, { ...rest, status: "queued", waitingFor: [] });
    }
    return "stored";
  }

  async cancel(runId: string): Promise<boolean> {
    await null;
    const run = this.#findOpen(runId);
    if (run === undefined) return false;
    const { due: _, error: __, ...rest } = run.record;
    this.#update(run, { ...rest, status: "cancelled", epoch: rest.epoch + 1, waitingFor: [] });
    return true;
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    await null;
    return copyJson(this.#runs.get(runId)?.record);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    await null;
    const { after, agent, limit = DEFAULT_PAGE, order = "id", prefix = "", status } = filter;
    const compare = order === "id" ? compareByIds : compareByTimes;
    const start = order === "id" || after === undefined
      ? after
      : { runId: after.runId, updatedAt: updatedAtOf(after) };
    return [...this.#runs.values()].map(({ record }) => record)
      .filter((record) =>
        (status === undefined || record.status === status) &&
        (agent === undefined || record.agent === agent) && record.runId.startsWith(prefix) &&
        (start === undefined || compare(record, start) > 0)
      )
      .sort(compare)
      .slice(0, limit)
      .map((record) => copyJson(record));
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    await null;
    for (const entry of this.#runs.get(runId)?.steps.values() ?? []) yield copyJson(entry);
  }

  async *signals(runId: string): AsyncIterable<RunSignal> {
    await null;
    for (const [key, value] of this.#runs.get(runId)?.signals ?? []) {
      yield { key, value: copyJson(value) };
    }
  }

  async purge(before: Date): Promise<number> {
    await null;
    let count = 0;
    for (const [runId, { record }] of this.#runs) {
      if (!isEnded(record.status) || Date.parse(record.updatedAt) >= before.getTime()) continue;
      this.#delete(runId);
      count++;
    }
    return count;
  }

  #findOpen(runId: string): StoredRun | undefined {
    const run = this.#runs.get(runId);
    return run === undefined || isEnded(run.record.status) ? undefined : run;
  }

  /** Returns the run if the worker with the given epoch may still write to it. */
  #findHeld(runId: string, epoch: number): StoredRun | undefined {
    const run = this.#runs.get(runId);
    return run?.record.status === "running" && run.record.epoch === epoch ? run : undefined;
  }

  #update(run: StoredRun, record: RunRecord): void {
    run.record = { ...defined(record), updatedAt: this.#time() };
    if (isEnded(record.status)) this.#ended.set(record.runId, run);
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

/** Compares positions in a list with the order `"id"`. */
function compareByIds(one: RunPosition, other: RunPosition): number {
  return compareIds(one.runId, other.runId);
}

/** Compares positions in a list with the order `"updated"`. */
function compareByTimes(one: RunPosition, other: RunPosition): number {
  return compareIds(other.updatedAt ?? "", one.updatedAt ?? "") || compareByIds(other, one);
}
