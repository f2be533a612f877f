/**
 * Opens storages for sessions in SQLite databases.
 *
 * @module
 */

import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { openDatabase } from "@parley/internal/sqlite-database";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { lockReasonOf } from "../shared/sqlite_store.ts";
import { SCHEMA, SqliteStorage } from "./sqlite_storage.ts";
import type { SessionStorage } from "./storage.ts";

/** Options for {@linkcode sqliteStorage}. */
export interface SqliteStorageOptions {
  /**
   * Interval at which a reader looks for changes by other processes, in milliseconds; a positive
   * integer. Changes by the same process have an effect immediately.
   *
   * @default {100}
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum time to wait for a lock that another process holds, in milliseconds; a positive
   * integer. The event loop is blocked while the storage waits for the lock.
   *
   * @default {5000}
   */
  readonly busyTimeoutMs?: number;
  /**
   * Maximum size of the database, in bytes; a positive integer. If the database has reached this
   * size, nothing can be added.
   *
   * @default {17_179_869_184}
   */
  readonly maxBytes?: number;
}

const readSqliteStorageOptions = optionsReader<SqliteStorageOptions>("options")({
  pollIntervalMs: withDefault(100, int32From(1)),
  busyTimeoutMs: withDefault(5000, int32From(1)),
  maxBytes: withDefault(17_179_869_184, assertCount),
});

/**
 * Identifies a database with sessions: "PRLS" in ASCII, stored in the database as `application_id`.
 */
const APPLICATION_ID = 0x50524c53;
const SCHEMA_VERSION = 2;
const PAGE_BYTES = 4096;

/**
 * Opens a storage for sessions in an SQLite database. Several processes of one machine can open the
 * file at the same time, also with different runtimes: if one of them crashes, another one
 * continues its runs.
 *
 * Records and steps are written to disk before a run continues, so that they survive a power
 * failure. The file must be on a local disk: the locks of network file systems are not reliable.
 * Statements block the event loop, at most for `busyTimeoutMs` if another process has locked the
 * file.
 *
 * @param path Path to the database file, or `":memory:"`. The file is created if it does not exist.
 * @param options Limits and intervals.
 * @throws {TypeError} If `path` is not a non-empty string, or an option has the wrong type.
 * @throws {RangeError} If a limit or interval is out of range.
 * @throws {AgentError} With code `core` if the file cannot be opened, is locked for longer than
 * `busyTimeoutMs`, does not contain sessions, or has the schema of a newer version.
 *
 * @example Continue a conversation after a restart
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { openSessions } from "@parley/runtime/session";
 * import { sqliteStorage } from "@parley/runtime/sqlite";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: sqliteStorage(":memory:"), // A program uses a file, such as "chats.db".
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * for await (const _ of await sessions.send("chat-1", "Hi"));
 * assertEquals((await sessions.state("chat-1")).runs.length, 1);
 * ```
 */
export function sqliteStorage(path: string, options: SqliteStorageOptions = {}): SessionStorage {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const { busyTimeoutMs, maxBytes, pollIntervalMs } = readSqliteStorageOptions(options);
  const maxPages = Math.max(1, Math.floor(maxBytes / PAGE_BYTES));
  try {
    const database = openDatabase(path, {
      packageName: "@parley/runtime",
      applicationId: APPLICATION_ID,
      schemaVersion: SCHEMA_VERSION,
      schema: SCHEMA,
      pragmas: `pragma busy_timeout = ${busyTimeoutMs}; pragma max_page_count = ${maxPages}`,
      lock: "immediate",
    });
    return new SqliteStorage(database, path, { busyTimeoutMs, pollIntervalMs });
  } catch (cause) {
    const reason = lockReasonOf(cause, busyTimeoutMs) ?? errorMessageOf(cause);
    throw AgentError.core(`Cannot open the sessions in "${path}": ${reason}`, { cause });
  }
}
