/**
 * Streamable HTTP as it was up to 2025-11-25: sessions with an id, a GET for news, streams that can be resumed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management Sessions}
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { RpcResponse } from "../../jsonrpc/message.ts";
import { HeaderName } from "../../protocol/headers.ts";
import { Method } from "../../protocol/methods.ts";
import { findRevision } from "../../protocol/revisions.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { handleLifecycleRequest } from "../../server/initialize.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import type { HttpContext, LegacyHttpHandler, LegacyPost } from "./endpoint.ts";
import { errorResponse, shuttingDownResponse, transportErrorResponse } from "./http_responses.ts";
import { respond } from "./response.ts";
import { HttpSession, type HttpSessionOptions } from "./session.ts";

/** How sessions are kept. */
export interface SessionsOptions extends Partial<HttpSessionOptions> {
  /** How many sessions there may be. A new one takes the place of the one that has been idle longest. Default 1000. */
  readonly maxSessions?: number;
  /** How many of those one principal may have, where they are known: a part from 0 to 1, at least one. Default a quarter. */
  readonly maxSharePerPrincipal?: number;
  /** How long a session may be idle, in milliseconds. Default 30 minutes. */
  readonly idleTimeoutMs?: number;
  /** The time, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

interface SessionEntry {
  readonly session: HttpSession;
  readonly usedAt: number;
}

/** Serves the handshake era over HTTP, in sessions. */
export class HttpSessions implements LegacyHttpHandler {
  readonly #server: ServerCore;
  readonly #limits: HttpSessionOptions;
  readonly #maxSessions: number;
  readonly #maxPerPrincipal: number;
  readonly #idleTimeoutMs: number;
  readonly #now: () => number;
  /** By id, the one that has been idle longest first. */
  readonly #sessions = new Map<string, SessionEntry>();
  #isClosed = false;

  /** Creates an empty set of sessions with a server. */
  constructor(server: ServerCore, options: SessionsOptions = {}) {
    const {
      maxSessions = 1000,
      maxSharePerPrincipal = 0.25,
      idleTimeoutMs = 1_800_000,
      now = Date.now,
    } = options;
    this.#server = server;
    this.#maxSessions = maxSessions;
    this.#maxPerPrincipal = Math.max(Math.floor(maxSessions * maxSharePerPrincipal), 1);
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#now = now;
    this.#limits = {
      maxEvents: options.maxEvents ?? 1000,
      maxStreams: options.maxStreams ?? 100,
      maxConcurrent: options.maxConcurrent ?? 100,
      retryMs: options.retryMs ?? 1000,
      keepAliveMs: options.keepAliveMs ?? 15_000,
      inputTimeoutMs: options.inputTimeoutMs ?? 600_000,
      maxResourceSubscriptions: options.maxResourceSubscriptions ?? 1000,
    };
  }

  /** Answers a POST. */
  async post(post: LegacyPost): Promise<HttpResponse> {
    const { frame, request, context } = post;
    if (frame.kind === "request" && frame.message.method === Method.Initialize) {
      const lifecycle = handleLifecycleRequest(frame.message, this.#server.describe());
      // One that fails takes nobody's place, and its answer waits for no session that ends.
      return lifecycle !== undefined && lifecycle.client === undefined
        ? await this.#respond(lifecycle.response, post)
        : await this.#open(post);
    }
    const session = this.#find(request, context.principal?.subject);
    return session instanceof HttpSession ? await session.post(post) : session;
  }

  /** Answers a GET: news, or the rest of a stream that broke off. */
  get(request: HttpRequest, { principal }: HttpContext): HttpResponse {
    const session = this.#find(request, principal?.subject);
    if (!(session instanceof HttpSession)) return session;
    return session.get(request.headers.get(HeaderName.LastEventId));
  }

  /** Answers a DELETE: the end of a session. */
  delete(request: HttpRequest, { principal }: HttpContext): HttpResponse {
    const session = this.#find(request, principal?.subject);
    if (!(session instanceof HttpSession)) return session;
    this.#end(request.headers.get(HeaderName.SessionId) ?? "", session);
    return { status: 204, headers: {}, body: null };
  }

  /** Ends all sessions. */
  close(): void {
    this.#isClosed = true;
    for (const [id, { session }] of this.#sessions) this.#end(id, session);
  }

  #respond(response: RpcResponse, { accepted }: LegacyPost): Promise<HttpResponse> {
    const { keepAliveMs } = this.#limits;
    return respond(() => Promise.resolve(response), { accepted, keepAliveMs, onCancel: () => {} });
  }

  async #open(post: LegacyPost): Promise<HttpResponse> {
    if (this.#isClosed) return shuttingDownResponse();
    this.#closeExpired();
    const { principal } = post.context;
    if (!this.#makeCapacity(principal?.subject)) {
      return transportErrorResponse(503, "Too many sessions", { "retry-after": "60" });
    }
    const id = crypto.randomUUID();
    const onIdle = (): void => this.#touch(id);
    const session = new HttpSession(this.#server, principal, { ...this.#limits, onIdle });
    this.#sessions.set(id, { session, usedAt: this.#now() });
    const response = await session.post(post);
    if (session.isOpen) {
      return { ...response, headers: { ...response.headers, [HeaderName.SessionId]: id } };
    }
    this.#end(id, session);
    return response;
  }

  /** The session that a request names, or why there is none. */
  #find(request: HttpRequest, subject: string | undefined): HttpSession | HttpResponse {
    const version = request.headers.get(HeaderName.ProtocolVersion);
    if (version !== null && findRevision(version)?.era !== "legacy") {
      return transportErrorResponse(400, `Unsupported protocol version: "${version}"`);
    }
    const id = request.headers.get(HeaderName.SessionId);
    if (id === null) return transportErrorResponse(400, "Missing Mcp-Session-Id header");
    this.#closeExpired();
    const entry = this.#sessions.get(id);
    if (entry === undefined || entry.session.subject !== subject) {
      return errorResponse(404, {
        code: RpcErrorCode.SessionNotFound,
        message: "Session not found",
      });
    }
    this.#touch(id);
    return entry.session;
  }

  /** A session has been used until now. */
  #touch(id: string): void {
    const entry = this.#sessions.get(id);
    if (entry === undefined) return;
    this.#sessions.delete(id);
    this.#sessions.set(id, { ...entry, usedAt: this.#now() });
  }

  /** Ends the sessions that have been idle for too long. */
  #closeExpired(): void {
    const oldest = this.#now() - this.#idleTimeoutMs;
    for (const [id, { session, usedAt }] of this.#sessions) {
      if (usedAt > oldest) return;
      if (!session.isBusy) this.#end(id, session);
    }
  }

  /** Makes room for one more session. Who has had a share makes room among those alone. */
  #makeCapacity(subject: string | undefined): boolean {
    const all = [...this.#sessions];
    const own = subject === undefined
      ? []
      : all.filter(([, { session }]) => session.subject === subject);
    const isOver = own.length >= this.#maxPerPrincipal;
    if (!isOver && all.length < this.#maxSessions) return true;
    const idle = (isOver ? own : all).find(([, { session }]) => !session.isBusy);
    if (idle !== undefined) this.#end(idle[0], idle[1].session);
    return idle !== undefined;
  }

  #end(id: string, session: HttpSession): void {
    this.#sessions.delete(id);
    session.close();
  }
}
