/**
 * HTTP POST requests to model APIs, with a timeout, a size limit and error messages that contain no
 * secrets.
 *
 * @module
 */

import { defined, isRecord } from "@parley/internal/json";
import { decodeSse, type SseItem } from "@parley/internal/sse";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { type Endpoint, type HeaderValues, mergeHeaders, redact } from "./endpoint.ts";
import { statusFailure } from "./http_error.ts";
import { RequestTimeout } from "./request_timeout.ts";
import { toJsonText, type WireObject } from "./response_fields.ts";

/** Body, headers and abort signal of a request to a model API. */
export interface EndpointCall {
  readonly body: WireObject;
  /** Id of the model, for error messages. Defaults to the body's `model` field. */
  readonly model?: string;
  readonly headers?: HeaderValues | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of UTF-16 code units to read from an error response for its message. */
const MAX_FAILURE_LENGTH = 65_536;

/**
 * Sends a request and reads the response.
 *
 * @param endpoint Endpoint to which the request is sent.
 * @param call Body, headers and abort signal of the request.
 * @param read Function that reads a successful response.
 * @throws {AgentError} With code `model_error` if the request fails. The error's `retryable` and
 * `retryAfterMs` indicate whether and when to retry.
 * @throws The signal's reason if the signal is aborted.
 */
export async function send<T>(
  endpoint: Endpoint,
  call: EndpointCall,
  read: (response: EndpointResponse) => Promise<T>,
): Promise<T> {
  const request = new EndpointRequest(endpoint, call);
  try {
    return await read(await request.open());
  } catch (error) {
    throw request.explain(error);
  } finally {
    request.close();
  }
}

/**
 * Sends a request and reads the response as a stream. Breaking out of the loop cancels the request.
 *
 * @param endpoint Endpoint to which the request is sent.
 * @param call Body, headers and abort signal of the request.
 * @param read Function that reads a successful response.
 * @throws {AgentError} With code `model_error` if the request fails. The error's `retryable` and
 * `retryAfterMs` indicate whether and when to retry.
 * @throws The signal's reason if the signal is aborted.
 */
export async function* sendStream<T, R>(
  endpoint: Endpoint,
  call: EndpointCall,
  read: (response: EndpointResponse) => AsyncGenerator<T, R>,
): AsyncGenerator<T, R> {
  const request = new EndpointRequest(endpoint, call);
  try {
    return yield* read(await request.open());
  } catch (error) {
    throw request.explain(error);
  } finally {
    request.close();
  }
}

/** Length of the longest name of a field in an event stream, with the colon. */
const LONGEST_FIELD = "event:".length;

/** A successful response, whose body can be read once, either as text or as events. */
export class EndpointResponse {
  /** Media type in lowercase, without parameters. `""` if the `content-type` header is missing. */
  readonly mediaType: string;
  readonly #chunks: AsyncGenerator<Uint8Array, void>;
  readonly #maxBytes: number;
  readonly #onEvents: () => void;
  /** Chunks that have been read to find the format. */
  readonly #first: Uint8Array[] = [];

  /**
   * Wraps a response body.
   *
   * @param contentType Value of the `content-type` header.
   * @param chunks Chunks of the response body.
   * @param maxBytes Maximum size of an event, in bytes.
   * @param onEvents Called when the body starts like an event stream.
   */
  constructor(
    contentType: string | null,
    chunks: AsyncGenerator<Uint8Array, void>,
    maxBytes: number,
    onEvents: () => void = () => {},
  ) {
    this.#onEvents = onEvents;
    this.mediaType = (contentType?.split(";", 1)[0] ?? "").trim().toLowerCase();
    this.#chunks = chunks;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the format of the body. The first character decides, because servers and gateways send
   * wrong media types: JSON starts with a bracket, and the fields of an event stream do not.
   */
  async format(): Promise<"events" | "json" | "unknown"> {
    const decoder = new TextDecoder();
    for (let text = "";;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return "unknown";
      this.#first.push(value);
      text = (text + decoder.decode(value, { stream: true })).trimStart();
      if (/^[{[]/.test(text)) return "json";
      if (/^(?::|(?:data|event|id|retry):)/.test(text)) {
        this.#onEvents();
        return "events";
      }
      if (text.length > LONGEST_FIELD) return "unknown";
    }
  }

  /** Reads the whole body as text. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.#all()) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }

  /** Reads the body as a stream of server-sent events. */
  events(): AsyncGenerator<SseItem, void> {
    const maxEventChars = this.#maxBytes;
    const onTooLong = (): AgentError =>
      AgentError.modelError(
        `an event of the response is longer than ${maxEventChars} characters`,
      );
    return decodeSse(this.#all(), { maxEventChars, onTooLong });
  }

  async *#all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#first;
      yield* this.#chunks;
    } finally {
      await this.#chunks.return();
    }
  }
}

/** A request in progress. Applies the timeout and converts errors to model errors. */
class EndpointRequest {
  readonly #endpoint: Endpoint;
  readonly #call: EndpointCall;
  readonly #init: RequestInit;
  /** Headers in addition to those of the endpoint. */
  #headers: HeaderValues;
  readonly #timeout: RequestTimeout;
  #body: ReadableStream<Uint8Array> | null = null;

  constructor(endpoint: Endpoint, call: EndpointCall) {
    call.signal?.throwIfAborted();
    this.#endpoint = endpoint;
    this.#call = call;
    this.#headers = call.headers ?? {};
    this.#init = {
      method: "POST",
      headers: mergeHeaders(endpoint.headers, this.#headers),
      body: toJsonText(call.body),
      // Following a redirect could send credentials to another host, or change the POST to a GET.
      redirect: "manual",
    };
    this.#timeout = new RequestTimeout(endpoint.timeoutMs, call.signal);
  }

  /** Sends the request and waits for the headers of a successful response. */
  async open(): Promise<EndpointResponse> {
    const response = await this.#send();
    this.#body = response.body;
    if (!response.ok) throw await this.#failureOf(response);
    const contentType = response.headers.get("content-type");
    const { idleTimeoutMs, maxResponseBytes } = this.#endpoint;
    const limitSilence = () => this.#timeout.startIdleTimeout(idleTimeoutMs);
    const result = new EndpointResponse(
      contentType,
      this.#chunks(),
      maxResponseBytes,
      limitSilence,
    );
    if (result.mediaType === "text/event-stream") limitSilence();
    return result;
  }

  /**
   * Returns the value to throw: the signal's reason if the signal is aborted, otherwise a model
   * error without secrets.
   */
  explain(error: unknown): unknown {
    const { signal } = this.#call;
    if (signal?.aborted) return signal.reason;
    if (AgentError.isAgentError(error)) return this.#withoutSecrets(error);
    const { host, idleTimeoutMs, timeoutMs } = this.#endpoint;
    if (this.#timeout.expired !== undefined) {
      const reason = this.#timeout.expired === "idle"
        ? `the response from ${host} stopped: no data for ${idleTimeoutMs} ms`
        : `the request to ${host} timed out after ${timeoutMs} ms`;
      return AgentError.modelError(reason, { retryable: true });
    }
    const reason = this.#redact(reasonsOf(error).join(": "));
    return AgentError.modelError(`the connection to ${host} failed: ${reason}`, {
      retryable: true,
      ...this.#isSafe(error) ? { cause: error } : {},
    });
  }

  /** Clears the timeout, and cancels the body if it was not fully read. */
  close(): void {
    this.#timeout.close();
    // `cancel()` rejects if a reader has locked the body. The rejection is ignored, because the
    // reader then cancels the body.
    this.#body?.cancel().catch(() => {});
  }

  async #send(): Promise<Response> {
    const { fetch, loadHeaders, url } = this.#endpoint;
    const loaded = loadHeaders === undefined
      ? {}
      : { headers: await this.#loadHeaders(loadHeaders) };
    const sending = fetch(url, { ...this.#init, ...loaded, signal: this.#timeout.signal });
    try {
      return await this.#timeout.race(sending);
    } catch (error) {
      // If a fetch function ignores its signal and returns a response after the timeout, that
      // response is discarded.
      sending.then((late) => late.body?.cancel()).catch(() => {});
      throw error;
    }
  }

  /** Calls the function that returns the headers of the endpoint. */
  async #loadHeaders(load: NonNullable<Endpoint["loadHeaders"]>): Promise<HeaderValues> {
    let loaded: unknown;
    try {
      loaded = await this.#timeout.race((async () => await load())());
    } catch (error) {
      if (this.#timeout.signal.aborted) throw error;
      throw AgentError.modelError(`"headers" threw an error: ${errorMessageOf(error)}`, {
        cause: error,
        retryable: true,
      });
    }
    if (!isHeaders(loaded)) {
      throw AgentError.modelError('"headers" must return an object whose values are strings');
    }
    this.#headers = { ...loaded, ...this.#call.headers };
    try {
      return mergeHeaders(this.#endpoint.headers, loaded, this.#call.headers ?? {});
    } catch (error) {
      throw AgentError.modelError(`"headers" returned invalid headers: ${errorMessageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** Converts an unsuccessful response to an error. Reads only the beginning of the body. */
  async #failureOf(response: Response): Promise<AgentError> {
    const { status, type, headers } = response;
    if (type !== "opaqueredirect" && (status < 300 || status >= 400)) {
      const { body, model = body.model } = this.#call;
      const target = { model, host: this.#endpoint.host };
      return statusFailure(response, await this.#failureText(), target);
    }
    const target = headers.get("location");
    const where = target === null ? "" : ` to ${originOf(target)}`;
    return AgentError.modelError(`the endpoint redirects${where}; set "baseUrl" to the final URL`, {
      ...status === 0 ? {} : { status },
    });
  }

  async #failureText(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of this.#chunks()) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > MAX_FAILURE_LENGTH) break;
      }
    } catch {
      // If the body cannot be read, the error contains only the status.
    }
    return text;
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    if (this.#body === null) return;
    const { maxResponseBytes } = this.#endpoint;
    const reader = this.#body.getReader();
    try {
      for (let bytes = 0;;) {
        const { done, value } = await this.#timeout.waitForData(reader.read());
        if (done) return;
        bytes += value.byteLength;
        if (bytes > maxResponseBytes) {
          throw AgentError.modelError(`response too large: maximum is ${maxResponseBytes} bytes`);
        }
        yield value;
      }
    } finally {
      // The promise returned by `cancel()` is not awaited, because it might never settle.
      reader.cancel().catch(() => {});
    }
  }

  #withoutSecrets(error: AgentError): AgentError {
    if (this.#isSafe(error) || !error.is("model_error")) return error;
    const { retryable, retryAfterMs, details } = error;
    return AgentError.modelError(this.#redact(details.reason), {
      retryable,
      ...defined({ retryAfterMs, status: details.status }),
    });
  }

  #isSafe(error: unknown): boolean {
    const text = reasonsOf(error).join("\n");
    return this.#redact(text) === text;
  }

  #redact(text: string): string {
    return redact(text, this.#endpoint, this.#headers);
  }
}

function isHeaders(value: unknown): value is HeaderValues {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string");
}

/**
 * Returns the messages of an error and its causes. If `fetch` fails, the details are often only in
 * the error's `cause`.
 */
function reasonsOf(error: unknown, depth = 4): string[] {
  const cause = error instanceof Error && depth > 0 ? error.cause : undefined;
  return [errorMessageOf(error), ...cause === undefined ? [] : reasonsOf(cause, depth - 1)];
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another path";
}
