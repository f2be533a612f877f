/**
 * Lists of durable runs: their positions, and the SQL query of a list.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import type { RunFilter, RunPosition } from "./contracts.ts";
import { endOfPrefix } from "../shared/id_order.ts";
import { isTime } from "./read_record.ts";

/** Default number of runs on a page. */
export const DEFAULT_PAGE = 100;

/** Notation of a database for the parts of a query. */
export interface ListDialect {
  /** Expression for the time of the last change, which has an index. */
  readonly updatedAt: string;
  /** Returns the parameter for the value with a number, which starts at 1. */
  readonly parameter: (number: number) => string;
  /** Returns the expression for a parameter that contains a time in ISO 8601 format. */
  readonly time: (parameter: string) => string;
}

/** The clauses of a query after `from`, and the values of its parameters. */
export interface ListQuery {
  readonly clauses: string;
  readonly values: readonly (number | string)[];
}

/**
 * Returns the query for a list of runs. All conditions are ranges of an index or comparisons of a
 * column, so the database uses the index of the order.
 */
export function toListQuery(
  { after, agent, limit = DEFAULT_PAGE, order = "id", prefix, status }: RunFilter,
  { parameter, time, updatedAt }: ListDialect,
): ListQuery {
  const values: (number | string)[] = [];
  const add = (value: number | string): string => parameter(values.push(value));
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`status = ${add(status)}`);
  if (agent !== undefined) conditions.push(`agent = ${add(agent)}`);
  if (prefix !== undefined) {
    conditions.push(`run_id >= ${add(prefix)}`);
    const end = endOfPrefix(prefix);
    if (end !== undefined) conditions.push(`run_id < ${add(end)}`);
  }
  if (after !== undefined && order === "id") conditions.push(`run_id > ${add(after.runId)}`);
  if (after !== undefined && order === "updated") {
    const at = updatedAtOf(after);
    // SQLite does not use the index of an expression for the comparison of two columns.
    conditions.push(`${updatedAt} <= ${time(add(at))}`);
    conditions.push(`(${updatedAt}, run_id) < (${time(add(at))}, ${add(after.runId)})`);
  }
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")} `;
  const columns = order === "id" ? "run_id" : `${updatedAt} desc, run_id desc`;
  return { clauses: `${where}order by ${columns} limit ${add(limit)}`, values };
}

/**
 * Returns the time in the position of a list with the order `"updated"`.
 *
 * @throws {TypeError} If the position contains no time.
 */
export function updatedAtOf({ updatedAt }: RunPosition): string {
  if (isTime(updatedAt)) return new Date(updatedAt).toISOString();
  const requirement = 'a time in ISO 8601 format for the order "updated"';
  return rejectArgument(
    "filter.after.updatedAt",
    requirement,
    updatedAt,
    "pass the last run of the page",
  );
}
