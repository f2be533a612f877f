/**
 * A connection to an MCP server over HTTP: one POST request per message.
 *
 * @module
 */

import { isObject, type JsonValue, readJson } from "../kit/json.ts";
import { describeExit } from "./driver.ts";
import { readBodyText } from "./http_call.ts";
import type { ManagedHttpServer } from "./managed_http_server.ts";
import type { RpcConnection, RpcWire } from "./rpc_connection.ts";
import { readEvents } from "./sse.ts";
import { watchedFetch, type WatchedInit } from "./watched_fetch.ts";
import type { HttpWatcher } from "./wire_watcher.ts";
import { excerpt } from "../kit/escape_text.ts";
import { waitFor } from "./wait_for.ts";

const ACCEPT = "application/json, text/event-stream";
/** Timeout for the requests that end the sessions, in milliseconds. */
const DELETE_MS = 3000;
/** Time allowed for aborted requests to end, in milliseconds. */
const SETTLE_MS = 1000;

/** Maximum number of times that one event stream is resumed. */
const MAX_RESUMPTIONS = 10;
/** Pause before a stream is resumed, if the server does not specify a pause, in milliseconds. */
const RETRY_MS = 100;
/** Longest pause before a stream is resumed, in milliseconds. */
const MAX_RETRY_MS = 5000;

/** An event after which a stream can be resumed. */
interface ResumableEvent {
  readonly id: string;
  readonly retry?: number;
}

type Headers = Readonly<Record<string, string>>;

/** Options for {@linkcode HttpServer}. */
interface HttpServerOptions {
  readonly host?: ManagedHttpServer;
  readonly signal?: AbortSignal;
  readonly watcher?: HttpWatcher;
}

/** Sends messages to a server over HTTP. */
export class HttpServer implements RpcWire {
  /** Transport. */
  readonly transport = "http";
  /** URL of the server. */
  readonly url: string;
  /** Receives a copy of all requests and responses. */
  readonly watcher: HttpWatcher | undefined;
  readonly #host: ManagedHttpServer | undefined;
  readonly #controller = new AbortController();
  readonly #open: Set<Promise<void>> = new Set();
  readonly #requests: Map<unknown, AbortController> = new Map();
  /** Headers of the requests that end the open sessions, keyed by session id. */
  readonly #sessions: Map<string, Headers> = new Map();
  #headers: Headers = {};
  #listening: Promise<boolean> | undefined;
  #peer: RpcConnection | undefined;
  #failure: string | undefined;
  #isInterrupted = false;

  /**
   * Creates a connection without sending a request.
   *
   * @param url URL of the server.
   * @param options The server's process, if the kit started it, a signal that ends all waits for
   * the server, and a watcher.
   */
  constructor(url: string, { host, signal, watcher }: HttpServerOptions = {}) {
    this.url = url;
    this.watcher = watcher;
    this.#host = host;
    if (signal?.aborted) this.#interrupt();
    signal?.addEventListener("abort", () => this.#interrupt(), { signal: this.signal });
  }

  /** Reason why the server is unreachable, or `undefined`. */
  get failure(): string | undefined {
    const exit = this.#host?.exit;
    return exit === undefined ? this.#failure : `the process ${describeExit(exit)}`;
  }

  /** Negotiated protocol version, or `undefined`. */
  get version(): string | undefined {
    return this.#headers["mcp-protocol-version"];
  }

  /** Session id, or `undefined`. */
  get session(): string | undefined {
    return this.#headers["mcp-session-id"];
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a case: {@linkcode errorExcerpt} omits the output of earlier cases. */
  beginCase(): void {
    this.#host?.beginCase();
  }

  /** Excerpt from the server's standard error since the last case started. */
  errorExcerpt(): string {
    return this.#host?.errorExcerpt() ?? "";
  }

  /** Sets the connection that receives the server's messages. */
  attach(peer: RpcConnection): void {
    this.#peer = peer;
    if (this.#isInterrupted) peer.end();
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    this.#controller.abort();
    this.#peer?.end();
  }

  /** Adds headers to all later messages. */
  setHeaders(headers: Headers): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  send(message: JsonValue): void {
    this.#post(JSON.stringify(message), message);
  }

  sendText(line: string): void {
    this.#post(line);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#post(bytes.slice());
  }

  /**
   * Opens the GET stream for unsolicited messages, unless it has already been opened. Resolves to
   * `true` if the server supports the GET stream.
   */
  listen(): Promise<boolean> {
    return this.#listening ??= this.#listen();
  }

  async #listen(): Promise<boolean> {
    const headers = { accept: "text/event-stream", ...this.#headers };
    const { signal } = this;
    const response = await this.#fetch({ headers, signal }).catch(() => undefined);
    if (response === undefined || !isStream(response)) {
      await response?.body?.cancel();
      return false;
    }
    const reading = this.#read(response, (value) => this.#peer?.take(value));
    this.#run(
      reading.then(() => {}).catch((error: unknown) => {
        if (!this.signal.aborted) this.#peer?.trace.add("!", `the GET stream: ${String(error)}`);
      }),
    );
    return true;
  }

  /**
   * Closes the response stream of a request, which cancels the request in modern protocol versions.
   */
  cancel(id: string | number): void {
    this.#requests.get(id)?.abort();
  }

  /**
   * Registers a session that a step of a case has opened, so that `close()` ends it.
   *
   * @param id Session id.
   * @param headers Headers of the request that ends the session.
   */
  addSession(id: string, headers: Headers): void {
    this.#sessions.set(id, { ...headers, "mcp-session-id": id });
  }

  /** Aborts all requests and ends all sessions. */
  async close(): Promise<void> {
    this.#controller.abort();
    await waitFor(Promise.allSettled(this.#open), SETTLE_MS);
    if (this.#host?.exit !== undefined) return;
    const signal = AbortSignal.timeout(DELETE_MS);
    const ending = [...this.#sessions.values()].map(async (headers) => {
      const request = { method: "DELETE", headers, signal, redirect: "manual" } as const;
      const response = await fetch(this.url, request);
      await response.body?.cancel();
    });
    this.#sessions.clear();
    // Errors are ignored, because a server is not required to let clients end a session.
    await Promise.allSettled(ending);
  }

  #post(body: string | Uint8Array<ArrayBuffer>, message?: JsonValue): void {
    const controller = new AbortController();
    const { id, method } = isObject(message) ? message : {};
    if (method !== undefined && id !== undefined) this.#requests.set(id, controller);
    const work = this.#exchange(body, message, controller.signal).catch((error: unknown) => {
      if (this.signal.aborted || controller.signal.aborted) return undefined;
      this.#failure = error instanceof Error ? error.message : String(error);
      this.#peer?.trace.add("!", this.#failure);
      return undefined;
    });
    // No other HTTP response can contain the response to the request.
    this.#run(work.then((reason) => {
      if (method !== undefined) this.#peer?.giveUp(id, reason);
    }));
  }

  /** Sends a request. Redirects are not followed, as in the HTTP steps of cases. */
  async #fetch(init: WatchedInit): Promise<Response> {
    return await watchedFetch(this.url, init, this.watcher);
  }

  #run(work: Promise<void>): void {
    this.#open.add(work);
    work.finally(() => this.#open.delete(work));
  }

  async #exchange(
    body: string | Uint8Array<ArrayBuffer>,
    message: JsonValue | undefined,
    cancelled: AbortSignal,
  ): Promise<string> {
    const response = await this.#fetch({
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: ACCEPT,
        ...this.#headers,
        ...routingHeaders(message),
      },
      signal: AbortSignal.any([this.signal, cancelled]),
    });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) {
      this.setHeaders({ "mcp-session-id": session });
      this.addSession(session, this.#headers);
    }
    const { id, method } = isObject(message) ? message : {};
    const take = (value: unknown): void => {
      if (method === "initialize") this.#settle(value);
      this.#peer?.take(value);
    };
    const what = isStream(response) ? "an event stream" : "a response";
    let last = await this.#read(response, take);
    for (let round = 0; round < MAX_RESUMPTIONS && this.#peer?.isPending(id) === true; round++) {
      if (last === undefined) break;
      last = await this.#resume(last, take, cancelled);
    }
    return `${what} with the status ${response.status} that does not contain the response`;
  }

  /**
   * Reads the rest of an event stream that the server closed before it sent the response (MCP
   * 2025-11-25, Transports, "Resumability and Redelivery").
   *
   * @returns The last event with an id, or `undefined` if the server does not resume the stream.
   */
  async #resume(
    { id, retry = RETRY_MS }: ResumableEvent,
    take: (value: unknown) => void,
    cancelled: AbortSignal,
  ): Promise<ResumableEvent | undefined> {
    await new Promise((resolve) => setTimeout(resolve, Math.min(retry, MAX_RETRY_MS)));
    const response = await this.#fetch({
      headers: { accept: "text/event-stream", ...this.#headers, "last-event-id": id },
      signal: AbortSignal.any([this.signal, cancelled]),
    });
    if (isStream(response)) return await this.#read(response, take);
    await response.body?.cancel();
    return undefined;
  }

  /** Reads a response. Resolves to its last event with an id, if it is an event stream. */
  async #read(
    response: Response,
    take: (value: unknown) => void,
  ): Promise<ResumableEvent | undefined> {
    if (isStream(response) && response.body !== null) {
      let last: ResumableEvent | undefined;
      await readEvents(response.body, ({ event, data, id, retry }) => {
        if (id !== undefined) last = { id, ...(retry === undefined ? {} : { retry }) };
        // A resumable stream can start with an event that has an id but no data.
        if (data === "") return;
        if (event === "message") return take(readJson(data)?.value ?? data);
        this.#peer?.addViolation(`an event of the type "${event}", which is not "message"`);
      });
      return last;
    }
    const text = response.body === null ? "" : await readBodyText(response.body);
    const parsed = readJson(text);
    const isMessage = isObject(parsed?.value) && "jsonrpc" in parsed.value;
    // A response with an HTTP error status is not required to contain a JSON-RPC message.
    if (text === "" || !(response.ok || isMessage)) {
      const location = response.headers.get("location");
      const what = location === null ? excerpt(text, 500) : `redirect to ${location}`;
      if (!response.ok) this.#peer?.addRefusal(`HTTP ${response.status} ${what}`);
      return undefined;
    }
    const type = response.headers.get("content-type");
    if (response.ok && !/^application\/json\b/i.test(type ?? "")) {
      const got = type === null ? "no content type" : `the content type "${type}"`;
      this.#peer?.addViolation(`a response with ${got} instead of application/json`);
    }
    take(parsed?.value ?? { status: response.status, text });
    return undefined;
  }

  /** Stores the negotiated protocol version for the headers of later messages. */
  #settle(value: unknown): void {
    const { protocolVersion } = isObject(value) && isObject(value.result) ? value.result : {};
    if (typeof protocolVersion === "string") {
      this.setHeaders({ "mcp-protocol-version": protocolVersion });
      if (this.session !== undefined) this.addSession(this.session, this.#headers);
    }
  }
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/**
 * Returns the headers that modern protocol versions require: the version, the method, and the name
 * or id of the tool, prompt, resource or task.
 */
function routingHeaders(message: JsonValue | undefined): Headers {
  const { method, params } = isObject(message) ? message : {};
  if (typeof method !== "string" || !isObject(params) || !isObject(params._meta)) return {};
  const version = params._meta["io.modelcontextprotocol/protocolVersion"];
  if (typeof version !== "string") return {};
  const name = method.startsWith("tasks/") ? params.taskId : params.name ?? params.uri;
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": toHeaderValue(name) } : {}),
  };
}

/** Encodes a header value as defined by MCP 2026-07-28. Non-ASCII text is encoded in base64. */
function toHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) &&
    !(text.startsWith("=?base64?") && text.endsWith("?="));
  if (isPlain) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}
