/**
 * Exchange of a request and its response over HTTP, without a session.
 *
 * @module
 */

import type { Quota } from "@parley/internal/quota";
import type { McpErrorObject, RpcMessage, RpcRequest } from "../../jsonrpc/message.ts";
import type { ClientDescription } from "../../protocol/client_description.ts";
import type { ParameterHeader } from "../../protocol/headers.ts";
import { encodeLegacy, encodeModern } from "../../server/encode_response.ts";
import type { ExchangeContext, Principal } from "../../server/exchange_context.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
import type { ServerCore } from "../../server/server_core.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import { EventStream } from "./event_stream.ts";
import { jsonResponse, stringifyOrError, transportErrorResponse } from "./http_responses.ts";
import { type Accepted, statusOf } from "./response.ts";
import { checkToolHeaders } from "./tool_header_check.ts";
import type { Place, WaitingRequest, WaitingRequests } from "./waiting_requests.ts";

/** Time after which a request is slow, in milliseconds. */
export const SLOW_MS = 1000;

/** Properties that all exchanges of an endpoint share. */
export interface ExchangeHost {
  /** Protocol era of the clients. In legacy versions, a disconnected client cancels no request. */
  readonly era: "modern" | "legacy";
  /** Server that handles the requests. */
  readonly server: ServerCore;
  /**
   * Time to wait for the result before responding with a stream, and idle time before a keep-alive
   * comment, in milliseconds.
   */
  readonly keepAliveMs: number;
  /** Requests that wait for their handlers. */
  readonly waiting: WaitingRequests;
  /** Quota from which the request is released when it ends. */
  readonly quota?: Quota;
}

/** A request, and what is known about it. */
export interface ReceivedRequest {
  /** HTTP request. */
  readonly request: HttpRequest;
  /** Message in the body. */
  readonly message: RpcRequest;
  /** Response formats that the client accepts. */
  readonly accepted: Accepted;
  /** Client that sent the request. */
  readonly client: ClientDescription;
  /** Authenticated principal, if any. */
  readonly principal: Principal | undefined;
  /** Headers of the called tool that were already compared with the arguments. */
  readonly checked?: readonly ParameterHeader[];
}

/**
 * A request in flight. One object holds the state of the request, the context for the server, and
 * the choice of the response format, because the code of a server is cold when a request arrives:
 * eight closures and three promises more per request took 2 of 23 microseconds on Deno.
 */
export class HttpExchange implements ExchangeContext, WaitingRequest {
  readonly transport = "http";
  readonly client: ClientDescription;
  readonly principal: Principal | undefined;
  readonly signal: LazySignal;
  readonly #host: ExchangeHost;
  readonly #received: ReceivedRequest;
  #resolve: ((response: HttpResponse) => void) | undefined;
  #events: EventStream | undefined;
  #place: Place | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Listener for the end of the connection, `undefined` if nobody needs to know about it. */
  #onDisconnect: (() => void) | undefined;

  /** Creates an exchange for a request that has passed all checks. */
  constructor(host: ExchangeHost, received: ReceivedRequest) {
    this.#host = host;
    this.#received = received;
    this.client = received.client;
    this.principal = received.principal;
    this.signal = new LazySignal(() => this.#watch());
  }

  /** Handles the request. Resolves when the response format is chosen. */
  respond(): Promise<HttpResponse> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (!this.#received.accepted.json) this.#openStream();
      this.#run();
    });
  }

  // The members of the context are own properties, so that a program can copy the context.

  readonly emit = async (message: RpcMessage): Promise<boolean> => {
    this.#openStream();
    return await this.#events?.write(formatEvent({ data: stringifyOrError(message) })) ?? false;
  };

  readonly onDelay = (): void => {
    this.#place ??= this.#host.waiting.add(this);
  };

  readonly checkToolHeaders = (
    parameters: readonly ParameterHeader[],
  ): McpErrorObject | undefined => {
    const { request: { headers }, message, checked } = this.#received;
    // Reading all headers takes a microsecond on Deno, and the tool is rarely replaced.
    if (parameters === checked) return undefined;
    const required = this.#host.era === "modern" ? "all" : "present";
    return checkToolHeaders(headers, message, { parameters, required });
  };

  /** Watches for a disconnected client, and opens a stream before the client gives up. */
  onSlow(): void {
    this.#watch();
    const leftMs = Math.max(this.#host.keepAliveMs - SLOW_MS, 0);
    if (this.#resolve !== undefined) this.#timer = setTimeout(() => this.#openStream(), leftMs);
  }

  /** Aborts the request. */
  abort(reason: unknown): void {
    this.signal.abort(reason);
  }

  async #run(): Promise<void> {
    const { era, server } = this.#host;
    const { message } = this.#received;
    try {
      const response = await server.exchange(message, this);
      const encoded = era === "modern"
        ? encodeModern(response, message.method, server.identity)
        : encodeLegacy(response);
      this.#end();
      if (this.#events !== undefined) this.emit(encoded);
      else this.#settle(jsonResponse(statusOf(encoded), stringifyOrError(encoded)));
    } catch {
      // The request was aborted: the client disconnected, or the server is shutting down.
      this.#end();
      this.#settle(transportErrorResponse(503, "The request was cancelled"));
    }
    this.#events?.end();
  }

  /** Releases everything that the request holds. */
  #end(): void {
    const { waiting, quota } = this.#host;
    if (this.#place !== undefined) waiting.remove(this.#place);
    quota?.take(-1, this.principal?.subject);
    // On Deno, the request signal is also aborted after a successful response.
    if (this.#onDisconnect === undefined) return;
    this.#received.request.signal.removeEventListener("abort", this.#onDisconnect);
  }

  /** Sends a response if no format is chosen yet. */
  #settle(response: HttpResponse): void {
    clearTimeout(this.#timer);
    this.#resolve?.(response);
    this.#resolve = undefined;
  }

  /** Responds with an SSE stream if no format is chosen yet and the client accepts streams. */
  #openStream(): void {
    if (this.#resolve === undefined || !this.#received.accepted.stream) return;
    const { keepAliveMs } = this.#host;
    this.#events = new EventStream({ keepAliveMs, onCancel: () => this.#cancel() });
    this.#settle(this.#events.response);
  }

  /**
   * Aborts the request when its client disconnects. `request.signal` is read only for handlers that
   * read `context.signal` and for slow requests, because the first access on Deno is slow and
   * prints a warning.
   */
  #watch(): void {
    if (this.#onDisconnect !== undefined || this.#host.era === "legacy") return;
    this.#onDisconnect = () => this.#cancel();
    const { signal } = this.#received.request;
    if (signal.aborted) return this.#cancel();
    signal.addEventListener("abort", this.#onDisconnect, { once: true });
  }

  #cancel(): void {
    if (this.#host.era === "legacy") return;
    this.signal.abort(new DOMException("The client disconnected", "AbortError"));
  }
}
