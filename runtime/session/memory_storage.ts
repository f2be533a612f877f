/**
 * Storage for sessions in memory.
 *
 * @module
 */

import { assertCount, assertOptionalFunction } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { JournalEntry } from "../journal/journal.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { ChangeSignal } from "../log/change_signal.ts";
import {
  hasChanged,
  isInterruptedRun,
  type RunClaim,
  type RunFinish,
  type RunHead,
  type RunHold,
  type RunLog,
  type RunPhase,
} from "../log/run_log.ts";
import type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./storage.ts";

/** Options for {@linkcode memoryStorage}. */
export interface MemoryStorageOptions {
  /**
   * Maximum number of sessions; a positive integer. When a session beyond this number is added, the
   * least recently used session without a run in progress is removed. If all sessions have a run in
   * progress, the new session is rejected.
   *
   * @default {10_000}
   */
  readonly maxSessions?: number;
  /**
   * Returns the current time, in milliseconds since the Unix epoch, for tests of leases. If
   * omitted, `Date.now` is used.
   */
  readonly now?: () => number;
}

const readMemoryStorageOptions = optionsReader<MemoryStorageOptions>("options")({
  maxSessions: withDefault(10_000, assertCount),
  now: assertOptionalFunction,
});

/** Maximum time that a reader waits before it reads the log again, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Creates a storage that keeps sessions in memory, for tests and for programs that do not need
 * sessions after a restart. A page that is reloaded finds its run again, as long as the process
 * runs.
 *
 * @param options Limit on the number of sessions.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If `maxSessions` is not a positive integer.
 *
 * @example Read the end of a run from a second connection
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) }),
 * });
 * await sessions.send("chat-1", "Hi");
 * const types: string[] = [];
 * for await (const { event } of await sessions.attach("chat-1") ?? []) types.push(event.type);
 * assertEquals(types.slice(-2), ["run_finished", "run_state"]);
 * ```
 */
export function memoryStorage(options: MemoryStorageOptions = {}): SessionStorage {
  const { maxSessions, now = () => Date.now() } = readMemoryStorageOptions(options);
  return new MemoryStorage(maxSessions, now);
}

/** The newest run of a session. */
interface StoredRun {
  runId: string;
  epoch: number;
  phase: RunPhase;
  leaseUntil: number;
  isStopping: boolean;
  turn: JsonValue;
  turnId: string | undefined;
  first: number;
  result: JsonValue;
  keepUntil: number;
  startedAt: number;
  changedAt: number;
  /** Entries of all epochs of the run, each with its epoch. */
  entries: { readonly epoch: number; readonly entry: JsonValue }[];
}

interface StoredSession {
  readonly records: JsonValue[];
  readonly steps: Map<string, JournalEntry>;
  run: StoredRun | undefined;
}

class MemoryStorage implements SessionStorage {
  readonly #maxSessions: number;
  readonly #now: () => number;
  readonly #changes = new ChangeSignal();
  /** The first entry of the map is the least recently used session. */
  readonly #sessions = new Map<string, StoredSession>();

  readonly records: SessionRecords = {
    load: (id) => settle(() => [...this.#sessions.get(id)?.records ?? []]),
    count: (id) => settle(() => this.#sessions.get(id)?.records.length ?? 0),
    append: (id, record, expectedLength) =>
      settle(() => {
        if ((this.#sessions.get(id)?.records.length ?? 0) !== expectedLength) return false;
        this.#use(id).records.push(record);
        return true;
      }),
    removeLast: (id, expectedLength) =>
      settle(() => {
        const records = this.#sessions.get(id)?.records;
        if (records === undefined || records.length !== expectedLength) return false;
        return records.pop() !== undefined;
      }),
  };

  readonly log: RunLog = {
    claim: (key, claim) => settle(() => this.#claim(key, claim)),
    head: (key) => settle(() => this.#head(key)),
    append: (key, epoch, entries) =>
      settle(() => {
        const run = this.#held(key, epoch);
        return run === undefined ? "fenced" : this.#add(key, run, entries);
      }),
    renew: (key, epoch, leaseMs) =>
      settle(() => {
        const run = this.#held(key, epoch);
        if (run === undefined) return "fenced";
        run.leaseUntil = this.#now() + leaseMs;
        return run.isStopping ? "stop" : "held";
      }),
    finish: (key, epoch, finish) => settle(() => this.#finish(key, epoch, finish)),
    requestStop: (key, epoch) =>
      settle(() => {
        const run = this.#held(key, epoch);
        if (run === undefined) return false;
        run.isStopping = true;
        this.#changes.notify(key);
        return true;
      }),
    read: (key, epoch, { from, limit }) =>
      settle(() => {
        const page = this.#sessions.get(key)?.run?.entries.slice(from, from + limit) ?? [];
        return page.filter((one) => one.epoch === epoch).map(({ entry }) => entry);
      }),
    changed: (seen, signal) =>
      hasChanged(seen, this.#head(seen.key))
        ? Promise.resolve()
        : this.#changes.wait(seen.key, signal, LOOK_MS),
    list: ({ after, isInterrupted, limit, phase }) =>
      settle(() => {
        const keys = [...this.#sessions.keys()].filter((key) => after === undefined || key > after);
        return keys.sort().flatMap((key) => this.#head(key) ?? [])
          .filter((head) => phase === undefined || head.phase === phase)
          .filter((head) => isInterrupted === undefined || isInterruptedRun(head) === isInterrupted)
          .slice(0, limit);
      }),
    purge: () => settle(() => this.#purge()),
  };

  readonly steps: StepStore = {
    load: (key) => settle(() => [...this.#sessions.get(key)?.steps.values() ?? []]),
    put: (key, epoch, entry) =>
      settle(() => {
        if (this.#held(key, epoch) === undefined) return "fenced";
        const { steps } = this.#use(key);
        if (steps.has(entry.key)) return "present";
        steps.set(entry.key, entry);
        return "stored";
      }),
    delete: (key) => settle(() => this.#sessions.get(key)?.steps.clear()),
  };

  constructor(maxSessions: number, now: () => number) {
    this.#maxSessions = maxSessions;
    this.#now = now;
  }

  commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    return settle(() => {
      if (this.#held(key, epoch) === undefined) return "fenced";
      const { records, steps } = this.#use(key);
      if (records.length !== expectedLength) return "conflict";
      records.push(record);
      steps.clear();
      this.#finish(key, epoch, finish);
      return "stored";
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#changes.notifyAll();
    return Promise.resolve();
  }

  #claim(key: string, claim: RunClaim): RunHead | undefined {
    const { isNew, leaseMs, runId, seenEpoch, turn, turnId } = claim;
    const earlier = this.#sessions.get(key)?.run;
    if ((earlier?.epoch ?? 0) !== seenEpoch) return undefined;
    const now = this.#now();
    if (earlier?.phase === "running" && earlier.leaseUntil > now) return undefined;
    const entries = isNew ? [] : earlier?.entries ?? [];
    const session = this.#use(key);
    if (isNew) session.steps.clear();
    session.run = {
      runId,
      epoch: seenEpoch + 1,
      phase: "running",
      leaseUntil: now + leaseMs,
      isStopping: false,
      turn,
      turnId,
      first: entries.length,
      result: null,
      keepUntil: 0,
      startedAt: isNew ? now : earlier?.startedAt ?? now,
      changedAt: now,
      entries,
    };
    this.#changes.notify(key);
    return this.#head(key);
  }

  #head(key: string): RunHead | undefined {
    const run = this.#sessions.get(key)?.run;
    if (run === undefined) return undefined;
    const { entries, keepUntil, leaseUntil, ...head } = run;
    const now = this.#now();
    return {
      ...head,
      key,
      count: entries.length,
      isLeased: head.phase === "running" && leaseUntil > now,
      isReadable: head.phase !== "ended" || keepUntil > now,
    };
  }

  /** Returns the run if the caller with this epoch executes it. */
  #held(key: string, epoch: number): StoredRun | undefined {
    const run = this.#sessions.get(key)?.run;
    return run?.epoch === epoch && run.phase === "running" ? run : undefined;
  }

  #add(key: string, run: StoredRun, entries: readonly JsonValue[]): RunHold {
    for (const entry of entries) run.entries.push({ epoch: run.epoch, entry });
    if (entries.length > 0) this.#changes.notify(key);
    return run.isStopping ? "stop" : "held";
  }

  #finish(key: string, epoch: number, { entries, keepMs, phase, result }: RunFinish): boolean {
    const run = this.#held(key, epoch);
    if (run === undefined) return false;
    this.#add(key, run, entries);
    const now = this.#now();
    Object.assign(run, { phase, result, keepUntil: now + keepMs, changedAt: now });
    this.#changes.notify(key);
    return true;
  }

  #purge(): number {
    let purged = 0;
    for (const [key, { run }] of this.#sessions) {
      if (run === undefined || run.entries.length === 0 || this.#head(key)?.isReadable) continue;
      run.entries = [];
      run.first = 0;
      purged++;
    }
    return purged;
  }

  /** Returns a session, which is then the most recently used one. Creates it if necessary. */
  #use(key: string): StoredSession {
    const session = this.#sessions.get(key) ?? { records: [], steps: new Map(), run: undefined };
    if (!this.#sessions.delete(key)) this.#makeRoom();
    this.#sessions.set(key, session);
    return session;
  }

  #makeRoom(): void {
    if (this.#sessions.size < this.#maxSessions) return;
    const isIdle = ({ run }: StoredSession) => run === undefined || run.phase === "ended";
    const idle = [...this.#sessions].find(([, session]) => isIdle(session));
    if (idle === undefined) {
      throw AgentError.core(
        `Cannot add a session: all ${this.#maxSessions} sessions have a run in progress; ` +
          'set "maxSessions"',
      );
    }
    this.#sessions.delete(idle[0]);
  }
}

/** Returns the result of a synchronous function as a promise. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
