/**
 * HTTP requests to described servers, and their responses, implemented with `@parley/mcp`.
 *
 * @module
 */

import type { HttpContext, HttpHandler } from "@parley/mcp/server";
import type { NodeReply } from "./node_listener.ts";
import { bytesOf, type Fields } from "./operation.ts";

const BASE_URL = "http://127.0.0.1/mcp";

/** Sends the request that the arguments of `mcp.server.fetch` describe. */
export async function fetchFrom(
  handler: HttpHandler,
  args: Fields,
  signal: AbortSignal,
): Promise<object> {
  const request = toRequest(args, signal);
  if (args.isRead === true) await request.text();
  const response = await handler(request, contextOf(args));
  await delay(args.readsAfterMs);
  const { reads } = args;
  const head = { status: response.status, headers: Object.fromEntries(response.headers) };
  if (reads === "head") {
    await response.body?.cancel();
    return head;
  }
  const text = await readText(response, typeof reads === "number" ? reads : Infinity);
  return describeReply({ ...head, text });
}

/** Returns the result of `mcp.server.fetch`. */
export function describeReply({ status, headers, text, isInterrupted }: NodeReply): object {
  const head = { status, headers, ...(isInterrupted ? { isInterrupted } : {}) };
  if (headers["content-type"] === "text/event-stream") {
    const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
    const retryMs = [...text.matchAll(/^retry: (.+)$/gm)].map(([, ms]) => Number(ms));
    const comments = [...text.matchAll(/^:/gm)].length;
    return { ...head, messages: messagesOf(text), ids, retryMs, comments };
  }
  return text === "" ? head : { ...head, json: JSON.parse(text) };
}

function toRequest(args: Fields, signal: AbortSignal): Request {
  const { method = "POST", url = BASE_URL, headers = {}, json, text, chunksHex } = args;
  const body = json !== undefined
    ? JSON.stringify(json)
    : typeof text === "string"
    ? text.padEnd(Number(args.padToBytes) || 0)
    : Array.isArray(chunksHex)
    ? toStream(chunksOf(chunksHex, args))
    : undefined;
  // Node.js requires `duplex` if the body is a stream, but Deno's types do not contain `duplex`.
  const init: RequestInit & { readonly duplex: "half" } = {
    duplex: "half",
    method: String(method),
    signal,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(typeof body === "string" && args.isSized !== false
        ? { "content-length": `${new TextEncoder().encode(body).length}` }
        : {}),
      ...headers as Record<string, string>,
    },
    ...(body === undefined ? {} : { body }),
  };
  return new Request(String(url), init);
}

/**
 * Yields the chunks of a body, each after a delay if one is given, and then fails if the body
 * breaks.
 */
async function* chunksOf(
  chunksHex: readonly unknown[],
  { chunkDelayMs, breaks }: Fields,
): AsyncGenerator<Uint8Array> {
  for (const hex of chunksHex) {
    await delay(chunkDelayMs);
    yield bytesOf({ hex }, "hex");
  }
  if (breaks === true) throw new Error("the body breaks");
}

/** Creates a stream. Browsers do not have `ReadableStream.from`. */
function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function delay(ms: unknown): Promise<void> {
  if (typeof ms === "number") await new Promise((resolve) => setTimeout(resolve, ms));
}

function contextOf({ principal }: Fields): HttpContext {
  // The library validates the principal.
  return principal === undefined ? {} : { principal } as HttpContext;
}

/** Reads a body. Cancels the body after the given number of messages. */
async function readText({ body }: Response, count: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // A loop over the body cancels the body when the loop ends.
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (count !== Infinity && messagesOf(text).length >= count) break;
  }
  return text + decoder.decode();
}

function messagesOf(text: string): readonly unknown[] {
  return [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = ""]) => JSON.parse(data));
}
