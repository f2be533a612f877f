/**
 * Records an MCP server over HTTP, through a proxy on the loopback interface.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { readJson } from "../kit/json.ts";
import {
  type HttpListener,
  type HttpReply,
  type HttpRequest,
  listenHttp,
} from "../platform/http.ts";
import { readEvents } from "../subject/sse.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Maximum length of a recorded response body, in bytes. A longer body is forwarded, and truncates
 * the recording.
 */
const MAX_BODY_BYTES = 67_108_864;

/** Hop-by-hop headers, which the proxy does not forward. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

/**
 * Starts the proxy.
 *
 * @param target URL of the server.
 * @param recorder Recorder for the events.
 * @param port Port for the proxy. 0 selects a free port.
 * @throws {KitError} With code `usage` if the port is not available.
 */
export async function recordHttp(
  target: URL,
  recorder: Recorder,
  port: number,
): Promise<HttpListener> {
  try {
    return await listenHttp((request, reply) => forward(target, request, reply, recorder), port);
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const reason = isTaken ? "the port is in use" : String(cause);
    throw new KitError(KitErrorCode.Usage, `Cannot listen on port ${port}: ${reason}`, { cause });
  }
}

async function forward(
  target: URL,
  { method, path, headers, body, signal }: HttpRequest,
  reply: HttpReply,
  recorder: Recorder,
): Promise<void> {
  const hasBody = body.length > 0;
  const sent = hasBody ? readBody(body) : {};
  recorder.add({ dir: "c2s", http: { method, path, headers }, ...sent });
  const response = await fetch(new URL(path === "/" ? "" : path, target), {
    method,
    signal,
    headers: withoutHops(headers),
    ...(hasBody ? { body } : {}),
  });
  const head = Object.fromEntries(response.headers);
  reply.head(response.status, withoutHops(head));
  const http = { status: response.status, headers: head };
  if (response.body === null) recorder.add({ dir: "s2c", http });
  else await forwardBody(response.body, http, reply, recorder);
  reply.end();
}

async function forwardBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  http: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  reply: HttpReply,
  recorder: Recorder,
): Promise<void> {
  const passed = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        reply.write(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  if (http.headers["content-type"]?.startsWith("text/event-stream") !== true) {
    const text = await readLimitedText(passed);
    if (text === undefined) recorder.truncate();
    else recorder.add({ dir: "s2c", http, ...(text === "" ? {} : readText(text)) });
    return;
  }
  recorder.add({ dir: "s2c", http });
  await readEvents(passed, ({ event, data, id }) => {
    const sse = { event, ...(id === undefined ? {} : { id }) };
    recorder.add({ dir: "s2c", sse, ...readText(data) });
  });
}

/** Reads a whole body. Returns `undefined` if the body exceeds `MAX_BODY_BYTES`. */
async function readLimitedText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) text += decoder.decode(chunk, { stream: true });
  }
  return length > MAX_BODY_BYTES ? undefined : text + decoder.decode();
}

function readBody(bytes: Uint8Array): { readonly msg: unknown } | { readonly raw: string } {
  return readText(new TextDecoder().decode(bytes));
}

function readText(text: string): { readonly msg: unknown } | { readonly raw: string } {
  const parsed = readJson(text);
  return parsed === undefined ? { raw: text } : { msg: parsed.value };
}

function withoutHops(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)));
}
