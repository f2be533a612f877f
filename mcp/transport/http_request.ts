/**
 * Sends JSON-RPC messages in HTTP requests and reads the messages in the responses. HTTP connections in both the modern
 * and the legacy era use this module.
 *
 * @module
 */

import {
  assertAtLeast,
  assertCallback,
  assertObject,
  formatValue,
} from "../shared/assert_argument.ts";
import { McpError } from "../shared/error.ts";
import { type Frame, readFrame } from "../jsonrpc/read_frame.ts";
import { decodeSse } from "../shared/sse_decode.ts";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";

/** Options for an HTTP transport. */
export interface HttpTransportOptions {
  /** Headers for every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Custom `fetch` function. If omitted, the global `fetch` is used. */
  readonly fetch?: HttpFetch;
  /**
   * Maximum length of a JSON body or an event, in characters. Messages beyond this length are rejected with code
   * `protocol_error`.
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
   * Delay before the first attempt to resume an event stream, in milliseconds. The delay increases with each attempt. A
   * delay requested by the server takes precedence.
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
  /** Transport options. */
  readonly options: HttpTransportOptions;
}

/** An HTTP request to an endpoint. */
export interface HttpCall {
  /** HTTP method. */
  readonly method: "POST" | "GET" | "DELETE";
  /** Additional headers, which take precedence over the endpoint's headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request URL. Defaults to the endpoint's URL. */
  readonly url?: string;
  /** Message, serialized as JSON. */
  readonly body?: string;
  /** Signal that aborts the request and stops reading the response. */
  readonly signal: AbortSignal;
  /** Pauses the request timeout until the promise settles. */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** An item in a response: a message, or a field of an event stream. */
export type HttpItem =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "endpoint"; readonly uri: string }
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "retry"; readonly retryMs: number };

/** Name of the HTTP transports in error messages. */
export const HTTP_LABEL = "http";

const JSON_TYPE = "application/json";
const EVENT_STREAM_TYPE = "text/event-stream";

/** `Accept` header of a POST request. */
export const ACCEPT_ANY = "application/json, text/event-stream";

/** `Accept` header of a GET request. */
export const ACCEPT_EVENTS = "text/event-stream";

/** Default maximum length of a message, in characters. */
const MAX_MESSAGE_CHARS = 10 * 1024 * 1024;

/** Maximum number of redirects. */
const MAX_REDIRECTS = 5;

/** Maximum length of an error body, in characters. */
const MAX_REFUSAL_CHARS = 65_536;

/**
 * Validates and returns an endpoint.
 *
 * @throws {TypeError} If the URL is not an HTTP or HTTPS URL, or if a header or an option is invalid.
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
  assertObject("options", options);
  const { headers = {}, fetch, retryMs = 0, closeTimeoutMs = 1, maxRetries = 0 } = options;
  assertObject("headers", headers);
  assertCallback("fetch", fetch);
  assertAtLeast(0, { maxRetries, retryMs });
  assertAtLeast(1, { maxMessageChars: options.maxMessageChars ?? 1, closeTimeoutMs });
  for (const header of Object.entries(options.headers ?? {})) {
    try {
      new Headers([header]);
    } catch {
      // The original error is not kept as the cause, because its message can contain a secret header value.
      throw new TypeError(
        `"headers" must contain valid HTTP headers, got an invalid header "${header[0]}"`,
      );
    }
  }
  return { url, prefers, options };
}

/** Returns `true` if a URL contains a user name or a password, which some implementations of `fetch` reject. */
export function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/**
 * Returns a URL for errors and logs, without the query and the fragment, which can contain secrets such as API keys.
 */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/**
 * Sends an HTTP request and returns the response if its status is in the 2xx range. The caller must read or cancel the
 * response body.
 *
 * @throws {McpError} With code `transport_error` if the server sends no response or responds with an HTTP error.
 * @throws {McpError} With code `protocol_error` if the body of the HTTP error is a JSON-RPC error.
 * @throws {McpError} With code `auth_error` if the status is 401 or 403.
 */
export async function callHttp(endpoint: HttpEndpoint, call: HttpCall): Promise<Response> {
  const { method, headers, url = endpoint.url, body, signal, pauseTimeout } = call;
  const { fetch = globalThis.fetch, headers: own = {} } = endpoint.options;
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
  if (!response.ok) throw await refusal(response, endpoint);
  return response;
}

/**
 * Follows redirects only within the same origin, because headers can contain secrets.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.4 RFC 9110, section 15.4}
 */
async function follow(fetch: HttpFetch, url: string, init: HttpInit): Promise<Response> {
  let target = url;
  for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
    const response = await fetch(target, { ...init, redirect: "manual" });
    // Browsers hide the target of a redirect, so the request is sent again in a mode that lets the browser follow the
    // redirect.
    if (response.type === "opaqueredirect") return await fetch(target, init);
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

function keepsMethod(status: number, method: string | undefined): boolean {
  return status === 307 || status === 308 || (method === "GET" && status >= 301 && status <= 303);
}

/** Returns the error for an HTTP error response. */
async function refusal(response: Response, endpoint: HttpEndpoint): Promise<McpError> {
  const { status } = response;
  const text = await readText(response, MAX_REFUSAL_CHARS).catch(() => "");
  const frame = readFrame(text);
  const error = frame.kind === "response" && "error" in frame.message
    ? frame.message.error
    : undefined;
  if (status === 401 || status === 403) {
    const reason = error?.message ?? AUTH_REASONS[status];
    const scope = requiredScope(response);
    const hint = scope !== undefined && reason.includes(scope)
      ? ""
      : authHint(status, scope, endpoint);
    return McpError.authError(`${reason} (HTTP ${status})${hint}`, { httpStatus: status, scope });
  }
  const reason = error?.message ?? `the server returned HTTP status ${status}`;
  if (error === undefined) {
    return McpError.transportError(HTTP_LABEL, reason, { httpStatus: status });
  }
  const { code, data } = error;
  return McpError.protocolError(reason, { rpcCode: code, data, httpStatus: status });
}

const AUTH_REASONS = {
  401: "the server requires authorization",
  403: "the server denied access",
} as const;

/** Maximum length of a challenge, in characters. */
const MAX_CHALLENGE_CHARS = 8192;

/**
 * Returns the scopes that a challenge requires (RFC 6750, section 3), or `undefined` if the challenge names no scopes.
 */
function requiredScope({ headers }: Response): string | undefined {
  const challenge = headers.get("www-authenticate") ?? "";
  if (challenge.length > MAX_CHALLENGE_CHARS) return undefined;
  return /\bscope="([^"\\]*)"/i.exec(challenge)?.[1];
}

/** Returns a hint for the caller about a response with status 401 or 403. */
function authHint(
  status: 401 | 403,
  scope: string | undefined,
  { options }: HttpEndpoint,
): string {
  if (status === 403) return scope === undefined ? "" : `; required scopes: "${scope}"`;
  if (new Headers({ ...options.headers }).has("authorization")) {
    return '; check the "authorization" header';
  }
  // A custom `fetch` may add the authorization itself, as the `auth` option does.
  return options.fetch === undefined ? '; set the "auth" option' : "";
}

/**
 * Reads the messages in a response. If the caller stops iterating early, the response body is cancelled.
 *
 * @throws {McpError} With code `transport_error` if the connection is lost.
 * @throws {McpError} With code `protocol_error` if the body is too long or its `Content-Type` is not supported.
 */
export async function* readItems(
  response: Response,
  { options: { maxMessageChars = MAX_MESSAGE_CHARS } }: HttpEndpoint,
): AsyncGenerator<HttpItem, void> {
  const type = mediaType(response);
  // A JSON body is read as text rather than as a stream, because creating a body stream is slow on some runtimes.
  if (type === JSON_TYPE) {
    return yield { kind: "frame", frame: readFrame(await readText(response, maxMessageChars)) };
  }
  const { body } = response;
  if (body === null) return;
  if (type === EVENT_STREAM_TYPE) return yield* readEvents(body, maxMessageChars);
  await body.cancel();
  throw McpError.protocolError(
    type ? `unsupported Content-Type "${type}"` : "the response has no Content-Type",
    { httpStatus: response.status },
  );
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxEventChars: number,
): AsyncGenerator<HttpItem, void> {
  for await (const item of decodeSse(readChunks(body), { maxEventChars })) {
    if (item.kind !== "event") yield item;
    else if (item.type === "endpoint") yield { kind: "endpoint", uri: item.data };
    // Skips a priming event, which has an id but no data (2025-11-25, Sending Messages to the Server).
    else if (item.type === "message" && item.data !== "") {
      yield { kind: "frame", frame: readFrame(item.data) };
    }
  }
}

async function readText(response: Response, maxChars: number): Promise<string> {
  // If the declared length is within the limit, `response.text()` is safe, and it takes about half as long as reading
  // the stream.
  if (declaredLength(response) <= maxChars) {
    return await response.text().catch((cause: unknown) => {
      throw brokenBody(cause);
    });
  }
  const decoder = new TextDecoder();
  let text = "";
  if (response.body === null) return text;
  for await (const chunk of readChunks(response.body)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxChars) {
      throw McpError.protocolError(`the response is longer than ${maxChars} characters`);
    }
  }
  return text + decoder.decode();
}

/**
 * Returns the declared length of the body, in bytes, which is also an upper bound on its length in characters. Returns
 * `Infinity` if the body is compressed or chunked, because the decoded length is then unknown.
 */
function declaredLength({ headers }: Response): number {
  const isOpen = headers.has("content-encoding") || headers.has("transfer-encoding");
  const text = headers.get("content-length") ?? "";
  return isOpen || !/^\d+$/.test(text) ? Infinity : Number(text);
}

/** Iterates over a body with a reader, because not all browsers support async iteration of streams. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (cause) {
    throw brokenBody(cause);
  } finally {
    // An error from `cancel()` is ignored, because it means that the stream has already failed.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Converts an error from a body stream. Abort errors, timeout errors and `McpError`s are returned unchanged; any other
 * error means that the connection has been lost.
 */
function brokenBody(cause: unknown): unknown {
  const isAbort = cause instanceof DOMException && /^(Abort|Timeout)Error$/.test(cause.name);
  return isAbort || cause instanceof McpError ? cause : lostConnection(cause);
}

/** Creates the error for a request that received no complete response. Deno's messages contain the request URL. */
function lostConnection(error: unknown): McpError {
  const cause = redact(error);
  return McpError.transportError(HTTP_LABEL, reasonOf(cause), { cause });
}

/** A URL with a query or a fragment, inside other text. */
const URL_WITH_QUERY = /(https?:\/\/[^\s"<>?#]*)[?#][^\s"<>]*?(\)?:?)(?=[\s"<>]|$)/g;

function withoutQueries(text: string): string {
  return text.replaceAll(URL_WITH_QUERY, "$1$2");
}

/** Maximum number of nested causes of an error. Deeper causes are omitted. */
const MAX_CAUSES = 5;

/**
 * Returns an error whose messages contain no URL queries or fragments, which can contain secrets such as API keys. An
 * error without URL queries or fragments is returned unchanged.
 */
function redact(error: unknown, depth = 0): unknown {
  if (typeof error === "string") return withoutQueries(error);
  if (!(error instanceof Error)) return error;
  if (depth === MAX_CAUSES) return undefined;
  const { name, message, stack } = error;
  const cause = redact(error.cause, depth + 1);
  const shown = withoutQueries(message);
  if (shown === message && cause === error.cause) return error;
  const copy = new Error(shown, cause === undefined ? undefined : { cause });
  return Object.assign(copy, {
    name,
    ...(stack !== undefined && { stack: withoutQueries(stack) }),
    ...("code" in error && { code: error.code }),
  });
}

function mediaType(response: Response): string | undefined {
  return response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * Returns the error's message, followed by the message of its cause, because "fetch failed" alone does not explain the
 * failure.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message}: ${cause.message || ("code" in cause ? cause.code : cause.name)}`;
}
