/**
 * Replies in the responses to POST requests, for senders without a URL.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { Quota } from "@parley/internal/quota";
import { Fifo } from "@parley/internal/fifo";
import { capacityExceeded, timedOut } from "../shared/error.ts";
import { ItemQuota } from "../shared/item_quota.ts";
import { partyOf } from "../shared/party.ts";

/** Options for {@linkcode HeldReplies}. */
export interface HeldRepliesInit {
  /** Maximum time to hold a response open, in milliseconds. */
  readonly waitMs: number;
  /** Maximum number of responses that are held open. */
  readonly capacity: number;
  /** Maximum number of buffered bytes in one response, and for one party. */
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

/** A reply that has not been read yet. */
interface BufferedLine {
  readonly line: Uint8Array<ArrayBuffer>;
  readonly release: () => void;
}

interface Entry {
  readonly held: HeldReply;
  readonly party: string;
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  readonly lines: Fifo<BufferedLine>;
  /** Total size of the lines, in bytes. */
  bytes: number;
  /** Whether the client waits for the next line. */
  isWanted: boolean;
  /** Whether no further reply is accepted. */
  isFinished: boolean;
  timer: ReturnType<typeof setTimeout>;
}

/** Time to read the buffered replies of a response that has ended, in milliseconds. */
const DRAIN_MS = 30_000;

/**
 * Number of parties whose buffers can be full at the same time. The replies that are buffered for
 * one party can use `maxBytes`.
 */
const FULL_BUFFERS = 8;

/**
 * Maximum share of the capacity per party, also for searching the URLs of senders. A response is
 * held open before its message is verified, so any agent can use the share of any sender.
 */
export const HELD_SHARE: number = 1 / 10;

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
  /** Buffered replies of all responses. */
  readonly #buffered: ItemQuota;

  constructor(init: HeldRepliesInit) {
    const { capacity, maxBytes } = init;
    this.#init = init;
    this.#quota = new Quota(capacity, HELD_SHARE);
    this.#buffered = new ItemQuota({
      maxItems: capacity * FULL_BUFFERS,
      maxBytes: maxBytes * FULL_BUFFERS,
      share: 1 / FULL_BUFFERS,
    });
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
    const held = { key: keyOf(sender, id) };
    const party = partyOf(sender);
    if (!this.#quota.has(1, party)) return undefined;
    this.#quota.take(1, party);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller: Entry["controller"]) => this.#start(held, party, controller),
      pull: () => this.#pull(held),
      cancel: () => void this.#remove(held),
    }, { highWaterMark: 0 });
    return { held, body };
  }

  /**
   * Writes a reply to the response that is held open for its recipient. Returns `false` if no
   * response is held open. Throws `capacity_exceeded` if the recipient reads too slowly.
   */
  deliver({ recipient, correlationId, messageType }: AgentCommMessage, text: string): boolean {
    const entry = this.#entries.get(keyOf(recipient, correlationId ?? ""));
    if (entry === undefined || entry.isFinished) return false;
    const line = ENCODER.encode(`${text}\n`);
    if (entry.isWanted) {
      entry.isWanted = false;
      entry.controller.enqueue(line);
    } else {
      this.#buffer(entry, line);
    }
    if (messageType !== UPDATE) this.#finish(entry);
    return true;
  }

  /** Ends a response after its buffered replies, if it is still held open. */
  close(held: HeldReply): void {
    const entry = this.#find(held);
    if (entry !== undefined) this.#finish(entry);
  }

  /** Ends a response without its buffered replies, because its client has disconnected. */
  discard(held: HeldReply): void {
    this.#remove(held)?.controller.close();
  }

  /** Ends all responses that are held open. Buffered replies can still be read. */
  closeAll(): void {
    for (const { held, lines, controller } of this.#entries.values()) {
      for (const { line, release } of lines.clear()) {
        release();
        controller.enqueue(line);
      }
      this.discard(held);
    }
  }

  #start(held: HeldReply, party: string, controller: Entry["controller"]): void {
    const { waitMs } = this.#init;
    const timer = setTimeout(() => this.close(held), Math.min(waitMs, MAX_TIMER_MS));
    const state = { lines: new Fifo<BufferedLine>(), bytes: 0, isWanted: false, isFinished: false };
    this.#entries.set(held.key, { held, party, controller, timer, ...state });
    // Some servers do not send the response headers until they send the first bytes of the body.
    controller.enqueue(ENCODER.encode("\n"));
  }

  /** Called when the client waits for bytes. */
  #pull(held: HeldReply): void {
    const entry = this.#find(held);
    const next = entry?.lines.shift();
    if (entry === undefined) return;
    if (next === undefined) {
      entry.isWanted = true;
      return;
    }
    next.release();
    entry.bytes -= next.line.length;
    entry.controller.enqueue(next.line);
    if (entry.isFinished && entry.lines.size === 0) this.discard(held);
  }

  #buffer(entry: Entry, line: Uint8Array<ArrayBuffer>): void {
    const { capacity, maxBytes } = this.#init;
    const isOver = entry.bytes + line.length > maxBytes;
    const release = isOver ? "full" : this.#buffered.take(entry.party, line.length);
    if (typeof release === "string") throw capacityExceeded(capacity, maxBytes);
    entry.bytes += line.length;
    entry.lines.push({ line, release });
  }

  #finish(entry: Entry): void {
    if (entry.isFinished) return;
    entry.isFinished = true;
    clearTimeout(entry.timer);
    if (entry.lines.size === 0) {
      this.discard(entry.held);
    } else {
      entry.timer = setTimeout(() => this.#expire(entry), DRAIN_MS);
    }
  }

  /** Fails a response that its client does not read, because an end would hide the lost replies. */
  #expire({ held, controller }: Entry): void {
    if (this.#remove(held) === undefined) return;
    controller.error(timedOut("send replies", DRAIN_MS));
  }

  /** Returns a response that is still held open. A later response can have the same key. */
  #find(held: HeldReply): Entry | undefined {
    const entry = this.#entries.get(held.key);
    return entry?.held === held ? entry : undefined;
  }

  /** Stops tracking a response. */
  #remove(held: HeldReply): Entry | undefined {
    const entry = this.#find(held);
    if (entry === undefined) return undefined;
    clearTimeout(entry.timer);
    for (const { release } of entry.lines.clear()) release();
    this.#entries.delete(held.key);
    this.#quota.take(-1, entry.party);
    return entry;
  }
}

function keyOf(did: string, id: string): string {
  return `${did} ${id}`;
}
