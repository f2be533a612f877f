/**
 * The connection on which pg-boss receives notifications of new jobs.
 *
 * @module
 */

import { isRecord } from "./json.ts";

/** A connection of the package `pg` that is checked out of a pool. */
export interface PooledConnection {
  /** Adds a listener. */
  on(event: string, listener: (value: unknown) => void): unknown;
  /** Executes a statement. */
  query(text: string): Promise<unknown>;
  /** Returns the connection to the pool, which closes it if `isClosed` is true. */
  release(isClosed: boolean): void;
}

/** The part of a pool of the package `pg` that is used. */
export interface ConnectionPool {
  /** Checks a connection out of the pool. */
  connect(): Promise<PooledConnection>;
}

/** Options for {@linkcode PgBossListener}. */
export interface PgBossListenerOptions {
  readonly channel: string;
  /** Called with the payload of each notification. */
  readonly onNotification: (payload: string) => void;
  /** Called when the listener is connected, because notifications may have been lost before. */
  readonly onConnect: () => void;
}

/** Time between two checks of the connection, in milliseconds, as in pg-boss. */
const CHECK_INTERVAL_MS = 10_000;
/** Time limit for a check of the connection, in milliseconds, as in pg-boss. */
const CHECK_TIMEOUT_MS = 5000;
/** Delay before the first attempt to connect again, in milliseconds. The delay doubles. */
const FIRST_DELAY_MS = 1000;
/** Maximum delay between attempts to connect again, in milliseconds. */
const MAX_DELAY_MS = 30_000;

/**
 * Receives notifications on a connection of a pool, and connects again if the connection is lost.
 *
 * The listener of pg-boss removes all event listeners from its connection before it closes the
 * connection. If the database ends at the same time, the connection emits an `error` event without
 * a listener, which ends the process. A pool keeps its listeners until the connection is closed.
 */
export class PgBossListener {
  readonly #pool: ConnectionPool;
  readonly #options: PgBossListenerOptions;
  #connection: PooledConnection | undefined;
  /** Timer of the next check, of the time limit of a check, or of the next attempt to connect. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(pool: ConnectionPool, options: PgBossListenerOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Connects. Rejects if the attempt fails. Only a lost connection causes further attempts. */
  async connect(): Promise<void> {
    const { channel, onConnect, onNotification } = this.#options;
    const connection = await this.#pool.connect();
    if (this.#isClosed) return connection.release(true);
    this.#connection = connection;
    let isListening = false;
    connection.on("notification", (message) => {
      const payload = isRecord(message) ? message.payload : undefined;
      if (typeof payload === "string" && this.#connection === connection) onNotification(payload);
    });
    connection.on("end", () => {
      if (this.#drop(connection) && isListening) this.#connectLater();
    });
    try {
      await connection.query(`listen "${channel}"`);
    } catch (error) {
      this.#drop(connection);
      throw error;
    }
    if (this.#connection !== connection) return;
    isListening = true;
    this.#failures = 0;
    this.#checkLater(connection);
    onConnect();
  }

  /** Closes the connection. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#connection !== undefined) this.#drop(this.#connection);
  }

  /** Closes a connection. Returns `false` if the connection was closed before. */
  #drop(connection: PooledConnection): boolean {
    if (this.#connection !== connection) return false;
    clearTimeout(this.#timer);
    this.#connection = undefined;
    connection.release(true);
    return true;
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures++;
    this.#timer = setTimeout(() => {
      this.connect().catch(() => this.#connectLater());
    }, delayMs);
  }

  /** Detects a connection that is lost without an error, for example because of a firewall. */
  #checkLater(connection: PooledConnection): void {
    const lose = (): void => {
      if (this.#drop(connection)) this.#connectLater();
    };
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(lose, CHECK_TIMEOUT_MS);
      connection.query("select 1").then(() => {
        if (this.#connection !== connection) return;
        clearTimeout(this.#timer);
        this.#checkLater(connection);
      }, lose);
    }, CHECK_INTERVAL_MS);
  }
}
