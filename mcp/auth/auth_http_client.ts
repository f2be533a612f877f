/**
 * Requests to authorization servers: each has a time-out, its answer a limit, and no redirect leads elsewhere.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { HttpFetch } from "../shared/http_types.ts";

/** How requests are made. */
export interface AuthHttpClientOptions {
  /** Makes them. */
  readonly fetch: HttpFetch;
  /** How long one may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long an answer may be, in bytes. */
  readonly maxResponseBytes: number;
}

/** How many redirects within an origin are followed. */
const MAX_REDIRECTS = 3;

/** The headers of an answer that are looked at. */
const KNOWN_HEADERS = ["content-type", "dpop-nonce"];

/** Asks authorization servers. */
export class AuthHttpClient {
  readonly #options: AuthHttpClientOptions;
  readonly #signal: AbortSignal;

  /** Takes the limits, and the signal that ends everything. */
  constructor(options: AuthHttpClientOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Ends every request. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /**
   * Makes a request and reads the whole answer.
   *
   * @throws {McpError} `auth_error` when there is no answer in time, it is too long or leads elsewhere
   */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { requestTimeoutMs, maxResponseBytes } = this.#options;
    this.#signal.throwIfAborted();
    const { origin } = new URL(url);
    const late = McpError.authError(`"${origin}" does not answer within ${requestTimeoutMs} ms`);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(late), requestTimeoutMs);
    const abort = (): void => stop.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.#follow(url, { ...init, signal: stop.signal });
      return await keep(response, maxResponseBytes);
    } catch (cause) {
      stop.signal.throwIfAborted();
      if (cause instanceof McpError) throw cause;
      throw McpError.authError(`"${origin}" cannot be asked`, { cause });
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", abort);
    }
  };

  /**
   * Reads a JSON object; undefined when there is none at this address.
   *
   * @throws {McpError} `auth_error` as {@linkcode AuthHttpClient.fetch}
   */
  async getJson(url: URL): Promise<JsonObject | undefined> {
    const response = await this.fetch(url.href, { headers: { accept: "application/json" } });
    if (response.status !== 200) return undefined;
    const value: unknown = await response.json().catch(() => undefined);
    return isJsonObject(value) ? value : undefined;
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
      // What is sent to a token endpoint is meant for nobody else.
      if (init.method === "POST" || next?.origin !== new URL(target).origin) break;
      target = next.href;
    }
    throw McpError.authError(`"${new URL(url).origin}" wants to be asked elsewhere`);
  }
}

/** The answer with its body read. */
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
        throw McpError.authError(`an answer is longer than ${maxBytes} bytes`);
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } finally {
    // A stream that has failed already has nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}
