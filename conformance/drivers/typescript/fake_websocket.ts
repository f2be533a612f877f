/**
 * A WebSocket without a network, for testing WebSocket transports.
 *
 * @module
 */

import type { WebSocketLike } from "@parley/comm/transport";
import { type Fields, toHex } from "./operation.ts";

/** State of a WebSocket that is not open yet. */
export const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

/**
 * A WebSocket, open unless `readyState` is changed. Sent frames are passed to a callback, and
 * delivered frames become events.
 */
export class FakeWebSocket implements WebSocketLike {
  bufferedAmount: number = 0;
  readyState: number = OPEN;
  /** The code that `close` was called with, or null. */
  closedWith: number | null = null;
  readonly #events = new EventTarget();
  readonly #onSend: (frame: Fields) => void;

  /** Creates the WebSocket. `onSend` is called with each sent frame, as `text` or as `hex`. */
  constructor(onSend: (frame: Fields) => void) {
    this.#onSend = onSend;
  }

  addEventListener(type: string, listener: (event: Event) => void): void {
    this.#events.addEventListener(type, listener);
  }

  send(data: unknown): void {
    this.#onSend(data instanceof Uint8Array ? { hex: toHex(data) } : { text: String(data) });
  }

  close(code = 1005): void {
    this.closedWith ??= code;
    this.end(code);
  }

  /** Opens the WebSocket. */
  open(): void {
    this.readyState = OPEN;
    this.#tell("open", {});
  }

  /** Closes the WebSocket from the remote end. */
  end(code: number): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.#tell("close", { code });
  }

  /** Delivers a frame: a string, or bytes as an ArrayBuffer. */
  deliver(data: string | ArrayBuffer): void {
    this.#tell("message", { data });
  }

  /** Emits an event. `CloseEvent` is not used, because some platforms do not provide it. */
  #tell(type: string, members: Fields): void {
    this.#events.dispatchEvent(Object.assign(new Event(type), members));
  }
}
