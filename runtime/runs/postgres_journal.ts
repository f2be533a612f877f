/**
 * A journal for durable runs in a PostgreSQL database.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../loop/decisions.ts";
import { rejectArgument } from "@parley/internal/assert-argument";
import type { JsonValue } from "../shared/json.ts";
import { asRecord, isRecord, type UnknownRecord } from "@parley/internal/json";
import type {
  AppendOutcome,
  CloseOutcome,
  NewRun,
  OpenRun,
  RunEnd,
  RunFilter,
  RunJournal,
  RunRecord,
  RunStatus,
  SignalOutcome,
} from "./contracts.ts";
import {
  awaitedKeysOf,
  decisionPrefixOf,
  DEFAULT_PAGE,
  type StoredJournalLimits,
  tooManyRuns,
} from "./memory_journal.ts";
import type { PgBossDatabase } from "./pgboss_types.ts";
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

/** Number of runs that one statement deletes. */
const PURGE_BATCH = 1000;

const ENDED = "('done', 'failed', 'cancelled')";
/**
 * Statuses of open runs. A stored status that is neither open nor ended indicates damage, and the
 * run is read as failed.
 */
const OPEN = "('queued', 'running', 'waiting')";

/** Columns of a run, with times in ISO 8601 format. */
const RECORD =
  `run_id, agent, version, input, status, epoch, waiting_for, due, result, error, party,
  ${isoOf("created_at")} as created_at, ${isoOf("updated_at")} as updated_at`;

function isoOf(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Returns the journal's SQL statements for a schema, whose name must be a valid identifier. */
function statementsFor(schema: string) {
  const [run, entry] = [`"${schema}".run`, `"${schema}".entry`];
  // The keys for which the run waited when it was last closed.
  const isAwaited = "$2::text = any (awaited)";
  // Columns wrapped in `ifWaiting` change only if the run waits for the signal.
  const ifWaiting = (value: string, column: string): string =>
    `${column} = case when status = 'waiting' and ${isAwaited} then ${value} else ${column} end`;
  return {
    // Runs that are started at the same time can exceed the limit, because they are not counted.
    create: `with room as (
        select $6::text is null
          or (select count(*) from ${run} where party = $6::text) < $7 as has_room
      ), deleted as (
        delete from ${run} where run_id = (
          select run_id from ${run} where party = $6::text and status in ${ENDED}
          order by updated_at, run_id limit 1
        ) and not (select has_room from room)
          and not exists (select 1 from ${run} where run_id = $1)
        returning run_id
      ), entries as (
        delete from ${entry} using deleted where ${entry}.run_id = deleted.run_id
      )
      insert into ${run} (run_id, agent, version, input, due, party)
      select $1, $2, $3, $4, $5, $6::text
      where (select has_room from room) or exists (select 1 from deleted)
      on conflict do nothing returning 1`,
    exists: `select 1 from ${run} where run_id = $1`,
    open: `update ${run} set status = 'running', epoch = epoch + 1, waiting_for = '[]',
        due = null, error = null, updated_at = now()
      where run_id = $1 and status in ${OPEN} returning ${RECORD}`,
    // The lock is granted when no concurrent change to the run is in progress; the database then
    // checks the epoch again.
    append: `with held as (
        select 1 from ${run} where run_id = $1 and epoch = $2 and status = 'running' for share
      ), stored as (
        insert into ${entry} (run_id, id, is_signal, key, content, digest)
        select $1, $3::uuid, false, $4, $5, $6 from held on conflict do nothing returning 1
      )
      select (select count(*)::int from held) as held, (select count(*)::int from stored) as stored`,
    // The `where` clause reads only the row of the run, because the database evaluates the clause
    // again after waiting for a lock.
    close: `update ${run} set status = $3, waiting_for = $4, due = $6,
        awaited = case when $3 = 'queued' then awaited else $5::text[] end, result = $7, error = $8, updated_at = now()
      where run_id = $1 and epoch = $2 and status = 'running' and not signals && $5::text[]
      returning 1`,
    isHeld: `select 1 from ${run} where run_id = $1 and epoch = $2 and status = 'running'`,
    signal: `with changed as (
        update ${run} set signals = array_append(signals, $2::text), ${
      ifWaiting("'[]'", "waiting_for")
    }, ${ifWaiting("null", "due")}, ${ifWaiting("'queued'", "status")}, updated_at = now()
        where run_id = $1 and status in ${OPEN} and $2::text <> all (signals)
          and (${isAwaited} or (
            select count(*) from unnest(signals) as stored(key)
            where starts_with(stored.key, $7) = starts_with($2::text, $7)
          ) < $6)
        returning run_id
      )
      insert into ${entry} (run_id, id, is_signal, key, content, digest)
      select run_id, $3::uuid, true, $2, $4, $5 from changed returning 1`,
    findSignal:
      `select run.status not in ${OPEN} as ended, entry.key, entry.content as entry, entry.digest from ${run} as run
      left join ${entry} as entry on entry.run_id = run.run_id and entry.id = $2::uuid
      where run.run_id = $1`,
    cancel: `update ${run} set status = 'cancelled', epoch = epoch + 1, waiting_for = '[]',
        awaited = '{}', due = null, error = null, updated_at = now()
      where run_id = $1 and status in ${OPEN} returning 1`,
    get: `select ${RECORD} from ${run} where run_id = $1`,
    list: `select ${RECORD} from ${run} where run_id > $1 and ($2::text is null or status = $2)
      and ($3::text is null or agent = $3) order by run_id limit $4`,
    entries: `select is_signal, key, content as entry, digest from ${entry}
      where run_id = $1 order by position`,
    purge: `with ended as (
        delete from ${run} where run_id in (
          select run_id from ${run} where status in ${ENDED} and updated_at < $1::timestamptz
          order by updated_at limit ${PURGE_BATCH}
        ) returning run_id
      ), entries as (
        delete from ${entry} using ended where ${entry}.run_id = ended.run_id
      )
      select count(*)::int as count from ended`,
    count: `select status, count(*)::int as count from ${run} group by status`,
  } as const;
}

/**
 * Stores runs in two tables of a database that many processes use. Timestamps come from the
 * database clock.
 */
export class PostgresRunJournal implements RunJournal {
  readonly #database: PgBossDatabase;
  readonly #limits: StoredJournalLimits;
  readonly #sql: ReturnType<typeof statementsFor>;

  constructor(database: PgBossDatabase, schema: string, limits: StoredJournalLimits) {
    this.#database = database;
    this.#limits = limits;
    this.#sql = statementsFor(schema);
  }

  async create(run: NewRun, tx?: unknown): Promise<boolean> {
    const { agent, due = null, input, party = null, runId, version } = run;
    const { maxPartyRuns } = this.#limits;
    const database = tx === undefined ? this.#database : readTransaction(tx);
    const values = [runId, agent, version, JSON.stringify(input), due, party, maxPartyRuns];
    if ((await database.executeSql(this.#sql.create, values)).rows.length === 1) return true;
    if (party === null) return false;
    const existing = await database.executeSql(this.#sql.exists, [runId]);
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
      if (entry.is_signal === true) signals.set(...readSignal(runId, entry));
      else steps.set(String(entry.key), readStep(runId, entry));
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
    const [, existing] = readSignal(runId, row);
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
    const { after = "", agent = null, limit = DEFAULT_PAGE, status = null } = filter;
    return (await this.#query(this.#sql.list, after, status, agent, limit)).map(toRecord);
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    for (const row of await this.#query(this.#sql.entries, runId)) {
      if (row.is_signal !== true) yield readStep(runId, row);
    }
  }

  async purge(before: Date): Promise<number> {
    for (let total = 0;;) {
      const [row] = await this.#query(this.#sql.purge, before.toISOString());
      const count = Number(row?.count);
      total += count;
      if (count < PURGE_BATCH) return total;
    }
  }

  /** Counts the runs by status. */
  async count(): Promise<Readonly<Record<RunStatus, number>>> {
    const rows = await this.#query(this.#sql.count);
    const counts = { queued: 0, running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 };
    return { ...counts, ...Object.fromEntries(rows.map((row) => [row.status, row.count])) };
  }

  async #query(text: string, ...values: readonly unknown[]): Promise<readonly UnknownRecord[]> {
    return (await this.#database.executeSql(text, [...values])).rows.map(asRecord);
  }
}

/**
 * Validates the caller's transaction.
 *
 * @throws {TypeError} If the transaction has no `executeSql` method.
 */
export function readTransaction(tx: unknown): PgBossDatabase {
  if (isDatabase(tx)) return tx;
  return rejectArgument("tx", "a PgBossDatabase with a method executeSql", tx);
}

/** Returns true if a value can execute SQL. */
export function isDatabase(value: unknown): value is PgBossDatabase {
  return isRecord(value) && typeof value.executeSql === "function";
}
