/**
 * A log of runs in a PostgreSQL database.
 *
 * @module
 */

import type { UnknownRecord } from "@parley/internal/json";
import { endOfPrefix } from "../shared/id_order.ts";
import type { JsonValue } from "../shared/json.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { PostgresChanges } from "./postgres_changes.ts";
import {
  channelOf,
  historyOf,
  listOf,
  type LogPlace,
  type LogStatements,
  logStatementsFor,
  PURGE_BATCH,
} from "./postgres_log_schema.ts";
import type {
  RunClaim,
  RunFinish,
  RunHead,
  RunHistoryFilter,
  RunHold,
  RunLog,
  RunLogFilter,
  RunPurge,
  RunRange,
} from "./run_log.ts";
import { readHead } from "./stored_head.ts";
import { format, formatAll, fromStorable, parseColumn, toStorable } from "./stored_text.ts";

/** Longest lease and retention, in milliseconds, so that times remain exact numbers. */
const MAX_MS = 1e15;

/** Options for {@linkcode PostgresRunLog}. */
export interface PostgresRunLogOptions {
  readonly place: LogPlace;
  /** Object that a key identifies, for error messages: `session` or `run`. */
  readonly owner: string;
  /** Executes a statement. Converts errors. */
  readonly query: (
    text: string,
    ...values: readonly unknown[]
  ) => Promise<readonly UnknownRecord[]>;
  /** Throws if the database must not be used anymore. If omitted, the statements reject. */
  readonly assertOpen?: () => void;
  /** Client that receives notifications, or `undefined` if the readers only look for changes. */
  readonly listener: SqlClient | undefined;
  /** Interval at which the readers look for changes without notifications, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Called with errors that do not reject a promise. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the log of runs in a database. Every method executes one statement. */
export class PostgresRunLog implements RunLog {
  readonly #options: PostgresRunLogOptions;
  readonly #sql: LogStatements;
  readonly #changes: PostgresChanges;

  constructor(options: PostgresRunLogOptions) {
    const { listener, onError, place, pollIntervalMs, query } = options;
    this.#options = options;
    this.#sql = logStatementsFor(place);
    this.#changes = new PostgresChanges({
      listener,
      channel: channelOf(place),
      pollIntervalMs,
      load: (keys) => query(this.#sql.look, JSON.stringify(keys.map(toStorable))),
      read: readRun,
      onError,
    });
  }

  async claim(key: string, claim: RunClaim): Promise<RunHead | undefined> {
    const { epoch = null, isNew, keepRuns, leaseMs, metadata, runId, seenEpoch, turn } = claim;
    const turnId = claim.turnId === undefined ? null : toStorable(claim.turnId);
    const run = [toStorable(key), toStorable(runId), isNew, format(turn), turnId, format(metadata)];
    const values = [...run, toMs(leaseMs), seenEpoch, epoch, keepRuns];
    const [row] = await this.#query(this.#sql.claim, ...values);
    this.#changes.notify(key);
    return row && readRun(row);
  }

  async head(key: string): Promise<RunHead | undefined> {
    const [row] = await this.#query(this.#sql.head, toStorable(key));
    return row && readRun(row);
  }

  async append(key: string, epoch: number, entries: readonly JsonValue[]): Promise<RunHold> {
    return toHold(await this.change(key, this.#sql.append, epoch, formatAll(entries)));
  }

  async renew(key: string, epoch: number, leaseMs: number): Promise<RunHold> {
    const [row] = await this.#query(this.#sql.renew, toStorable(key), epoch, toMs(leaseMs));
    return toHold(row?.hold);
  }

  async finish(key: string, epoch: number, finish: RunFinish): Promise<boolean> {
    return await this.change(key, this.#sql.finish, epoch, ...valuesOf(finish)) === true;
  }

  async requestStop(key: string, epoch: number): Promise<boolean> {
    return await this.change(key, this.#sql.stop, epoch) === true;
  }

  async read(key: string, epoch: number, { from, limit }: RunRange): Promise<readonly JsonValue[]> {
    const values = [toStorable(key), epoch, from, from + limit];
    return (await this.#query(this.#sql.entries, ...values))
      .map((row) => parseColumn(row, "entry", `${this.#options.owner} "${key}"`));
  }

  async changed(seen: RunHead, signal: AbortSignal): Promise<void> {
    this.#options.assertOpen?.();
    await this.#changes.wait(seen, signal);
  }

  async list(filter: RunLogFilter): Promise<readonly RunHead[]> {
    const { after = "", limit, phase = null } = filter;
    const text = listOf(this.#options.place, filter);
    return (await this.#query(text, toStorable(after), phase, limit)).map(readRun);
  }

  async find(runId: string): Promise<RunHead | undefined> {
    const [row] = await this.#query(this.#sql.find, toStorable(runId));
    return row && readRun(row);
  }

  async history(filter: RunHistoryFilter): Promise<readonly RunHead[]> {
    const { after, limit, prefix } = filter;
    const { changedAt = null, runId } = after ?? {};
    const id = runId === undefined ? null : toStorable(runId);
    const start = prefix === undefined ? null : toStorable(prefix);
    const end = start === null ? undefined : endOfPrefix(start);
    const text = historyOf(this.#options.place, { ...filter, end });
    return (await this.#query(text, changedAt, id, limit, start, end ?? null)).map(readRun);
  }

  async delete(key: string, epoch: number): Promise<boolean> {
    return await this.change(key, this.#sql.deleteRuns, epoch) === true;
  }

  async purge({ keepRunsMs }: RunPurge): Promise<number> {
    await this.#query(this.#sql.purgeEarlier, toMs(keepRunsMs));
    for (let total = 0;;) {
      const [row] = await this.#query(this.#sql.purge);
      const count = Number(row?.count);
      total += count;
      if (count < PURGE_BATCH) return total;
    }
  }

  /**
   * Calls a function that changes the run of a key, wakes the readers, and returns the outcome.
   *
   * @param values Parameters after the key.
   */
  async change(key: string, text: string, ...values: readonly unknown[]): Promise<unknown> {
    const [row] = await this.#query(text, toStorable(key), ...values);
    this.#changes.notify(key);
    return row?.outcome;
  }

  /** Ends all waits for changes. */
  close(): Promise<void> {
    return this.#changes.close();
  }

  #query(text: string, ...values: readonly unknown[]): Promise<readonly UnknownRecord[]> {
    return this.#options.query(text, ...values);
  }
}

/** Returns the parameters of a function that ends the execution of a run. */
export function valuesOf({ entries, keepMs, phase, result }: RunFinish): readonly unknown[] {
  return [phase, formatAll(entries), toMs(keepMs), format(result)];
}

function readRun(row: UnknownRecord): RunHead {
  const { key, now, run_id, turn_id } = row;
  const texts = {
    key: fromStorable(String(key)),
    run_id: fromStorable(String(run_id)),
    turn_id: typeof turn_id === "string" ? fromStorable(turn_id) : null,
  };
  return readHead({ ...row, ...texts }, Number(now));
}

function toHold(outcome: unknown): RunHold {
  return outcome === "held" || outcome === "stop" ? outcome : "fenced";
}

function toMs(ms: number): number {
  return Math.min(Math.round(ms), MAX_MS);
}
