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
  /** Data of the event, with U+FFFD in place of bytes that are not UTF-8. */
  readonly data: string;
  /** Whether the event contains bytes that are not UTF-8. Absent if it contains none. */
  readonly isDamaged?: true;
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
 */
export async function* decodeSse(
  chunks: AsyncIterable<Uint8Array>,
  { maxEventChars, onTooLong }: DecodeSseOptions,
): AsyncGenerator<SseItem, void> {
  const items: SseItem[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventChars + FIELD_CHARACTERS,
    onId: (id) => {
      if (!isDamaged(id)) items.push({ kind: "id", id });
    },
    onRetry: (retryMs) => items.push({ kind: "retry", retryMs }),
    onEvent: ({ event = "message", data }) => {
      if (isTooLong || data.length > maxEventChars) isTooLong = true;
      else if (isDamaged(data)) {
        const text = data.replaceAll(LONE_SURROGATES, "");
        items.push({ kind: "event", type: event, data: text, isDamaged: true });
      } else items.push({ kind: "event", type: event, data });
    },
    onError: ({ type }) => isTooLong ||= type === "max-buffer-size-exceeded",
  });
  const decoder = new MarkingDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk));
    yield* items.splice(0);
    if (isTooLong) throw onTooLong();
  }
}

/**
 * Character that marks a line that is not UTF-8. Decoded UTF-8 never contains a lone surrogate, so
 * the mark cannot be confused with received data.
 */
const DAMAGE = "\udfff";

/** With the flag `u`, the halves of a surrogate pair do not match. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The search for the code unit is faster than the regular expression. */
function isDamaged(text: string): boolean {
  return text.includes(DAMAGE) && text.search(LONE_SURROGATES) !== -1;
}

const NOTHING: Uint8Array = new Uint8Array();

/**
 * Decodes UTF-8 in chunks, without a byte order mark. Ends each line that is not UTF-8 with
 * {@linkcode DAMAGE}, so that one damaged event does not affect the others.
 */
class MarkingDecoder {
  readonly #strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Start of a character whose end has not been received. */
  #rest = NOTHING;
  #isStart = true;

  /** Decodes a chunk. An incomplete character at its end is decoded with the next chunk. */
  decode(chunk: Uint8Array): string {
    const bytes = this.#rest.length === 0 ? chunk : join(this.#rest, chunk);
    const end = lengthOfWhole(bytes);
    this.#rest = end === bytes.length ? NOTHING : bytes.slice(end);
    const text = this.#decodeWhole(bytes.subarray(0, end));
    if (!this.#isStart || text === "") return text;
    this.#isStart = false;
    return text.replace(/^\ufeff/, "");
  }

  #decodeWhole(bytes: Uint8Array): string {
    try {
      return this.#strict.decode(bytes);
    } catch {
      return this.#markLines(bytes);
    }
  }

  #markLines(bytes: Uint8Array): string {
    let text = "";
    for (let start = 0; start < bytes.length;) {
      const end = endOfLine(bytes, start);
      const line = bytes.subarray(start, end);
      start = end;
      try {
        text += this.#strict.decode(line);
      } catch {
        text += this.#lenient.decode(line) + DAMAGE;
      }
      for (; start < bytes.length && isLineEnd(bytes[start]); start++) {
        text += bytes[start] === LINE_FEED ? "\n" : "\r";
      }
    }
    return text;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

function endOfLine(bytes: Uint8Array, start: number): number {
  let end = start;
  while (end < bytes.length && !isLineEnd(bytes[end])) end++;
  return end;
}

/** Returns the length without an incomplete character at the end (RFC 3629, section 3). */
function lengthOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
