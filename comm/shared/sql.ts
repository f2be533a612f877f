/**
 * The interface to an SQL database.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";

/** A value of an SQL parameter. */
export type SqlValue = string | number | boolean | null;

/**
 * A connection to a PostgreSQL database, or a transaction in one. For a client or pool from the
 * `pg` package, use `{ executeSql: (text, values) => client.query(text, values) }`; for the
 * `postgres` package, `{ executeSql: async (text, values) => ({ rows: await sql.unsafe(text,
 * values) }) }`.
 */
export interface SqlDatabase {
  /**
   * Executes a statement.
   *
   * @param text SQL with parameters such as `$1`.
   * @param values Values of the parameters: strings, numbers and booleans.
   * @returns The rows, as objects with one member for each column.
   */
  executeSql(text: string, values?: SqlValue[]): Promise<{ rows: unknown[] }>;
}

/** Throws a `TypeError` unless a value is an {@linkcode SqlDatabase}. */
export function assertDatabase(name: string, value: unknown): void {
  assertMethods(name, 'an object with the method "executeSql"', value, ["executeSql"]);
}
