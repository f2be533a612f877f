/**
 * One HTTP request with a JSON-RPC message in it, and what its response holds. Both eras of HTTP stand on this.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { type Frame, readFrame } from "../jsonrpc/read_frame.ts";
import { decodeSse } from "../shared/sse_decode.ts";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";

/** How a server is reached over HTTP. */
export interface HttpTransportOptions {
  /** Headers for every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the requests. Default: the built-in `fetch`. */
  readonly fetch?: HttpFetch;
  /** How long a JSON body or an event may be, in characters. Default 10 MiB. */
  readonly maxMessageChars?: number;
  /** How often in a row an event stream that breaks is gone back to. Default 10. */
  readonly maxRetries?: number;
  /** How long to wait before going back when the server does not say, in milliseconds; it grows from try to try. Default 1000. */
  readonly retryMs?: number;
  /** How long the server may take to end a session, in milliseconds. Default 2000. */
  readonly closeTimeoutMs?: number;
}

/** A server on the web. */
export interface HttpEndpoint {
  /** Where it is. */
  readonly url: string;
  /** What is tried first: POST requests, or the event stream of revision 2024-11-05. */
  readonly prefers: "http" | "sse";
  /** How it is reached. */
  readonly options: HttpTransportOptions;
}

/** One request. */
export interface HttpCall {
  /** What to do. */
  readonly method: "POST" | "GET" | "DELETE";
  /** Headers beside those of the endpoint. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where to, when it is not the endpoint's own URL. */
  readonly url?: string;
  /** The message, as JSON. */
  readonly body?: string;
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
  /** Stops the clock. */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** What a response holds: messages and, in an event stream, marks to come back to. */
export type HttpItem =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "endpoint"; readonly uri: string }
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "retry"; readonly retryMs: number };

/** What HTTP transports call themselves in errors. */
export const HTTP_LABEL = "http";

const JSON_TYPE = "application/json";
const EVENT_STREAM_TYPE = "text/event-stream";

/** What a POST accepts. */
export const ACCEPT_ANY = "application/json, text/event-stream";

/** What a GET accepts. */
export const ACCEPT_EVENTS = "text/event-stream";

/** How long a message may be, in characters. */
const MAX_MESSAGE_CHARS = 10 * 1024 * 1024;

/** How many redirects are followed. */
const MAX_REDIRECTS = 5;

/** How much of a refusal is read, in characters. */
const MAX_REFUSAL_CHARS = 65_536;

/**
 * Checks an endpoint.
 *
 * @throws {TypeError} when the URL is not one of HTTP, or a header cannot be sent
 */
export function httpEndpoint(
  url: string,
  prefers: "http" | "sse",
  options: HttpTransportOptions = {},
): HttpEndpoint {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`Cannot use "${url}" as the address of a server: it is no HTTP URL`);
  }
  for (const header of Object.entries(options.headers ?? {})) {
    try {
      new Headers([header]);
    } catch {
      // Without the cause, which tells what may be a secret.
      throw new TypeError(`Cannot send the header "${header[0]}": it is not valid`);
    }
  }
  return { url, prefers, options };
}

/**
 * Makes a request. What comes back is a success; its body has to be read or cancelled.
 *
 * @throws {McpError} `transport_error` when there is no response or the server refuses, `protocol_error` when it refuses
 * with a JSON-RPC error, `auth_error` when it wants credentials
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
    throw McpError.transportError(HTTP_LABEL, reasonOf(cause), { cause });
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/**
 * Follows redirects within the origin only: headers may hold secrets, and the new place was not asked for.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.4 RFC 9110, section 15.4}
 */
async function follow(fetch: HttpFetch, url: string, init: HttpInit): Promise<Response> {
  let target = url;
  for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
    const response = await fetch(target, { ...init, redirect: "manual" });
    // A browser shows nothing of a redirect, and keeps secrets from other origins by its own rules.
    if (response.type === "opaqueredirect") return await fetch(target, init);
    const location = response.headers.get("location");
    if (location === null || !keepsMethod(response.status, init.method)) return response;
    await response.body?.cancel();
    const next = new URL(location, target);
    if (next.origin !== new URL(target).origin) {
      throw McpError.transportError(HTTP_LABEL, `the server has moved to "${next.origin}"`);
    }
    target = next.href;
  }
  throw McpError.transportError(HTTP_LABEL, "the server redirects without end");
}

function keepsMethod(status: number, method: string | undefined): boolean {
  return status === 307 || status === 308 || (method === "GET" && status >= 301 && status <= 303);
}

/** What a server means that says no. */
async function refusal(response: Response): Promise<McpError> {
  const { status } = response;
  const text = await readText(response, MAX_REFUSAL_CHARS).catch(() => "");
  const frame = readFrame(text);
  const error = frame.kind === "response" && "error" in frame.message
    ? frame.message.error
    : undefined;
  const reason = error?.message ?? `the server answered with HTTP status ${status}`;
  if (status === 401 || status === 403) return McpError.authError(reason, { httpStatus: status });
  if (error === undefined) {
    return McpError.transportError(HTTP_LABEL, reason, { httpStatus: status });
  }
  const { code, data } = error;
  return McpError.protocolError(reason, { rpcCode: code, data, httpStatus: status });
}

/**
 * Reads the messages of a response; its body is cancelled when the reader stops before its end.
 *
 * @throws {McpError} `transport_error` when the connection breaks, `protocol_error` when the body is too long or of
 * another type
 */
export async function* readItems(
  response: Response,
  { options: { maxMessageChars = MAX_MESSAGE_CHARS } }: HttpEndpoint,
): AsyncGenerator<HttpItem, void> {
  const type = mediaType(response);
  // Some platforms take their time to make a stream of a body, and this one is wanted whole.
  if (type === JSON_TYPE) {
    return yield { kind: "frame", frame: readFrame(await readText(response, maxMessageChars)) };
  }
  const { body } = response;
  if (body === null) return;
  if (type === EVENT_STREAM_TYPE) return yield* readEvents(body, maxMessageChars);
  await body.cancel();
  throw McpError.protocolError(
    type ? `the response is of type "${type}"` : "the response has no type",
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
    // An event without data is only there for its id.
    else if (item.type === "message" && item.data !== "") {
      yield { kind: "frame", frame: readFrame(item.data) };
    }
  }
}

async function readText(response: Response, maxChars: number): Promise<string> {
  // The quick way, where the length is known: half of the time of a call.
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
 * How long a body is going to be, in bytes and so at most in characters. What is compressed or comes in chunks may become
 * anything.
 */
function declaredLength({ headers }: Response): number {
  const isOpen = headers.has("content-encoding") || headers.has("transfer-encoding");
  const text = headers.get("content-length") ?? "";
  return isOpen || !/^\d+$/.test(text) ? Infinity : Number(text);
}

/** Not every browser can iterate a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (cause) {
    throw brokenBody(cause);
  } finally {
    // A stream that has failed already has nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}

/** A platform tells by some error of its own that the connection broke; an abort has a name, and a reason of ours a code. */
function brokenBody(cause: unknown): unknown {
  const isAbort = cause instanceof DOMException && /^(Abort|Timeout)Error$/.test(cause.name);
  return isAbort || cause instanceof McpError
    ? cause
    : McpError.transportError(HTTP_LABEL, reasonOf(cause), { cause });
}

function mediaType(response: Response): string | undefined {
  return response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/** What went wrong; what it comes from says more than that a "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message}: ${cause.message || ("code" in cause ? cause.code : cause.name)}`;
}
