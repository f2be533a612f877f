/**
 * One POST to a model's endpoint: time-out, size cap, and every failure a model error without secrets.
 *
 * @module
 */

import { AgentError, reasonOf } from "../error.ts";
import { Deadline, MAX_TIMEOUT_MS } from "./deadline.ts";
import { statusFailure } from "./http_failure.ts";
import { decodeEvents, type ServerSentEvent } from "./sse.ts";
import { toJsonText, type WireObject } from "./wire.ts";

/** The part of the platform's `fetch` that the models use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How to reach an endpoint. */
export interface EndpointOptions {
  /** Headers to add to each request, for example for a gateway. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** How long one call may take in all, in milliseconds, up to 2147483647. Default: 600000, which is ten minutes. */
  readonly timeoutMs?: number;
  /** The largest answer, in bytes. Default: 16777216, which is 16 MiB. */
  readonly maxResponseBytes?: number;
}

/** An endpoint, looked at once. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** One request. */
export interface Call {
  readonly body: WireObject;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How much of a failed answer is read for its words. */
const MAX_FAILURE_BYTES = 65_536;

/** Shorter values are not worth hiding, and hiding them would garble every message. */
const MIN_SECRET_LENGTH = 6;

/**
 * Looks at where and how to send.
 *
 * @param baseUrl the interface's root; a query in it is kept
 * @param path what to add to it
 * @param credentials headers that the adapter adds
 * @param options the caller's part
 * @throws {TypeError} if the URL or a header cannot be used
 * @throws {RangeError} if a limit cannot be used
 */
export function createEndpoint(
  baseUrl: string | URL,
  path: string,
  credentials: Readonly<Record<string, string>>,
  options: EndpointOptions,
): Endpoint {
  const { headers = {}, timeoutMs = 600_000, maxResponseBytes = 16_777_216 } = options;
  const url = readUrl(baseUrl, path);
  assertLimit("timeoutMs", timeoutMs, MAX_TIMEOUT_MS);
  assertLimit("maxResponseBytes", maxResponseBytes, Number.MAX_SAFE_INTEGER);
  const all = mergeHeaders({ "content-type": "application/json" }, credentials, headers);
  return {
    url: url.href,
    host: url.host,
    headers: all,
    secrets: [...secretsOf(credentials), ...secretsOf(headers), ...querySecretsOf(url)],
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxResponseBytes,
  };
}

/**
 * Sends a request and waits for the head of a good answer. Close the answer in any case.
 *
 * @param endpoint where and how
 * @param call what
 * @throws {AgentError} `model_error`, with `retryable` and `retryAfterMs`, if there is no good answer
 */
export async function post(endpoint: Endpoint, call: Call): Promise<Answer> {
  call.signal?.throwIfAborted();
  const init = {
    method: "POST",
    headers: mergeHeaders(endpoint.headers, call.headers ?? {}),
    body: toJsonText(call.body),
    // Following one would hand custom credential headers to another host, and turn the POST into a GET.
    redirect: "manual",
  } as const;
  const exchange = new Exchange(endpoint, call);
  try {
    const response = await exchange.send(init);
    const answer = new Answer(response, exchange);
    if (response.ok) return answer;
    throw await answer.failure();
  } catch (error) {
    exchange.close();
    throw exchange.explain(error);
  }
}

/** A request under way: its clock, and how its failures are told. */
class Exchange {
  readonly endpoint: Endpoint;
  readonly #call: Call;
  readonly #deadline: Deadline;

  constructor(endpoint: Endpoint, call: Call) {
    this.endpoint = endpoint;
    this.#call = call;
    this.#deadline = new Deadline(endpoint.timeoutMs, call.signal);
  }

  async send(init: RequestInit): Promise<Response> {
    const { fetch, url } = this.endpoint;
    const sending = fetch(url, { ...init, signal: this.#deadline.signal });
    try {
      return await this.#deadline.race(sending);
    } catch (error) {
      // A fetch that ignores its signal may still answer: nobody will read that.
      sending.then((late) => late.body?.cancel()).catch(() => {});
      throw error;
    }
  }

  wait<T>(work: Promise<T>): Promise<T> {
    return this.#deadline.race(work);
  }

  /** What to throw: the caller's own reason if it gave up, otherwise a model error without secrets. */
  explain(error: unknown): unknown {
    const { signal } = this.#call;
    if (signal?.aborted) return signal.reason;
    const { timeoutMs, host } = this.endpoint;
    if (this.#deadline.isExpired) {
      return AgentError.modelError(`no complete answer from ${host} within ${timeoutMs} ms`, {
        retryable: true,
      });
    }
    if (AgentError.isAgentError(error)) return this.#withoutSecrets(error);
    const reason = this.#redact(reasonsOf(error).join(": "));
    return AgentError.modelError(`the connection to ${host} failed: ${reason}`, {
      retryable: true,
      ...this.#isSafe(error) ? { cause: error } : {},
    });
  }

  close(): void {
    this.#deadline.close();
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
    return [...this.endpoint.secrets, ...secretsOf(this.#call.headers ?? {})]
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
      .sort((a, b) => b.length - a.length)
      .reduce(hideSecret, text);
  }
}

/** A good answer whose body is still to be read, once: as text or as events. */
export class Answer {
  readonly #response: Response;
  readonly #exchange: Exchange;

  constructor(response: Response, exchange: Exchange) {
    this.#response = response;
    this.#exchange = exchange;
  }

  /** The media type without parameters, in lower case; `""` if the server names none. */
  get mediaType(): string {
    const value = this.#response.headers.get("content-type") ?? "";
    return (value.split(";", 1)[0] ?? "").trim().toLowerCase();
  }

  /** Reads the whole body as text. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.#chunks()) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }

  /** Reads the body as server-sent events. */
  events(): AsyncGenerator<ServerSentEvent, void> {
    return decodeEvents(this.#chunks(), this.#exchange.endpoint.maxResponseBytes);
  }

  /** Reads the body of a failed answer, as far as it is worth it, and tells what it means. */
  async failure(): Promise<AgentError> {
    const { status, type, headers } = this.#response;
    if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
      await this.#response.body?.cancel();
      const target = headers.get("location");
      const where = target === null ? "elsewhere" : `to ${originOf(target)}`;
      return AgentError.modelError(`the endpoint redirects ${where}: name the right base URL`, {
        ...status === 0 ? {} : { status },
      });
    }
    return statusFailure(this.#response, await this.#failureText());
  }

  /** The error for something in the body, without secrets; the caller's reason if it gave up meanwhile. */
  explain(error: unknown): unknown {
    return this.#exchange.explain(error);
  }

  /** Stops the clock. What is not read yet is given up. */
  close(): void {
    this.#exchange.close();
    // Fails when the body is being read or has been: then its reader lets go of it.
    this.#response.body?.cancel().catch(() => {});
  }

  async #failureText(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of this.#chunks()) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > MAX_FAILURE_BYTES) break;
      }
    } catch {
      // The status says enough; the words are a bonus.
    }
    return text;
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    const { body } = this.#response;
    if (body === null) return;
    const { maxResponseBytes } = this.#exchange.endpoint;
    const reader = body.getReader();
    try {
      for (let bytes = 0;;) {
        const { done, value } = await this.#exchange.wait(reader.read());
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
}

function readUrl(baseUrl: string | URL, path: string): URL {
  if (!URL.canParse(baseUrl)) throw new TypeError("Cannot use the base URL: it is no URL");
  const url = new URL(baseUrl);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(
      `Cannot use the base URL: its scheme is "${url.protocol}", not http or https`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("Cannot use the base URL: it holds a user name or password");
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  url.hash = "";
  return url;
}

function assertLimit(name: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw new RangeError(`Cannot use ${name} ${value}: it is no integer from 1 to ${max}`);
}

/** Later ones win, whatever their case. */
function mergeHeaders(
  ...sources: readonly Readonly<Record<string, string>>[]
): Record<string, string> {
  const headers = new Headers();
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    try {
      headers.set(name, value);
    } catch {
      // The platform's own error may quote the value, which may be a secret.
      throw new TypeError(`Cannot use header "${name}": its name or value is not permitted`);
    }
  }
  return Object.fromEntries(headers);
}

function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => {
    const text = value.trim();
    const credentials = /^(?:Bearer|Basic)\s+(.+)$/i.exec(text)?.[1];
    return credentials === undefined ? [text] : [credentials];
  });
}

/** The values in the query, as they are and as error messages show them. */
function querySecretsOf(url: URL): string[] {
  return [...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]);
}

function hideSecret(text: string, secret: string): string {
  let safe = text.replaceAll(secret, "[redacted]");
  // A quotation that was cut short may end within the secret.
  for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length--) {
    safe = safe.replaceAll(`${secret.slice(0, length)}…`, "[redacted]…");
  }
  return safe;
}

/** The words of an error and of its causes; `fetch` often hides the useful ones there. */
function reasonsOf(error: unknown, depth = 4): string[] {
  const cause = error instanceof Error && depth > 0 ? error.cause : undefined;
  return [reasonOf(error), ...cause === undefined ? [] : reasonsOf(cause, depth - 1)];
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another path";
}
