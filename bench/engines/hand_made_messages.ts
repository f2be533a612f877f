/**
 * A message queue in an SQL table, as a program might implement it without pg-boss. The benchmark
 * compares pg-boss and `pgBossQueue` with this queue.
 *
 * @module
 */

import { type AgentCommMessage, formatMessage, parseMessage } from "@parley/comm";
import type pg from "pg";

const TABLE = `
  create table messages (
    id bigserial primary key, key text not null unique, json text not null,
    attempts int not null default 0, due_at timestamptz not null default now(), done_at timestamptz
  );
  create index messages_due on messages (due_at, id) where done_at is null;
`;
const INSERT = `insert into messages (key, json)
  select * from unnest($1::text[], $2::text[]) on conflict do nothing`;
const CLAIM = `update messages set attempts = attempts + 1, due_at = now() + interval '10 seconds'
  where id in (
    select id from messages where done_at is null and due_at <= now()
    order by due_at, id limit $1 for update skip locked
  ) returning id, json, attempts`;
const ACKNOWLEDGE =
  `update messages set done_at = now() from unnest($1::bigint[], $2::int[]) as done (id, attempts)
  where messages.id = done.id and messages.attempts = done.attempts and done_at is null`;

/**
 * A queue in one table with the guarantees of `pgBossQueue`. Messages are stored only once, even
 * after they are acknowledged. Messages are claimed for a limited time, so a consumer can take over
 * the messages of a dead consumer.
 */
export interface HandMadeMessages {
  /** Stores messages with one statement. */
  send(messages: readonly AgentCommMessage[]): Promise<void>;
  /** Claims, parses and acknowledges a batch of messages, and returns the size of the batch. */
  receive(): Promise<number>;
}

/** Creates the table of a queue. */
export async function handMadeMessages(
  pool: pg.Pool,
  batchSize: number,
): Promise<HandMadeMessages> {
  await pool.query(TABLE);
  return {
    async send(messages) {
      const keys = messages.map(({ sender, id }) => `${sender} ${id}`);
      await pool.query(INSERT, [keys, messages.map(formatMessage)]);
    },
    async receive() {
      const { rows } = await pool.query(CLAIM, [batchSize]);
      for (const { json } of rows) parseMessage(json);
      const [ids, attempts] = [rows.map(({ id }) => id), rows.map(({ attempts }) => attempts)];
      await pool.query(ACKNOWLEDGE, [ids, attempts]);
      return rows.length;
    },
  };
}
