/**
 * Server-sent events encoder.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML, section 9.2}
 * @module
 */

/** A server-sent event. */
export interface SseEvent {
  /** Event data, which must not contain line breaks. */
  readonly data: string;
  /** Event id, sent back by the client as `Last-Event-ID` to resume the stream. */
  readonly id?: string;
  /** Reconnection time for the client, in milliseconds. */
  readonly retryMs?: number;
}

/** Formats an event. An event with data has the type `message`. */
export function formatEvent({ data, id, retryMs }: SseEvent): string {
  const name = data === "" ? "" : "event: message\n";
  const about = (id === undefined ? "" : `id: ${id}\n`) +
    (retryMs === undefined ? "" : `retry: ${retryMs}\n`);
  return `${name}${about}data: ${data}\n\n`;
}

/** A comment that keeps the connection alive. */
export const KEEP_ALIVE = ": keep-alive\n\n";
