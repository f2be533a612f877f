/**
 * Server-sent events, written.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML, section 9.2}
 * @module
 */

/** One event. */
export interface SseEvent {
  /** The data; one line, as JSON text is. */
  readonly data: string;
  /** What a client that comes back names as the last it has seen. */
  readonly id?: string;
  /** How long a client should wait before it comes back, in milliseconds. */
  readonly retryMs?: number;
}

/** Writes an event. Events with data are named `message`. */
export function formatEvent({ data, id, retryMs }: SseEvent): string {
  const name = data === "" ? "" : "event: message\n";
  const about = (id === undefined ? "" : `id: ${id}\n`) +
    (retryMs === undefined ? "" : `retry: ${retryMs}\n`);
  return `${name}${about}data: ${data}\n\n`;
}

/** A comment: it says that the stream is alive, and nothing else. */
export const KEEP_ALIVE = ": keep-alive\n\n";
