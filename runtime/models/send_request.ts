/**
 * One POST to a model's endpoint: time-out, size cap, and every failure a model error without secrets.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { Deadline } from "./deadline.ts";
import { type Endpoint, type HeaderValues, mergeHeaders, redact } from "./endpoint.ts";
import { statusFailure } from "./http_error.ts";
import { toJsonText, type WireObject } from "./response_fields.ts";
import { decodeEvents, type ServerSentEvent } from "./sse.ts";

/** One request. */
export interface EndpointCall {
  readonly body: WireObject;
  readonly headers?: HeaderValues | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How much of a failed answer is read for its words, in UTF-16 code units. */
const MAX_FAILURE_LENGTH = 65_536;

/**
 * Sends a request and reads the answer.
 *
 * @param endpoint where and how
 * @param call what
 * @param read makes something of a good answer
 * @throws {AgentError} `model_error`, with `retryable` and `retryAfterMs`, if there is no good answer
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
 * The same for an answer that is read piece by piece. Whoever stops to listen ends the exchange.
 *
 * @param endpoint where and how
 * @param call what
 * @param read makes pieces of a good answer
 * @throws {AgentError} `model_error`, with `retryable` and `retryAfterMs`, if there is no good answer
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

/** A good answer whose body is still to be read, once: as text or as events. */
export class EndpointResponse {
  /** The media type without parameters, in lower case; `""` if the server names none. */
  readonly mediaType: string;
  readonly #chunks: AsyncGenerator<Uint8Array, void>;
  readonly #maxBytes: number;

  /**
   * Wraps a body.
   *
   * @param contentType the header's value
   * @param chunks the body
   * @param maxBytes how large it may be
   */
  constructor(
    contentType: string | null,
    chunks: AsyncGenerator<Uint8Array, void>,
    maxBytes: number,
  ) {
    this.mediaType = (contentType?.split(";", 1)[0] ?? "").trim().toLowerCase();
    this.#chunks = chunks;
    this.#maxBytes = maxBytes;
  }

  /** Reads the whole body as text. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.#chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }

  /** Reads the body as server-sent events. */
  events(): AsyncGenerator<ServerSentEvent, void> {
    return decodeEvents(this.#chunks, this.#maxBytes);
  }
}

/** A request under way: its clock, and how its failures are told. */
class EndpointRequest {
  readonly #endpoint: Endpoint;
  readonly #call: EndpointCall;
  readonly #init: RequestInit;
  readonly #deadline: Deadline;
  #body: ReadableStream<Uint8Array> | null = null;

  constructor(endpoint: Endpoint, call: EndpointCall) {
    call.signal?.throwIfAborted();
    this.#endpoint = endpoint;
    this.#call = call;
    this.#init = {
      method: "POST",
      headers: mergeHeaders(endpoint.headers, call.headers ?? {}),
      body: toJsonText(call.body),
      // Following one would hand custom credential headers to another host, or turn the POST into a GET.
      redirect: "manual",
    };
    this.#deadline = new Deadline(endpoint.timeoutMs, call.signal);
  }

  /** Sends the request and waits for the head of a good answer. */
  async open(): Promise<EndpointResponse> {
    const response = await this.#send();
    this.#body = response.body;
    if (!response.ok) throw await this.#failureOf(response);
    const contentType = response.headers.get("content-type");
    return new EndpointResponse(contentType, this.#chunks(), this.#endpoint.maxResponseBytes);
  }

  /** What to throw: the caller's own reason if it gave up, otherwise a model error without secrets. */
  explain(error: unknown): unknown {
    const { signal } = this.#call;
    if (signal?.aborted) return signal.reason;
    if (AgentError.isAgentError(error)) return this.#withoutSecrets(error);
    const { timeoutMs, host } = this.#endpoint;
    if (this.#deadline.isExpired) {
      return AgentError.modelError(`no complete answer from ${host} within ${timeoutMs} ms`, {
        retryable: true,
      });
    }
    const reason = this.#redact(reasonsOf(error).join(": "));
    return AgentError.modelError(`the connection to ${host} failed: ${reason}`, {
      retryable: true,
      ...this.#isSafe(error) ? { cause: error } : {},
    });
  }

  /** Stops the clock. What is not read yet is given up. */
  close(): void {
    this.#deadline.close();
    // Fails when the body is being read: then its reader lets go of it.
    this.#body?.cancel().catch(() => {});
  }

  async #send(): Promise<Response> {
    const { fetch, url } = this.#endpoint;
    const sending = fetch(url, { ...this.#init, signal: this.#deadline.signal });
    try {
      return await this.#deadline.race(sending);
    } catch (error) {
      // A fetch that ignores its signal may still answer: nobody will read that.
      sending.then((late) => late.body?.cancel()).catch(() => {});
      throw error;
    }
  }

  /** What a failed answer means; its body is read as far as it is worth it. */
  async #failureOf(response: Response): Promise<AgentError> {
    const { status, type, headers } = response;
    if (type !== "opaqueredirect" && (status < 300 || status >= 400)) {
      return statusFailure(response, await this.#failureText());
    }
    const target = headers.get("location");
    const where = target === null ? "elsewhere" : `to ${originOf(target)}`;
    return AgentError.modelError(`the endpoint redirects ${where}: name the right base URL`, {
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
      // The status says enough; the words are a bonus.
    }
    return text;
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    if (this.#body === null) return;
    const { maxResponseBytes } = this.#endpoint;
    const reader = this.#body.getReader();
    try {
      for (let bytes = 0;;) {
        const { done, value } = await this.#deadline.race(reader.read());
        if (done) return;
        bytes += value.byteLength;
        if (bytes > maxResponseBytes) {
          throw AgentError.modelError(`the answer is larger than ${maxResponseBytes} bytes`);
        }
        yield value;
      }
    } finally {
      // Not awaited: a stream that cannot be cancelled must not hold up its reader.
      reader.cancel().catch(() => {});
    }
  }

  #withoutSecrets(error: AgentError): AgentError {
    if (this.#isSafe(error) || !error.is("model_error")) return error;
    const { retryable, retryAfterMs, details } = error;
    return AgentError.modelError(this.#redact(details.reason), {
      retryable,
      ...retryAfterMs === undefined ? {} : { retryAfterMs },
      ...details.status === undefined ? {} : { status: details.status },
    });
  }

  #isSafe(error: unknown): boolean {
    const text = reasonsOf(error).join("\n");
    return this.#redact(text) === text;
  }

  #redact(text: string): string {
    return redact(text, this.#endpoint, this.#call.headers);
  }
}

/** The words of an error and of its causes; `fetch` often hides the useful ones there. */
function reasonsOf(error: unknown, depth = 4): string[] {
  const cause = error instanceof Error && depth > 0 ? error.cause : undefined;
  return [errorMessageOf(error), ...cause === undefined ? [] : reasonsOf(cause, depth - 1)];
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another path";
}
