/**
 * Replies in the responses to POST requests, for senders without a URL.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { capacityExceeded } from "../shared/error.ts";

/** Options for {@linkcode HeldReplies}. */
export interface HeldRepliesInit {
  /** Maximum time to hold a response open, in milliseconds. */
  readonly waitMs: number;
  /** Maximum number of responses that are held open. */
  readonly capacity: number;
  /** Maximum number of buffered bytes in one response. */
  readonly maxBytes: number;
}

interface HeldReply {
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  readonly timer: ReturnType<typeof setTimeout>;
}

const ENCODER = new TextEncoder();

/**
 * Message type of a reply that is followed by more replies. A reply that is not an update is the
 * last reply to its message.
 */
const UPDATE = "update";

/** Responses to POST requests that are held open for replies, one line per reply. */
export class HeldReplies {
  readonly #init: HeldRepliesInit;
  readonly #held = new Map<string, HeldReply>();

  constructor(init: HeldRepliesInit) {
    this.#init = init;
  }

  /**
   * Creates the body of a response. Returns `undefined` if too many responses are held open, or if
   * a response to the same message is already held open. Of several requests with the same message,
   * only the response to the first is held open: a copy of a message must not receive the replies
   * to the original.
   */
  open({ sender, id }: AgentCommMessage): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
    const { waitMs, capacity, maxBytes } = this.#init;
    const key = keyOf(sender, id);
    if (this.#held.size >= capacity || this.#held.has(key)) return undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller: HeldReply["controller"]) => {
        const timer = setTimeout(() => this.#close(key), Math.min(waitMs, MAX_TIMER_MS));
        this.#held.set(key, { controller, timer });
        // Some servers do not send the response headers until they send the first bytes of the
        // body.
        controller.enqueue(ENCODER.encode("\n"));
      },
      cancel: () => void this.#remove(key),
    }, new ByteLengthQueuingStrategy({ highWaterMark: maxBytes }));
  }

  /**
   * Writes a reply to the response that is held open for its recipient. Returns `false` if no
   * response is held open. Throws `capacity_exceeded` if the recipient reads too slowly.
   */
  deliver({ recipient, correlationId, messageType }: AgentCommMessage, text: string): boolean {
    const key = keyOf(recipient, correlationId ?? "");
    const held = this.#held.get(key);
    if (held === undefined) return false;
    const line = ENCODER.encode(`${text}\n`);
    if ((held.controller.desiredSize ?? 0) < line.length) {
      throw capacityExceeded(this.#init.capacity, this.#init.maxBytes);
    }
    held.controller.enqueue(line);
    if (messageType !== UPDATE) this.#close(key);
    return true;
  }

  /** Ends the response that is held open for a message. */
  release({ sender, id }: AgentCommMessage): void {
    this.#close(keyOf(sender, id));
  }

  /** Ends all responses that are held open. */
  closeAll(): void {
    for (const key of this.#held.keys()) this.#close(key);
  }

  #close(key: string): void {
    this.#remove(key)?.controller.close();
  }

  #remove(key: string): HeldReply | undefined {
    const held = this.#held.get(key);
    clearTimeout(held?.timer);
    this.#held.delete(key);
    return held;
  }
}

function keyOf(did: string, id: string): string {
  return `${did} ${id}`;
}
