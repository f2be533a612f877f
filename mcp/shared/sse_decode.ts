/**
 * Bytes to server-sent events. The only door to `eventsource-parser`.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation Event streams}
 * @module
 */

import { createParser } from "eventsource-parser";
import { McpError } from "./error.ts";

/** What an event stream holds, in the order in which it counts: an event's id comes before the event. */
export type SseItem =
  | { readonly kind: "event"; readonly type: string; readonly data: string }
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "retry"; readonly retryMs: number };

/** Limits of {@linkcode decodeSse}. */
export interface DecodeSseOptions {
  /** How long an event may be, in characters. */
  readonly maxEventChars: number;
}

/**
 * Decodes an event stream. Comments and unknown fields are skipped, an event that the stream's end cuts off is dropped.
 *
 * @throws {McpError} `protocol_error` when an event is too long
 */
export async function* decodeSse(
  chunks: AsyncIterable<Uint8Array>,
  { maxEventChars }: DecodeSseOptions,
): AsyncGenerator<SseItem, void> {
  const items: SseItem[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onId: (id) => items.push({ kind: "id", id }),
    onRetry: (retryMs) => items.push({ kind: "retry", retryMs }),
    onEvent: ({ event = "message", data }) => {
      if (data.length > maxEventChars) isTooLong = true;
      else items.push({ kind: "event", type: event, data });
    },
    onError: ({ type }) => isTooLong ||= type === "max-buffer-size-exceeded",
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* items.splice(0);
    if (isTooLong) {
      throw McpError.protocolError(`SSE event is longer than ${maxEventChars} characters`);
    }
  }
}
