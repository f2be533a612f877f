/**
 * Statements on the tables of this folder.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import type { SqlClient } from "../shared/sql_client.ts";

/**
 * Executes a statement on this module's tables, and returns the rows.
 *
 * @throws {Error} If the database cannot be reached, or the tables do not exist.
 */
export async function queryTables(
  sql: SqlClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly UnknownRecord[]> {
  try {
    return (await sql.query(text, [...values])).rows.map(asRecord);
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
