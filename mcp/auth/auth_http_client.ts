/**
 * HTTP client for authorization servers, with a request timeout, a response size limit and
 * same-origin redirects only.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { HttpFetch } from "../shared/http_types.ts";

/** Options for {@linkcode AuthHttpClient}. */
export interface AuthHttpClientOptions {
  /** Function that sends the requests. */
  readonly fetch: HttpFetch;
  /** Request timeout, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Maximum size of a response body, in bytes. */
  readonly maxResponseBytes: number;
}

/** Maximum number of redirects to follow. */
const MAX_REDIRECTS = 3;

/**
 * Names of the headers that are kept when a response is copied. Headers that are not in
 * `KNOWN_HEADERS` are dropped.
 */
const KNOWN_HEADERS = ["content-type", "dpop-nonce"];

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
   * Sends a request and reads the whole response body.
   *
   * @throws {McpError} With code `auth_error` if the request fails or times out, the response is
   * too large, or a redirect is not allowed.
   * @throws The signal's reason if the client's signal is aborted.
   */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { requestTimeoutMs, maxResponseBytes } = this.#options;
    this.#signal.throwIfAborted();
    const { origin } = new URL(url);
    const late = McpError.authError(
      `request to "${origin}" timed out after ${requestTimeoutMs} ms`,
    );
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(late), Math.min(requestTimeoutMs, MAX_TIMER_MS));
    const abort = (): void => stop.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.#follow(url, { ...init, signal: stop.signal });
      return await keep(response, maxResponseBytes);
    } catch (cause) {
      stop.signal.throwIfAborted();
      if (cause instanceof McpError) throw cause;
      throw McpError.authError(`request to "${origin}" failed`, { cause });
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", abort);
    }
  };

  /**
   * Requests a JSON object. Returns `undefined` if the status is not 200 or the body is not a JSON
   * object.
   *
   * @throws {McpError} With code `auth_error` under the same conditions as
   * {@linkcode AuthHttpClient.fetch}.
   */
  async getJson(url: URL): Promise<JsonObject | undefined> {
    const response = await this.fetch(url.href, { headers: { accept: "application/json" } });
    if (response.status !== 200) return undefined;
    const value: unknown = await response.json().catch(() => undefined);
    return isRecord(value) ? value : undefined;
  }

  async #follow(url: string, init: RequestInit): Promise<Response> {
    const { fetch } = this.#options;
    let target = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await fetch(target, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      const isRedirect = response.type === "opaqueredirect" ||
        (response.status >= 300 && response.status < 400);
      if (!isRedirect) return response;
      await response.body?.cancel();
      const next = location !== null && URL.canParse(location, target)
        ? new URL(location, target)
        : undefined;
      // POST requests are never redirected, because a POST body may contain credentials that are
      // meant only for the original endpoint.
      if (init.method === "POST" || next?.origin !== new URL(target).origin) break;
      target = next.href;
    }
    throw McpError.authError(`redirect from "${new URL(url).origin}" is not allowed`);
  }
}

/** Returns a copy of the response with a buffered body. */
async function keep(response: Response, maxBytes: number): Promise<Response> {
  const text = await readCapped(response, maxBytes);
  const { status } = response;
  const headers = KNOWN_HEADERS.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? text : null, { status, headers });
}

async function readCapped(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > maxBytes) {
        throw McpError.authError(`response is longer than ${maxBytes} bytes`);
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } finally {
    // An error from `cancel()` is ignored, because it means that the stream has already failed.
    await reader.cancel().catch(() => {});
  }
}
