/**
 * Storage for sessions.
 *
 * @module
 */

import { assertCount } from "@parley/internal/assert-argument";
import type { JsonValue } from "../shared/json.ts";
import { optionsReader, withDefault } from "@parley/internal/options";

/**
 * Storage for the records of sessions. A record is added only if the session has the expected
 * number of records, so that two processes cannot overwrite each other's runs.
 *
 * @example A database table with the primary key (id, n)
 * ```ts
 * import { AgentSession, type SessionStore } from "@parley/runtime/session";
 * import type { JsonValue } from "@parley/runtime";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const rows: { id: string; n: number; record: JsonValue }[] = []; // stands in for the table
 * const store: SessionStore = {
 *   // select record from turns where id = $1 order by n
 *   load: (id) =>
 *     Promise.resolve(rows.filter((row) => row.id === id).map(({ record }) => record)),
 *   // insert into turns values ($1, $3, $2) on conflict do nothing returning n
 *   append(id, record, n) {
 *     const isFree = !rows.some((row) => row.id === id && row.n === n);
 *     if (isFree) rows.push({ id, n, record });
 *     return Promise.resolve(isFree);
 *   },
 * };
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * await new AgentSession(agent, { id: "chat-1", store }).run("Hi");
 * assertEquals((await store.load("chat-1")).length, 1);
 * ```
 */
export interface SessionStore {
  /**
   * Returns the records of a session, oldest first, or an empty array if the session does not
   * exist. The whole id must be compared, not its beginning, and case must matter: a session
   * rejects the records of another session. A record must not change after it was returned, because
   * a session reads a record that is returned again only once.
   *
   * @param sessionId Id of the session.
   */
  load(sessionId: string): Promise<readonly JsonValue[]>;
  /**
   * Adds a record to a session. Checking the number of records and adding the record must be one
   * atomic operation. Resolves when the record is stored durably. A run waits for `append` without
   * a timeout, even if the run is aborted, so `append` must reject if the storage does not respond.
   *
   * @param sessionId Id of the session.
   * @param record Record to add.
   * @param expectedLength Number of records that the session must have.
   * @returns `false`, without adding the record, if the session does not have exactly
   * `expectedLength` records; otherwise `true`.
   */
  append(sessionId: string, record: JsonValue, expectedLength: number): Promise<boolean>;
  /**
   * Returns the records of a session from an index, oldest first, or an empty array if the index is
   * not below the number of records. With this method, an {@linkcode AgentSession} reads each
   * record once, and before each run, only the new records and the last one that it knows. If
   * omitted, `load` is called instead.
   *
   * @param sessionId Id of the session.
   * @param start Number of records before the result.
   */
  loadFrom?(sessionId: string, start: number): Promise<readonly JsonValue[]>;
}

/** Options for {@linkcode memorySessions}. */
export interface MemorySessionsOptions {
  /**
   * Maximum number of sessions; a positive integer. When a session beyond this number is added, the
   * least recently used session is removed.
   *
   * @default {10_000}
   */
  readonly maxSessions?: number;
}

const readMemorySessionsOptions = optionsReader<MemorySessionsOptions>("options")({
  maxSessions: withDefault(10_000, assertCount),
});

/**
 * Creates a store that keeps sessions in memory, for tests and for programs that do not need
 * sessions after a restart.
 *
 * @param options Limit on the number of sessions.
 * @throws {RangeError} If `maxSessions` is not a positive integer.
 *
 * @example Continue a conversation
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { AgentSession, memorySessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "It costs 5 dollars" }, { text: "About 4 euros" }]);
 * const agent = new ToolLoopAgent({ name: "shop", model });
 * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions() });
 * await session.run("What does the tea cost?");
 * const { finalText } = await session.run("And in euros?");
 * assertEquals([finalText, (await session.messages()).length], ["About 4 euros", 4]);
 * ```
 */
export function memorySessions(options: MemorySessionsOptions = {}): SessionStore {
  const { maxSessions } = readMemorySessionsOptions(options);
  // The first entry of the map is the least recently used session.
  const sessions = new Map<string, readonly JsonValue[]>();

  function use(sessionId: string): readonly JsonValue[] {
    const records = sessions.get(sessionId) ?? [];
    if (sessions.delete(sessionId)) sessions.set(sessionId, records);
    return records;
  }

  return {
    load: (sessionId) => Promise.resolve(use(sessionId)),
    loadFrom: (sessionId, start) => Promise.resolve(use(sessionId).slice(start)),
    append(sessionId, record, expectedLength): Promise<boolean> {
      const records = sessions.get(sessionId) ?? [];
      if (records.length !== expectedLength) return Promise.resolve(false);
      sessions.delete(sessionId);
      sessions.set(sessionId, [...records, record]);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
      return Promise.resolve(true);
    },
  };
}
