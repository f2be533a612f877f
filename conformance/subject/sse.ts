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
  /** The time to wait before a new connection that the stream named last, in milliseconds. */
  readonly retry?: number;
}

/** The longest event accepted, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Makes a reader of events that takes the bytes of a stream as they come.
 *
 * @param onEvent called with each event
 */
export function createEventReader(onEvent: (event: ServerEvent) => void): (
  chunk: Uint8Array,
) => void {
  const decoder = new TextDecoder();
  let retry: number | undefined;
  const parser = createParser({
    maxBufferSize: MAX_CHARACTERS,
    onRetry: (ms) => retry = ms,
    onEvent: ({ event = "message", data, id }) =>
      onEvent({
        event,
        data,
        ...(id === undefined ? {} : { id }),
        ...(retry === undefined ? {} : { retry }),
      }),
  });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}

/** Reads all events of a response's body as they come. */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const read = createEventReader(onEvent);
  for await (const chunk of body) read(chunk);
}
