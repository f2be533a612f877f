/**
 * The kit acting as the server for an MCP client over HTTP.
 *
 * By default, messages are dispatched automatically. In manual mode, the steps of a case respond to
 * each HTTP request.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue, readJson } from "../kit/json.ts";
import { randomToken } from "../platform/crypto.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import type { TestServer } from "./relay_test_server.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";
import { type HttpWatcher, watchReply } from "./wire_watcher.ts";

/** A pending HTTP request. */
export interface HeldRequest {
  /** The request, in the form that matchers in cases expect. */
  readonly request: JsonObject;
  /** Writes the response. */
  readonly reply: HttpReply;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
}

/** Options for {@linkcode startHttpTestServer}. */
export interface HttpTestServerOptions {
  /** Whether the steps of the case respond to each request. */
  readonly isManual: boolean;
  /**
   * Whether the kit, instead of the case steps, rejects requests for a stream of unsolicited
   * messages. A request for this stream is an HTTP GET request that does not resume a stream.
   */
  readonly refusesListening?: boolean;
  /** Methods of the messages that open the session, which the kit itself handles. */
  readonly opening: ReadonlySet<string>;
  /** Receives a copy of all requests and responses. */
  readonly watcher?: HttpWatcher;
}

/** Starts a server on the loopback interface. */
export async function startHttpTestServer(options: HttpTestServerOptions): Promise<HttpTestServer> {
  const peer = new HttpTestServer(options);
  const { port, close } = await listenHttp((request, reply) => peer.handle(request, reply));
  peer.address = { type: "http", url: `http://127.0.0.1:${port}/mcp` };
  peer.stopListening = close;
  return peer;
}

/** A POST request whose response is pending. */
interface Open {
  readonly reply: HttpReply;
  readonly isInitialize: boolean;
  isStream: boolean;
}

/** Server for one client's HTTP connections. */
export class HttpTestServer implements TestServer {
  address: JsonObject = {};
  stopListening: () => Promise<void> = () => Promise.resolve();
  onMessage: (value: unknown) => void = () => {};
  /** Called with each request that the steps of the case handle. */
  onRequest: (request: JsonObject) => void = () => {};
  /** Resolves when the client has ended its session. */
  readonly closed: Promise<void>;
  /** Session id for clients that use legacy protocol versions. */
  readonly session: string = randomToken();
  readonly #options: HttpTestServerOptions;
  readonly #open: Map<unknown, Open> = new Map();
  readonly #held: HeldRequest[] = [];
  readonly #unsent: string[] = [];
  #listening: HttpReply | undefined;
  #wake: (() => void) | undefined;
  #hasEnded = false;
  #refusal: number | undefined;
  #settle: () => void = () => {};

  /**
   * Creates a server that does not listen yet. Use {@linkcode startHttpTestServer} to start a
   * server.
   */
  constructor(options: HttpTestServerOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => this.#settle = resolve);
  }

  async handle(incoming: HttpRequest, plain: HttpReply): Promise<void> {
    await Promise.resolve();
    if (this.#hasEnded) return plain.drop();
    const watch = this.#options.watcher?.request(incoming);
    const reply = watch === undefined ? plain : watchReply(plain, watch);
    const text = new TextDecoder().decode(incoming.body);
    const value = readJson(text)?.value ?? text;
    const { method } = isObject(value) ? value : {};
    const isOpening = typeof method === "string" && this.#options.opening.has(method);
    if (this.#options.refusesListening === true && isListening(incoming)) {
      return respondWithStatus(reply, 405);
    }
    if (this.#options.isManual && !isOpening) return this.#hold(incoming, text, reply);
    if (incoming.method === "POST") this.#take(value, reply);
    else this.#answerOther(incoming, reply);
  }

  /**
   * Removes and returns the first request that a predicate accepts, waiting for the request if
   * necessary.
   */
  async next(
    test: (request: JsonObject) => boolean,
    ms: number,
  ): Promise<HeldRequest | undefined> {
    const until = performance.now() + ms;
    while (true) {
      const index = this.#held.findIndex(({ request }) => test(request));
      if (index >= 0) return this.#held.splice(index, 1)[0];
      const left = until - performance.now();
      if (left <= 0) return undefined;
      const arrival = new Promise<void>((resolve) => this.#wake = resolve);
      if (await waitFor(arrival, left) === TIMED_OUT) return undefined;
    }
  }

  /** Responds to all pending and later requests with a status code. */
  refuseAll(status: number): void {
    this.#refusal = status;
    for (const { reply } of this.#held.splice(0)) respondWithStatus(reply, status);
  }

  send(message: JsonValue): void {
    const { id, method } = isObject(message) ? message : {};
    const text = JSON.stringify(message);
    const open = method === undefined ? this.#open.get(id) : undefined;
    if (open === undefined) return this.#sendUnsolicited(text);
    this.#open.delete(id);
    const { reply, isStream, isInitialize } = open;
    if (isStream) reply.write(toEvent(text));
    else {
      reply.head(200, {
        "content-type": "application/json",
        ...(isInitialize ? { "mcp-session-id": this.session } : {}),
      });
      reply.write(text);
    }
    reply.end();
  }

  sendText(line: string): void {
    const [id, open] = [...this.#open][0] ?? [];
    this.#open.delete(id);
    open?.reply.head(200, { "content-type": "application/json" });
    open?.reply.write(line);
    open?.reply.end();
  }

  sendBytes(bytes: Uint8Array): void {
    this.sendText(new TextDecoder().decode(bytes));
  }

  closeInput(): void {
    this.#hasEnded = true;
    for (const { reply } of this.#open.values()) reply.drop();
    this.#open.clear();
    this.#listening?.drop();
  }

  async close(): Promise<void> {
    this.closeInput();
    for (const { reply } of this.#held) reply.drop();
    await this.stopListening();
  }

  #hold({ method, path, headers, signal }: HttpRequest, bodyText: string, reply: HttpReply): void {
    const parsed = readJson(bodyText);
    const json = parsed === undefined ? {} : { json: parsed.value as JsonValue };
    const request: JsonObject = { method, path, headers, bodyText, ...json };
    this.onRequest(request);
    if (this.#refusal !== undefined) return respondWithStatus(reply, this.#refusal);
    this.#held.push({ request, reply, signal });
    this.#wake?.();
  }

  #take(value: unknown, reply: HttpReply): void {
    if (isObject(value) && "method" in value && "id" in value) {
      const isInitialize = value.method === "initialize";
      this.#open.set(value.id, { reply, isStream: false, isInitialize });
    } else {
      reply.head(202, {});
      reply.end();
    }
    this.onMessage(value);
  }

  /**
   * In legacy protocol versions, opens the GET stream for unsolicited messages or ends the session.
   */
  #answerOther({ method, headers }: HttpRequest, reply: HttpReply): void {
    const isMine = headers["mcp-session-id"] === this.session;
    if (method === "GET" && isMine) {
      reply.head(200, { "content-type": "text/event-stream" });
      this.#listening = reply;
      for (const text of this.#unsent.splice(0)) reply.write(toEvent(text));
      return;
    }
    const isEnd = method === "DELETE" && isMine;
    reply.head(isEnd ? 200 : 405, { allow: "POST" });
    reply.end();
    if (isEnd) this.#settle();
  }

  /**
   * Sends a message that is not a response, on the stream of a pending request if there is one,
   * otherwise on the GET stream.
   */
  #sendUnsolicited(text: string): void {
    const [open] = this.#open.values();
    if (open !== undefined) {
      if (!open.isStream) open.reply.head(200, { "content-type": "text/event-stream" });
      open.isStream = true;
      return open.reply.write(toEvent(text));
    }
    if (this.#listening === undefined) this.#unsent.push(text);
    else this.#listening.write(toEvent(text));
  }
}

function isListening({ method, headers }: HttpRequest): boolean {
  return method === "GET" && headers["last-event-id"] === undefined;
}

function respondWithStatus(reply: HttpReply, status: number): void {
  reply.head(status, {});
  reply.end();
}

function toEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
