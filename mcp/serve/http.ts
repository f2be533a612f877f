/**
 * Streamable HTTP: a function from Request to Response. The stateless era is served here; the handshake era is handed on.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 * @module
 */

import { RpcErrorCode } from "../rpc/codes.ts";
import { isResponse, type McpErrorObject, type RpcRequest } from "../rpc/message.ts";
import { formatEvent } from "../stream/sse_encode.ts";
import { type Frame, readFrame } from "../rpc/parse.ts";
import { claimEra } from "../protocol/era.ts";
import { checkHeaders, checkParameterHeaders, checkVersion } from "../protocol/headers.ts";
import { Method } from "../protocol/methods.ts";
import type { Peer } from "../protocol/peer.ts";
import type { Call, Principal } from "../server/call.ts";
import type { ServerCore, ServerMessage } from "../server/core.ts";
import { dressStateless } from "../server/dress.ts";
import { type Accepted, readAccept, stringify, toResponse } from "./body.ts";
import {
  checkSource,
  corsHeaders,
  type GuardOptions,
  preflight,
  readBody,
  refuse,
  refuseTransport,
} from "./guard.ts";

/** How HTTP is served. */
export interface HttpOptions extends GuardOptions {
  /** How long a response may be silent before a sign of life is sent, in milliseconds. Default 15 000. */
  readonly keepAliveMs?: number;
}

/** What is known of a request beside itself. */
export interface HttpContext {
  /** Who it was authenticated as. */
  readonly principal?: Principal;
  /** What `Deno.serve` tells of the connection; not used. */
  readonly remoteAddr?: unknown;
}

/** A request of the handshake era whose body has been read. */
export interface HandshakePost {
  /** The request, without its body. */
  readonly request: Request;
  /** What was in the body. */
  readonly frame: Frame;
  /** What the client can read. */
  readonly accepted: Accepted;
  /** What else is known. */
  readonly context: HttpContext;
}

/** Serves the handshake era over HTTP. */
export interface HandshakeHttp {
  /** Answers a POST. */
  post(post: HandshakePost): Promise<Response>;
  /** Answers a GET: news, or the rest of a stream that broke off. */
  get(request: Request, context: HttpContext): Promise<Response>;
  /** Answers a DELETE: the end of a session. */
  delete(request: Request, context: HttpContext): Promise<Response>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/** A handler for `Deno.serve`, `export default { fetch }`, Hono, Bun and workers. */
export interface HttpHandler {
  /** Answers a request. */
  (request: Request, context?: HttpContext): Promise<Response>;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/** The default of `keepAliveMs`. */
export const KEEP_ALIVE_MS = 15_000;

/** Makes the handler of a server. `loadHandshake` is called for the first client that needs it. */
export function httpHandler(
  server: ServerCore,
  loadHandshake: () => Promise<HandshakeHttp>,
  options: HttpOptions = {},
): HttpHandler {
  const endpoint = new HttpEndpoint(server, loadHandshake, options);
  const handle = async (request: Request, context: HttpContext = {}): Promise<Response> => {
    const refused = checkSource(request, options);
    if (refused !== undefined) return refused;
    const response = await endpoint.handle(request, context);
    for (const [name, value] of Object.entries(corsHeaders(request, options))) {
      response.headers.set(name, value);
    }
    return response;
  };
  return Object.assign(handle, { close: () => endpoint.close() });
}

class HttpEndpoint {
  readonly #server: ServerCore;
  readonly #loadHandshake: () => Promise<HandshakeHttp>;
  readonly #options: HttpOptions;
  readonly #running = new Set<AbortController>();
  #handshake: Promise<HandshakeHttp> | undefined;
  #isClosed = false;

  constructor(
    server: ServerCore,
    loadHandshake: () => Promise<HandshakeHttp>,
    options: HttpOptions,
  ) {
    this.#server = server;
    this.#loadHandshake = loadHandshake;
    this.#options = options;
  }

  async handle(request: Request, context: HttpContext): Promise<Response> {
    if (this.#isClosed) return refuseTransport(503, "The server is shutting down");
    switch (request.method) {
      case "POST":
        return await this.#post(request, context);
      case "GET":
        return await (await this.#load()).get(request, context);
      case "DELETE":
        return await (await this.#load()).delete(request, context);
      case "OPTIONS":
        return preflight(request, this.#options);
      default:
        return refuseTransport(405, "Method not allowed", { allow: "POST, GET, DELETE" });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new DOMException("The server is shutting down", "AbortError");
    for (const controller of this.#running) controller.abort(reason);
    await (await this.#handshake)?.close();
  }

  async #post(request: Request, context: HttpContext): Promise<Response> {
    const accepted = readAccept(request.headers.get("accept"));
    if (!accepted.json && !accepted.stream) {
      return refuseTransport(406, "Not acceptable: application/json or text/event-stream is sent");
    }
    const text = await readBody(request, this.#options);
    if (text instanceof Response) return text;
    const frame = readFrame(text);
    if (frame.kind === "invalid") {
      return refuse(400, { code: frame.code, message: frame.reason }, frame.id);
    }
    if (frame.kind === "request" || frame.kind === "notification") {
      const claim = claimEra(frame.message, request.headers);
      if (claim.era === "unclear") {
        const id = "id" in frame.message ? frame.message.id : null;
        return refuse(400, checkVersion(request.headers, frame.message) ?? claim.error, id);
      }
      if (claim.era === "stateless") {
        return frame.kind === "notification"
          ? new Response(null, { status: 202 })
          : await this.#answer(frame.message, claim.peer, { request, accepted, context });
      }
    }
    return await (await this.#load()).post({ request, frame, accepted, context });
  }

  async #answer(
    message: RpcRequest,
    peer: Peer,
    { request, accepted, context }: Omit<HandshakePost, "frame">,
  ): Promise<Response> {
    const wrong = this.#checkHeaders(request.headers, message);
    if (wrong !== undefined) return refuse(400, wrong, message.id);
    const controller = new AbortController();
    const { signal } = controller;
    const { principal } = context;
    const call = principal === undefined ? { peer, signal } : { peer, signal, principal };
    const abort = (): void =>
      controller.abort(new DOMException("The client is gone", "AbortError"));
    this.#running.add(controller);
    const end = (): void => void this.#running.delete(controller);
    try {
      return await toResponse(this.#dressed(message, call, end), {
        accepted,
        bodyOf: (each) => isResponse(each) ? stringify(each) : undefined,
        statusOf,
        format: (each) => formatEvent({ data: stringify(each) }),
        keepAliveMs: this.#options.keepAliveMs ?? KEEP_ALIVE_MS,
        abandon: abort,
        // Not before: on Deno, looking at the signal is slow and prints a warning.
        slow: () => {
          if (request.signal.aborted) return abort();
          request.signal.addEventListener("abort", abort, { once: true, signal });
        },
      });
    } catch {
      // Aborted before the first message: nobody reads this, or the server is shutting down.
      return refuseTransport(503, "The request was cancelled");
    }
  }

  async *#dressed(
    message: RpcRequest,
    call: Call,
    end: () => void,
  ): AsyncGenerator<ServerMessage> {
    try {
      for await (const each of this.#server.exchange(message, call)) {
        yield dressStateless(each, message.method, this.#server.identity);
      }
    } finally {
      end();
    }
  }

  #checkHeaders(headers: Headers, message: RpcRequest): McpErrorObject | undefined {
    const wrong = checkHeaders(headers, message, this.#server.nameKeys);
    const name = message.params?.name;
    if (wrong !== undefined || message.method !== Method.CallTool || typeof name !== "string") {
      return wrong;
    }
    const parameters = this.#server.toolEdge(name)?.parameterHeaders ?? [];
    return checkParameterHeaders(headers, message.params?.arguments, parameters);
  }

  #load(): Promise<HandshakeHttp> {
    return this.#handshake ??= this.#loadHandshake();
  }
}

/** The errors that have a status of their own. What a handler says stays 200: the exchange itself went well. */
function statusOf(response: ServerMessage): number {
  if (!("error" in response)) return 200;
  switch (response.error.code) {
    case RpcErrorCode.MethodNotFound:
      return 404;
    case RpcErrorCode.HeaderMismatch:
    case RpcErrorCode.MissingClientCapability:
    case RpcErrorCode.UnsupportedVersion:
      return 400;
    default:
      return 200;
  }
}
