/**
 * Messages as an HTTP response: one JSON body when the response comes first, an event stream otherwise.
 *
 * @module
 */

import { RpcErrorCode } from "../rpc/codes.ts";
import { failure, type RpcMessage } from "../rpc/message.ts";
import { settlesSoon } from "../stream/soon.ts";
import { KEEP_ALIVE } from "../stream/sse_encode.ts";
import { within } from "../stream/within.ts";

/** What the client can read. */
export interface Accepted {
  /** A JSON body. */
  readonly json: boolean;
  /** An event stream. */
  readonly stream: boolean;
}

/** Reads an `Accept` header. Generous: what is not said is accepted. */
export function readAccept(accept: string | null): Accepted {
  const text = accept?.toLowerCase() ?? "*/*";
  const any = text.includes("*/*");
  return {
    json: any || text.includes("application/json") || text.includes("application/*"),
    stream: any || text.includes("text/event-stream") || text.includes("text/*"),
  };
}

/** How the messages of an exchange become a response. */
export interface BodyOptions<Item> {
  /** What the client can read; at least one of both. */
  readonly accepted: Accepted;
  /** The JSON body, when an item is the response of the exchange. */
  readonly bodyOf: (item: Item) => string | undefined;
  /** The status for a response that comes first. */
  readonly statusOf: (item: Item) => number;
  /** An item as text of an event stream. */
  readonly format: (item: Item) => string;
  /** What an event stream begins with. */
  readonly prelude?: string;
  /** How long a stream may be silent before a sign of life is sent, in milliseconds. */
  readonly keepAliveMs: number;
  /** Called when nobody reads any more. */
  readonly abandon: () => void;
  /** Called when the first message is slow to come. */
  readonly slow?: () => void;
}

/** How long the first message may take before it is slow. */
const SLOW_MS = 1000;

/** The headers of an event stream. Proxies are told not to hold it back. */
const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Makes the response of an exchange. Rejects when the exchange does before its first message. */
export async function toResponse<Item>(
  exchange: AsyncIterable<Item>,
  options: BodyOptions<Item>,
): Promise<Response> {
  const items = exchange[Symbol.asyncIterator]();
  const first = items.next();
  if (!options.accepted.stream) return await lastAsJson(first, items, options);
  // A slow first message: a stream can show signs of life, a JSON body cannot.
  const early = await settlesSoon(first) ? await first : await wait(first, options);
  if (options.accepted.json && early !== undefined && !early.done) {
    const response = asJson(early.value, options);
    if (response !== undefined) {
      await items.return?.();
      return response;
    }
  }
  return streamResponse(items, options, first);
}

async function wait<Item>(
  first: Promise<IteratorResult<Item>>,
  { keepAliveMs, slow }: BodyOptions<Item>,
): Promise<IteratorResult<Item> | undefined> {
  const early = await within(first, Math.min(SLOW_MS, keepAliveMs));
  if (early !== undefined || keepAliveMs <= SLOW_MS) return early;
  slow?.();
  return await within(first, keepAliveMs - SLOW_MS);
}

/** Makes a response that is an event stream. */
export function streamResponse<Item>(
  items: AsyncIterator<Item>,
  options: Pick<BodyOptions<Item>, "format" | "prelude" | "keepAliveMs" | "abandon">,
  first: Promise<IteratorResult<Item>> = items.next(),
): Response {
  const { format, prelude = "", keepAliveMs, abandon } = options;
  const encoder = new TextEncoder();
  let next = first;
  // Whether it fails shows when it is its turn.
  next.catch(() => {});
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (prelude !== "") controller.enqueue(encoder.encode(prelude));
    },
    async pull(controller) {
      try {
        const item = await settlesSoon(next) ? await next : await within(next, keepAliveMs);
        if (item === undefined) return controller.enqueue(encoder.encode(KEEP_ALIVE));
        if (item.done) return controller.close();
        next = items.next();
        next.catch(() => {});
        controller.enqueue(encoder.encode(format(item.value)));
      } catch {
        // Cancelled: there is no response to wait for.
        controller.close();
      }
    },
    cancel: abandon,
  });
  return new Response(body, { headers: STREAM_HEADERS });
}

/** A client that reads no streams gets the response alone. */
async function lastAsJson<Item>(
  first: Promise<IteratorResult<Item>>,
  items: AsyncIterator<Item>,
  options: BodyOptions<Item>,
): Promise<Response> {
  for (let next = await first; !next.done; next = await items.next()) {
    const response = asJson(next.value, options);
    if (response === undefined) continue;
    await items.return?.();
    return response;
  }
  throw new Error("Cannot make a response: the exchange ended without one");
}

function asJson<Item>(item: Item, { bodyOf, statusOf }: BodyOptions<Item>): Response | undefined {
  const body = bodyOf(item);
  if (body === undefined) return undefined;
  const headers = { "content-type": "application/json" };
  return new Response(body, { status: statusOf(item), headers });
}

/** A message as text. A result that is not JSON is the server's fault, not the client's. */
export function stringify(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : null;
    const error = { code: RpcErrorCode.InternalError, message: "The result is not JSON" };
    return JSON.stringify(failure(id, error));
  }
}
