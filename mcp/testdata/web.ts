import { assert } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { Queue } from "../shared/bounded_queue.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { objectOf } from "./answer.ts";

/** A JSON-RPC message for test assertions. */
export interface Sent extends JsonObject {
  readonly method?: string;
  readonly params?: JsonObject;
}

/** A request as received by an HTTP server. */
export interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** The JSON-RPC message, or an empty object if the request has no body. */
  readonly body: Sent;
  readonly signal: AbortSignal;
}

export interface Web {
  readonly fetch: HttpFetch;
  readonly seen: Seen[];
}

/** Simulates an HTTP server with a function. Aborted requests reject, as with a real server. */
export function web(answer: (request: Seen) => Response | Promise<Response>): Web {
  const seen: Seen[] = [];
  const fetch: HttpFetch = async (url, init) => {
    const signal = init.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    const body = typeof init.body === "string" ? readSent(JSON.parse(init.body)) : {};
    const request = {
      url,
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      body,
      signal,
    };
    seen.push(request);
    return await unlessAborted(answer(request), signal);
  };
  return { fetch, seen };
}

function readSent(value: unknown): Sent {
  const { method, params, ...rest } = objectOf(value);
  assert(method === undefined || typeof method === "string", "the method is not a string");
  return {
    ...rest,
    ...(method === undefined ? {} : { method }),
    ...(params === undefined ? {} : { params: objectOf(params) }),
  };
}

/** Waits for a result, or rejects with the signal's reason if the signal aborts first. */
async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  let give = (): void => {};
  const given = new Promise<never>((_, reject) => give = () => reject(signal.reason));
  signal.addEventListener("abort", give, { once: true });
  try {
    return await Promise.race([work, given]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}

/** Returns a promise that rejects when the signal aborts and never resolves. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export function result(request: Seen, value: object, headers: HeadersInit = {}): Response {
  return Response.json({ jsonrpc: "2.0", id: request.body.id, result: value }, { headers });
}

export function failure(request: Seen, code: number, data?: object, status = 200): Response {
  const error = { code, message: `error ${code}`, data };
  return Response.json({ jsonrpc: "2.0", id: request.body?.id ?? null, error }, { status });
}

/** A writable event stream. */
export interface Events {
  readonly response: Response;
  send(text: string): void;
  message(value: object, id?: string): void;
  end(): void;
  lose(): void;
  /** Whether the stream has ended or the reader has cancelled it. */
  isOver(): boolean;
}

export function events({ signal }: Seen): Events {
  const encoder = new TextEncoder();
  const queue = new Queue<string>();
  const texts = queue[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => queue.end(),
  });
  signal.addEventListener("abort", () => queue.end(signal.reason));
  const send = (text: string) => queue.tryPush(text);
  return {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    send,
    message: (value, id) => {
      const mark = id === undefined ? "" : `id: ${id}\n`;
      send(`event: message\n${mark}data: ${JSON.stringify(value)}\n\n`);
    },
    end: () => queue.end(),
    lose: () => queue.end(new TypeError("connection reset")),
    isOver: () => queue.isEnded,
  };
}

/** Creates a response whose event stream contains the given messages and then ends. */
export function eventStream(request: Seen, ...messages: object[]): Response {
  const stream = events(request);
  for (const message of messages) stream.message(message);
  stream.end();
  return stream.response;
}

export const DISCOVERED: Readonly<Record<string, unknown>> = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, resources: {}, prompts: {} },
};

export const INITIALIZED: Readonly<Record<string, unknown>> = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
  serverInfo: { name: "old", version: "1" },
};

type Answers = Readonly<Record<string, (request: Seen) => Response | Promise<Response>>>;

/** Creates a modern server with custom responses. */
export function modern(answers: Answers = {}): Web {
  return web((request) => {
    const answer = answers[request.body?.method ?? request.method];
    if (answer !== undefined) return answer(request);
    if (request.body?.method === "server/discover") return result(request, DISCOVERED);
    return failure(request, -32601, undefined, 404);
  });
}

/** Creates a legacy server with custom responses. */
export function older(answers: Answers = {}): Web {
  return web((request) => {
    const answer = answers[request.body?.method ?? request.method];
    if (answer !== undefined) return answer(request);
    switch (request.body?.method) {
      case "initialize":
        return result(request, INITIALIZED, { "mcp-session-id": "s1" });
      case "notifications/initialized":
      case "notifications/cancelled":
        return new Response(null, { status: 202 });
      default:
        return request.method === "POST"
          ? failure(request, -32000, undefined, 400)
          : new Response(null, { status: request.method === "DELETE" ? 204 : 405 });
    }
  });
}
