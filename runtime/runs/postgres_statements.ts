/**
 * SQL statements of the journal in a PostgreSQL database.
 *
 * @module
 */

/** Number of runs that one statement deletes. */
export const PURGE_BATCH = 1000;

const ENDED = "('done', 'failed', 'cancelled')";
/**
 * Statuses of open runs. A stored status that is neither open nor ended indicates damage, and the
 * run is read as failed.
 */
const OPEN = "('queued', 'running', 'waiting')";

/** Columns of a run, with times in ISO 8601 format. */
const RECORD =
  `run_id, agent, version, input, status, epoch, waiting_for, due, result, error, party,
  metadata,
  ${isoOf("created_at")} as created_at, ${isoOf("updated_at")} as updated_at`;

function isoOf(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Names of the tables. */
interface Tables {
  readonly run: string;
  readonly entry: string;
  /** Table with one row, which contains the newest epoch of the deleted runs. */
  readonly fence: string;
}

/** The statements, keyed by name. */
export type Statements = Readonly<Record<Lifetime | Work | Signal | Read, string>>;

type Lifetime = "create" | "exists" | "purge";
type Work = "append" | "cancel" | "close" | "isHeld" | "open";
type Signal = "findSignal" | "signal";
type Read = "count" | "countQueued" | "entries" | "get" | "list" | "signals";

/** Returns the statements for a schema, whose name must be a valid identifier. */
export function statementsFor(schema: string): Statements {
  const tables = {
    run: `"${schema}".run`,
    entry: `"${schema}".entry`,
    fence: `"${schema}".fence`,
  };
  return {
    ...lifetimeStatements(tables),
    ...workStatements(tables),
    ...signalStatements(tables),
    ...readStatements(tables),
  };
}

/** Statements that add and delete runs. */
function lifetimeStatements({ entry, fence, run }: Tables): Pick<Statements, Lifetime> {
  // The worker of a deleted run must not write to a later run with the same id, so new runs have
  // newer epochs than the deleted ones.
  const raiseFence = (from: string): string =>
    `update ${fence} set epoch = greatest(epoch, (select max(epoch) from ${from}))
      where exists (select 1 from ${from})`;
  return {
    // Runs that are started at the same time can exceed the limit, because they are not counted.
    // A run with the same id that is being deleted has an epoch that the fence may not contain yet.
    create: `with room as (
        select $6::text is null
          or (select count(*) from ${run} where party = $6::text) < $7 as has_room
      ), deleted as (
        delete from ${run} where run_id = (
          select run_id from ${run} where party = $6::text and status in ${ENDED}
          order by updated_at, run_id limit 1
        ) and not (select has_room from room)
          and not exists (select 1 from ${run} where run_id = $1)
        returning run_id, epoch
      ), entries as (
        delete from ${entry} using deleted where ${entry}.run_id = deleted.run_id
      ), fenced as (${raiseFence("deleted")})
      insert into ${run} (run_id, agent, version, input, due, party, metadata, epoch)
      select $1, $2, $3, $4, $5, $6::text, $8,
        greatest((select epoch from ${fence}), (select epoch from ${run} where run_id = $1))
      where (select has_room from room) or exists (select 1 from deleted)
      on conflict do nothing returning 1`,
    exists: `select 1 from ${run} where run_id = $1`,
    purge: `with ended as (
        delete from ${run} where run_id in (
          select run_id from ${run} where status in ${ENDED} and updated_at < $1::timestamptz
          order by updated_at limit ${PURGE_BATCH}
        ) returning run_id, epoch
      ), entries as (
        delete from ${entry} using ended where ${entry}.run_id = ended.run_id
      ), fenced as (${raiseFence("ended")})
      select count(*)::int as count from ended`,
  };
}

/** Statements that workers execute, and the cancellation of a run. */
function workStatements({ entry, run }: Tables): Pick<Statements, Work> {
  return {
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
        awaited = case when $3 = 'queued' then awaited else $5::text[] end, result = $7, error = $8,
        updated_at = now()
      where run_id = $1 and epoch = $2 and status = 'running' and not signals && $5::text[]
      returning 1`,
    isHeld: `select 1 from ${run} where run_id = $1 and epoch = $2 and status = 'running'`,
    cancel: `update ${run} set status = 'cancelled', epoch = epoch + 1, waiting_for = '[]',
        awaited = '{}', due = null, error = null, updated_at = now()
      where run_id = $1 and status in ${OPEN} returning 1`,
  };
}

/** Statements that store and find a signal. */
function signalStatements({ entry, run }: Tables): Pick<Statements, Signal> {
  // The keys for which the run waited when it was last closed.
  const isAwaited = "$2::text = any (awaited)";
  // Columns wrapped in `ifWaiting` change only if the run waits for the signal.
  const ifWaiting = (value: string, column: string): string =>
    `${column} = case when status = 'waiting' and ${isAwaited} then ${value} else ${column} end`;
  return {
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
  };
}

/** Statements that only read. */
function readStatements({ entry, run }: Tables): Pick<Statements, Read> {
  return {
    get: `select ${RECORD} from ${run} where run_id = $1`,
    list: `select ${RECORD} from ${run}`,
    entries: `select is_signal, key, content as entry, digest from ${entry}
      where run_id = $1 order by position`,
    signals: `select key, content as entry, digest from ${entry}
      where run_id = $1 and is_signal order by position`,
    countQueued: `select count(*)::int as count from ${run}
      where party = $1 and status = 'queued' and run_id <> $2`,
    count: `select status, count(*)::int as count from ${run} group by status`,
  };
}
