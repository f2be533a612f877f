/**
 * One request, sent and waited for: time-out, abort, progress, and what the answer means.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { resultOf, type RpcNotification, type RpcRequest } from "../jsonrpc/message.ts";
import type { Connection } from "../jsonrpc/contracts.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import { abortable } from "../shared/abortable.ts";
import type { TimeoutEntry } from "../shared/timeout_scheduler.ts";
import type { Semaphore } from "../shared/semaphore.ts";
import type { AbortSignalLike } from "../shared/abort_signal_like.ts";

/** How far the server has come with a request. */
export interface ProgressUpdate {
  /** How far; it grows with each update. */
  readonly progress: number;
  /** What `progress` will be at the end, if that is known. */
  readonly total?: number;
  /** What is going on, for people. */
  readonly message?: string;
}

/** How a call is made. */
export interface RequestOptions {
  /** Cancels the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long to wait for the answer or for the next sign of progress, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number;
  /** How long to wait altogether, whatever the progress, in milliseconds. Default 600 000. */
  readonly maxTotalMs?: number;
  /** Hears how far the server has come. */
  readonly onProgress?: (update: ProgressUpdate) => void;
}

/** Callbacks and limits that a session applies to its requests. */
export interface RequestHooks {
  /** Called with each notification of the request other than progress. */
  readonly onNotification?: (notification: RpcNotification) => void;
  /** Limits the requests in flight. If omitted, their number is not limited. */
  readonly semaphore?: Semaphore;
  /** Pauses the timeouts of the requests in flight, each until the given promise settles. */
  readonly pauseTimeouts?: Set<(until: Promise<unknown>) => void>;
}

/**
 * Sends a request and waits for its result.
 *
 * @throws {McpError} `transport_error` when the connection ends or time is up, `protocol_error` when the answer is an
 * error or is not valid, `core` when too many others wait
 */
export function sendRequest(
  connection: Connection,
  request: RpcRequest,
  options: RequestOptions = {},
  hooks: RequestHooks = {},
): Promise<JsonObject> {
  // Not an async function, which makes twice the garbage: all calls come through here.
  let end = (): void => {};
  try {
    options.signal?.throwIfAborted();
    const { pauseTimeouts, semaphore } = hooks;
    const timeout = new RequestTimeout(connection, request.method, options);
    const { pauseTimeout } = timeout;
    pauseTimeouts?.add(pauseTimeout);
    end = () => {
      pauseTimeouts?.delete(pauseTimeout);
      timeout.end();
    };
    const onNotification = notificationListener(timeout, options, hooks);
    const exchange = (): Promise<JsonObject> =>
      connection.exchange(request, { signal: timeout, pauseTimeout, onNotification }).then(
        (response) => {
          semaphore?.release();
          end();
          return resultOf(response);
        },
        (error) => {
          semaphore?.release();
          end();
          throw error;
        },
      );
    return takeTurn(semaphore, timeout)?.then(exchange, (error) => {
      end();
      throw error;
    }) ?? exchange();
  } catch (error) {
    end();
    return Promise.reject(error);
  }
}

function notificationListener(
  timeout: RequestTimeout,
  options: RequestOptions,
  { onNotification }: RequestHooks,
): (message: RpcNotification) => void {
  return (message) => {
    timeout.renew();
    if (message.method !== NotificationMethod.Progress) return onNotification?.(message);
    try {
      reportProgress(message, options);
    } catch (error) {
      timeout.abort(error);
    }
  };
}

/** Undefined when there is nothing to wait for: a promise that nobody needs costs a call its share. */
function takeTurn(
  semaphore: Semaphore | undefined,
  signal: AbortSignalLike,
): Promise<void> | undefined {
  if (semaphore === undefined) return undefined;
  const turn = semaphore.acquire(signal);
  if (turn === undefined) throw McpError.core("too many calls wait for others");
  return turn === "acquired" ? undefined : turn;
}

function reportProgress({ params }: RpcNotification, { onProgress }: RequestOptions): void {
  if (onProgress === undefined) return;
  const { progress: done, total, message } = params ?? {};
  if (typeof done !== "number") return;
  onProgress({
    progress: done,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  });
}

/**
 * The timeout of a request, combined with the caller's signal. Progress moves the timeout, up to the total. Used in place of
 * an `AbortSignal`, which on Node.js takes longer to create and to listen to than the rest of a call.
 */
export class RequestTimeout implements TimeoutEntry, AbortSignalLike {
  /** When the timeout expires, in milliseconds since the epoch. */
  dueAt = 0;
  /** The reason of the abort, or `undefined` before it. */
  reason: unknown;
  readonly #connection: Pick<Connection, "label" | "timeouts">;
  readonly #method: string;
  readonly #timeoutMs: number;
  readonly #maxTotalMs: number;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #listener: (() => void) | undefined;
  #others: Set<() => void> | undefined;
  #deadlineAt = 0;
  #pauses = 0;
  #isOver = false;

  /**
   * Starts the timeout.
   *
   * @throws {RangeError} when a time is not above 0
   */
  constructor(
    connection: Pick<Connection, "label" | "timeouts">,
    method: string,
    { signal, timeoutMs = 60_000, maxTotalMs = 600_000 }: RequestOptions,
  ) {
    assertTime("timeoutMs", timeoutMs);
    assertTime("maxTotalMs", maxTotalMs);
    this.#connection = connection;
    this.#method = method;
    this.#timeoutMs = timeoutMs;
    this.#maxTotalMs = maxTotalMs;
    this.#caller = signal;
    this.#start();
    signal?.addEventListener("abort", this.#abort);
  }

  /** An `AbortSignal` that aborts with this timeout. Created on first use. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason !== undefined) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  /** Throws the reason if aborted. */
  throwIfAborted(): void {
    if (this.reason !== undefined) throw this.reason;
  }

  /** Adds a listener for the abort. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === undefined) this.#listener = listener;
    else (this.#others ??= new Set()).add(listener);
  }

  /** Removes a listener. */
  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#others?.delete(listener);
  }

  /** Aborts because the timeout has expired. */
  fire(now: number): void {
    const ms = now >= this.#deadlineAt ? this.#maxTotalMs : this.#timeoutMs;
    const fact = `no answer to "${this.#method}" within ${ms} ms`;
    this.abort(McpError.transportError(this.#connection.label, fact));
  }

  /** Aborts with a reason. */
  abort(reason: unknown): void {
    this.dueAt = Infinity;
    this.reason ??= reason;
    this.#controller?.abort(this.reason);
    this.#listener?.();
    for (const listener of this.#others ?? []) listener();
  }

  /** Restarts the timeout after progress. */
  renew(): void {
    if (this.dueAt === Infinity) return;
    this.dueAt = Math.min(Date.now() + this.#timeoutMs, this.#deadlineAt);
  }

  /** Pauses the timeout until the promise settles, such as while a user answers. It then starts anew. */
  readonly pauseTimeout = (until: Promise<unknown>): void => {
    this.#pauses++;
    this.dueAt = Infinity;
    const resume = (): void => {
      this.#pauses--;
      if (this.#pauses === 0 && !this.#isOver) this.#start();
    };
    until.then(resume, resume);
  };

  /** Waits for a promise until the abort, then ends the timeout. */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    try {
      return await abortable(promise, this);
    } finally {
      this.end();
    }
  }

  /** Ends the timeout. */
  end(): void {
    this.#isOver = true;
    this.#connection.timeouts.remove(this);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.abort(this.#caller?.reason);

  #start(): void {
    const now = Date.now();
    this.#deadlineAt = now + this.#maxTotalMs;
    this.dueAt = Math.min(now + this.#timeoutMs, this.#deadlineAt);
    this.#connection.timeouts.add(this);
  }
}

function assertTime(name: string, ms: number): void {
  if (!(ms > 0)) throw new RangeError(`Cannot wait for an answer: ${name} is ${ms}`);
}
