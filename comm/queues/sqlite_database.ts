/**
 * The tables of a message queue in an SQLite database.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** A value of an SQL parameter. */
export type SqliteValue = string | number | null;

/** A prepared statement. */
export interface SqliteStatement {
  /** Executes the statement and returns the first row, or `undefined` if the result is empty. */
  get(...values: SqliteValue[]): unknown;
  /** Executes the statement. Returns an object whose member `changes` counts the changed rows. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
}

/**
 * A connection to the file of the queue, in which a transaction is open. A `DatabaseSync` from
 * `node:sqlite` has this form.
 */
export interface SqliteTransaction {
  /** Whether a transaction is open. `node:sqlite` has this member since Node.js 22.16. */
  readonly isTransaction?: boolean;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}

/**
 * The connection that the queue has opened: a `DatabaseSync`, whose type is not part of the
 * declarations, because programs for browsers have no types of `node:sqlite`.
 */
export interface QueueDatabase extends SqliteTransaction {
  exec(sql: string): void;
  close(): void;
}

/** Version of the tables, which the table `parley_queue` stores. */
const SCHEMA_VERSION = 1;

/**
 * The tables. The names begin with `parley_queue`, because the file can also contain the tables of
 * the program. `party` is the party of a sender, and `usage` has one row for each kind of message
 * and party, and one row with the party `''` for the sum of all parties. Triggers count the usage,
 * so the counts include the messages of all processes and are part of the same transaction.
 *
 * The states of a message are `waiting` (behind another message of its lane), `ready`, `held` (by a
 * consumer until `due`), and `retry` (not before `due`). A claim reads only ready messages.
 */
const SCHEMA = `
create table parley_queue (version integer not null) strict;
insert into parley_queue values (${SCHEMA_VERSION});
create table parley_queue_inbox (
  name text primary key, is_ordered integer not null
) strict, without rowid;
create table parley_queue_usage (
  kind text not null, party text not null, messages integer not null, bytes integer not null,
  primary key (kind, party)
) strict, without rowid;
create table parley_queue_message (
  n integer primary key autoincrement, id text not null unique, inbox text not null,
  key text not null, party text not null, lane text, json text not null, bytes integer not null,
  state text not null, attempts integer not null, due real not null, owner text
) strict;
create index parley_queue_message_ready on parley_queue_message (inbox, party, n)
  where state = 'ready';
create index parley_queue_message_due on parley_queue_message (inbox, due)
  where state in ('held', 'retry');
create index parley_queue_message_lane on parley_queue_message (inbox, lane, n)
  where lane is not null;
create table parley_queue_dead (
  n integer primary key autoincrement, id text not null unique, inbox text not null,
  key text not null, party text not null, lane text, json text not null, bytes integer not null,
  kind text not null, reason text not null, attempts integer not null
) strict;
create index parley_queue_dead_inbox on parley_queue_dead (inbox, n);
create index parley_queue_dead_kind on parley_queue_dead (kind, n);
create index parley_queue_dead_party on parley_queue_dead (kind, party, n);
create index parley_queue_dead_reason on parley_queue_dead (kind, party, reason, n);
create table parley_queue_done (
  n integer primary key autoincrement, id text not null unique, party text not null,
  until_at real not null
) strict;
create index parley_queue_done_party on parley_queue_done (party, n);
${countUsage("message", { kind: "'message'", bytes: "bytes" })}
${countUsage("dead", { kind: "kind", bytes: "bytes" })}
${countUsage("done", { kind: "'done'", bytes: undefined })}
`;

/** Returns triggers that count the rows of a table. */
function countUsage(
  table: string,
  columns: { readonly kind: string; readonly bytes: string | undefined },
): string {
  const of = (row: string, name: string): string => /^\w/.test(name) ? `${row}.${name}` : name;
  const bytesOf = (row: string): string => columns.bytes === undefined ? "0" : `${row}.bytes`;
  const added = `${of("new", columns.kind)}`;
  const removed = `${of("old", columns.kind)}`;
  return `
create trigger parley_queue_${table}_added after insert on parley_queue_${table} begin
  insert into parley_queue_usage values (${added}, '', 1, ${bytesOf("new")}),
    (${added}, new.party, 1, ${bytesOf("new")})
    on conflict (kind, party) do update
    set messages = messages + 1, bytes = bytes + excluded.bytes;
end;
create trigger parley_queue_${table}_removed after delete on parley_queue_${table} begin
  update parley_queue_usage set messages = messages - 1, bytes = bytes - ${bytesOf("old")}
    where kind = ${removed} and party in ('', old.party);
  delete from parley_queue_usage
    where kind = ${removed} and party = old.party and messages = 0;
end;`;
}

/**
 * Opens a database, and creates the tables of the queue if the file does not contain them. A commit
 * reaches the disk before the statement returns.
 *
 * @throws {Error} If the file cannot be opened or locked, belongs to a store of Parley, or has a
 * different schema version.
 */
export function openQueueDatabase(path: string, busyTimeoutMs: number): QueueDatabase {
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    database.exec("begin immediate");
    prepareTables(database);
    database.exec("commit");
    database.exec("pragma journal_mode = wal; pragma synchronous = full");
    return database;
  } catch (error) {
    database.close();
    throw explainLock(error, busyTimeoutMs);
  }
}

/** The stores of Parley identify their files with `PRL` and a fourth letter, in ASCII. */
const PARLEY = 0x50524c;

function prepareTables(database: DatabaseSync): void {
  const applicationId = Number(readColumn(database.prepare("pragma application_id").get()));
  if (applicationId >>> 8 === PARLEY) {
    throw new Error("the file belongs to another store of Parley; use a separate file");
  }
  const find = "select count(*) from sqlite_schema where name = 'parley_queue'";
  if (readColumn(database.prepare(find).get()) === 0) {
    database.exec(SCHEMA);
    return;
  }
  const version = readColumn(database.prepare("select version from parley_queue").get());
  if (version === SCHEMA_VERSION) return;
  throw new Error(
    `the queue has schema version ${version}, but this version of @parley/comm requires ${SCHEMA_VERSION}`,
  );
}

/** Returns the only column of a row, or `undefined` if there is no row. */
export function readColumn(row: unknown): unknown {
  return Object.values(Object(row))[0];
}

/** Returns the error of a lock with the time that was waited, and any other error unchanged. */
export function explainLock(error: unknown, busyTimeoutMs: number): unknown {
  // The errors of Deno and of Bun have no number that identifies the error.
  if (!(error instanceof Error && /database is locked/.test(error.message))) return error;
  const waited = `for ${busyTimeoutMs} ms ("busyTimeoutMs")`;
  return new Error(`another process has locked the file ${waited}`, { cause: error });
}
