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
 * Reads all events in a response body.
 *
 * @throws {RangeError} If an event is longer than 8 Mi characters.
 */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let retry: number | undefined;
  const parser = createParser({
    maxBufferSize: MAX_CHARACTERS,
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") {
        throw new RangeError(`an event is longer than ${MAX_CHARACTERS} characters`);
      }
    },
    onRetry: (ms) => retry = ms,
    onEvent: ({ event = "message", data, id }) =>
      onEvent({
        event,
        data,
        ...(id === undefined ? {} : { id }),
        ...(retry === undefined ? {} : { retry }),
      }),
  });
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
}
