-- A file of durable runs as version 3 of the tables stored it: r1 waits for an approval and has two
-- signals, r2 is done and was approved, r3 waits for a signal, r4 has failed, and r5 is cancelled.
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
insert into run values
  ('r1', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"approval","key":"r1/i0/approval/0","path":["clerk"],"reason":"approval","toolName":"pay","input":{"euros":5}}]',
    null, null, null, '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:07.000Z', 'ann'),
  ('r2', 'clerk', '1', '"Go"', 'done', 2, '[]', null,
    '{"finalText":"Old","hasAnswer":true,"stopReason":"model_stop","totalUsage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}}',
    null, '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:09.000Z', null),
  ('r3', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"signal","key":"paid","path":["clerk"],"toolName":"ship"}]', null, null, null,
    '2026-01-01T00:00:03.000Z', '2026-01-01T00:00:07.000Z', null),
  ('r4', 'clerk', '1', '"Go"', 'failed', 1, '[]', null, null, '{"code":"core","message":"no"}',
    '2026-01-01T00:00:04.000Z', '2026-01-01T00:00:08.000Z', null),
  ('r5', 'clerk', '1', '"Go"', 'cancelled', 1, '[]', null, null, null,
    '2026-01-01T00:00:05.000Z', '2026-01-01T00:00:06.000Z', null);
-- The digest of a signal is that of the JSON text of the run id, the key and the value.
insert into signal values
  ('r1', 'b', '1', 'NmcrjnnatqiZTaUOMYon-curZ-vX97Hk2D6c6fVG9yg'),
  ('r1', 'a', '[2]', 'uvijJFMwyBg6uEVrTQmrlO-BMx2YZ15TUvqCzOsfH-k'),
  ('r2', 'r2/i0/approval/0', '{"decision":"approve"}', 'vw8TuRkVboGjf2k6GwFlX8eTWzX9r4tYKH4LeEj5It4');
pragma application_id = 1347570777;
pragma user_version = 3;
