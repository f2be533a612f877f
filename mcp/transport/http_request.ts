/**
 * Sends JSON-RPC messages in HTTP requests, for modern and legacy connections.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonNegative,
  assertPositiveNumber,
  assertRecord,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { abortable } from "@parley/internal/abortable";
import { optionsReader, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { integerFrom } from "@parley/internal/option-checks";
import { McpError } from "../shared/error.ts";
import { readFrame } from "../jsonrpc/read_frame.ts";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";
import { HTTP_LABEL, JSON_TYPE, lostConnection, readText } from "./http_response.ts";

/** Options for an HTTP transport. */
export interface HttpTransportOptions {
  /** Headers for every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Custom `fetch` function. If omitted, the global `fetch` is used. */
  readonly fetch?: HttpFetch;
  /**
   * Maximum length of a JSON body or an event, in characters. Messages longer than
   * `maxMessageChars` are rejected with code `protocol_error`.
   *
   * @default {10_485_760}
   */
  readonly maxMessageChars?: number;
  /**
   * Maximum number of consecutive attempts to resume an interrupted event stream.
   *
   * @default {10}
   */
  readonly maxRetries?: number;
  /**
   * Delay before the first attempt to resume an event stream, in milliseconds. The delay increases
   * with each attempt. A delay requested by the server takes precedence.
   *
   * @default {1000}
   */
  readonly retryMs?: number;
  /**
   * Timeout for the request that ends a session, in milliseconds.
   *
   * @default {2000}
   */
  readonly closeTimeoutMs?: number;
}

/** An HTTP endpoint and its options. */
export interface HttpEndpoint {
  /** Server URL. */
  readonly url: string;
  /** Protocol that the client tries first: Streamable HTTP (`http`) or HTTP+SSE (`sse`). */
  readonly prefers: "http" | "sse";
  /** Transport options, with their defaults. */
  readonly options: Required<Omit<HttpTransportOptions, "fetch">> & {
    readonly fetch: HttpFetch | undefined;
  };
}

/** An HTTP request to an endpoint. */
export interface HttpCall {
  /** HTTP method. */
  readonly method: "POST" | "GET" | "DELETE";
  /** Additional headers, which take precedence over the endpoint's headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request URL; by default, the endpoint's URL. */
  readonly url?: string;
  /** Message, serialized as JSON. */
  readonly body?: string;
  /** Signal that aborts the request and stops reading the response. */
  readonly signal: AbortSignal;
  /** Pauses the request timeout until the promise settles. */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** `Accept` header of a POST request. */
export const ACCEPT_ANY = "application/json, text/event-stream";

/** `Accept` header of a GET request. */
export const ACCEPT_EVENTS = "text/event-stream";

/** Maximum number of redirects. */
const MAX_REDIRECTS = 5;

/** Maximum length of an error body, in characters. */
const MAX_REFUSAL_CHARS = 65_536;

/**
 * Validates and returns an endpoint.
 *
 * @throws {TypeError} If the URL is not an HTTP or HTTPS URL, or if a header or an option is
 * invalid.
 * @throws {RangeError} If a limit or a delay is out of range.
 */
export function httpEndpoint(
  url: string,
  prefers: "http" | "sse",
  options: HttpTransportOptions = {},
): HttpEndpoint {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`"url" must be an HTTP or HTTPS URL, got ${formatValue(url)}`);
  }
  if (hasCredentials(url)) {
    throw new TypeError(
      '"url" must not contain a user name or a password; set the "authorization" header',
    );
  }
  return { url, prefers, options: readOptions(options) };
}

const readOptions = optionsReader<HttpTransportOptions>("options")({
  headers: withDefault({}, assertHeaders),
  fetch: assertFunction,
  maxMessageChars: withDefault(10 * 1024 * 1024, assertCount),
  maxRetries: withDefault(10, integerFrom(0)),
  retryMs: withDefault(1000, assertNonNegative),
  closeTimeoutMs: withDefault(2000, assertPositiveNumber),
});

function assertHeaders(name: string, headers: unknown): void {
  assertRecord(name, headers);
  if (Symbol.iterator in headers) {
    // The members of a `Headers` object or a `Map` are not properties, so no header would be sent.
    rejectArgument(name, "a plain object", headers, "use Object.fromEntries()");
  }
  for (const [header, value] of Object.entries(headers)) {
    assertString(`${name}.${header}`, value);
    try {
      new Headers([[header, value]]);
    } catch {
      // The original error is not kept as the cause, because its message can contain a secret
      // header value.
      throw new TypeError(
        `"${name}" must contain valid HTTP headers, got an invalid header ${
          formatValue(header[0])
        }`,
      );
    }
  }
}

/**
 * Returns `true` if a URL contains a user name or a password, which some implementations of `fetch`
 * reject.
 */
export function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/**
 * Returns a URL for errors and logs, without the query and the fragment, which can contain secrets
 * such as API keys.
 */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/**
 * Sends an HTTP request and returns the response if its status is in the 2xx range. The caller must
 * read or cancel the response body.
 *
 * @throws {McpError} With code `transport_error` if the server sends no response or responds with
 * an HTTP error.
 * @throws {McpError} With code `protocol_error` if the body of the HTTP error is a JSON-RPC error.
 * @throws {McpError} With code `auth_error` if the status is 401 or 403.
 */
export async function callHttp(endpoint: HttpEndpoint, call: HttpCall): Promise<Response> {
  const { method, headers, url = endpoint.url, body, signal, pauseTimeout } = call;
  const { fetch = globalThis.fetch, headers: own } = endpoint.options;
  let response: Response;
  try {
    response = await follow(fetch, url, {
      method,
      headers: { ...own, ...headers, ...(body === undefined ? {} : { "content-type": JSON_TYPE }) },
      ...(body === undefined ? {} : { body }),
      signal,
      ...(pauseTimeout === undefined ? {} : { pauseTimeout }),
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof McpError) throw cause;
    throw lostConnection(cause);
  }
  if (!response.ok) throw await refusal(response, endpoint, { body, signal });
  return response;
}

/**
 * Follows redirects only within the same origin, because headers can contain secrets.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.4 RFC 9110, section 15.4}
 */
async function follow(fetch: HttpFetch, url: string, init: AbortableInit): Promise<Response> {
  let target = url;
  for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
    const response = await fetchUntil(fetch, target, { ...init, redirect: "manual" });
    // Browsers hide the target of a redirect, so the request is sent again in a mode that lets the
    // browser follow the redirect.
    if (response.type === "opaqueredirect") return await fetchUntil(fetch, target, init);
    const location = response.headers.get("location");
    if (location === null || !keepsMethod(response.status, init.method)) return response;
    await response.body?.cancel();
    const next = new URL(location, target);
    if (next.origin !== new URL(target).origin) {
      throw McpError.transportError(
        HTTP_LABEL,
        `the server redirects to another origin, "${next.origin}"`,
      );
    }
    target = next.href;
  }
  throw McpError.transportError(HTTP_LABEL, "too many redirects");
}

/** Options of a request with a signal. */
type AbortableInit = HttpInit & { readonly signal: AbortSignal };

/**
 * Sends a request, and stops waiting when its signal aborts, even if `fetch` ignores the signal.
 */
async function fetchUntil(
  fetch: HttpFetch,
  url: string,
  init: AbortableInit,
): Promise<Response> {
  init.signal.throwIfAborted();
  const sent = fetch(url, init);
  try {
    return await abortable(sent, init.signal);
  } catch (error) {
    // A response that arrives later is not read.
    Promise.resolve(sent).then(({ body }) => body?.cancel()).catch(() => {});
    throw error;
  }
}

function keepsMethod(status: number, method: string | undefined): boolean {
  return status === 307 || status === 308 || (method === "GET" && status >= 301 && status <= 303);
}

/** Returns the error for an HTTP error response. */
async function refusal(
  response: Response,
  endpoint: HttpEndpoint,
  { body, signal }: { readonly body: string | undefined; readonly signal: AbortSignal },
): Promise<McpError> {
  const { status } = response;
  const text = await readText(response, MAX_REFUSAL_CHARS, signal).catch(() => "");
  signal.throwIfAborted();
  const frame = readFrame(text);
  const error = frame.kind === "response" && "error" in frame.message
    ? frame.message.error
    : undefined;
  if (status === 401 || status === 403) {
    const reason = error?.message ?? AUTH_REASONS[status];
    const scope = requiredScope(response);
    const hint = scope !== undefined && reason.includes(scope)
      ? ""
      : authHint(response, scope, endpoint);
    return McpError.authError(`${reason} (HTTP ${status})${hint}`, { httpStatus: status, scope });
  }
  const reason = status === 413 && body !== undefined
    ? tooLarge(body, error?.message)
    : error?.message ?? `the server returned HTTP status ${status}`;
  if (error === undefined) {
    return McpError.transportError(HTTP_LABEL, reason, { httpStatus: status });
  }
  const { code, data } = error;
  return McpError.protocolError(reason, { rpcCode: code, data, httpStatus: status });
}

/** Returns the reason for a response with status 413. */
function tooLarge(body: string, detail: string | undefined): string {
  const size = new TextEncoder().encode(body).length;
  const reason = `the request (${size} bytes) is too large for the server (HTTP 413)`;
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

const AUTH_REASONS = {
  401: "the server requires authorization",
  403: "the server denied access",
} as const;

/** Maximum length of a challenge, in characters. */
const MAX_CHALLENGE_CHARS = 8192;

/**
 * Returns the scopes that a challenge requires (RFC 6750, section 3), or `undefined` if the
 * challenge names no scopes.
 */
function requiredScope({ headers }: Response): string | undefined {
  const challenge = headers.get("www-authenticate") ?? "";
  if (challenge.length > MAX_CHALLENGE_CHARS) return undefined;
  return /\bscope="([^"\\]*)"/i.exec(challenge)?.[1];
}

/** Returns a hint for the caller about a response with status 401 or 403. */
function authHint(
  { status, headers }: Response,
  scope: string | undefined,
  { options }: HttpEndpoint,
): string {
  if (status === 403) return scope === undefined ? "" : `; required scopes: "${scope}"`;
  if (new Headers(options.headers).has("authorization")) {
    return '; check the "authorization" header';
  }
  // A custom `fetch` may add the authorization itself, as the `auth` option does.
  if (options.fetch !== undefined) return "";
  // A challenge with `resource_metadata` means that the server requires an OAuth access token (RFC
  // 9728, section 5.1).
  return headers.get("www-authenticate")?.includes("resource_metadata=")
    ? '; set the "auth" option'
    : '; set the "auth" option (OAuth), or send the server\'s API key with the "headers" option of the transport';
}
