/**
 * The tables of durable runs in an SQLite database.
 *
 * @module
 */

import { LOG_SCHEMA } from "../log/sqlite_log.ts";

/** SQL list of the statuses of runs that have ended. */
export const ENDED = "('done', 'failed', 'cancelled')";

/** Version of the tables. */
export const SCHEMA_VERSION = 4;

/**
 * The tables that version 3 added. The row of `fence` contains the newest epoch of the deleted
 * runs. A delivery has a turn when it can be delivered. A row of `agent_turn` contains the first
 * turn that a new delivery for the agent can get.
 */
const VERSION_3 = `
create table fence (epoch integer not null) strict;
insert into fence values (0);
create table delivery (
  n integer primary key autoincrement, run_id text not null, id text not null,
  agent text not null, version text not null, party text, due real not null, turn integer,
  attempt integer not null, owner text, leased_at real not null, lease_until real not null,
  is_dropped integer not null, unique (run_id, id)
) strict;
create index delivery_turn on delivery (agent, version, turn, n) where turn is not null;
create index delivery_due on delivery (agent, version, due, n) where turn is null;
create index delivery_party on delivery (party, turn);
create table agent_turn (
  agent text not null, version text not null, turn integer not null, primary key (agent, version)
) strict, without rowid;
`;

/** Time of a run whose row contains no valid time. Has the form that rows of runs contain. */
const UNKNOWN_TIME = "1970-01-01T00:00:00.000Z";
const DIGITS = "[0-9][0-9]";

/**
 * The time of the last change to a run, by which lists are sorted. A time in another form was
 * written by another program, and is read as unknown.
 */
export const UPDATED_AT: string = `case when updated_at glob
  '${DIGITS}${DIGITS}-${DIGITS}-${DIGITS}T${DIGITS}:${DIGITS}:${DIGITS}.[0-9]${DIGITS}Z'
  then updated_at else '${UNKNOWN_TIME}' end`;

/** The table of signals of version 4, which contains the order in which the signals arrived. */
function signalTable(name: string): string {
  return `create table ${name} (
    id integer primary key, run_id text not null, key text not null, entry text not null,
    digest text not null, unique (run_id, key)
  ) strict;`;
}

const UPDATED_INDEX = `create index run_updated on run (${UPDATED_AT}, run_id);`;

/**
 * SQL that creates the tables. Steps and signals contain a digest, which reveals changes by other
 * programs.
 */
export const SCHEMA: string = `
create table run (
  run_id text primary key, agent text not null, version text not null, input text not null,
  status text not null, epoch integer not null, waiting_for text not null, due text, result text,
  error text, created_at text not null, updated_at text not null, party text, metadata text
) strict, without rowid;
create index run_status on run (status, agent, run_id);
create index run_party on run (party, updated_at, run_id) where party is not null;
create table step (
  id integer primary key, run_id text not null, key text not null, entry text not null,
  digest text not null, unique (run_id, key)
) strict;
${signalTable("signal")}
${UPDATED_INDEX}
${LOG_SCHEMA}
${VERSION_3}`;

/**
 * Statements that change the tables of an older version into those of the next version. In version
 * 2, the process that opened the file kept all requested deliveries in memory. Up to version 3, the
 * order of signals was not stored, so older signals are sorted by key.
 */
export const MIGRATIONS: ReadonlyMap<number, string> = new Map([
  [
    1,
    `alter table run add column party text;
    create index run_party on run (party, updated_at, run_id) where party is not null;`,
  ],
  [
    2,
    `${VERSION_3}
    insert into delivery (run_id, id, agent, version, party, due, turn, attempt, owner, leased_at,
      lease_until, is_dropped)
    select run_id, case status when 'queued' then '' when 'waiting' then 'due/'
      else status || '/' end || epoch, agent, version, party,
      coalesce(round((julianday(due) - 2440587.5) * 86400000), 0), null, 1, null, 0, 0, 0
    from run where status not in ${ENDED} and (status <> 'waiting' or due is not null)
    order by created_at, run_id;`,
  ],
  [
    3,
    `alter table run add column metadata text;
    ${UPDATED_INDEX}
    ${LOG_SCHEMA}
    ${signalTable("ordered_signal")}
    insert into ordered_signal (run_id, key, entry, digest)
    select run_id, key, entry, digest from signal order by run_id, key;
    drop table signal;
    alter table ordered_signal rename to signal;`,
  ],
]);
