/**
 * Parsing of server-sent events with `eventsource-parser`.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @module
 */

import { createParser } from "eventsource-parser";
import { AgentError } from "../shared/error.ts";

/** A server-sent event. */
export interface ServerSentEvent {
  /** Type of the event. `message` if the server did not send a type. */
  readonly event: string;
  /** Data of the event. */
  readonly data: string;
}

/**
 * Characters of a line in addition to its data: the field name, and a carriage return whose line
 * feed is still missing. The parser counts them, so that without them, an event could be too long
 * only if it arrives in several chunks.
 */
const FIELD_CHARACTERS = "data: \r".length;

/**
 * Decodes a stream of server-sent events. Discards data after the last blank line, because it is
 * incomplete.
 *
 * @param chunks Chunks of bytes. The caller must limit the total size of the chunks.
 * @param maxEventLength Maximum length of an event, in UTF-16 code units.
 * @throws {AgentError} With code `model_error` if an event is longer than `maxEventLength`.
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventLength: number,
): AsyncGenerator<ServerSentEvent, void> {
  const events: ServerSentEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventLength + FIELD_CHARACTERS,
    onEvent: ({ event = "message", data }) => {
      if (isTooLong || data.length > maxEventLength) isTooLong = true;
      else events.push({ event, data });
    },
    onError: ({ type }) => isTooLong ||= type === "max-buffer-size-exceeded",
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
    if (isTooLong) {
      throw AgentError.modelError(
        `an event of the response is longer than ${maxEventLength} characters`,
      );
    }
  }
}
