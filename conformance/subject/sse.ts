/**
 * Server-sent events. The only module that imports the parser library.
 *
 * @module
 */

import { createParser } from "eventsource-parser";

/** A server-sent event. */
export interface ServerEvent {
  /** Event type. Defaults to `message` if the stream specifies no type. */
  readonly event: string;
  /** Data, with its lines joined. */
  readonly data: string;
  /** Event id. */
  readonly id?: string;
  /** Last reconnection time sent on the stream, in milliseconds. */
  readonly retry?: number;
}

/** Maximum length of an event, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Creates a function that parses the chunks of an event stream.
 *
 * @param onEvent Called with each event.
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

/** Reads all events in a response body. */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const read = createEventReader(onEvent);
  for await (const chunk of body) read(chunk);
}
