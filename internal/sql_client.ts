/**
 * Access to an SQL database through the driver of the application.
 *
 * @module
 */

import { assertFunction, assertMethods, rejectArgument } from "./assert_argument.ts";
import { asRecord } from "./json.ts";
import type { PostgresSql, ReservedSql, SqlClient } from "./sql_types.ts";
import { type ConnectionPool, PgListener, type PgListenerOptions } from "./pg_listener.ts";
import { beginTransaction, type PgTransaction } from "./pg_transaction.ts";

/** The database interface of pg-boss. */
export interface PgBossDriver {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The database interface of pg-boss, with what the client supports. */
export interface PgBossAdapter extends PgBossDriver {
  beginTransaction?(): Promise<PgTransaction>;
  listen?(
    channel: string,
    onNotification: (payload: string) => void,
    onConnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

const POOL = 'a Pool of the package "pg" with at least 2 connections';

/** Throws a `TypeError` unless a value is an {@linkcode SqlClient}. */
export function assertSqlClient(name: string, value: unknown): asserts value is SqlClient {
  const { query, unsafe } = asRecord(value);
  const requirement = 'an object with the method "query", such as a Pool of the package "pg"';
  if (typeof query !== "function" && typeof unsafe === "function") {
    rejectArgument(name, requirement, value, `pass fromPostgres(${name})`);
  }
  assertMethods(name, requirement, value, ["query"]);
}

/**
 * Throws a `TypeError` unless a value is an {@linkcode SqlClient} that can receive notifications:
 * a pool of the package `pg`, or a client with the method `listen`.
 */
export function assertListeningClient(name: string, value: unknown): asserts value is SqlClient {
  assertSqlClient(name, value);
  if (canListen(value)) return;
  rejectArgument(name, `${POOL}, or an object with the method "listen"`, value);
}

/** Throws a `TypeError` unless a value is a pool of the package `pg`. */
export function assertPool(name: string, value: unknown): asserts value is SqlClient {
  assertSqlClient(name, value);
  if (!isPool(value)) rejectArgument(name, POOL, value);
}

/** Returns the maximum number of connections of a pool, which is 10 in the package `pg`. */
export function poolSizeOf(pool: SqlClient): number {
  const { max } = asRecord(asRecord(pool).options);
  return typeof max === "number" ? max : 10;
}

/** Returns true if a client can receive notifications. */
export function canListen(client: SqlClient): boolean {
  return typeof client.listen === "function" || isPool(client);
}

/**
 * Receives notifications until the returned function is called. Rejects if the first attempt to
 * connect fails; a connection that is lost later is restored.
 */
export async function listenTo(
  client: SqlClient,
  { channel, onListen, onLoss, onPayload }: PgListenerOptions,
): Promise<() => Promise<void>> {
  let isStopped = false;
  const receive = (payload: string): void => {
    if (!isStopped) onPayload(payload);
  };
  if (client.listen !== undefined) {
    const stop = await client.listen(channel, receive, onListen);
    return async () => {
      if (isStopped) return;
      isStopped = true;
      await stop();
    };
  }
  if (!isPool(client)) throw new TypeError("Cannot receive notifications: not a pool");
  const listener = new PgListener(client, { channel, onListen, onLoss, onPayload: receive });
  await listener.connect();
  return () => Promise.resolve(listener.close());
}

/** Adapts the package `postgres`, or one of its transactions. */
export function adaptPostgres(sql: PostgresSql): SqlClient {
  assertFunction("sql.unsafe", Object(sql).unsafe);
  const query: SqlClient["query"] = async (text, values = []) => {
    const rows = values.length === 0 && sql.reserve !== undefined && TRANSACTION.test(text)
      ? await executeReserved(await sql.reserve(), text)
      : await sql.unsafe(text, values);
    // Several statements return one array of rows each.
    return { rows: rows.some(Array.isArray) ? rows.flat() : [...rows] };
  };
  const { listen } = sql;
  if (listen === undefined) return { query };
  return {
    query,
    listen: async (...subscription) => {
      const { unlisten } = await listen.call(sql, ...subscription);
      return () => unlisten();
    },
  };
}

/** Matches a text that starts a transaction, as pg-boss sends it. */
const TRANSACTION = /^\s*begin\b/i;

/** Executes a text on a reserved connection, because the driver rejects `begin` on others. */
async function executeReserved(sql: ReservedSql, text: string): Promise<readonly unknown[]> {
  try {
    return await sql.unsafe(text);
  } catch (error) {
    // A failed transaction must not stay open. If the connection is lost, so is the transaction.
    await Promise.resolve(sql.unsafe("rollback")).catch(() => {});
    throw error;
  } finally {
    sql.release();
  }
}

/** Adapts a client to the database interface of pg-boss. */
export function toPgBossDatabase(client: SqlClient): PgBossAdapter {
  const executeSql: PgBossDriver["executeSql"] = (text, values) => client.query(text, values);
  if (!canListen(client)) return { executeSql };
  return {
    executeSql,
    ...isPool(client) ? { beginTransaction: () => beginTransaction(client) } : {},
    listen: async (channel, onPayload, onListen) => {
      // pg-boss polls in addition, and the next statement reports a database that is not available.
      const close = await listenTo(client, { channel, onPayload, onListen, onLoss: () => {} });
      return { close };
    },
  };
}

/** Adapts the database interface of pg-boss. */
export function fromPgBossDatabase(db: PgBossDriver): SqlClient {
  return { query: (text, values) => db.executeSql(text, values) };
}

/**
 * Returns true for a pool of the package `pg` that has a connection to spare. A client of the
 * package also has the method `connect`, but no connections to check out.
 */
function isPool(value: unknown): value is ConnectionPool {
  const { connect, options, totalCount } = asRecord(value);
  return typeof connect === "function" && typeof totalCount === "number" &&
    asRecord(options).max !== 1;
}
