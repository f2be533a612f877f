-- A file of durable runs as version 1 of the tables stored it: r1 is queued, r2 was interrupted,
-- r3 waits until a time, r4 waits for a signal, r5 is done, and the row of r6 is damaged.
create table run (
  run_id text primary key, agent text not null, version text not null, input text not null,
  status text not null, epoch integer not null, waiting_for text not null, due text, result text,
  error text, created_at text not null, updated_at text not null
) strict, without rowid;
create index run_status on run (status, agent, run_id);
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
    '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:02.000Z'),
  ('r2', 'clerk', '1', '"Go"', 'running', 1, '[]', null, null, null,
    '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z'),
  ('r3', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"time","key":"nap","path":["clerk"],"toolName":"nap","due":"2030-01-02T00:00:00.500Z"}]',
    '2030-01-02T00:00:00.500Z', null, null,
    '2026-01-01T00:00:03.000Z', '2026-01-01T00:00:03.000Z'),
  ('r4', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"signal","key":"paid","path":["clerk"],"toolName":"pay"}]', null, null, null,
    '2026-01-01T00:00:04.000Z', '2026-01-01T00:00:04.000Z'),
  ('r5', 'clerk', '1', '"Go"', 'done', 1, '[]', null, '{"finalText":"Old"}', null,
    '2026-01-01T00:00:05.000Z', '2026-01-01T00:00:05.000Z'),
  ('r6', 'clerk', '1', '{', 'queued', 0, '[]', null, null, null,
    '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
pragma application_id = 1347570777;
pragma user_version = 1;
