/**
 * Sends the HTTP requests in cases, and reads complete responses or event streams.
 *
 * @module
 */

import type { HttpCall } from "../kit/http_message.ts";
import { readJson } from "../kit/json.ts";
import { type PlainResponse, sendHttp } from "../platform/http.ts";
import { readEvents, type ServerEvent } from "./sse.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";
import { type HttpWatcher, lowerNames, watchBody } from "./wire_watcher.ts";

/** A complete HTTP response. */
export interface HttpResponse {
  /** Status code. */
  readonly status: number;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, decoded as text. */
  readonly bodyText: string;
  /** The parsed body, if it is valid JSON. */
  readonly json?: unknown;
  /** Events in the body, if it is an event stream. */
  readonly events?: readonly StreamEvent[];
}

/** A server-sent event whose data is also parsed if it is valid JSON. */
export interface StreamEvent extends ServerEvent {
  /** The parsed data of the event, if it is valid JSON. */
  readonly json?: unknown;
}

/** A request in which all names have been replaced with values. */
export interface PlainCall extends Omit<HttpCall, "headers"> {
  /** Headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Maximum length of a response body, in bytes. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Maximum total length of the stored events of a response, in characters. */
const MAX_EVENT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Reads a response body as text.
 *
 * @throws {RangeError} If the body is longer than 8 MiB.
 */
export async function readBodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new RangeError(`the response is longer than ${MAX_BODY_BYTES} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The server that receives a request. */
export interface Target {
  /** URL to which the path of the request is relative. */
  readonly url: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Receives a copy of the request and its response. */
  readonly watcher?: HttpWatcher | undefined;
}

/** Sends a request and reads the complete response. */
export async function callHttp(target: Target, call: PlainCall): Promise<HttpResponse> {
  const response = await send(target, call);
  const head = { status: response.status, headers: response.headers };
  if (isEventStream(response)) {
    const events = new StoredEvents();
    await readEvents(response.body, (event) => events.add(event));
    return { ...head, bodyText: "", events: events.items };
  }
  const bodyText = await readBodyText(response.body);
  const parsed = readJson(bodyText);
  return { ...head, bodyText, ...(parsed === undefined ? {} : { json: parsed.value }) };
}

/** Sends a request and returns the open response. */
export async function openStream(target: Target, call: PlainCall): Promise<HttpStream> {
  const controller = new AbortController();
  const signal = AbortSignal.any([target.signal, controller.signal]);
  const response = await send({ ...target, signal }, call);
  return new HttpStream(response, controller);
}

/** A response that is still being received. */
export class HttpStream {
  /** Status code. */
  readonly status: number;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves when the response has ended or the connection is closed. */
  readonly ended: Promise<void>;
  readonly #controller: AbortController;
  readonly #events: StoredEvents = new StoredEvents();
  #isEnded = false;
  #wake: (() => void) | undefined;

  /** Starts reading a response. Use {@linkcode openStream} to send the request. */
  constructor(response: PlainResponse, controller: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#controller = controller;
    this.ended = this.#read(response.body);
  }

  /**
   * Returns the first event that a predicate accepts, and discards all earlier events. Returns
   * `undefined` after `ms` milliseconds, or when the response has ended.
   */
  async next(
    test: (event: StreamEvent) => boolean,
    ms: number,
  ): Promise<StreamEvent | undefined> {
    const until = performance.now() + ms;
    while (true) {
      for (let event = this.#events.take(); event; event = this.#events.take()) {
        if (test(event)) return event;
      }
      if (this.#isEnded) return undefined;
      const left = until - performance.now();
      const arrival = new Promise<void>((resolve) => this.#wake = resolve);
      if (left <= 0 || await waitFor(arrival, left) === TIMED_OUT) return undefined;
    }
  }

  /** Closes the connection. */
  cut(): void {
    this.#controller.abort();
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await readEvents(body, (event) => {
        this.#events.add(event);
        this.#wake?.();
      });
    } catch {
      // After the connection is closed, events that were already received remain available.
    }
    this.#isEnded = true;
    this.#wake?.();
  }
}

/** The events of a response. Events that arrive after the limit is reached are ignored. */
class StoredEvents {
  readonly items: StreamEvent[] = [];
  #characters = 0;

  add(event: ServerEvent): void {
    this.#characters += event.data.length;
    if (this.#characters <= MAX_EVENT_CHARACTERS) this.items.push(withJson(event));
  }

  take(): StreamEvent | undefined {
    return this.items.shift();
  }
}

async function send(
  { url: base, signal, watcher }: Target,
  { method, path = "", headers = {}, body, bodyText }: PlainCall,
): Promise<PlainResponse> {
  const text = bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
  const url = new URL(path, base);
  const watch = watcher?.request({
    method,
    path: `${url.pathname}${url.search}`,
    headers: lowerNames(headers),
    body: new TextEncoder().encode(text ?? ""),
  });
  const response = await sendHttp(url, {
    method,
    headers,
    signal,
    ...(text === undefined ? {} : { body: text }),
  });
  if (watch === undefined) return response;
  watch.head(response.status, response.headers);
  return { ...response, body: watchBody(response.body, watch) };
}

function isEventStream({ headers }: PlainResponse): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

function withJson(event: ServerEvent): StreamEvent {
  const parsed = readJson(event.data);
  return parsed === undefined ? event : { ...event, json: parsed.value };
}
