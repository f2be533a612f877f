/**
 * A change bus that uses PostgreSQL notifications.
 *
 * @module
 */

import { assertFunction } from "@parley/internal/assert-argument";
import { optionsReader } from "@parley/internal/options";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { type ChangeBus, readAnnouncement } from "../server/change_bus.ts";
import { assertListeningClient, listenTo } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";

const CHANNEL = "parley_mcp_changes";

/** Maximum number of characters per notification. A payload must be shorter than 8,000 bytes. */
const PART_CHARS = 7000;

/** Maximum number of notifications that one announcement is split into. */
const MAX_PARTS = 64;

/** Notifications from one statement are delivered together and in order. */
const PUBLISH = `select pg_notify('${CHANNEL}', part)
from json_array_elements_text($1::text::json) as part`;

/** Options for {@linkcode postgresChangeBus}. */
export interface PostgresChangeBusOptions {
  /**
   * Called with errors for notifications that the bus cannot parse, and when the connection for
   * notifications is lost or cannot be restored. If omitted, errors are printed
   * to standard error: each error once, and at most 20 per minute. Pass `() => {}` to ignore
   * errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<PostgresChangeBusOptions>("options")({
  onError: assertFunction,
});

/**
 * Creates a change bus that uses PostgreSQL's `LISTEN` and `NOTIFY`. The bus needs no tables. A
 * process does not receive announcements that are published while it has no database connection.
 *
 * @param sql Database that can receive notifications: a `Pool` of the package `pg`, or the result
 * of {@linkcode fromPostgres}.
 * @param options Options for error reporting.
 * @throws {TypeError} If `sql` is not a database that can receive notifications, or `onError` is
 * not a function.
 *
 * @example Announce changes to all processes
 * ```ts
 * import { postgresChangeBus, type SqlClient } from "@parley/mcp/postgres";
 * import { McpServer } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for a `Pool` of the package `pg`.
 * const channels: string[] = [];
 * const sql: SqlClient = {
 *   query: () => Promise.resolve({ rows: [] }),
 *   listen: (channel) => Promise.resolve(() => Promise.resolve(void channels.push(channel))),
 * };
 * const changeBus = postgresChangeBus(sql);
 * const server = new McpServer({ name: "files", version: "1.0.0", changeBus });
 * await server.changes.ready();
 * await server.close();
 * assertEquals(channels, ["parley_mcp_changes"]);
 * ```
 */
export function postgresChangeBus(
  sql: SqlClient,
  options: PostgresChangeBusOptions = {},
): ChangeBus {
  assertListeningClient("sql", sql);
  const { onError } = readOptions(options);
  const report = createErrorReporter("postgresChangeBus", onError);
  return {
    publish: async (announcement) => {
      await sql.query(PUBLISH, [JSON.stringify(splitText(toAscii(announcement)))]);
    },
    subscribe: async (onAnnouncement) => {
      const join = createJoiner();
      const onPayload = (payload: string): void => {
        try {
          const text = join(payload);
          if (text !== undefined) onAnnouncement(readAnnouncement(JSON.parse(text)));
        } catch (error) {
          report(error);
        }
      };
      const onListen = (): void => {};
      return await listenTo(sql, { channel: CHANNEL, onPayload, onListen, onLoss: report });
    },
  };
}

/**
 * Serializes a value as JSON in ASCII, so that the length in characters equals the length in bytes.
 */
function toAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Splits a string into numbered parts, such as `0/2 ...`.
 *
 * @throws {RangeError} If the text is too long.
 */
function splitText(text: string): readonly string[] {
  const count = Math.ceil(text.length / PART_CHARS);
  if (count > MAX_PARTS) {
    throw new RangeError(
      `Cannot publish change: the announcement has more than ${MAX_PARTS * PART_CHARS} characters`,
    );
  }
  return Array.from(
    { length: count },
    (_, index) => `${index}/${count} ${text.slice(index * PART_CHARS, (index + 1) * PART_CHARS)}`,
  );
}

/**
 * Creates a function that joins parts in order. The returned function returns the whole text when
 * it receives the last part, and `undefined` before then.
 */
function createJoiner(): (part: string) => string | undefined {
  let parts: string[] = [];
  return (part) => {
    const [, index, count, text] = /^(\d{1,2})\/(\d{1,2}) (.*)$/s.exec(part) ?? [];
    if (text === undefined) {
      throw new TypeError("Cannot read a notification: its position is missing");
    }
    if (index === "0") parts = [];
    // After a lost connection, the first parts of an announcement may be missing.
    if (Number(index) !== parts.length) return undefined;
    parts.push(text);
    return parts.length === Number(count) ? parts.join("") : undefined;
  };
}
