/**
 * Server-sent events: the one door to the parser library.
 *
 * @module
 */

import { createParser } from "eventsource-parser";

/** One event of a stream. */
export interface ServerEvent {
  /** Its type; `message` unless the stream says. */
  readonly event: string;
  /** Its data, lines joined. */
  readonly data: string;
  /** Its id, if it has one. */
  readonly id?: string;
}

/** The longest event accepted, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Reads events from a response's body as they come.
 *
 * @param body the bytes of the stream
 * @param onEvent called with each event
 */
export async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const parser = createParser({
    maxBufferSize: MAX_CHARACTERS,
    onEvent: ({ event = "message", data, id }) =>
      onEvent({ event, data, ...(id === undefined ? {} : { id }) }),
  });
  for await (const text of body.pipeThrough(new TextDecoderStream())) parser.feed(text);
}
