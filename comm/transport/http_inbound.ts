/**
 * The received messages that wait in the queue of an HTTP endpoint.
 *
 * @module
 */

import { BoundedQueue } from "@parley/internal/bounded-queue";
import type { CommError } from "../shared/error.ts";
import type { HttpLimits } from "./http_options.ts";
import type { HeldReply } from "./http_replies.ts";

/** A received message that is waiting in the queue. */
export interface Posted {
  /** Party of the sender that the message names. */
  readonly party: string;
  readonly body: Uint8Array;
  /** The response that is held open for replies to the message. */
  readonly held: HeldReply | undefined;
  /** Releases the capacity of the queue. */
  readonly release: () => void;
}

/** The item in the queue for the oldest reply in a response, which has a queue of its own. */
export const REPLY = "reply";

/**
 * The queue. Parties take turns, so that the messages of one sender do not delay those of others.
 * The replies in responses are one party.
 */
export type Inbound = BoundedQueue<Posted | typeof REPLY, CommError>;

/**
 * Creates an empty queue. Its messages are limited by a quota, and the replies by their own queue.
 */
export function createInbound(
  { capacity, maxQueuedBytes }: Pick<HttpLimits, "capacity" | "maxQueuedBytes">,
): Inbound {
  return new BoundedQueue({
    capacity: Math.min(capacity * 2, Number.MAX_SAFE_INTEGER),
    maxBytes: maxQueuedBytes,
    sizeOf: (item) => item === REPLY ? 0 : Math.min(item.body.length, maxQueuedBytes),
    partyOf: (item) => item === REPLY ? REPLY : item.party,
  });
}
