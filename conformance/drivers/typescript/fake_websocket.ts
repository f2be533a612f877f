/**
 * A WebSocket without a network, for whoever wants to play its other side.
 *
 * @module
 */

import type { WebSocketLike } from "@parley/comm/transport";
import { type Fields, toHex } from "./operation.ts";

const OPEN = 1;
const CLOSED = 3;

/** An open WebSocket: frames that are sent are kept, frames that are delivered are heard. */
export class FakeWebSocket implements WebSocketLike {
  readonly bufferedAmount = 0;
  readonly #events = new EventTarget();
  readonly #onSend: (frame: Fields) => void;
  #readyState = OPEN;

  /** Calls `onSend` with every frame that is sent, as `text` or as `hex`. */
  constructor(onSend: (frame: Fields) => void) {
    this.#onSend = onSend;
  }

  get readyState(): number {
    return this.#readyState;
  }

  addEventListener(type: string, listener: (event: Event) => void): void {
    this.#events.addEventListener(type, listener);
  }

  send(data: unknown): void {
    this.#onSend(data instanceof Uint8Array ? { hex: toHex(data) } : { text: String(data) });
  }

  close(code = 1005): void {
    if (this.#readyState === CLOSED) return;
    this.#readyState = CLOSED;
    this.#tell("close", { code });
  }

  /** Lets a frame arrive: text, or bytes as an ArrayBuffer. */
  deliver(data: string | ArrayBuffer): void {
    this.#tell("message", { data });
  }

  /** Not every platform has a CloseEvent. */
  #tell(type: string, members: Fields): void {
    this.#events.dispatchEvent(Object.assign(new Event(type), members));
  }
}
