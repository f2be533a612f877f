/**
 * Server-sent events out of bytes. The only file of this package that knows `eventsource-parser`.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @module
 */

import { createParser } from "eventsource-parser";

/** One event. */
export interface ServerSentEvent {
  /** Its type; `message` when the server does not name one. */
  readonly event: string;
  /** Its data. */
  readonly data: string;
}

/**
 * Decodes a stream of server-sent events. What stands after the last blank line is incomplete and is dropped.
 *
 * @param chunks the bytes, cut anywhere; whoever makes them limits how many there are
 * @param maxEventLength the longest event, in UTF-16 code units
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventLength: number,
): AsyncGenerator<ServerSentEvent, void> {
  const events: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ event, data }) => events.push({ event: event ?? "message", data }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}
