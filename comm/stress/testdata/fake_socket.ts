/**
 * A WebSocket whose other end is controlled by the test.
 *
 * @module
 */

import type { WebSocketLike } from "../../transport.ts";

/** An open WebSocket that does not use the network. */
export class FakeSocket extends EventTarget implements WebSocketLike {
  /** State of the connection: open (1) until `close` is called. */
  readyState = 1;
  /** Number of bytes that the socket has not sent yet, as set by the test. */
  bufferedAmount = 0;
  /** Codes passed to `close`. */
  readonly closes: (number | undefined)[] = [];

  /** Discards a frame. */
  send(_data: string): void {}

  /** Closes the connection. */
  close(code?: number): void {
    if (this.readyState !== 1) return;
    this.closes.push(code);
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code: code ?? 1005 }));
  }

  /** Delivers a frame to the transport. */
  deliver(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}
