/**
 * One request, sent and waited for: time-out, abort, progress, and what the answer means.
 *
 * @module
 */

import { McpError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import { isResponse, type RpcNotification, type RpcRequest } from "../rpc/message.ts";
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
): Promise<JsonObject> {
  options.signal?.throwIfAborted();
  const patience = new Patience(connection.label, request.method, options);
  try {
    for await (const message of connection.exchange(request, patience)) {
      if (isResponse(message)) {
        if ("result" in message) return message.result;
        const { code, message: reason, data } = message.error;
        throw McpError.protocolError(reason, { rpcCode: code, data });
      }
      patience.renew();
      report(message, options);
    }
  } finally {
    patience.end();
  }
  throw McpError.transportError(connection.label, `no answer to "${request.method}"`);
}

function report({ method, params }: RpcNotification, { progress }: RequestOptions): void {
  if (method !== Notice.Progress || progress === undefined) return;
  const { progress: done, total, message } = params ?? {};
  if (typeof done !== "number") return;
  progress({
    progress: done,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  });
}

/** Aborts when the caller does, and when there has been no sign of life for too long. */
class Patience {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #lost: (waitedMs: number) => McpError;
  readonly #total: ReturnType<typeof setTimeout>;
  #timer: ReturnType<typeof setTimeout>;

  constructor(label: string, method: string, options: RequestOptions) {
    const { signal, timeoutMs = 60_000, maxTotalMs = 600_000 } = options;
    this.#timeoutMs = timeoutMs;
    this.#caller = signal;
    this.#lost = (waitedMs) =>
      McpError.transportError(label, `no answer to "${method}" within ${waitedMs} ms`);
    this.#timer = this.#start(timeoutMs);
    this.#total = this.#start(maxTotalMs);
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start(this.#timeoutMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#total);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);

  #start(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(this.#lost(ms)), ms);
  }
}
