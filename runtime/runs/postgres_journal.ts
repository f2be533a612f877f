/**
 * A journal for durable runs in a PostgreSQL database.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { assertSqlClient } from "@parley/internal/sql-client";
import type { JsonValue } from "../shared/json.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import type {
  AppendOutcome,
  CloseOutcome,
  OpenRun,
  RunAddress,
  RunEnd,
  RunFilter,
  RunJournal,
  SignalOutcome,
} from "./contracts.ts";
import type { NewRun, RunRecord, RunSignal, RunStatus } from "./run_record.ts";
import {
  awaitedKeysOf,
  decisionPrefixOf,
  type StoredJournalLimits,
  tooManyRuns,
} from "./memory_journal.ts";
import { type ListDialect, toListQuery } from "./list_query.ts";
import { PURGE_BATCH, type Statements, statementsFor } from "./postgres_statements.ts";
import {
  digestOf,
  isDamaged,
  readRecord,
  readSignal,
  readStep,
  textOrNull,
  toRecord,
  uuidOf,
} from "./stored_rows.ts";

const LIST_DIALECT: ListDialect = {
  // Without the table, the name would be that of the formatted time, which has no index.
  updatedAt: "run.updated_at",
  parameter: (number) => `$${number}`,
  time: (parameter) => `${parameter}::timestamptz`,
};

/**
 * Stores runs in two tables of a database that many processes use. Timestamps come from the
 * database clock.
 */
export class PostgresRunJournal implements RunJournal {
  readonly #database: SqlClient;
  readonly #limits: StoredJournalLimits;
  readonly #sql: Statements;

  constructor(database: SqlClient, schema: string, limits: StoredJournalLimits) {
    this.#database = database;
    this.#limits = limits;
    this.#sql = statementsFor(schema);
  }

  async create(run: NewRun, tx?: unknown): Promise<boolean> {
    const { agent, due = null, input, metadata, party = null, runId, version } = run;
    const { maxPartyRuns } = this.#limits;
    const database = tx === undefined ? this.#database : readTransaction(tx);
    const text = JSON.stringify(input);
    const values = [runId, agent, version, text, due, party, maxPartyRuns, textOrNull(metadata)];
    if ((await database.query(this.#sql.create, values)).rows.length === 1) return true;
    if (party === null) return false;
    const existing = await database.query(this.#sql.exists, [runId]);
    if (existing.rows.length === 0) throw tooManyRuns(run, maxPartyRuns);
    return false;
  }

  async open(runId: string): Promise<OpenRun | undefined> {
    const [row] = await this.#query(this.#sql.open, runId);
    if (row === undefined) return undefined;
    try {
      return await this.#load(runId, row);
    } catch (error) {
      if (isDamaged(error)) {
        const { code, message } = error;
        await this.close(runId, Number(row.epoch), { status: "failed", error: { code, message } });
      }
      throw error;
    }
  }

  async #load(runId: string, row: UnknownRecord): Promise<OpenRun> {
    // Reading the steps in a separate statement also finds a step that the previous worker recorded
    // while the epoch update waited for its lock.
    const steps = new Map<string, JournalEntry>();
    const signals = new Map<string, JsonValue>();
    for (const entry of await this.#query(this.#sql.entries, runId)) {
      if (entry.is_signal === true) {
        const { key, value } = readSignal(runId, entry);
        signals.set(key, value);
      } else steps.set(String(entry.key), readStep(runId, entry));
    }
    return { run: readRecord(row), steps, signals };
  }

  async append(runId: string, epoch: number, entry: JournalEntry): Promise<AppendOutcome> {
    const { key } = entry;
    const text = JSON.stringify(entry);
    const values = [uuidOf("step", runId, key), key, text, digestOf(runId, key, text)];
    const [row] = await this.#query(this.#sql.append, runId, epoch, ...values);
    if (row?.held !== 1) return "fenced";
    return row.stored === 1 ? "stored" : "present";
  }

  async close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome> {
    const waits = end.status === "waiting" ? end.waitingFor : [];
    const [row] = await this.#query(
      this.#sql.close,
      runId,
      epoch,
      end.status,
      JSON.stringify(waits),
      awaitedKeysOf(end),
      end.status === "waiting" ? end.due ?? null : null,
      end.status === "done" ? JSON.stringify(end.result) : null,
      "error" in end ? textOrNull(end.error && { ...end.error }) : null,
    );
    if (row !== undefined) return "closed";
    const held = await this.#query(this.#sql.isHeld, runId, epoch);
    return held.length === 1 ? "signalled" : "fenced";
  }

  async signal(runId: string, key: string, value: JsonValue): Promise<SignalOutcome> {
    const id = uuidOf("signal", runId, key);
    const text = JSON.stringify(value);
    const digest = digestOf(runId, key, text);
    const { maxSignals } = this.#limits;
    const values = [runId, key, id, text, digest, maxSignals, decisionPrefixOf(runId)];
    if ((await this.#query(this.#sql.signal, ...values)).length === 1) return "stored";
    const [row] = await this.#query(this.#sql.findSignal, runId, id);
    if (row === undefined) return "not_found";
    if (row.ended === true) return "ended";
    if (row.key === null) return "full";
    const { value: existing } = readSignal(runId, row);
    return formatSorted(existing) === formatSorted(value) ? "present" : "conflict";
  }

  async cancel(runId: string): Promise<boolean> {
    return (await this.#query(this.#sql.cancel, runId)).length === 1;
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    const [row] = await this.#query(this.#sql.get, runId);
    return row && toRecord(row);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    const { clauses, values } = toListQuery(filter, LIST_DIALECT);
    return (await this.#query(`${this.#sql.list} ${clauses}`, ...values)).map(toRecord);
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    for (const row of await this.#query(this.#sql.entries, runId)) {
      if (row.is_signal !== true) yield readStep(runId, row);
    }
  }

  async *signals(runId: string): AsyncIterable<RunSignal> {
    for (const row of await this.#query(this.#sql.signals, runId)) yield readSignal(runId, row);
  }

  async purge(before: Date): Promise<number> {
    for (let total = 0;;) {
      const [row] = await this.#query(this.#sql.purge, before.toISOString());
      const count = Number(row?.count);
      total += count;
      if (count < PURGE_BATCH) return total;
    }
  }

  /** Counts the other queued runs of a run's party. */
  async countQueued({ party, runId }: RunAddress): Promise<number> {
    if (party === undefined) return 0;
    const [row] = await this.#query(this.#sql.countQueued, party, runId);
    return Number(row?.count);
  }

  /** Counts the runs by status. */
  async count(): Promise<Readonly<Record<RunStatus, number>>> {
    const rows = await this.#query(this.#sql.count);
    const counts = { queued: 0, running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 };
    return { ...counts, ...Object.fromEntries(rows.map((row) => [row.status, row.count])) };
  }

  async #query(text: string, ...values: readonly unknown[]): Promise<readonly UnknownRecord[]> {
    return (await this.#database.query(text, [...values])).rows.map(asRecord);
  }
}

/**
 * Validates the caller's transaction.
 *
 * @throws {TypeError} If the transaction has no `query` method.
 */
export function readTransaction(tx: unknown): SqlClient {
  assertSqlClient("tx", tx);
  return tx;
}
