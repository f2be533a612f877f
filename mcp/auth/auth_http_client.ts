/**
 * HTTP client for authorization servers, with a request timeout, a response size limit and
 * same-origin redirects only.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { readRetryAfter } from "@parley/internal/retry-after";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { type CallContext, callWithin } from "@parley/internal/call-within";
import { parseObject } from "./parse_object.ts";

/** Options for {@linkcode AuthHttpClient}. */
export interface AuthHttpClientOptions {
  /** Function that sends the requests. */
  readonly fetch: HttpFetch;
  /** Request timeout, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Maximum size of a response body, in bytes. */
  readonly maxResponseBytes: number;
  /**
   * Reports a response that is accepted, or treated as absent, although it does not follow the
   * standard. If omitted, such responses are not reported.
   */
  readonly report?: (error: McpError) => void;
}

/** A JSON object and its URL. */
export interface FoundJson {
  /** URL of the JSON object. */
  readonly place: URL;
  /** The JSON object. */
  readonly json: JsonObject;
}

/** Maximum number of redirects to follow. */
const MAX_REDIRECTS = 3;

/**
 * Names of the headers that are kept when a response is copied. Headers that are not in
 * `KNOWN_HEADERS` are dropped.
 */
const KNOWN_HEADERS = ["content-type", "dpop-nonce", "retry-after"];

/** An HTTP client for requests to authorization servers. */
export class AuthHttpClient {
  readonly #options: AuthHttpClientOptions;
  readonly #signal: AbortSignal;

  /** Creates a client whose requests are all aborted by the given signal. */
  constructor(options: AuthHttpClientOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Signal that aborts all requests. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /**
   * A client for requests that can be sent only once, such as a refresh: they do not end when the
   * signal aborts, because the response would be lost. They have a timeout.
   */
  get uninterrupted(): AuthHttpClient {
    return new AuthHttpClient(this.#options, new AbortController().signal);
  }

  /**
   * Reports a response that is accepted, or treated as absent, although it does not follow the
   * standard.
   */
  readonly report = (error: McpError): void => this.#options.report?.(error);

  /**
   * Sends a request and reads the whole response body.
   *
   * @throws {McpError} With code `auth_error` if the request fails or times out, the response is
   * too large, or a redirect is not allowed.
   * @throws The signal's reason if the client's signal is aborted.
   */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { requestTimeoutMs: timeoutMs, maxResponseBytes } = this.#options;
    const { origin } = new URL(url);
    const late = (): McpError =>
      McpError.authError(`request to "${origin}" timed out after ${timeoutMs} ms`);
    const exchange = async ({ signal }: CallContext): Promise<Response> =>
      await keep(await this.#follow(url, { ...init, signal }), maxResponseBytes, signal);
    try {
      return await callWithin(exchange, { signal: this.#signal, timeoutMs, late });
    } catch (cause) {
      this.#signal.throwIfAborted();
      if (cause instanceof McpError) throw cause;
      throw McpError.authError(`request to "${origin}" failed`, { cause });
    }
  };

  /**
   * Requests a JSON object from several places, in order. Returns the first JSON object, or
   * `undefined` if there is none: if no status is 200, no body is a JSON object, or the responses
   * redirect to another origin. Redirects are reported.
   *
   * @throws {McpError} With code `auth_error` under the same conditions as
   * {@linkcode AuthHttpClient.fetch}, and if there is no JSON object and a place is temporarily
   * unavailable.
   */
  async findJson(places: readonly URL[]): Promise<FoundJson | undefined> {
    let unavailable: McpError | undefined;
    for (const place of places) {
      const response = await this.#get(place);
      if (response?.status === 200) {
        const json = parseObject(await response.text());
        if (json !== undefined) return { place, json };
      }
      unavailable ??= response && readUnavailable(place, response);
    }
    if (unavailable !== undefined) throw unavailable;
    return undefined;
  }

  /** Sends a GET request. Returns `undefined` if the response redirects to another origin. */
  async #get({ href }: URL): Promise<Response | undefined> {
    try {
      return await this.fetch(href, { headers: { accept: "application/json" } });
    } catch (error) {
      if (!(error instanceof McpError) || error.cause !== ELSEWHERE) throw error;
      this.report(error);
      return undefined;
    }
  }

  async #follow(url: string, init: RequestInit & { readonly signal: AbortSignal }) {
    const { fetch } = this.#options;
    let target = url;
    let status = 0;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await fetch(target, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      const isOpaque = response.type === "opaqueredirect";
      const isRedirect = isOpaque ||
        (response.status >= 300 && response.status < 400);
      if (isRedirect || init.signal.aborted) discardBody(response);
      init.signal.throwIfAborted();
      if (!isRedirect) return response;
      status = response.status;
      const next = location !== null && URL.canParse(location, target)
        ? new URL(location, target)
        : undefined;
      // POST requests are never redirected, because a POST body may contain credentials that are
      // meant only for the original endpoint.
      if (init.method === "POST") break;
      // A browser does not show where a redirect leads.
      if (isOpaque) throw redirected(url, status, ELSEWHERE);
      if (next === undefined) break;
      if (next.origin !== new URL(target).origin) throw redirected(url, status, ELSEWHERE);
      target = next.href;
    }
    throw redirected(url, status);
  }
}

/** A deviation of an authorization server from the standard that has only one meaning. */
export interface AcceptedDeviation {
  /** Kind of deviation, such as `"refresh_token" is empty`. */
  readonly what: string;
  /** Kind of request: for tokens, or for a registration. */
  readonly method: "token" | "register";
  /** Issuer identifier of the authorization server. */
  readonly server: string;
  /** Status of the response. */
  readonly httpStatus: number;
}

/** Creates the error that reports an accepted deviation. */
export function toleratedError(
  { what, method, server, httpStatus }: AcceptedDeviation,
): McpError {
  return McpError.tolerated({ what, method, server }, undefined, { httpStatus });
}

/**
 * Statuses of a server that is temporarily unavailable. Status 500 is not among them, because some
 * servers use it for paths that they do not know.
 */
const UNAVAILABLE = [429, 502, 503, 504];

function readUnavailable({ origin }: URL, { status, headers }: Response): McpError | undefined {
  if (!UNAVAILABLE.includes(status)) return undefined;
  const retryAfterMs = readRetryAfter(headers.get("retry-after"));
  const reason = `"${origin}" is not available: HTTP ${status}`;
  return McpError.authError(reason, { httpStatus: status, retryAfterMs });
}

/** Cause of the error for a redirect to another origin. */
const ELSEWHERE = "the redirect leads to another origin";

function redirected(url: string, httpStatus: number, cause?: string): McpError {
  return McpError.authError(`redirect from "${new URL(url).origin}" is not allowed`, {
    ...(cause === undefined ? {} : { cause }),
    // A browser does not show the status of a redirect.
    ...(httpStatus === 0 ? {} : { httpStatus }),
  });
}

/**
 * Discards the body of a response, so that its connection can be used again. The promise of
 * `cancel()` is not awaited, because the body of a custom `fetch` may never settle it. An error
 * from `cancel()` is ignored, because it means that the stream has already failed.
 */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** Returns a copy of the response with a buffered body. */
async function keep(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
  const text = await readCapped(response, maxBytes, signal);
  const { status } = response;
  const headers = KNOWN_HEADERS.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? text : null, { status, headers });
}

async function readCapped(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    for (let next = await read(reader, signal); !next.done; next = await read(reader, signal)) {
      length += next.value.length;
      if (length > maxBytes) {
        throw McpError.authError(`response is longer than ${maxBytes} bytes`);
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } finally {
    // Not awaited, for the reason given at `discardBody()`.
    reader.cancel().catch(() => {});
  }
}

/** Reads a chunk. Rejects if the signal aborts, even if the stream ignores the signal. */
function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return abortable(reader.read(), signal);
}
