/**
 * Access to PostgreSQL through the application's database driver.
 *
 * @module
 */

import {
  assertFunction,
  assertObject,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { escapeText } from "@parley/internal/escape-text";
import { MAX_TIMER_MS, resolveWithin } from "@parley/internal/timers";

/** The value of a query parameter. */
export type SqlValue = string | number | boolean | null;

/** A row of a result, keyed by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Access to a PostgreSQL database. {@linkcode fromPostgres} and {@linkcode fromPg} create
 * `SqlClient` objects from the drivers `postgres` and `pg`.
 */
export interface SqlClient {
  /** Executes one statement with the parameters `$1`, `$2` and so on. Returns the rows. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /**
   * Calls a function with the payload of each notification on a channel (`LISTEN`), including
   * notifications received after a lost connection is restored. Resolves when the subscription is
   * active, to a function that ends the subscription.
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
  ): Promise<() => Promise<void>>;
}

/** Functions of the `postgres` driver that this module uses. */
export interface PostgresSql {
  /** Executes one statement. */
  unsafe(text: string, values?: SqlValue[]): PromiseLike<readonly object[]>;
  /** Receives notifications. The driver restores lost connections. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
  ): PromiseLike<{ unlisten(): Promise<void> }>;
}

/**
 * Adapts the `postgres` driver (porsager/postgres) to {@linkcode SqlClient}. The caller closes the
 * driver's connections.
 *
 * @param sql Return value of `postgres()`.
 * @throws {TypeError} If `sql` has no `unsafe` or `listen` function.
 *
 * @example Use the driver for the stores
 * ```ts
 * import { fromPostgres, type PostgresSql } from "@parley/mcp/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `postgres("postgres://localhost/mcp")`.
 * const driver: PostgresSql = {
 *   unsafe: () => Promise.resolve([{ answer: 42 }]),
 *   listen: () => Promise.resolve({ unlisten: () => Promise.resolve() }),
 * };
 * const sql = fromPostgres(driver);
 * assertEquals(await sql.query("select 42 as answer"), [{ answer: 42 }]);
 * ```
 */
export function fromPostgres(sql: PostgresSql): SqlClient {
  assertFunction("sql.unsafe", sql?.unsafe);
  assertFunction("sql.listen", sql.listen);
  return {
    query: async (text, values = []) => toRows(await sql.unsafe(text, [...values])),
    listen: async (channel, onPayload) => {
      let isStopped = false;
      const { unlisten } = await sql.listen(channel, (payload) => {
        if (!isStopped) onPayload(payload);
      });
      return async () => {
        if (isStopped) return;
        isStopped = true;
        await unlisten();
      };
    },
  };
}

/** Functions of a pooled `pg` connection that this module uses. */
export interface PgConnection {
  /** Executes one statement. */
  query(text: string): PromiseLike<unknown>;
  /** Adds a listener for notifications. */
  on(
    event: "notification",
    listener: (
      message: { readonly channel: string; readonly payload?: string | undefined },
    ) => void,
  ): unknown;
  /** Adds a listener for connection errors. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds a listener for the end of the connection. */
  on(event: "end", listener: () => void): unknown;
  /** Returns the connection to the pool, or closes the connection if the argument is `true`. */
  release(destroy?: boolean): void;
}

/** Functions of a `pg` pool that this module uses. */
export interface PgPool {
  /** Executes one statement. */
  query(text: string, values: SqlValue[]): PromiseLike<{ readonly rows: readonly object[] }>;
  /** Reserves a connection. */
  connect(): PromiseLike<PgConnection>;
}

/** Options for {@linkcode fromPg}. */
export interface FromPgOptions {
  /**
   * Delay before each attempt to restore a lost connection for notifications, in milliseconds.
   *
   * @default {1000}
   */
  readonly retryMs?: number;
  /**
   * Called when the connection for notifications is lost or cannot be restored. Notifications that
   * are sent while the connection is lost are not received. If omitted, errors are printed to
   * standard error: each error once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<FromPgOptions>("options")({
  retryMs: withDefault(1000, assertPositiveNumber),
  onError: assertFunction,
});

/**
 * Adapts the `pg` driver to {@linkcode SqlClient}. Each task store and change bus with listeners
 * reserves one connection from the pool for notifications. The caller ends the pool after closing
 * the server.
 *
 * @param pool A `Pool` from the `pg` package.
 * @param options Settings for restoring the connection for notifications.
 * @throws {TypeError} If `pool` has no `query` or `connect` function, or `onError` is not a
 * function.
 * @throws {RangeError} If `retryMs` is not a positive number.
 *
 * @example Use the driver for the stores
 * ```ts
 * import { fromPg, type PgPool } from "@parley/mcp/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `new pg.Pool({ connectionString: "postgres://localhost/mcp" })`.
 * const pool: PgPool = {
 *   query: () => Promise.resolve({ rows: [{ answer: 42 }] }),
 *   connect: () => Promise.reject(new Error("not needed without listeners")),
 * };
 * const sql = fromPg(pool);
 * assertEquals(await sql.query("select 42 as answer"), [{ answer: 42 }]);
 * ```
 */
export function fromPg(pool: PgPool, options: FromPgOptions = {}): SqlClient {
  const { retryMs, onError } = readOptions(options);
  assertObject("pool", pool);
  assertFunction("pool.query", pool.query);
  assertFunction("pool.connect", pool.connect);
  const report = createErrorReporter("fromPg", onError);
  return {
    query: async (text, values = []) => toRows((await pool.query(text, [...values])).rows),
    listen: async (channel, onPayload) => {
      const listener = new PgListener(pool, { channel, onPayload, retryMs, onError: report });
      await listener.connect();
      return () => listener.close();
    },
  };
}

/** Maximum time that closing a listener waits for an attempt to connect, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

interface PgListenerOptions {
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * A connection that receives the notifications on one channel, and that is restored if it is lost.
 */
class PgListener {
  readonly #pool: PgPool;
  readonly #options: PgListenerOptions;
  #release = (): void => {};
  #retrying: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(pool: PgPool, options: PgListenerOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { channel, onPayload, onError } = this.#options;
    const connection = await this.#pool.connect();
    if (this.#isClosed) return connection.release(true);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      connection.release(true);
    };
    const onLoss = (cause?: unknown): void => {
      if (isReleased) return;
      release();
      onError(new Error(`Cannot receive notifications of "${channel}"`, { cause }));
      this.#retryLater();
    };
    connection.on("notification", (message) => {
      if (!isReleased && message.channel === channel) onPayload(message.payload ?? "");
    });
    connection.on("error", onLoss);
    connection.on("end", onLoss);
    // Closing the connection ends a query that never returns.
    this.#release = release;
    try {
      await connection.query(`listen ${channel}`);
    } catch (error) {
      release();
      throw error;
    }
    if (this.#isClosed) release();
  }

  /**
   * Ends the connection. An attempt to connect that does not end in time is not awaited; its
   * connection is released as soon as it is established.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#release();
    if (this.#retrying !== undefined) await resolveWithin(this.#retrying, CLOSE_TIMEOUT_MS);
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const { retryMs, onError } = this.#options;
    this.#timer = setTimeout(() => {
      this.#retrying = this.connect().catch((cause) => {
        onError(new Error(`Cannot listen to "${this.#options.channel}"`, { cause }));
        this.#retryLater();
      });
    }, Math.min(retryMs, MAX_TIMER_MS));
  }
}

function toRows(rows: readonly object[]): readonly SqlRow[] {
  return rows.map((row) => ({ ...row }));
}

/**
 * Executes a statement on this module's tables.
 *
 * @throws {Error} If the database cannot be reached, or the tables do not exist.
 */
export async function queryTables(
  sql: SqlClient,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  try {
    return await sql.query(text, values);
  } catch (cause) {
    const isMissing = typeof cause === "object" && cause !== null && "code" in cause &&
      MISSING_CODES.includes(cause.code);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = isMissing ? "; call createTables() once before the server starts" : "";
    const text = `Cannot use the PostgreSQL tables for MCP: ${reason}${hint}`;
    throw new Error(escapeText(text), { cause });
  }
}

/**
 * PostgreSQL error codes for a table, a column or a function that does not exist
 * (`undefined_table`, `undefined_column`, `undefined_function`).
 */
const MISSING_CODES: readonly unknown[] = ["42P01", "42703", "42883"];

/**
 * Checks a client.
 *
 * @throws {TypeError} If a function is missing.
 */
export function assertSqlClient(sql: SqlClient): void {
  assertFunction("sql.query", sql?.query);
  assertFunction("sql.listen", sql.listen);
}
