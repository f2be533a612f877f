/**
 * Receives notifications of PostgreSQL on a connection of a pool.
 *
 * @module
 */

import { isRecord } from "./json.ts";

/** A connection of the package `pg` that is checked out of a pool. */
export interface PooledConnection {
  /** Adds a listener. */
  on(event: string, listener: (value: unknown) => void): unknown;
  /** Removes a listener. */
  removeListener(event: string, listener: (value: unknown) => void): unknown;
  /** Executes a statement. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Returns the connection to the pool, which closes it if `isClosed` is true. */
  release(isClosed: boolean): void;
}

/** The part of a pool of the package `pg` that is used. */
export interface ConnectionPool {
  /** Checks a connection out of the pool. */
  connect(): Promise<PooledConnection>;
}

/** Options for {@linkcode PgListener}. */
export interface PgListenerOptions {
  readonly channel: string;
  /** Called with the payload of each notification. */
  readonly onPayload: (payload: string) => void;
  /** Called when the listener is connected, because notifications may have been lost before. */
  readonly onListen: () => void;
  /** Called when the connection is lost, and with the error of each attempt to connect again. */
  readonly onLoss: (error: Error) => void;
}

/** Time between two checks of the connection, in milliseconds, as in pg-boss. */
const CHECK_INTERVAL_MS = 10_000;
/** Time limit for a statement on the connection, in milliseconds, as in pg-boss. */
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
 * a listener, which ends the process. This class never removes its listeners.
 */
export class PgListener {
  readonly #pool: ConnectionPool;
  readonly #options: PgListenerOptions;
  #connection: PooledConnection | undefined;
  /** Timer of the next check, of the time limit of a check, or of the next attempt to connect. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Rejects the attempt to connect that waits for the response to `LISTEN`. */
  #stopAttempt = (_reason: Error): void => {};
  #failures = 0;
  #isClosed = false;

  constructor(pool: ConnectionPool, options: PgListenerOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Connects. Rejects if the attempt fails. Only a lost connection causes further attempts. */
  async connect(): Promise<void> {
    const { channel, onListen, onPayload } = this.#options;
    const connection = await this.#pool.connect();
    if (this.#isClosed) return connection.release(true);
    this.#connection = connection;
    let isListening = false;
    const lose = (cause?: unknown): void => {
      if (!this.#drop(connection)) return;
      const error = this.#lossOf(cause);
      if (isListening) this.#connectLater(error);
      else this.#stopAttempt(error);
    };
    connection.on("notification", (message) => {
      const { channel: from = channel, payload } = isRecord(message) ? message : {};
      if (from !== channel || this.#connection !== connection) return;
      if (typeof payload === "string") onPayload(payload);
    });
    connection.on("error", lose);
    connection.on("end", () => lose());
    try {
      await this.#listen(connection, lose);
    } catch (error) {
      this.#drop(connection);
      if (this.#isClosed) return;
      throw error;
    }
    if (this.#connection !== connection) return;
    isListening = true;
    this.#failures = 0;
    this.#checkLater(connection, lose);
    onListen();
  }

  /** Closes the connection. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#connection !== undefined) this.#drop(this.#connection);
    this.#stopAttempt(this.#lossOf());
  }

  async #listen(connection: PooledConnection, lose: (cause: unknown) => void): Promise<void> {
    const stopped = new Promise<never>((_, reject) => {
      this.#stopAttempt = reject;
    });
    this.#timer = setTimeout(() => lose(noResponse()), CHECK_TIMEOUT_MS);
    try {
      await Promise.race([connection.query(`listen "${this.#options.channel}"`), stopped]);
    } finally {
      clearTimeout(this.#timer);
      this.#stopAttempt = () => {};
    }
  }

  /** Closes a connection. Returns `false` if the connection was closed before. */
  #drop(connection: PooledConnection): boolean {
    if (this.#connection !== connection) return false;
    clearTimeout(this.#timer);
    this.#connection = undefined;
    connection.release(true);
    return true;
  }

  #connectLater(error: Error): void {
    if (this.#isClosed) return;
    this.#options.onLoss(error);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures++;
    this.#timer = setTimeout(() => {
      this.connect().catch((cause) => this.#connectLater(this.#lossOf(cause)));
    }, delayMs);
  }

  #lossOf(cause?: unknown): Error {
    const message = `Cannot receive notifications of "${this.#options.channel}"`;
    if (cause instanceof Error && cause.message.startsWith(message)) return cause;
    return new Error(message, cause === undefined ? {} : { cause });
  }

  /** Detects a connection that is lost without an error, for example because of a firewall. */
  #checkLater(connection: PooledConnection, lose: (cause: unknown) => void): void {
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => lose(noResponse()), CHECK_TIMEOUT_MS);
      connection.query("select 1").then(() => {
        if (this.#connection !== connection) return;
        clearTimeout(this.#timer);
        this.#checkLater(connection, lose);
      }, lose);
    }, CHECK_INTERVAL_MS);
  }
}

function noResponse(): Error {
  return new Error(`the database did not respond within ${CHECK_TIMEOUT_MS} ms`);
}
