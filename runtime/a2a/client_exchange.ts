/**
 * HTTP requests to agents, with timeouts and size limits, and without redirects.
 *
 * @module
 */

import { decodeSse, type SseEvent } from "@parley/internal/sse";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { type Fetch, type HeaderValues, mergeHeaders } from "../models/endpoint.ts";
import { RequestTimeout } from "../models/request_timeout.ts";
import { errorMessageOf } from "../shared/error.ts";
import { A2aError } from "./errors.ts";

/** A request to an agent, and the limits of its response. */
export interface HttpCall {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit & { readonly headers: HeaderValues };
  /** Headers of the caller. Those of the protocol take precedence. */
  readonly headers: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /**
   * Timeout, in milliseconds: for a whole response that is JSON, and for each chunk of an event
   * stream.
   */
  readonly timeoutMs: number;
  /** Maximum size of a response that is JSON, and of an event, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A response that is JSON. */
export interface JsonResponse {
  /** Status of the response. */
  readonly status: number;
  /** Content of the response. `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** A response that is JSON, or the events of a response that is an event stream. */
export type EventResponse = JsonResponse | { readonly events: AsyncIterable<SseEvent> };

/**
 * Sends a request, and reads a response that is JSON.
 *
 * @throws {A2aError} With reason `UNAVAILABLE` if the agent cannot be reached or does not respond
 * in time, and with reason `INVALID_AGENT_RESPONSE` if the response is a redirect or too large.
 * @throws The signal's reason if the signal is aborted.
 */
export async function requestJson(call: HttpCall): Promise<JsonResponse> {
  call.signal?.throwIfAborted();
  const exchange = new HttpExchange(call, new RequestTimeout(call.timeoutMs, call.signal));
  try {
    return await exchange.readJson(await exchange.open());
  } catch (error) {
    throw exchange.explain(error);
  } finally {
    exchange.close();
  }
}

/**
 * Sends a request whose response is an event stream, and calls `read` with the response. The
 * request ends when the returned generator ends.
 *
 * @throws {A2aError} Under the same conditions as {@linkcode requestJson}.
 * @throws The signal's reason if the signal is aborted.
 */
export async function* requestEvents<Item>(
  call: HttpCall,
  read: (response: EventResponse) => AsyncGenerator<Item, void>,
): AsyncGenerator<Item, void> {
  call.signal?.throwIfAborted();
  const timeout = new RequestTimeout(MAX_TIMER_MS, call.signal);
  timeout.startIdleTimeout(call.timeoutMs);
  const exchange = new HttpExchange(call, timeout);
  try {
    const response = await exchange.open();
    const type = response.headers.get("content-type") ?? "";
    const isStream = response.ok && /^\s*text\/event-stream\s*(;|$)/i.test(type);
    yield* read(isStream ? { events: exchange.events() } : await exchange.readJson(response));
  } catch (error) {
    throw exchange.explain(error);
  } finally {
    exchange.close();
  }
}

/** A request in progress. */
class HttpExchange {
  readonly #call: HttpCall;
  readonly #timeout: RequestTimeout;
  #body: ReadableStream<Uint8Array> | null = null;

  constructor(call: HttpCall, timeout: RequestTimeout) {
    this.#call = call;
    this.#timeout = timeout;
  }

  /** Sends the request, and waits for the headers of the response. */
  async open(): Promise<Response> {
    const { fetch, init, url } = this.#call;
    const { signal } = this.#timeout;
    const headers = mergeHeaders(await this.#loadHeaders(), init.headers);
    // An agent could redirect a request to another host, which would receive the credentials.
    const sending = fetch(url, { ...init, headers, redirect: "manual", signal });
    try {
      const response = await this.#timeout.waitForData(sending);
      this.#body = response.body;
      if (response.type === "opaqueredirect" || response.status >= 300 && response.status < 400) {
        throw invalidResponse("the response is a redirect");
      }
      return response;
    } catch (error) {
      // If a fetch function ignores its signal, a response that arrives later is discarded.
      sending.then((late) => late.body?.cancel()).catch(() => {});
      throw error;
    }
  }

  async #loadHeaders(): Promise<HeaderValues> {
    const { headers } = this.#call;
    if (typeof headers !== "function") return headers;
    return await this.#timeout.waitForData((async () => await headers())());
  }

  async readJson({ status }: Response): Promise<JsonResponse> {
    const { maxBytes } = this.#call;
    const decoder = new TextDecoder();
    let [bytes, text] = [0, ""];
    for await (const chunk of this.#chunks()) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw invalidResponse(`the response is larger than ${maxBytes} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return { status, body: parseJson(text + decoder.decode()) };
  }

  async *events(): AsyncGenerator<SseEvent, void> {
    const { maxBytes: maxEventChars } = this.#call;
    const onTooLong = () => invalidResponse(`an event is larger than ${maxEventChars} bytes`);
    for await (const item of decodeSse(this.#chunks(), { maxEventChars, onTooLong })) {
      if (item.kind === "event") yield item;
    }
  }

  /** Returns the value to throw. */
  explain(error: unknown): unknown {
    const { signal, timeoutMs, url } = this.#call;
    if (signal?.aborted === true) return signal.reason;
    if (error instanceof A2aError) return error;
    const { origin } = new URL(url);
    if (this.#timeout.expired !== undefined) {
      const message = `Cannot reach the agent at ${origin}: no response within ${timeoutMs} ms`;
      return new A2aError("UNAVAILABLE", message, { cause: error });
    }
    const message = `Cannot reach the agent at ${origin}: ${errorMessageOf(error)}`;
    return new A2aError("UNAVAILABLE", message, { cause: error });
  }

  /** Clears the timeout, and cancels the body if it was not fully read. */
  close(): void {
    this.#timeout.close();
    // `cancel()` rejects if a reader has locked the body. The reader then cancels the body.
    this.#body?.cancel().catch(() => {});
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    if (this.#body === null) return;
    const reader = this.#body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#timeout.waitForData(reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      // The promise is not awaited, because it might never settle.
      reader.cancel().catch(() => {});
    }
  }
}

/** Returns the error for a response that violates the protocol. */
export function invalidResponse(reason: string, options: ErrorOptions = {}): A2aError {
  return new A2aError("INVALID_AGENT_RESPONSE", `Invalid agent response: ${reason}`, options);
}

/** Returns `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
