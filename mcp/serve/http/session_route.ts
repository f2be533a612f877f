/**
 * Forwards requests in legacy sessions to the server process that holds the session, for load
 * balancers that send each request to an arbitrary process.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { assertFunction, assertRecord } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { int32From } from "@parley/internal/option-checks";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import { HeaderName } from "../../protocol/headers.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { errorResponse, shuttingDownResponse, transportErrorResponse } from "./http_responses.ts";
import type { RequestBodies } from "./request_bodies.ts";

/** Options for forwarding requests to the process that holds their session. */
export interface SessionRoute {
  /**
   * Name of this process, at most 64 characters of `[A-Za-z0-9_-]`. The ids of sessions in this
   * process start with `replica`. Each process must have a unique name.
   */
  readonly replica: string;
  /**
   * MCP endpoint URLs of all processes, keyed by process name. Requests are forwarded only to URLs
   * in `replicas`: a session id contains the name of a process, never a URL. The processes must
   * accept the host names of the URLs (`allowedHosts`). The URL of this process is ignored.
   */
  readonly replicas: Readonly<Record<string, string>>;
  /**
   * Timeout for another process to start its response, in milliseconds. If the client does not
   * accept event streams, the response starts only when the request has finished.
   *
   * @default {600_000}
   */
  readonly timeoutMs?: number;
  /** Function that sends the requests. If omitted, the built-in `fetch` is used. */
  readonly fetch?: typeof fetch;
}

/**
 * Characters allowed in a name. A period is not allowed, because it separates the name from the
 * rest of a session id.
 */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Header in forwarded requests that contains the name of the forwarding process. */
const FORWARDED_BY = "mcp-forwarded-by";

/** Timeout for a previously unreachable process to respond to a no-op request, in milliseconds. */
const PROBE_TIMEOUT_MS = 5000;

/**
 * Headers that belong to one connection (RFC 9110, section 7.6.1), that `fetch` sets, or that
 * belong to the load balancer.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Options for forwarding after reading. */
export type RouteSettings = Settings<SessionRoute, "timeoutMs">;

/**
 * Reads the options for forwarding.
 *
 * @throws {TypeError} If a name or a URL is invalid.
 * @throws {RangeError} If `timeoutMs` is not a positive integer.
 */
export const readSessionRoute: OptionsReader<SessionRoute, "timeoutMs"> = optionsReader<
  SessionRoute
>("sessions.route")({
  replica: required(assertName),
  replicas: required(assertReplicas),
  timeoutMs: withDefault(600_000, int32From(1)),
  fetch: assertFunction,
});

function assertReplicas(label: string, replicas: unknown): void {
  assertRecord(label, replicas);
  for (const [name, url] of Object.entries(replicas)) {
    assertName(`a name in ${label}`, name);
    if (isEndpoint(url)) continue;
    throw new TypeError(
      `"${label}.${name}" must be an HTTP URL without credentials or a fragment, got ${
        formatValue(url)
      }`,
    );
  }
}

function assertName(label: string, name: unknown): void {
  if (typeof name === "string" && NAME.test(name)) return;
  throw new TypeError(
    `"${label}" must consist of 1 to 64 characters of [A-Za-z0-9_-], got ${formatValue(name)}`,
  );
}

function isEndpoint(text: unknown): boolean {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && `${username}${password}${hash}` === "";
}

/** Creates a session id that starts with the name of a process. */
export function createSessionId(replica: string | undefined): string {
  const id = crypto.randomUUID();
  return replica === undefined ? id : `${replica}.${id}`;
}

/** Forwards requests to the processes that hold their sessions. */
export class SessionForwarder {
  readonly #replica: string;
  readonly #urls: ReadonlyMap<string, string>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;
  readonly #bodies: RequestBodies;
  readonly #inFlight = new Set<AbortController>();
  /** Processes that did not respond to the last request. */
  readonly #unreachable = new Set<string>();

  /** Creates a forwarder that sends no requests yet. `bodies` reads the bodies to forward. */
  constructor(route: RouteSettings, bodies: RequestBodies) {
    const { replica, replicas, timeoutMs, fetch = globalThis.fetch } = route;
    this.#replica = replica;
    this.#urls = new Map(Object.entries(replicas));
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
    this.#bodies = bodies;
  }

  /**
   * Forwards a request whose session belongs to another process. Returns `undefined` if the request
   * must be handled in this process.
   */
  async forward(request: HttpRequest): Promise<HttpResponse | undefined> {
    const [owner = "", ...rest] = request.headers.get(HeaderName.SessionId)?.split(".") ?? [];
    if (rest.length === 0 || owner === this.#replica || request.method === "OPTIONS") {
      return undefined;
    }
    const url = this.#urls.get(owner);
    if (url === undefined) {
      const reason = `replica "${owner}" is not in "sessions.route.replicas"`;
      return sessionNotFound(NAME.test(owner) ? reason : undefined);
    }
    const sender = request.headers.get(FORWARDED_BY);
    if (sender !== null) {
      return transportErrorResponse(
        508,
        `The session belongs to replica "${owner}", but its request was forwarded to replica ` +
          `"${this.#replica}": check the URLs in "sessions.route.replicas"`,
      );
    }
    if (request.method !== "POST") return await this.#send(owner, url, request);
    const body = await this.#bodies.read(request);
    if (typeof body !== "string") return body;
    // Without a connection, the request cannot have been executed, so the client may open a new
    // session.
    if (this.#unreachable.has(owner) && !await this.#canReach(owner, url, request.signal)) {
      return unreachable(owner);
    }
    return await this.#send(owner, url, request, body);
  }

  /** Aborts all forwarded requests. */
  close(): void {
    for (const controller of this.#inFlight) controller.abort(new Error("the server is closed"));
  }

  async #send(
    owner: string,
    url: string,
    { method, headers, signal }: HttpRequest,
    body?: string,
  ): Promise<HttpResponse> {
    const controller = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort(new Error("no response in time"));
    }, this.#timeoutMs);
    // The forwarded request ends with the client's request, before and after the response starts.
    const leave = (): void => controller.abort(new Error("the client disconnected"));
    const end = (): void => {
      this.#inFlight.delete(controller);
      signal.removeEventListener("abort", leave);
    };
    this.#inFlight.add(controller);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      const response = await this.#fetchUntil(url, {
        method,
        headers: [...endToEnd(headers), [FORWARDED_BY, this.#replica]],
        redirect: "manual",
        signal: controller.signal,
        ...(body === undefined ? {} : { body }),
      });
      this.#unreachable.delete(owner);
      return toHttpResponse(owner, response, end);
    } catch {
      end();
      if (isLate) {
        return transportErrorResponse(
          504,
          `Replica "${owner}" did not respond within ${this.#timeoutMs} ms`,
        );
      }
      // Only the timeout, the client and `close()` abort the controller. When this process closes,
      // the session still exists in the other process.
      const isAborted = controller.signal.aborted;
      if (!isAborted) this.#unreachable.add(owner);
      if (method !== "POST") return isAborted ? shuttingDownResponse() : unreachable(owner);
      // Status 404 would allow the client to send the request again, but the other process may have
      // executed the request.
      return transportErrorResponse(
        502,
        `The connection to replica "${owner}", which holds the session, failed: it is unknown whether the request was executed`,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a request, and stops waiting when its signal aborts, even if `fetch` ignores the signal.
   */
  async #fetchUntil(
    url: string,
    init: RequestInit & { readonly signal: AbortSignal },
  ): Promise<Response> {
    init.signal.throwIfAborted();
    const fetch = this.#fetch;
    const sent = fetch(url, init);
    try {
      return await abortable(sent, init.signal);
    } catch (error) {
      // A response that arrives later is not read.
      sent.then(({ body }) => discard(body)).catch(() => {});
      throw error;
    }
  }

  /** Returns `true` if a process responds to a no-op request. */
  async #canReach(owner: string, url: string, client: AbortSignal): Promise<boolean> {
    try {
      const timeout = AbortSignal.timeout(Math.min(PROBE_TIMEOUT_MS, this.#timeoutMs));
      const response = await this.#fetchUntil(url, {
        method: "OPTIONS",
        headers: { [FORWARDED_BY]: this.#replica },
        redirect: "manual",
        signal: AbortSignal.any([timeout, client]),
      });
      discard(response.body);
      this.#unreachable.delete(owner);
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Returns the headers that a proxy forwards: all but those of one connection, which include the
 * headers that `Connection` names.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 RFC 9110, section 7.6.1}
 */
function endToEnd(headers: Iterable<[string, string]>): [string, string][] {
  const all = [...headers];
  const connection = all.filter(([name]) => name === "connection").map(([, value]) => value);
  const named = new Set(connection.join().split(",").map((name) => name.trim().toLowerCase()));
  return all.filter(([name]) => !NOT_FORWARDED.has(name) && !named.has(name));
}

function sessionNotFound(reason: string | undefined): HttpResponse {
  const message = `Session not found${reason === undefined ? "" : `: ${reason}`}`;
  return errorResponse(404, { code: RpcErrorCode.SessionNotFound, message });
}

function unreachable(owner: string): HttpResponse {
  return sessionNotFound(`replica "${owner}", which held the session, cannot be reached`);
}

/**
 * Discards a body. The promise of `cancel()` is not awaited, because the body of a custom `fetch`
 * may never settle it.
 */
function discard(body: ReadableStream<Uint8Array> | null): void {
  body?.cancel().catch(() => {});
}

/**
 * Converts a response from another process. `end` is called when the response body has been read.
 */
function toHttpResponse(owner: string, response: Response, end: () => void): HttpResponse {
  const { status, headers, body } = response;
  // Browsers and some workers report a redirect as status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    discard(body);
    end();
    return transportErrorResponse(
      502,
      `Replica "${owner}" responds with a redirect: check its URL in "sessions.route.replicas"`,
    );
  }
  if (body === null) end();
  return {
    status,
    headers: Object.fromEntries(endToEnd(headers)),
    body: body === null ? null : whenEnded(body, end),
  };
}

/**
 * Returns a stream that yields the same bytes, and calls a function when the stream ends, fails or
 * is cancelled.
 */
function whenEnded(
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
