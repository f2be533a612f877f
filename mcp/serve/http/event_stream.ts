/**
 * SSE stream in a response body.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML, section 9.2}
 * @module
 */

import { Fifo } from "@parley/internal/fifo";
import { KEEP_ALIVE } from "../../shared/sse_encode.ts";
import type { HttpResponse } from "../../shared/http_types.ts";

/** Options for {@linkcode EventStream}. */
export interface EventStreamOptions {
  /** Text at the start of the stream. If omitted, the stream starts with the first event. */
  readonly prelude?: string;
  /** Idle time before a keep-alive comment is sent, in milliseconds. */
  readonly keepAliveMs: number;
  /** Called when the client stops reading. */
  readonly onCancel: () => void;
}

/**
 * Response headers. `no-transform` and `x-accel-buffering` keep proxies from buffering the stream.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

interface QueuedText {
  readonly text: string;
  readonly settle: (isTaken: boolean) => void;
}

/** An SSE stream with backpressure. */
export class EventStream {
  readonly #keepAliveMs: number;
  readonly #onCancel: () => void;
  readonly #encoder = new TextEncoder();
  readonly #queue = new Fifo<QueuedText>();
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isEnded = false;
  #wake = (): void => {};

  /** Creates an open stream. */
  constructor({ prelude = "", keepAliveMs, onCancel }: EventStreamOptions) {
    this.#keepAliveMs = keepAliveMs;
    this.#onCancel = onCancel;
    this.#body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        if (prelude !== "") controller.enqueue(this.#encoder.encode(prelude));
      },
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#cancel(),
    });
  }

  /** HTTP response whose body is the stream. */
  get response(): HttpResponse {
    return { status: 200, headers: HEADERS, body: this.#body };
  }

  /**
   * Writes a string. Resolves to `true` when the string is read, or to `false` if the client
   * stopped reading.
   */
  write(text: string): Promise<boolean> {
    if (this.#isEnded) return Promise.resolve(false);
    return new Promise((settle) => {
      this.#queue.push({ text, settle });
      this.#wake();
    });
  }

  /** Ends the stream after all data that was already written. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /**
   * Ends the stream and drops everything that the client has not read. While the client is waiting
   * for data, `close()` has no effect.
   */
  close(): void {
    if (this.#isEnded || this.#queue.size === 0) return;
    this.#isEnded = true;
    for (const { settle } of this.#queue.clear()) settle(false);
    this.#controller?.close();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#queue.size === 0 && !this.#isEnded) await this.#waitForMessage();
    const next = this.#queue.shift();
    if (next !== undefined) {
      controller.enqueue(this.#encoder.encode(next.text));
      next.settle(true);
    } else if (!this.#isEnded) controller.enqueue(this.#encoder.encode(KEEP_ALIVE));
    else controller.close();
  }

  /** Waits until data is available to send or the keep-alive interval has passed. */
  async #waitForMessage(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, this.#keepAliveMs);
    });
    clearTimeout(timer);
  }

  #cancel(): void {
    this.end();
    for (const { settle } of this.#queue.clear()) settle(false);
    this.#onCancel();
  }
}
