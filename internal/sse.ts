/**
 * Server-sent events decoder. The only module that imports `eventsource-parser`.
 *
 * @see
 * {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation Event streams}
 * @module
 */

import { createParser } from "eventsource-parser";

/** A server-sent event. */
export interface SseEvent {
  readonly kind: "event";
  /** Type of the event. `message` if the server did not send a type. */
  readonly type: string;
  readonly data: string;
}

/**
 * A field of an event stream. Fields are in stream order, and the id of an event comes before the
 * event.
 */
export type SseItem =
  | SseEvent
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "retry"; readonly retryMs: number };

/** Options for {@linkcode decodeSse}. */
export interface DecodeSseOptions {
  /** Maximum length of an event, in UTF-16 code units. */
  readonly maxEventChars: number;
  /** Creates the error for an event that is longer. */
  readonly onTooLong: () => Error;
  /**
   * Creates the error for a stream that is not UTF-8. If omitted, invalid sequences are replaced with
   * U+FFFD, as the HTML standard requires for event streams.
   */
  readonly onNotUtf8?: () => Error;
}

/**
 * Characters of a line in addition to its data: the field name, and a carriage return whose line
 * feed is still missing. The parser counts them, so that without them, an event could be too long
 * only if it arrives in several chunks.
 */
const FIELD_CHARACTERS = "data: \r".length;

/**
 * Decodes an event stream. Ignores comments and unknown fields. Drops an incomplete event at the
 * end of the stream.
 *
 * @throws The error of `onTooLong` if an event is longer than `maxEventChars`.
 * @throws The error of `onNotUtf8` if the stream is not UTF-8.
 */
export async function* decodeSse(
  chunks: AsyncIterable<Uint8Array>,
  { maxEventChars, onTooLong, onNotUtf8 }: DecodeSseOptions,
): AsyncGenerator<SseItem, void> {
  const items: SseItem[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventChars + FIELD_CHARACTERS,
    onId: (id) => items.push({ kind: "id", id }),
    onRetry: (retryMs) => items.push({ kind: "retry", retryMs }),
    onEvent: ({ event = "message", data }) => {
      if (isTooLong || data.length > maxEventChars) isTooLong = true;
      else items.push({ kind: "event", type: event, data });
    },
    onError: ({ type }) => isTooLong ||= type === "max-buffer-size-exceeded",
  });
  const decoder = new TextDecoder("utf-8", { fatal: onNotUtf8 !== undefined });
  for await (const chunk of chunks) {
    parser.feed(decodeChunk(decoder, chunk, onNotUtf8));
    yield* items.splice(0);
    if (isTooLong) throw onTooLong();
  }
}

function decodeChunk(
  decoder: TextDecoder,
  chunk: Uint8Array,
  onNotUtf8: (() => Error) | undefined,
): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw onNotUtf8?.() ?? error;
  }
}
