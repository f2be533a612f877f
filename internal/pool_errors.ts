/**
 * Error listeners for the connections of pg-boss.
 *
 * @module
 */

import { isRecord } from "./json.ts";
import { type ConnectionPool, PgListener } from "./pg_listener.ts";

/** The members of an event emitter that are used. */
interface Emitter {
  on(event: string, listener: (value: unknown) => void): unknown;
}

/**
 * Opens the database of a pg-boss instance that has not been started, so that the loss of a
 * connection does not end the process.
 *
 * The pool of the package `pg` removes its own error listener from a connection that it checks out,
 * and pg-boss adds a listener a few turns later. A connection that is lost in between emits an
 * `error` event without a listener, which ends the process. Each connection therefore has a
 * listener that ignores the error: the next query on the connection rejects. The connection for
 * notifications becomes a connection of the pool, see {@linkcode PgListener}.
 *
 * The function uses members of pg-boss that have no documentation, and does nothing if they do not
 * exist, for example in a database of the caller.
 *
 * @param db Result of `getDb()` of the instance.
 */
export async function openWithErrorListeners(db: unknown): Promise<void> {
  if (!isRecord(db) || db.opened !== false || typeof db.open !== "function") return;
  // `start` does not open an open database, and `stop` closes it even if `start` has failed.
  await db.open();
  const { pool } = db;
  if (!isEmitter(pool)) return;
  pool.on("connect", ignoreErrors);
  if (isPool(pool) && typeof db.listen === "function") Reflect.set(db, "listen", listenerOn(pool));
}

/** The `listen` method of the database interface of pg-boss. */
export type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onConnect: () => void,
) => Promise<{ readonly close: () => Promise<void> }>;

function listenerOn(pool: ConnectionPool): Listen {
  return async (channel, onPayload, onListen) => {
    // pg-boss polls in addition, and its statements report a database that is not available.
    const listener = new PgListener(pool, { channel, onPayload, onListen, onLoss: () => {} });
    await listener.connect();
    return { close: () => Promise.resolve(listener.close()) };
  };
}

function ignoreErrors(connection: unknown): void {
  if (isEmitter(connection)) connection.on("error", () => {});
}

function isEmitter(value: unknown): value is Emitter {
  return typeof Object(value).on === "function";
}

function isPool(value: unknown): value is ConnectionPool {
  return typeof Object(value).connect === "function";
}
