/**
 * Responses with server-sent events.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @module
 */

import { resolveWithin } from "@parley/internal/timers";

/** Content of a response that consists of server-sent events. */
export interface SseContent<Chunk> {
  /** Chunks to send. */
  readonly chunks: AsyncIterator<Chunk, void>;
  /** Returns the text of the server-sent event for a chunk, which ends with an empty line. */
  readonly encode: (chunk: Chunk) => string;
  /** Headers in addition to the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text at the end of the response. */
  readonly end?: string;
  /**
   * Interval of comments that keep the connection open while there is no chunk, in milliseconds.
   */
  readonly keepAliveMs: number;
  /**
   * Called when the client disconnects before the end. Must end the chunks, or let the run finish.
   */
  readonly onDisconnect: () => Promise<unknown>;
  /** Called with errors of the chunks and of `onDisconnect`. */
  readonly onError: (error: unknown) => void;
}

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  // Without the `x-accel-buffering` header, nginx buffers the response.
  "x-accel-buffering": "no",
};

/**
 * Creates a response that sends chunks as server-sent events. The chunks are requested when the
 * body of the response is read, and while the client is reading.
 */
export function sseResponse<Chunk>(content: SseContent<Chunk>): Response {
  const { chunks, encode, end, headers, keepAliveMs, onDisconnect, onError } = content;
  const encoder = new TextEncoder();
  let isCancelled = false;
  let next: Promise<IteratorResult<Chunk, void>> | undefined;
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    await onDisconnect().catch(onError);
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      try {
        next ??= chunks.next();
        const step = await resolveWithin(next, keepAliveMs);
        if (isCancelled) return;
        if (step === undefined) {
          controller.enqueue(encoder.encode(": keep-alive\n\n"));
          return;
        }
        next = undefined;
        if (!step.done) {
          controller.enqueue(encoder.encode(encode(step.value)));
          return;
        }
        if (end !== undefined) controller.enqueue(encoder.encode(end));
        controller.close();
      } catch (error) {
        // A failed stream is not cancelled automatically, and without a reader, the run would wait
        // indefinitely.
        onError(error);
        await cancel();
        throw error;
      }
    },
    cancel,
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}

/** Returns the server-sent event for a JSON value. */
export function toSseData(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
