/**
 * HTTP response to a request, with a JSON body if the result is available soon enough, otherwise
 * with an SSE stream.
 *
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { McpErrorObject, RpcResponse } from "../../jsonrpc/message.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import { EventStream } from "./event_stream.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { jsonResponse, stringifyOrError } from "./http_responses.ts";

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
}

/** Returns the HTTP response to a request whose result is already available. */
export function toHttpResponse(
  response: RpcResponse,
  { accepted, keepAliveMs }: HttpReplyOptions,
): HttpResponse {
  const text = stringifyOrError(response);
  if (accepted.json) return jsonResponse(statusOf(response), text);
  const events = new EventStream({ keepAliveMs, onCancel: () => {} });
  events.write(formatEvent({ data: text }));
  events.end();
  return events.response;
}

/**
 * Returns the HTTP status of a response. Errors from handlers have status 200, because the
 * transport succeeded.
 */
export function statusOf(response: RpcResponse): number {
  return "error" in response ? STATUS.get(response.error.code) ?? 200 : 200;
}

const STATUS: ReadonlyMap<McpErrorObject["code"], number> = new Map([
  [RpcErrorCode.MethodNotFound, 404],
  [RpcErrorCode.HeaderMismatch, 400],
  [RpcErrorCode.MissingClientCapability, 400],
  [RpcErrorCode.UnsupportedVersion, 400],
]);

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
   * @param options Accepted response formats and timeout.
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
   * Starts the timer for a request that is not completed immediately. After `keepAliveMs`, the
   * response becomes a stream, which can carry keep-alive comments.
   */
  delay(): void {
    if (this.#resolve === undefined) return;
    this.#timer = setTimeout(() => this.openStream(), this.#options.keepAliveMs);
  }
}
