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
  /** Data of the event, with its lines joined. */
  readonly data: string;
  /** Event id. */
  readonly id?: string;
  /** Last reconnection time sent on the stream, in milliseconds. */
  readonly retry?: number;
}

/** Maximum length of an event, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Characters of a line in addition to its data: the field name, and a carriage return whose line
 * feed is still missing. The parser counts them, so that without them, an event could be too long
 * only if it arrives in several chunks.
 */
const FIELD_CHARACTERS = "data: \r".length;

/**
 * Reads all events in a response body.
 *
 * @throws {RangeError} If an event is longer than 8 Mi characters.
 */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const read = createEventReader(onEvent);
  for await (const chunk of body) read(chunk);
}

/**
 * Creates a function that reads the chunks of an event stream.
 *
 * The function throws a `RangeError` if an event is longer than 8 Mi characters.
 */
export function createEventReader(
  onEvent: (event: ServerEvent) => void,
): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let retry: number | undefined;
  const reject = (): never => {
    throw new RangeError(`an event is longer than ${MAX_CHARACTERS} characters`);
  };
  const parser = createParser({
    maxBufferSize: MAX_CHARACTERS + FIELD_CHARACTERS,
    onError: ({ type }) => type === "max-buffer-size-exceeded" && reject(),
    onRetry: (ms) => retry = ms,
    onEvent: ({ event = "message", data, id }) => {
      if (data.length > MAX_CHARACTERS) reject();
      onEvent({
        event,
        data,
        ...(id === undefined ? {} : { id }),
        ...(retry === undefined ? {} : { retry }),
      });
    },
  });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}
