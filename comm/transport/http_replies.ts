/**
 * Replies in the responses to POST requests, for senders without a URL.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { Quota } from "@parley/internal/quota";
import { capacityExceeded } from "../shared/error.ts";
import { partyOf } from "../shared/party.ts";

/** Options for {@linkcode HeldReplies}. */
export interface HeldRepliesInit {
  /** Maximum time to hold a response open, in milliseconds. */
  readonly waitMs: number;
  /** Maximum number of responses that are held open. */
  readonly capacity: number;
  /** Maximum number of buffered bytes in one response. */
  readonly maxBytes: number;
}

/** A response that is held open. The object identifies the response. */
export interface HeldReply {
  readonly key: string;
}

/** A response that has been opened, and its body. */
export interface OpenedReply {
  readonly held: HeldReply;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

interface Entry {
  readonly held: HeldReply;
  readonly party: string;
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Maximum share of the capacity per party. A response is held open before its message is verified,
 * so any agent can use the share of any sender.
 */
const SHARE = 1 / 10;

const ENCODER = new TextEncoder();

/**
 * Message type of a reply that is followed by more replies. A reply that is not an update is the
 * last reply to its message.
 */
const UPDATE = "update";

/** Responses to POST requests that are held open for replies, one line per reply. */
export class HeldReplies {
  readonly #init: HeldRepliesInit;
  readonly #entries = new Map<string, Entry>();
  readonly #quota: Quota;

  constructor(init: HeldRepliesInit) {
    this.#init = init;
    this.#quota = new Quota(init.capacity, SHARE);
  }

  /** Whether the response to a message with the same sender and id is held open. */
  has({ sender, id }: AgentCommMessage): boolean {
    return this.#entries.has(keyOf(sender, id));
  }

  /**
   * Holds the response to a message open. Returns `undefined` if too many responses are held open,
   * in total or for the party of the sender. Of several requests with the same message, only the
   * response to the first must be held open: a copy of a message must not receive the replies to
   * the original.
   */
  open({ sender, id }: AgentCommMessage): OpenedReply | undefined {
    const { waitMs, maxBytes } = this.#init;
    const held = { key: keyOf(sender, id) };
    const party = partyOf(sender);
    if (!this.#quota.has(1, party)) return undefined;
    this.#quota.take(1, party);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller: Entry["controller"]) => {
        const timer = setTimeout(() => this.close(held), Math.min(waitMs, MAX_TIMER_MS));
        this.#entries.set(held.key, { held, party, controller, timer });
        // Some servers do not send the response headers until they send the first bytes of the
        // body.
        controller.enqueue(ENCODER.encode("\n"));
      },
      cancel: () => void this.#remove(held),
    }, new ByteLengthQueuingStrategy({ highWaterMark: maxBytes }));
    return { held, body };
  }

  /**
   * Writes a reply to the response that is held open for its recipient. Returns `false` if no
   * response is held open. Throws `capacity_exceeded` if the recipient reads too slowly.
   */
  deliver({ recipient, correlationId, messageType }: AgentCommMessage, text: string): boolean {
    const key = keyOf(recipient, correlationId ?? "");
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const line = ENCODER.encode(`${text}\n`);
    if ((entry.controller.desiredSize ?? 0) < line.length) {
      throw capacityExceeded(this.#init.capacity, this.#init.maxBytes);
    }
    entry.controller.enqueue(line);
    if (messageType !== UPDATE) this.close(entry.held);
    return true;
  }

  /** Ends a response, if it is still held open. */
  close(held: HeldReply): void {
    this.#remove(held)?.controller.close();
  }

  /** Ends all responses that are held open. */
  closeAll(): void {
    for (const { held } of this.#entries.values()) this.close(held);
  }

  /**
   * Stops tracking a response. Another response with the same key, which was opened later, is not
   * changed.
   */
  #remove(held: HeldReply): Entry | undefined {
    const entry = this.#entries.get(held.key);
    if (entry?.held !== held) return undefined;
    clearTimeout(entry.timer);
    this.#entries.delete(held.key);
    this.#quota.take(-1, entry.party);
    return entry;
  }
}

function keyOf(did: string, id: string): string {
  return `${did} ${id}`;
}
