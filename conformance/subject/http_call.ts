/**
 * Plain HTTP requests of cases, answers read whole or event by event.
 *
 * @module
 */

import type { HttpCall } from "../kit/case.ts";
import { readJson } from "../kit/json.ts";
import { type PlainResponse, sendHttp } from "../platform/http.ts";
import { createEventReader, type ServerEvent } from "./sse.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";

/** What an HTTP request came to. */
export interface HttpResponse {
  /** The status code. */
  readonly status: number;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly bodyText: string;
  /** The body as JSON, when it is. */
  readonly json?: unknown;
  /** The events of the body, when it is a stream. */
  readonly events?: readonly StreamEvent[];
}

/** An event, its data read as JSON when it is. */
export interface StreamEvent extends ServerEvent {
  /** The data as JSON. */
  readonly json?: unknown;
}

/** A call with everything filled in. */
export interface PlainCall extends Omit<HttpCall, "headers"> {
  /** The headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and reads the whole answer. */
export async function callHttp(
  base: string,
  call: PlainCall,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const response = await send(base, call, signal);
  const head = { status: response.status, headers: response.headers };
  if (isEventStream(response)) {
    const events: StreamEvent[] = [];
    const read = createEventReader((event) => events.push(withJson(event)));
    for await (const chunk of response.body) read(chunk);
    return { ...head, bodyText: "", events };
  }
  const decoder = new TextDecoder();
  let bodyText = "";
  for await (const chunk of response.body) bodyText += decoder.decode(chunk, { stream: true });
  const parsed = readJson(bodyText);
  return { ...head, bodyText, ...(parsed === undefined ? {} : { json: parsed.value }) };
}

/** Sends a request and leaves the answer open, to be read event by event. */
export async function openStream(
  base: string,
  call: PlainCall,
  signal: AbortSignal,
): Promise<HttpStream> {
  const controller = new AbortController();
  const response = await send(base, call, AbortSignal.any([signal, controller.signal]));
  return new HttpStream(response, controller);
}

/** An answer that is still coming. */
export class HttpStream {
  /** The status code. */
  readonly status: number;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves when the server has ended the answer, or the connection is gone. */
  readonly ended: Promise<void>;
  readonly #controller: AbortController;
  readonly #events: StreamEvent[] = [];
  #wake: (() => void) | undefined;

  /** Begins to read; use {@linkcode openStream}. */
  constructor(response: PlainResponse, controller: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#controller = controller;
    this.ended = this.#read(response.body);
  }

  /** Takes the first event that a test accepts; those before it are passed over. */
  async next(
    test: (event: StreamEvent) => boolean,
    ms: number,
  ): Promise<StreamEvent | undefined> {
    const until = performance.now() + ms;
    while (true) {
      for (let event = this.#events.shift(); event; event = this.#events.shift()) {
        if (test(event)) return event;
      }
      const left = until - performance.now();
      const arrival = new Promise<void>((resolve) => this.#wake = resolve);
      if (left <= 0 || await waitFor(arrival, left) === TIMED_OUT) return undefined;
    }
  }

  /** Breaks the connection off. */
  cut(): void {
    this.#controller.abort();
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const read = createEventReader((event) => {
      this.#events.push(withJson(event));
      this.#wake?.();
    });
    try {
      for await (const chunk of body) read(chunk);
    } catch {
      // Cut off, by the one side or the other: what came is there.
    }
  }
}

async function send(
  base: string,
  { method, path = "", headers = {}, body, bodyText }: PlainCall,
  signal: AbortSignal,
): Promise<PlainResponse> {
  const text = bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
  return await sendHttp(new URL(path, base), {
    method,
    headers,
    signal,
    ...(text === undefined ? {} : { body: text }),
  });
}

function isEventStream({ headers }: PlainResponse): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

function withJson(event: ServerEvent): StreamEvent {
  const parsed = readJson(event.data);
  return parsed === undefined ? event : { ...event, json: parsed.value };
}
