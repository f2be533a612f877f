/**
 * One HTTP request and its response, as far as it has arrived.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { createEventReader, type ServerEvent } from "../subject/sse.ts";
import type { ResponseWatcher, WatchedRequest } from "../subject/wire_watcher.ts";
import { findEncodingProblem } from "./byte_rules.ts";
import type { Dialogue, Side } from "./dialogue.ts";
import type { HttpFacts } from "./http_facts.ts";
import { checkResponseBody, checkResponseHead } from "./http_rules.ts";
import type { RecordProblems } from "./message_rules.ts";
import { checkRequestHead } from "./request_rules.ts";

/** Maximum length of a body that is checked, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The conversation of an exchange, and its receivers. */
export interface ExchangeContext {
  /** Role of the subject. */
  readonly role: "server" | "client";
  /** The conversation. */
  readonly dialogue: Dialogue;
  /** Takes note of a message. */
  readonly take: (value: unknown, from: Side, exchange: HttpExchange) => void;
  /** Records what a rule found. */
  readonly record: RecordProblems;
  /** Called with the session id that a server assigns. */
  readonly onSession: (id: string) => void;
}

/** An HTTP request and its response. */
export class HttpExchange implements HttpFacts, ResponseWatcher {
  /** The request. */
  readonly request: WatchedRequest;
  /** The parsed body of the request, or `undefined`. */
  readonly sent: unknown;
  /** Status of the response, or 0. */
  status: number = 0;
  /** Headers of the response. */
  headers: Readonly<Record<string, string>> = {};
  readonly #context: ExchangeContext;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #read: ((chunk: Uint8Array) => void) | undefined;

  /** Starts an exchange with its request. */
  constructor(request: WatchedRequest, context: ExchangeContext) {
    this.request = request;
    this.#context = context;
    this.sent = readJson(new TextDecoder().decode(request.body))?.value;
    const { role, dialogue, take, record } = context;
    if (role === "client") {
      checkRequestHead(this, dialogue, record);
      const problem = findEncodingProblem(request.body);
      if (isObject(this.sent)) record("bytes", problem === undefined ? [] : [problem]);
    }
    if (request.method === "POST") take(this.sent, role === "server" ? "kit" : "subject", this);
  }

  /** Whether the response is an event stream. */
  get isStream(): boolean {
    return this.headers["content-type"]?.toLowerCase().startsWith("text/event-stream") === true;
  }

  /** Whether the response repeats the messages of an interrupted stream. */
  get isResumed(): boolean {
    return this.request.method === "GET" && this.request.headers["last-event-id"] !== undefined;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    const { role, dialogue, record, onSession } = this.#context;
    if (role === "server") checkResponseHead(this, record);
    else if (status >= 400) dialogue.isDisturbed = true;
    if (this.isStream) this.#read = createEventReader((event) => this.#takeEvent(event));
    const session = headers["mcp-session-id"];
    if (session === undefined || !isInitialize(this.sent)) return;
    onSession(session);
    dialogue.session = session;
  }

  body(chunk: Uint8Array): void {
    if (this.#read !== undefined) return this.#read(chunk);
    this.#length += chunk.length;
    if (this.#length <= MAX_BYTES) this.#chunks.push(chunk);
  }

  end(): void {
    if (this.#read !== undefined || this.#length > MAX_BYTES) return;
    const bytes = join(this.#chunks, this.#length);
    const { role, take, record } = this.#context;
    const value = readJson(new TextDecoder().decode(bytes))?.value;
    if (role === "server") {
      checkResponseBody(this, bytes, record);
      const problem = findEncodingProblem(bytes);
      if (isObject(value)) record("bytes", problem === undefined ? [] : [problem]);
    }
    const isMessage = (each: unknown): boolean => isObject(each) && "jsonrpc" in each;
    // A body with an error status need not be a message.
    if (Array.isArray(value) ? value.every(isMessage) : isMessage(value)) {
      take(value, role === "server" ? "subject" : "kit", this);
    }
  }

  #takeEvent({ data }: ServerEvent): void {
    // A resumable stream can start with an event that has an id but no data.
    if (data === "") return;
    const { role, take } = this.#context;
    take(readJson(data)?.value, role === "server" ? "subject" : "kit", this);
  }
}

function isInitialize(value: unknown): boolean {
  return isObject(value) && value.method === "initialize";
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
