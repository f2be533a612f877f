// Written from runtime/shared/sql_client.ts by tools/gates/copies.ts. Do not edit.
/**
 * Access to a PostgreSQL database through the driver of the application.
 *
 * @module
 */

import { adaptPostgres } from "@parley/internal/sql-client";

/**
 * A PostgreSQL database: a `Pool` or a client of the package `pg`, the result of
 * {@linkcode fromPostgres} for the package `postgres`, or an adapter for another driver. A client
 * that has started a transaction represents the transaction.
 *
 * All Parley packages declare this interface, so that one object can be passed to all of them. To
 * receive notifications, they use the method `listen` if it exists, and otherwise a connection that
 * they check out of a `Pool` of the package `pg`.
 */
export interface SqlClient {
  /**
   * Executes a statement. Without values, the text can contain several statements.
   *
   * @param text SQL with parameters such as `$1`.
   * @param values Values of the parameters: strings, numbers, booleans and `null`.
   * @returns The rows, as objects with one member for each column.
   */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /**
   * Receives notifications (`LISTEN`), also after a lost connection is restored.
   *
   * @param channel Name of the channel.
   * @param onPayload Function that is called with the payload of each notification.
   * @param onListen Function that is called when the subscription becomes active, and when it is
   * active again after a lost connection.
   * @returns A function that ends the subscription, when the subscription is active.
   */
  listen?(
    channel: string,
    onPayload: (payload: string) => void,
    onListen?: () => void,
  ): Promise<() => Promise<void>>;
}

/** A reserved connection of the package `postgres`. */
export interface ReservedSql {
  /** Executes a statement. */
  unsafe(text: string, values?: unknown[]): PromiseLike<readonly unknown[]>;
  /** Returns the connection to the pool. */
  release(): void;
}

/** Functions of the package `postgres` that {@linkcode fromPostgres} uses. */
export interface PostgresSql {
  /** Executes a statement. */
  unsafe(text: string, values?: unknown[]): PromiseLike<readonly unknown[]>;
  /**
   * Reserves a connection, for texts that contain a whole transaction. A transaction has no such
   * function.
   */
  reserve?(): PromiseLike<ReservedSql>;
  /** Receives notifications, and restores lost connections. A transaction has no such function. */
  listen?(
    channel: string,
    onPayload: (payload: string) => void,
    onListen?: () => void,
  ): PromiseLike<{ unlisten(): Promise<void> }>;
}

/**
 * Adapts the package `postgres` to {@linkcode SqlClient}. The caller closes the connections.
 *
 * @param sql Return value of `postgres()`, or a transaction.
 * @throws {TypeError} If `sql` has no function `unsafe`.
 *
 * @example Use the package `postgres`
 * ```ts
 * import { fromPostgres, type PostgresSql } from "@parley/mcp/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `postgres("postgres://localhost/app")`.
 * const sql: PostgresSql = { unsafe: () => Promise.resolve([{ answer: 42 }]) };
 * const db = fromPostgres(sql);
 * assertEquals((await db.query("select 42 as answer")).rows, [{ answer: 42 }]);
 * ```
 */
export function fromPostgres(sql: PostgresSql): SqlClient {
  return adaptPostgres(sql);
}
