/**
 * The inboxes of a queue in memory.
 *
 * @module
 */

import { Fifo } from "@parley/internal/fifo";
import type { Quota } from "@parley/internal/quota";
import { Turns } from "@parley/internal/turns";
import type { ConsumeCall } from "./stored_queue.ts";

/** A stored message. */
export interface Stored {
  readonly key: string;
  /** Party of the sender that the message names. */
  readonly party: string;
  readonly inbox: string;
  readonly json: string;
  readonly lane: Lane;
  attempts: number;
  reason: string;
  isUnverified: boolean;
}

/**
 * A lane of messages that are delivered sequentially. An unordered inbox has one lane for each
 * message, which has no name: a forged message with the key of a genuine one must not hold it back.
 */
export interface Lane {
  readonly name: string | undefined;
  readonly party: string;
  readonly messages: Fifo<Stored>;
}

export interface Consumer extends Omit<ConsumeCall<never>, "transactional" | "concurrency"> {
  readonly running: Set<Promise<void>>;
  /** The handlers that are running. */
  readonly handlers: Quota;
}

export interface Inbox {
  readonly name: string;
  /** The lanes of an ordered inbox. */
  readonly lanes: Map<string, Lane>;
  /** Lanes whose first message can be delivered. */
  readonly ready: Turns<Lane>;
  readonly consumers: Consumer[];
}

/** Creates an inbox without messages and consumers. */
export function createInbox(name: string): Inbox {
  return { name, lanes: new Map(), ready: new Turns(({ party }) => party), consumers: [] };
}

/**
 * Returns a consumer that has capacity, and a lane that it can deliver. The consumers of an inbox
 * take turns.
 */
export function takeNext(
  { ready, consumers }: Inbox,
): { readonly consumer: Consumer; readonly lane: Lane } | undefined {
  for (const [index, consumer] of consumers.entries()) {
    const { stopped, handlers } = consumer;
    if (stopped.aborted || !handlers.has(1, undefined)) continue;
    const lane = ready.shift((party) => handlers.has(1, party));
    if (lane === undefined) continue;
    consumers.push(...consumers.splice(index, 1));
    return { consumer, lane };
  }
  return undefined;
}

/** Returns the lane with a name, or a new lane without a name. */
export function laneFor({ lanes }: Inbox, name: string | undefined, party: string): Lane {
  if (name === undefined) return { name, party, messages: new Fifo() };
  const lane = lanes.get(name) ?? { name, party, messages: new Fifo() };
  lanes.set(name, lane);
  return lane;
}

/** Adds a message to the end of its lane, whose messages are delivered sequentially. */
export function append({ ready }: Inbox, stored: Stored): void {
  const { lane } = stored;
  lane.messages.push(stored);
  if (lane.messages.size === 1) ready.push(lane);
}

/** Removes the first message from a lane, whose messages are delivered sequentially. */
export function advance({ ready, lanes }: Inbox, lane: Lane): void {
  lane.messages.shift();
  if (lane.messages.size > 0) ready.push(lane);
  else if (lane.name !== undefined) lanes.delete(lane.name);
}
