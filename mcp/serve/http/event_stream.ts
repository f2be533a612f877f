/**
 * An event stream as the body of a response.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML, section 9.2}
 * @module
 */

import { KEEP_ALIVE } from "../../shared/sse_encode.ts";
import type { HttpResponse } from "../../shared/http_types.ts";

/** How an event stream behaves. */
export interface EventStreamOptions {
  /** What it begins with. Default: nothing. */
  readonly prelude?: string;
  /** How long it may be silent before a sign of life is sent, in milliseconds. */
  readonly keepAliveMs: number;
  /** Called when nobody reads any more. */
  readonly onCancel: () => void;
}

/** Proxies are told not to hold it back. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

interface QueuedText {
  readonly text: string;
  readonly settle: (isTaken: boolean) => void;
}

/** A stream of texts that goes no faster than it is read. */
export class EventStream {
  readonly #keepAliveMs: number;
  readonly #onCancel: () => void;
  readonly #encoder = new TextEncoder();
  readonly #queue: QueuedText[] = [];
  readonly #body: ReadableStream<Uint8Array>;
  #isEnded = false;
  #wake = (): void => {};

  /** Makes an open stream. */
  constructor({ prelude = "", keepAliveMs, onCancel }: EventStreamOptions) {
    this.#keepAliveMs = keepAliveMs;
    this.#onCancel = onCancel;
    this.#body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (prelude !== "") controller.enqueue(this.#encoder.encode(prelude));
      },
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#cancel(),
    });
  }

  /** The response that it is the body of. */
  get response(): HttpResponse {
    return { status: 200, headers: HEADERS, body: this.#body };
  }

  /** Writes a text. Resolves once there is room for the next one, with `false` when nobody reads any more. */
  write(text: string): Promise<boolean> {
    if (this.#isEnded) return Promise.resolve(false);
    return new Promise((settle) => {
      this.#queue.push({ text, settle });
      this.#wake();
    });
  }

  /** Ends the stream after what has been written. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#queue.length === 0 && !this.#isEnded) await this.#waitForMessage();
    const next = this.#queue.shift();
    if (next !== undefined) {
      controller.enqueue(this.#encoder.encode(next.text));
      next.settle(true);
    } else if (!this.#isEnded) controller.enqueue(this.#encoder.encode(KEEP_ALIVE));
    else controller.close();
  }

  /** Waits for something to send, but no longer than the stream may be silent. */
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
    for (const { settle } of this.#queue.splice(0)) settle(false);
    this.#onCancel();
  }
}
