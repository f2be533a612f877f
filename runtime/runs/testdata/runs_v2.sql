-- A file of durable runs as version 2 of the tables stored it: r1 is queued and belongs to a party,
-- r2 is returned to the queue after an error, and r3 is cancelled.
create table run (
  run_id text primary key, agent text not null, version text not null, input text not null,
  status text not null, epoch integer not null, waiting_for text not null, due text, result text,
  error text, created_at text not null, updated_at text not null, party text
) strict, without rowid;
create index run_status on run (status, agent, run_id);
create index run_party on run (party, updated_at, run_id) where party is not null;
create table step (
  id integer primary key, run_id text not null, key text not null, entry text not null,
  digest text not null, unique (run_id, key)
) strict;
create table signal (
  run_id text not null, key text not null, entry text not null, digest text not null,
  primary key (run_id, key)
) strict, without rowid;
insert into run values
  ('r1', 'clerk', '1', '"Go"', 'queued', 0, '[]', null, null, null,
    '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:02.000Z', 'ann'),
  ('r2', 'clerk', '1', '"Go"', 'queued', 3, '[]', null, null, '{"code":"core","message":"no"}',
    '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z', null),
  ('r3', 'clerk', '1', '"Go"', 'cancelled', 2, '[]', null, null, null,
    '2026-01-01T00:00:03.000Z', '2026-01-01T00:00:03.000Z', null);
pragma application_id = 1347570777;
pragma user_version = 2;
