/**
 * HTTP response to a request, with a JSON body if the result is available soon enough, otherwise
 * with an SSE stream.
 *
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { McpErrorObject, RpcMessage, RpcResponse } from "../../jsonrpc/message.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import type { ExchangeContext } from "../../server/exchange_context.ts";
import { EventStream } from "./event_stream.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { jsonResponse, stringifyOrError, transportErrorResponse } from "./http_responses.ts";

/** Response formats that the client accepts. */
export interface Accepted {
  /** Whether the client accepts a JSON body. */
  readonly json: boolean;
  /** Whether the client accepts an SSE stream. */
  readonly stream: boolean;
}

/** Reads an `Accept` header. A client without an `Accept` header accepts both JSON and SSE. */
export function readAccept(accept: string | null): Accepted {
  const text = accept?.toLowerCase() ?? "*/*";
  const isAnything = text.includes("*/*");
  return {
    json: isAnything || text.includes("application/json") || text.includes("application/*"),
    stream: isAnything || text.includes("text/event-stream") || text.includes("text/*"),
  };
}

/** Options for {@linkcode HttpReply}. */
export interface HttpReplyOptions {
  /** Response formats that the client accepts: JSON, SSE or both. */
  readonly accepted: Accepted;
  /**
   * Time to wait for the result before responding with a stream, and idle time before a keep-alive
   * comment, in milliseconds.
   */
  readonly keepAliveMs: number;
  /** Called if the result takes longer than one second. */
  readonly onSlow?: () => void;
}

/** Callbacks for a request in flight. */
export type ExchangeHooks = Required<Pick<ExchangeContext, "emit" | "onDelay">>;

/** Options for {@linkcode respond}. */
export interface RespondOptions extends HttpReplyOptions {
  /** Called when the client stops reading the stream. */
  readonly onCancel: () => void;
}

/** Handles a request and returns its HTTP response. Resolves when the response format is chosen. */
export function respond(
  exchange: (hooks: ExchangeHooks) => Promise<RpcResponse>,
  options: RespondOptions,
): Promise<HttpResponse> {
  let events: EventStream | undefined;
  const reply = new HttpReply(options, () => (events = new EventStream(options)).response);
  const emit = async (message: RpcMessage): Promise<boolean> => {
    reply.openStream();
    return await events?.write(formatEvent({ data: stringifyOrError(message) })) ?? false;
  };
  exchange({ emit, onDelay: () => reply.delay() }).then((response) => {
    if (reply.isOpen) emit(response);
    else reply.respond(jsonResponse(statusOf(response), stringifyOrError(response)));
  }, () => {
    // The request was aborted: the client disconnected, or the server is shutting down.
    reply.respond(transportErrorResponse(503, "The request was cancelled"));
  }).finally(() => events?.end());
  return reply.response;
}

/**
 * Returns the HTTP status of a response. Errors from handlers have status 200, because the
 * transport succeeded.
 */
function statusOf(response: RpcResponse): number {
  return "error" in response ? STATUS.get(response.error.code) ?? 200 : 200;
}

const STATUS: ReadonlyMap<McpErrorObject["code"], number> = new Map([
  [RpcErrorCode.MethodNotFound, 404],
  [RpcErrorCode.HeaderMismatch, 400],
  [RpcErrorCode.MissingClientCapability, 400],
  [RpcErrorCode.UnsupportedVersion, 400],
]);

/** Time after which `onSlow` is called, in milliseconds. */
const WATCH_MS = 1000;

/**
 * The response to one request. The format (JSON body or SSE stream) is chosen while the request is
 * being handled.
 */
export class HttpReply {
  /** Resolves to the HTTP response when its format (JSON body or SSE stream) is chosen. */
  readonly response: Promise<HttpResponse>;
  readonly #options: HttpReplyOptions;
  readonly #createStream: () => HttpResponse;
  #resolve: ((response: HttpResponse) => void) | undefined;
  #isOpen = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Creates a response whose format has not been chosen yet. If the client accepts only streams,
   * the response is a stream from the start.
   *
   * @param options Accepted response formats, timeout and callback.
   * @param openStream Function that creates the SSE response.
   */
  constructor(options: HttpReplyOptions, openStream: () => HttpResponse) {
    this.#options = options;
    this.#createStream = openStream;
    this.response = new Promise((resolve) => this.#resolve = resolve);
    if (!options.accepted.json) this.openStream();
  }

  /** Whether the response is an SSE stream. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Responds with an SSE stream if no format is chosen yet and the client accepts streams. */
  openStream(): void {
    if (this.#resolve === undefined || !this.#options.accepted.stream) return;
    this.#isOpen = true;
    this.respond(this.#createStream());
  }

  /** Sends a response if no format is chosen yet. */
  respond(response: HttpResponse): void {
    clearTimeout(this.#timer);
    this.#resolve?.(response);
    this.#resolve = undefined;
  }

  /**
   * Starts the timers for a slow request. After `keepAliveMs`, the response becomes a stream, which
   * can carry keep-alive comments.
   */
  delay(): void {
    const { keepAliveMs, onSlow } = this.#options;
    if (this.#resolve === undefined) return;
    this.#timer = setTimeout(() => {
      onSlow?.();
      this.#timer = setTimeout(() => this.openStream(), Math.max(keepAliveMs - WATCH_MS, 0));
    }, Math.min(WATCH_MS, keepAliveMs));
  }
}
