/**
 * Parsing of server-sent events with `eventsource-parser`.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @module
 */

import { createParser } from "eventsource-parser";

/** A server-sent event. */
export interface ServerSentEvent {
  /** Type of the event. `message` if the server did not send a type. */
  readonly event: string;
  /** Data of the event. */
  readonly data: string;
}

/**
 * Decodes a stream of server-sent events. Discards data after the last blank line, because it is incomplete.
 *
 * @param chunks Chunks of bytes. The caller must limit the total size of the chunks.
 * @param maxEventLength Maximum length of an event, in UTF-16 code units.
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
