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
import { settle } from "../shared/settle.ts";
import { MemoryRunLog } from "../log/memory_log.ts";
import type { RunLog } from "../log/run_log.ts";
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

interface StoredSession {
  readonly records: JsonValue[];
  readonly steps: Map<string, JournalEntry>;
}

class MemoryStorage implements SessionStorage {
  readonly #maxSessions: number;
  readonly #log: MemoryRunLog;
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

  readonly steps: StepStore = {
    load: (key) => settle(() => [...this.#sessions.get(key)?.steps.values() ?? []]),
    put: (key, epoch, entry) =>
      settle(() => {
        if (!this.#log.isHeld(key, epoch)) return "fenced";
        const { steps } = this.#use(key);
        if (steps.has(entry.key)) return "present";
        steps.set(entry.key, entry);
        return "stored";
      }),
    delete: (key) => settle(() => this.#sessions.get(key)?.steps.clear()),
  };

  constructor(maxSessions: number, now: () => number) {
    this.#maxSessions = maxSessions;
    this.#log = new MemoryRunLog({
      now,
      onClaim: (key, isNew) => {
        const { steps } = this.#use(key);
        if (isNew) steps.clear();
      },
    });
  }

  get log(): RunLog {
    return this.#log;
  }

  commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    return settle(() => {
      if (!this.#log.isHeld(key, epoch)) return "fenced";
      const { records, steps } = this.#use(key);
      if (records.length !== expectedLength) return "conflict";
      records.push(record);
      steps.clear();
      this.#log.end(key, epoch, finish);
      return "stored";
    });
  }

  delete(key: string, epoch: number): Promise<boolean> {
    return settle(() => {
      if (!this.#log.remove(key, epoch)) return false;
      this.#sessions.delete(key);
      return true;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#log.wakeAll();
    return Promise.resolve();
  }

  /** Returns a session, which is then the most recently used one. Creates it if necessary. */
  #use(key: string): StoredSession {
    const session = this.#sessions.get(key) ?? { records: [], steps: new Map() };
    if (!this.#sessions.delete(key)) this.#makeRoom();
    this.#sessions.set(key, session);
    return session;
  }

  #makeRoom(): void {
    if (this.#sessions.size < this.#maxSessions) return;
    for (const key of this.#sessions.keys()) {
      const { epoch = 0, phase = "ended" } = this.#log.headOf(key) ?? {};
      if (phase !== "ended") continue;
      this.#log.remove(key, epoch);
      this.#sessions.delete(key);
      return;
    }
    throw AgentError.core(
      `Cannot add a session: all ${this.#maxSessions} sessions have a run in progress; ` +
        'set "maxSessions"',
    );
  }
}
