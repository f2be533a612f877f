/**
 * How an exchange becomes a response: one JSON body when its answer comes first and soon, an event stream otherwise.
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

/** What the client can read. */
export interface Accepted {
  /** A JSON body. */
  readonly json: boolean;
  /** An event stream. */
  readonly stream: boolean;
}

/** Reads an `Accept` header. Generous: what is not said is accepted. */
export function readAccept(accept: string | null): Accepted {
  const text = accept?.toLowerCase() ?? "*/*";
  const isAnything = text.includes("*/*");
  return {
    json: isAnything || text.includes("application/json") || text.includes("application/*"),
    stream: isAnything || text.includes("text/event-stream") || text.includes("text/*"),
  };
}

/** How a reply is made. */
export interface HttpReplyOptions {
  /** What the client can read; at least one of both. */
  readonly accepted: Accepted;
  /** How long a response may be silent before it becomes a stream, in milliseconds. */
  readonly keepAliveMs: number;
  /** Called when the answer takes longer than a second. */
  readonly onSlow?: () => void;
}

/** What an exchange does before its answer. */
export type ExchangeHooks = Required<Pick<ExchangeContext, "emit" | "onDelay">>;

/** How it is done. */
export interface RespondOptions extends HttpReplyOptions {
  /** Called when nobody reads any more. */
  readonly onCancel: () => void;
}

/** Makes the response of an exchange that is started with ways to send what comes before its answer. */
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
    // Aborted: nobody reads this, or the server is shutting down.
    reply.respond(transportErrorResponse(503, "The request was cancelled"));
  }).finally(() => events?.end());
  return reply.response;
}

/** The errors that have a status of their own. What a handler says stays 200: the exchange itself went well. */
function statusOf(response: RpcResponse): number {
  return "error" in response ? STATUS.get(response.error.code) ?? 200 : 200;
}

const STATUS: ReadonlyMap<McpErrorObject["code"], number> = new Map([
  [RpcErrorCode.MethodNotFound, 404],
  [RpcErrorCode.HeaderMismatch, 400],
  [RpcErrorCode.MissingClientCapability, 400],
  [RpcErrorCode.UnsupportedVersion, 400],
]);

/** How long an answer may take before it is watched whether somebody still waits for it. */
const WATCH_MS = 1000;

/** The response to one exchange, while it is not clear what it will be. */
export class HttpReply {
  /** The response. */
  readonly response: Promise<HttpResponse>;
  readonly #options: HttpReplyOptions;
  readonly #createStream: () => HttpResponse;
  #resolve: ((response: HttpResponse) => void) | undefined;
  #isOpen = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Makes a reply; it is a stream from the start when the client reads nothing else.
   *
   * @param openStream makes the response that is an event stream
   */
  constructor(options: HttpReplyOptions, openStream: () => HttpResponse) {
    this.#options = options;
    this.#createStream = openStream;
    this.response = new Promise((resolve) => this.#resolve = resolve);
    if (!options.accepted.json) this.openStream();
  }

  /** Whether it is an event stream. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Makes it an event stream, where the client reads such and it is nothing yet. */
  openStream(): void {
    if (this.#resolve === undefined || !this.#options.accepted.stream) return;
    this.#isOpen = true;
    this.respond(this.#createStream());
  }

  /** Sends a response, if it is nothing yet. */
  respond(response: HttpResponse): void {
    clearTimeout(this.#timer);
    this.#resolve?.(response);
    this.#resolve = undefined;
  }

  /** The answer is not there at once: a stream can show signs of life, a JSON body cannot. */
  delay(): void {
    const { keepAliveMs, onSlow } = this.#options;
    if (this.#resolve === undefined) return;
    this.#timer = setTimeout(() => {
      onSlow?.();
      this.#timer = setTimeout(() => this.openStream(), Math.max(keepAliveMs - WATCH_MS, 0));
    }, Math.min(WATCH_MS, keepAliveMs));
  }
}
