/**
 * One request, sent and waited for: time-out, abort, progress, and what the answer means.
 *
 * @module
 */

import { McpError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import {
  isResponse,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../rpc/message.ts";
import type { Connection } from "../rpc/transport.ts";
import { Notice } from "../protocol/methods.ts";

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
  readonly progress?: (update: ProgressUpdate) => void;
}

/** What happens beside a request. */
export interface Surroundings {
  /** Hears of notifications that belong to the request and are no progress. */
  readonly notified?: (notification: RpcNotification) => void;
  /** The clocks that are running. Each stops until the promise it is given settles. */
  readonly clocks?: Set<(until: Promise<unknown>) => void>;
}

/**
 * Sends a request and waits for its result.
 *
 * @throws {McpError} `transport_error` when the connection ends or time is up, `protocol_error` when the answer is an
 * error or is not valid
 */
export async function sendRequest(
  connection: Connection,
  request: RpcRequest,
  options: RequestOptions = {},
  surroundings: Surroundings = {},
): Promise<JsonObject> {
  options.signal?.throwIfAborted();
  const patience = new Patience(connection.label, request.method, options);
  surroundings.clocks?.add(patience.hold);
  try {
    for await (const message of connection.exchange(request, patience)) {
      if (isResponse(message)) return resultOf(message);
      patience.renew();
      if (message.method === Notice.Progress) report(message, options);
      else surroundings.notified?.(message);
    }
  } finally {
    surroundings.clocks?.delete(patience.hold);
    patience.end();
  }
  throw McpError.transportError(connection.label, `no answer to "${request.method}"`);
}

/**
 * Sends a notification, and waits until it is handed over.
 *
 * @throws {McpError} `transport_error` when the connection ends or time is up
 */
export async function sendNotice(
  connection: Connection,
  message: RpcNotification,
  options: RequestOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  const patience = new Patience(connection.label, message.method, options);
  await patience.waitFor(connection.send(message));
}

/**
 * The result that a response holds.
 *
 * @throws {McpError} `protocol_error` when it holds an error
 */
export function resultOf(response: RpcResponse): JsonObject {
  if ("result" in response) return response.result;
  const { code, message, data } = response.error;
  throw McpError.protocolError(message, { rpcCode: code, data });
}

function report({ params }: RpcNotification, { progress }: RequestOptions): void {
  if (progress === undefined) return;
  const { progress: done, total, message } = params ?? {};
  if (typeof done !== "number") return;
  progress({
    progress: done,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  });
}

/** What a timer can take at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Aborts when the caller does, and when there has been no sign of life for too long. One timer does for both limits, and
 * a sign of life only moves the limit: to start and stop timers is the better part of what a quick call costs.
 */
export class Patience {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #maxTotalMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #lost: (waitedMs: number) => McpError;
  #dueAt = 0;
  #lastAt = 0;
  #holds = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Starts the clock.
   *
   * @throws {RangeError} when a time is not above 0
   */
  constructor(label: string, method: string, options: RequestOptions) {
    const { signal, timeoutMs = 60_000, maxTotalMs = 600_000 } = options;
    for (const [name, ms] of Object.entries({ timeoutMs, maxTotalMs })) {
      if (!(ms > 0)) throw new RangeError(`Cannot wait for an answer: ${name} is ${ms}`);
    }
    this.#timeoutMs = timeoutMs;
    this.#maxTotalMs = maxTotalMs;
    this.#caller = signal;
    this.#lost = (waitedMs) =>
      McpError.transportError(label, `no answer to "${method}" within ${waitedMs} ms`);
    this.#start();
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** Aborts when there is no patience left. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A sign of life. */
  renew(): void {
    this.#dueAt = Date.now() + this.#timeoutMs;
  }

  /** Stops the clock until the promise settles: people are slow. It begins anew then. */
  readonly hold = (until: Promise<unknown>): void => {
    clearTimeout(this.#timer);
    this.#holds++;
    const resume = (): void => {
      this.#holds--;
      if (this.#holds === 0 && !this.#isOver) this.#start();
    };
    until.then(resume, resume);
  };

  /** Waits for a promise no longer than patience lasts, and ends with it. */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    const lost = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    try {
      return await Promise.race([promise, lost]);
    } finally {
      this.end();
    }
  }

  /** Stops for good. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);

  #start(): void {
    this.renew();
    this.#lastAt = Date.now() + this.#maxTotalMs;
    this.#wait(Math.min(this.#timeoutMs, this.#maxTotalMs));
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.min(ms, MAX_TIMER_MS));
  }

  #look(): void {
    const now = Date.now();
    if (now >= this.#lastAt) return this.#controller.abort(this.#lost(this.#maxTotalMs));
    if (now >= this.#dueAt) return this.#controller.abort(this.#lost(this.#timeoutMs));
    this.#wait(Math.min(this.#dueAt, this.#lastAt) - now);
  }
}
