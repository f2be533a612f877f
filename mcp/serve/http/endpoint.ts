/**
 * Streamable HTTP endpoint that handles modern requests and forwards legacy requests to a
 * `LegacyHttpHandler`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 * @module
 */

import type { McpErrorObject, RpcRequest } from "../../jsonrpc/message.ts";
import { type Frame, readFrame } from "../../jsonrpc/read_frame.ts";
import { detectRequestEra } from "../../protocol/request_era.ts";
import {
  checkHeaders,
  checkParameterHeaders,
  checkPresentHeaders,
  checkVersion,
  HeaderName,
  type ParameterHeader,
} from "../../protocol/headers.ts";
import { Method } from "../../protocol/methods.ts";
import type { ClientDescription } from "../../protocol/client_description.ts";
import type { ExchangeContext, Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { INTERNAL_ERROR } from "../../server/dispatch.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { assertPrincipal } from "../../shared/principal.ts";
import {
  checkHostAndOrigin,
  corsHeaders,
  type GuardSettings,
  type HttpGuardOptions,
  preflight,
} from "./guard.ts";
import type { RequestBodies } from "./request_bodies.ts";
import {
  ACCEPTED,
  errorResponse,
  shuttingDownResponse,
  transportErrorResponse,
} from "./http_responses.ts";
import { type ExchangeHost, HttpExchange, SLOW_MS } from "./exchange.ts";
import { type Accepted, readAccept } from "./response.ts";
import type { SessionForwarder } from "./session_route.ts";
import { ScopeCheck } from "./scope_check.ts";
import { WaitingRequests } from "./waiting_requests.ts";

/** Options for a Streamable HTTP endpoint. */
export interface HttpOptions extends HttpGuardOptions {
  /**
   * Idle time of a stream before a keep-alive comment is sent, in milliseconds.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
}

/** Options of an endpoint after reading. */
export interface HttpSettings extends GuardSettings {
  /** The bodies that are being received. */
  readonly bodies: RequestBodies;
  /** Idle time of a stream before a keep-alive comment is sent, in milliseconds. */
  readonly keepAliveMs: number;
}

/** Information about a request that the HTTP message does not contain. */
export interface HttpContext {
  /**
   * Authenticated principal that sent the request. `undefined` means that the request is not
   * authenticated; if the member is absent from the context of a call to a tool with `scopes`, the
   * handler reports an error once. Any other value that is not a principal, such as a promise or an
   * object whose `scopes` is a string, is reported, and the request receives HTTP 500.
   */
  readonly principal?: Principal | undefined;
  /** Remote address that `Deno.serve` passes to its handler, and that the endpoint ignores. */
  readonly remoteAddr?: unknown;
}

/** A POST request from a legacy client. */
export interface LegacyPost {
  /** HTTP request, whose body has already been read. */
  readonly request: HttpRequest;
  /** Parsed request body. */
  readonly frame: Frame;
  /** Response formats that the client accepts. */
  readonly accepted: Accepted;
  /** Request context, such as the principal. */
  readonly context: HttpContext;
}

/** Serves legacy clients over HTTP. */
export interface LegacyHttpHandler {
  /** Handles a POST request. */
  post(post: LegacyPost): Promise<HttpResponse>;
  /**
   * Handles a GET request, which opens the stream for server messages or resumes an interrupted
   * stream.
   */
  get(request: HttpRequest, context: HttpContext): HttpResponse;
  /** Handles a DELETE request, which ends the session. */
  delete(request: HttpRequest, context: HttpContext): HttpResponse;
  /** Ends all sessions and aborts their requests. */
  close(): void;
}

const BODY_USED = "the request body was already read, for example by middleware; " +
  "call the handler first, or pass it a request with an unread body";

/** An HTTP endpoint for an MCP server. */
export class ServerEndpoint {
  readonly #server: ServerCore;
  readonly #legacy: LegacyHttpHandler;
  readonly #options: HttpSettings;
  readonly #forwarder: SessionForwarder | undefined;
  readonly #scopes: ScopeCheck;
  readonly #waiting: WaitingRequests;
  readonly #host: ExchangeHost;

  /**
   * Creates an endpoint that passes legacy requests to `legacy`, or to other processes with
   * `forwarder`.
   */
  constructor(
    server: ServerCore,
    legacy: LegacyHttpHandler,
    options: HttpSettings,
    forwarder?: SessionForwarder,
  ) {
    this.#server = server;
    this.#legacy = legacy;
    this.#forwarder = forwarder;
    this.#options = options;
    this.#scopes = new ScopeCheck(server);
    const { keepAliveMs } = options;
    this.#waiting = new WaitingRequests(Math.min(SLOW_MS, keepAliveMs));
    this.#host = { era: "modern", server, keepAliveMs, waiting: this.#waiting };
  }

  /** Handles an HTTP request. Never rejects, even if reading the request or the context throws. */
  async respond(request: HttpRequest, context: HttpContext): Promise<HttpResponse> {
    try {
      const rejection = checkHostAndOrigin(request, this.#options);
      if (rejection !== undefined) return rejection;
      if (context.principal !== undefined) assertPrincipal("principal", context.principal);
      const response = await this.#respond(request, context);
      const cors = corsHeaders(request, this.#options);
      return cors === undefined
        ? response
        : { ...response, headers: { ...response.headers, ...cors } };
    } catch (error) {
      this.#server.report(error);
      return errorResponse(500, INTERNAL_ERROR);
    }
  }

  /** Ends all sessions and streams. */
  close(): void {
    this.#waiting.close();
    this.#forwarder?.close();
    this.#legacy.close();
  }

  #respond(request: HttpRequest, context: HttpContext): Promise<HttpResponse> | HttpResponse {
    if (this.#waiting.isClosed) return shuttingDownResponse();
    if (request.bodyUsed === true) {
      this.#server.report(new Error(`Cannot handle the request: ${BODY_USED}`));
      return transportErrorResponse(500, BODY_USED);
    }
    return this.#forwarder === undefined
      ? this.#route(request, context)
      : this.#forward(this.#forwarder, request, context);
  }

  async #forward(
    forwarder: SessionForwarder,
    request: HttpRequest,
    context: HttpContext,
  ): Promise<HttpResponse> {
    return await forwarder.forward(request) ?? await this.#route(request, context);
  }

  #route(request: HttpRequest, context: HttpContext): Promise<HttpResponse> | HttpResponse {
    switch (request.method) {
      case "POST":
        return this.#post(request, context);
      case "GET":
        return isPageRequest(request) ? NOT_A_PAGE : this.#legacy.get(request, context);
      case "DELETE":
        return this.#legacy.delete(request, context);
      case "OPTIONS":
        return preflight(request, this.#options);
      default:
        return transportErrorResponse(405, "Method not allowed", { allow: "POST, GET, DELETE" });
    }
  }

  async #post(request: HttpRequest, context: HttpContext): Promise<HttpResponse> {
    const accepted = readAccept(request.headers.get("accept"));
    if (!accepted.json && !accepted.stream) {
      return transportErrorResponse(
        406,
        "Not acceptable: Accept must include application/json or text/event-stream",
      );
    }
    const text = await this.#options.bodies.read(request);
    if (typeof text !== "string") return text;
    // The handler may have been closed while the body was being read.
    if (this.#waiting.isClosed) return shuttingDownResponse();
    const frame = readFrame(text);
    if (frame.kind === "invalid") {
      return errorResponse(400, { code: frame.code, message: frame.reason }, frame.id);
    }
    try {
      return await this.#handle(frame, { request, accepted, context });
    } catch (error) {
      this.#server.report(error);
      const id = frame.kind === "request" ? frame.message.id : null;
      return errorResponse(500, INTERNAL_ERROR, id);
    }
  }

  /**
   * Checks and handles a message. Throws if a function in the server's configuration throws during
   * the checks.
   */
  #handle(
    frame: LegacyPost["frame"],
    { request, accepted, context }: Omit<LegacyPost, "frame">,
  ): Promise<HttpResponse> | HttpResponse {
    const rejection = this.#scopes.check(frame, context);
    if (rejection !== undefined) return rejection;
    if (frame.kind === "request" || frame.kind === "notification") {
      const claim = detectRequestEra(frame.message, request.headers);
      if (claim.era === "unclear") {
        const id = "id" in frame.message ? frame.message.id : null;
        return errorResponse(400, checkVersion(request.headers, frame.message) ?? claim.error, id);
      }
      if (claim.era === "modern") {
        return frame.kind === "notification"
          ? ACCEPTED
          : this.#exchange(frame.message, claim.client, { request, accepted, context });
      }
    }
    const mismatch = this.#checkLegacyHeaders(request.headers, frame, context);
    if (mismatch !== undefined) {
      return errorResponse(400, mismatch, frame.kind === "request" ? frame.message.id : null);
    }
    return this.#legacy.post({ request, frame, accepted, context });
  }

  #exchange(
    message: RpcRequest,
    client: ClientDescription,
    { request, accepted, context }: Omit<LegacyPost, "frame">,
  ): Promise<HttpResponse> | HttpResponse {
    const { headers } = request;
    const checked = this.#parametersOf(message, context);
    const mismatch = checkHeaders(headers, message, this.#server.nameKeys) ??
      checkParameterHeaders(headers, message.params?.arguments, checked);
    if (mismatch !== undefined) return errorResponse(400, mismatch, message.id);
    const { principal } = context;
    const received = { request, message, accepted, client, principal, checked };
    return new HttpExchange(this.#host, received).respond();
  }

  /** Checks the headers of all legacy requests and notifications in a body. */
  #checkLegacyHeaders(
    headers: HttpRequest["headers"],
    frame: Frame,
    context: HttpContext,
  ): McpErrorObject | undefined {
    if (frame.kind === "batch") {
      for (const each of frame.frames) {
        const mismatch = this.#checkLegacyHeaders(headers, each, context);
        if (mismatch !== undefined) return mismatch;
      }
      return undefined;
    }
    if (frame.kind !== "request" && frame.kind !== "notification") return undefined;
    const { message } = frame;
    const present = this.#parametersOf(message, context)
      .filter(({ header }) => headers.get(header) !== null);
    return checkPresentHeaders(headers, message, this.#server.nameKeys) ??
      checkParameterHeaders(headers, message.params?.arguments, present);
  }

  /** Returns the arguments of a tool call that headers mirror. */
  #parametersOf(
    { method, params }: Pick<RpcRequest, "method" | "params">,
    { principal }: HttpContext,
  ): readonly ParameterHeader[] {
    const name = params?.name;
    if (method !== Method.CallTool || typeof name !== "string") return [];
    return this.#server.toolHttpInfo(name, principal)?.parameterHeaders ?? [];
  }
}

/**
 * Response to a browser, with the status that the specification requires for a GET request without
 * an event stream.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server Listening for messages}
 */
const NOT_A_PAGE = transportErrorResponse(
  405,
  "This is a Model Context Protocol (MCP) endpoint; connect to it with an MCP client instead of a browser",
  { allow: "POST, GET, DELETE" },
);

/** Returns `true` for a request that a browser sends to display a page. */
function isPageRequest({ headers }: HttpRequest): boolean {
  return headers.get("accept")?.includes("text/html") === true &&
    headers.get(HeaderName.SessionId) === null;
}

/**
 * Returns an object with the request's principal, to spread into an {@linkcode ExchangeContext}.
 */
export function principalOf({ principal }: HttpContext): Pick<ExchangeContext, "principal"> {
  return principal === undefined ? {} : { principal };
}
