/**
 * An in-memory journal for durable runs.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../loop/decisions.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { copyJson, defined } from "@parley/internal/json";
import type { RunClock } from "./clock.ts";
import type {
  AppendOutcome,
  CloseOutcome,
  NewRun,
  OpenRun,
  RunEnd,
  RunFilter,
  RunJournal,
  RunRecord,
  RunStatus,
  SignalOutcome,
} from "./contracts.ts";

/** Limits for a journal. */
export interface JournalLimits {
  /** Maximum number of runs. */
  readonly maxRuns: number;
  /** Maximum number of signals per run. */
  readonly maxSignals: number;
}

/** Default number of runs on a page. */
export const DEFAULT_PAGE = 100;

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

interface StoredRun {
  record: RunRecord;
  readonly steps: Map<string, JournalEntry>;
  readonly signals: Map<string, JsonValue>;
}

/** Stores runs in memory. Values are copied, as if the journal were in a different process. */
export class MemoryRunJournal implements RunJournal {
  readonly #runs: Map<string, StoredRun> = new Map();
  readonly #clock: RunClock;
  readonly #limits: JournalLimits;

  constructor(clock: RunClock, limits: JournalLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  async create(run: NewRun): Promise<boolean> {
    await null;
    if (this.#runs.has(run.runId)) return false;
    const { maxRuns } = this.#limits;
    if (this.#runs.size >= maxRuns) {
      throw AgentError.core(
        `Cannot start run "${run.runId}": the engine already stores the maximum number of runs (${maxRuns})`,
      );
    }
    const createdAt = this.#time();
    const record: RunRecord = {
      ...copyJson(run),
      status: "queued",
      epoch: 0,
      waitingFor: [],
      createdAt,
      updatedAt: createdAt,
    };
    this.#runs.set(run.runId, { record, steps: new Map(), signals: new Map() });
    return true;
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
    run.steps.set(entry.key, copyJson(entry));
    return "stored";
  }

  async close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome> {
    await null;
    const run = this.#findHeld(runId, epoch);
    if (run === undefined) return "fenced";
    const isSignalled = end.status === "waiting" &&
      end.waitingFor.some(({ key, kind }) => kind !== "time" && run.signals.has(key));
    if (isSignalled) return "signalled";
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
    if (run.signals.size >= this.#limits.maxSignals) return "full";
    run.signals.set(key, copyJson(value));
    const { status, waitingFor } = run.record;
    const isAwaited = waitingFor.some((wait) => wait.kind !== "time" && wait.key === key);
    if (status === "waiting" && isAwaited) {
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
    const { after, agent, limit = DEFAULT_PAGE, status } = filter;
    return [...this.#runs.keys()].sort()
      .filter((runId) => after === undefined || runId > after)
      .flatMap((runId) => this.#runs.get(runId)?.record ?? [])
      .filter((record) => status === undefined || record.status === status)
      .filter((record) => agent === undefined || record.agent === agent)
      .slice(0, limit)
      .map((record) => copyJson(record));
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    await null;
    for (const entry of this.#runs.get(runId)?.steps.values() ?? []) yield copyJson(entry);
  }

  async purge(before: Date): Promise<number> {
    await null;
    let count = 0;
    for (const [runId, { record }] of this.#runs) {
      if (!isEnded(record.status) || Date.parse(record.updatedAt) >= before.getTime()) continue;
      this.#runs.delete(runId);
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
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
