/**
 * Streamable HTTP for legacy protocol versions (2025-11-25 and earlier), with sessions, the GET
 * stream and stream resumption.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management Sessions}
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertFunction, assertObject, assertShare } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { Quota } from "@parley/internal/quota";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { RpcResponse } from "../../jsonrpc/message.ts";
import { HeaderName } from "../../protocol/headers.ts";
import { Method } from "../../protocol/methods.ts";
import { findRevision } from "../../protocol/revisions.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { handleLifecycleRequest } from "../../server/initialize.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { SESSION_RULES } from "../session_contract.ts";
import type { HttpContext, LegacyHttpHandler, LegacyPost } from "./endpoint.ts";
import { errorResponse, transportErrorResponse } from "./http_responses.ts";
import { toHttpResponse } from "./response.ts";
import { HttpSession, type HttpSessionOptions } from "./http_session.ts";
import {
  createSessionId,
  readSessionRoute,
  type RouteSettings,
  type SessionRoute,
} from "./session_route.ts";
import { SharedStorage } from "./memory_budget.ts";

/** Options for the sessions of legacy clients. */
export interface SessionsOptions extends Partial<HttpSessionOptions> {
  /**
   * Maximum number of sessions. When `maxSessions` is reached, a new session replaces the oldest
   * session without a request after `initialize`, or else the session that has been idle the
   * longest. If all sessions are in use, `initialize` is rejected with HTTP 503.
   *
   * @default {1000}
   */
  readonly maxSessions?: number;
  /**
   * Maximum number of in-flight requests in all sessions. Requests beyond `maxTotalConcurrent` are
   * rejected with HTTP 429. A request remains in flight after its client has disconnected.
   *
   * @default {2000}
   */
  readonly maxTotalConcurrent?: number;
  /**
   * Maximum share of `maxSessions`, `maxTotalConcurrent` and `maxTotalChars` per authenticated
   * principal, greater than 0 and at most 1. Each principal's limit is never less than one session
   * and one request. The limit does not apply to requests without a principal.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Timeout for idle sessions, in milliseconds.
   *
   * @default {1_800_000}
   */
  readonly idleTimeoutMs?: number;
  /**
   * Maximum number of characters (UTF-16 code units) that a session stores: events and responses
   * for resumption, and resource subscriptions. Each event and URI counts as its length plus 128
   * characters. When `maxChars` is reached, the oldest events of the session are discarded.
   * Subscriptions and responses that alone exceed `maxChars` receive error -32603.
   *
   * @default {16_777_216}
   */
  readonly maxChars?: number;
  /**
   * Maximum number of characters that all sessions store, at least twice `maxChars`. When
   * `maxTotalChars` is reached, the oldest events of the session with the most event characters are
   * discarded. Subscriptions use at most half of `maxTotalChars`. Subscriptions beyond that half
   * receive error -32603.
   *
   * @default {67_108_864}
   */
  readonly maxTotalChars?: number;
  /**
   * Forwards each request to the process that holds its session, for load balancers that do not
   * send all requests of a session to the same process. If omitted, requests for sessions of other
   * processes receive HTTP 404.
   */
  readonly route?: SessionRoute;
  /**
   * Returns the current time, in milliseconds since the epoch. While the result is not a finite
   * number, requests receive HTTP 500, and no session ends. If omitted, `Date.now` is used.
   */
  readonly now?: () => number;
}

/** Options of sessions that have a default. */
type SessionsDefault = Exclude<keyof SessionsOptions, "keepAliveMs" | "route">;

/** Options of sessions after reading. */
export interface SessionsSettings
  extends Omit<Settings<SessionsOptions, SessionsDefault>, "keepAliveMs" | "route"> {
  readonly keepAliveMs: number;
  readonly route: RouteSettings | undefined;
}

const readOptions = optionsReader<SessionsOptions>("sessions")({
  ...SESSION_RULES,
  maxEvents: withDefault(1000, int32From(1)),
  maxStreams: withDefault(100, int32From(0)),
  maxConcurrent: withDefault(100, int32From(1)),
  retryMs: withDefault(1000, int32From(0)),
  keepAliveMs: int32From(1),
  readTimeoutMs: withDefault(30_000, int32From(1)),
  maxSessions: withDefault(1000, int32From(1)),
  maxTotalConcurrent: withDefault(2000, int32From(1)),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
  idleTimeoutMs: withDefault(1_800_000, int32From(1)),
  maxChars: withDefault(16 * 1024 * 1024, int32From(1)),
  maxTotalChars: withDefault(64 * 1024 * 1024, int32From(1)),
  route: assertObject,
  now: withDefault(() => Date.now(), assertFunction),
});

/**
 * Reads the options of sessions.
 *
 * @param options Options, as passed to `mcpHandler`.
 * @param http Options of the endpoint, whose `keepAliveMs` is the default.
 */
export function readSessions(
  options: SessionsOptions,
  http: { readonly keepAliveMs: number },
): SessionsSettings {
  const { keepAliveMs = http.keepAliveMs, route, ...settings } = readOptions(options);
  return { ...settings, keepAliveMs, route: route && readSessionRoute(route) };
}

interface SessionEntry {
  readonly session: HttpSession;
  readonly usedAt: number;
}

/** Serves legacy clients over HTTP, with sessions. */
export class HttpSessionStore implements LegacyHttpHandler {
  readonly #server: ServerCore;
  readonly #limits: HttpSessionOptions;
  readonly #storage: SharedStorage;
  readonly #maxSessions: number;
  readonly #maxPerPrincipal: number;
  readonly #inFlight: Quota;
  readonly #idleTimeoutMs: number;
  readonly #replica: string | undefined;
  readonly #now: () => number;
  /** Sessions, keyed by id, with the least recently used session first. */
  readonly #sessions = new Map<string, SessionEntry>();

  /**
   * Creates an empty session store.
   *
   * @throws {RangeError} If `maxTotalChars` is less than twice `maxChars`.
   */
  constructor(server: ServerCore, settings: SessionsSettings) {
    const { maxSessions, maxSharePerPrincipal, idleTimeoutMs, now, route } = settings;
    this.#server = server;
    this.#maxSessions = maxSessions;
    this.#maxPerPrincipal = Math.max(Math.floor(maxSessions * maxSharePerPrincipal), 1);
    this.#inFlight = new Quota(settings.maxTotalConcurrent, maxSharePerPrincipal);
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#now = now;
    this.#replica = route?.replica;
    this.#limits = settings;
    this.#storage = new SharedStorage(settings);
  }

  /** Handles a POST request. */
  async post(post: LegacyPost): Promise<HttpResponse> {
    const { frame, request, context } = post;
    if (frame.kind === "request" && frame.message.method === Method.Initialize) {
      // Validate the `initialize` request without side effects before a session is evicted, because
      // a failed request must not evict a session. The new session then handles the validated
      // request.
      const lifecycle = handleLifecycleRequest(frame.message, this.#server.describe());
      return lifecycle !== undefined && lifecycle.client === undefined
        ? this.#respond(lifecycle.response, post)
        : await this.#open(post);
    }
    const session = this.#find(request, context.principal?.subject);
    return session instanceof HttpSession ? await session.post(post) : session;
  }

  /**
   * Handles a GET request, which opens the stream for server messages or resumes an interrupted
   * stream.
   */
  get(request: HttpRequest, { principal }: HttpContext): HttpResponse {
    const session = this.#find(request, principal?.subject);
    if (!(session instanceof HttpSession)) return session;
    return session.get(request.headers.get(HeaderName.LastEventId));
  }

  /** Handles a DELETE request, which ends the session. */
  delete(request: HttpRequest, { principal }: HttpContext): HttpResponse {
    const session = this.#find(request, principal?.subject);
    if (!(session instanceof HttpSession)) return session;
    this.#end(request.headers.get(HeaderName.SessionId) ?? "", session);
    return { status: 204, headers: {}, body: null };
  }

  /** Ends all sessions. */
  close(): void {
    for (const [id, { session }] of this.#sessions) this.#end(id, session);
  }

  #respond(response: RpcResponse, { accepted }: LegacyPost): HttpResponse {
    return toHttpResponse(response, { accepted, keepAliveMs: this.#limits.keepAliveMs });
  }

  async #open(post: LegacyPost): Promise<HttpResponse> {
    const usedAt = askClock(this.#now);
    this.#closeExpired(usedAt);
    const { principal } = post.context;
    if (!this.#makeCapacity(principal?.subject)) {
      return transportErrorResponse(503, "Too many sessions", { "retry-after": "60" });
    }
    const id = createSessionId(this.#replica);
    const onUseEnd = (): void => this.#endUse(id);
    const storage = this.#storage.open(principal?.subject);
    const session = new HttpSession(this.#server, principal, {
      ...this.#limits,
      onUseEnd,
      storage,
      allInFlight: this.#inFlight,
    });
    this.#sessions.set(id, { session, usedAt });
    const response = await session.post(post);
    return { ...response, headers: { ...response.headers, [HeaderName.SessionId]: id } };
  }

  /**
   * Returns the session for a request, or an error response if the session id is missing or
   * unknown.
   */
  #find(request: HttpRequest, subject: string | undefined): HttpSession | HttpResponse {
    const version = request.headers.get(HeaderName.ProtocolVersion);
    if (version !== null && findRevision(version)?.era !== "legacy") {
      return transportErrorResponse(400, `Unsupported protocol version: "${version}"`);
    }
    const id = request.headers.get(HeaderName.SessionId);
    if (id === null) return transportErrorResponse(400, "Missing Mcp-Session-Id header");
    const nowMs = askClock(this.#now);
    this.#closeExpired(nowMs);
    const entry = this.#sessions.get(id);
    if (entry === undefined || entry.session.subject !== subject) {
      return errorResponse(404, {
        code: RpcErrorCode.SessionNotFound,
        message: this.#replica === undefined
          ? 'Session not found: it has ended, or another server process without "sessions.route" holds it'
          : "Session not found",
      });
    }
    this.#markUsed(id, nowMs);
    return entry.session;
  }

  /** Marks a session as the most recently used session. */
  #markUsed(id: string, usedAt: number): void {
    const entry = this.#sessions.get(id);
    if (entry === undefined) return;
    this.#sessions.delete(id);
    this.#sessions.set(id, { ...entry, usedAt });
  }

  /**
   * Starts the idle timeout of a session. With an invalid clock, the timeout has started with the
   * last request.
   */
  #endUse(id: string): void {
    try {
      this.#markUsed(id, askClock(this.#now));
    } catch (error) {
      // No caller waits for the end of a stream.
      this.#server.report(error);
    }
  }

  /** Ends the sessions whose idle timeout has expired. */
  #closeExpired(nowMs: number): void {
    const oldest = nowMs - this.#idleTimeoutMs;
    for (const [id, { session, usedAt }] of this.#sessions) {
      if (usedAt > oldest) return;
      if (!session.isBusy) this.#end(id, session);
    }
  }

  /**
   * Ends a session if the limit on sessions is reached. A principal at its own limit can replace
   * only its own sessions. Returns `true` if a new session may be opened.
   */
  #makeCapacity(subject: string | undefined): boolean {
    const all = [...this.#sessions];
    const own = subject === undefined
      ? []
      : all.filter(([, { session }]) => session.subject === subject);
    const isOver = own.length >= this.#maxPerPrincipal;
    if (!isOver && all.length < this.#maxSessions) return true;
    const replaced = findReplaceable(isOver ? own : all);
    if (replaced !== undefined) this.#end(replaced[0], replaced[1].session);
    return replaced !== undefined;
  }

  #end(id: string, session: HttpSession): void {
    this.#sessions.delete(id);
    session.close();
  }
}

/**
 * Returns the session to replace, among sessions ordered from the least to the most recently used.
 * A session that has received no request after `initialize` is replaced first, even if it has an
 * open GET stream. A client therefore cannot end sessions in use by opening many sessions, and
 * cannot keep unused sessions alive by opening streams.
 */
function findReplaceable(
  sessions: readonly (readonly [string, SessionEntry])[],
): readonly [string, SessionEntry] | undefined {
  return sessions.find(([, { session }]) => !session.isUsed && !session.isBusy) ??
    sessions.find(([, { session }]) => !session.isUsed && !session.isWorking) ??
    sessions.find(([, { session }]) => !session.isBusy);
}
