/**
 * Received messages that are being verified.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";
import { abortable } from "@parley/internal/abortable";
import { quote } from "@parley/internal/format-value";
import { Quota } from "@parley/internal/quota";
import { timedOut } from "../shared/error.ts";
import { startDeadline } from "@parley/internal/deadline";
import { ItemQuota } from "../shared/item_quota.ts";
import { isSelfContained, ownerOf, partyOf } from "../shared/party.ts";
import { findEvicted } from "./eviction.ts";
import { tooManyUnverified } from "./peer_error.ts";
import { ProvenSenders } from "./proven_senders.ts";
import { RecentNames } from "./recent_names.ts";

/** Options for {@linkcode Lanes}. */
export interface LanesInit {
  /** Maximum number of messages in progress, and separately of slow senders. */
  readonly maxMessages: number;
  /** Maximum total size of the messages in progress, and separately of slow senders, in bytes. */
  readonly maxBytes: number;
  /**
   * Timeout for processing one message, in milliseconds, including its wait for earlier messages.
   */
  readonly timeoutMs: number;
  /** Aborts the processing of all messages. */
  readonly signal: AbortSignal;
  /** Processes a message. Returns `true` if the message was verified. */
  readonly process: (message: AgentCommMessage, signal: AbortSignal) => Promise<boolean>;
  /** Returns `true` if a message claims to be a reply that this agent waits for. */
  readonly isExpected: (message: AgentCommMessage) => boolean;
  /** Called with each message that was not verified. */
  readonly onUnverified: (message: AgentCommMessage) => void;
  /** Called with errors. */
  readonly report: (error: unknown) => void;
}

/**
 * Maximum share of the capacity for slow senders per party, and of the capacity for prompt senders
 * that a party can use before its messages use the capacity for slow senders.
 */
const SLOW_SHARE = 1 / 4;

/** Messages of slow senders per slow sender, on average. A waiting message only uses memory. */
const MESSAGES_PER_SLOW_SENDER = 32;

/** Interval of the check for slow senders, in milliseconds. */
const CHECK_MS = 50;

/** Number of checks after which a sender is slow if its message is still in progress: a second. */
const CHECKS_UNTIL_SLOW = 20;

/**
 * The same number for excess messages of a party, while they keep the peer from reading. A single
 * check could run right after the program has blocked the event loop, when all messages look slow.
 */
const CHECKS_WHILE_BLOCKED = 2;

/** The capacity that a message uses. */
interface Capacity {
  /** Whether the message counts toward the limits at which the peer stops reading. */
  readonly isPrompt: boolean;
  /** Whether the message exceeds the share of its party. */
  readonly isExcess?: boolean;
  /** Releases the share of the party. */
  readonly release: () => void;
}

/**
 * Number of checks after which a slow sender can lose its capacity to any sender that needs it.
 * Keys usually arrive much earlier.
 */
const CHECKS_UNTIL_EVICTION = 40;

/** A message in progress. */
interface Entry {
  readonly message: AgentCommMessage;
  readonly bytes: number;
  readonly dropping: AbortController;
  capacity: Capacity;
  /** Number of checks during which the message was in progress. */
  checks: number;
}

/** The messages in progress from one sender. */
interface Lane {
  readonly sender: string;
  readonly party: string;
  readonly entries: Set<Entry>;
  /** Resolves when the last message has been processed. */
  tail: Promise<void>;
  isSlow: boolean;
  /** Whether the sender uses a place of the slow senders. */
  hasPlace: boolean;
  /** Number of checks since the lane was opened. */
  checks: number;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Messages in progress: one sequence for each claimed sender.
 *
 * Any agent can send messages in the name of any sender, and the keys of the sender may have to be
 * fetched from a server that never responds. Senders are therefore divided in two groups, each with
 * its own limits. The messages of prompt senders are never dropped: at their limits,
 * {@linkcode Lanes.waitForCapacity} waits. A message of a slow sender is dropped if the limits are
 * reached, or if its party has used its share. Replies of slow senders that
 * this agent waits for have additional capacity of the same size, so that other messages in the
 * name of their sender do not use it up.
 *
 * - A sender is prompt if its DID contains its keys, if one of its messages was verified recently,
 *   or if this agent waits for its reply. If the prompt senders of a party have used the party's
 *   share, their further messages use the capacity for slow senders while it lasts.
 * - Any other sender is slow until one of its messages is verified. All senders of an owner become
 *   slow if a message takes longer than a second, or a tenth of a second if the messages of the
 *   party exceed its share and keep the peer from reading. They stay slow for a minute, unless
 *   their DIDs contain their keys.
 *
 * A party is late for a minute after one of its messages has waited for its keys for a second. If a
 * slow sender needs capacity, a sender of a late party loses its capacity. If there is none, or the
 * sender's own party is late, the sender that has been slow for the longest time loses its
 * capacity, if its party uses more than the party of the other, or after two seconds.
 */
export class Lanes {
  readonly #init: LanesInit;
  readonly #lanes = new Map<string, Lane>();
  readonly #proven = new ProvenSenders();
  readonly #slowSenders: Quota;
  readonly #slowMessages: ItemQuota;
  /** Expected replies of slow senders that exceed the limits for slow senders. */
  readonly #replies: ItemQuota;
  /** Messages of prompt senders whose DIDs do not contain their keys. */
  readonly #promptMessages: ItemQuota;
  /** Parties whose keys were not available for a second. */
  readonly #late = new RecentNames();
  /** Whether the peer waits for capacity. */
  #isBlocked = false;
  #messages = 0;
  #bytes = 0;
  #onRemove: () => void = () => {};

  constructor(init: LanesInit) {
    const { maxMessages, maxBytes } = init;
    this.#init = init;
    this.#slowSenders = new Quota(maxMessages, SLOW_SHARE);
    const maxItems = maxMessages * MESSAGES_PER_SLOW_SENDER;
    const share = SLOW_SHARE;
    this.#slowMessages = new ItemQuota({ maxItems, maxBytes, share });
    this.#replies = new ItemQuota({ maxItems, maxBytes, share });
    this.#promptMessages = new ItemQuota({ maxItems: maxMessages, maxBytes, share });
  }

  /**
   * Waits until `maxMessages` and `maxBytes` permit another message. A message larger than
   * `maxBytes` is permitted only if no other message of a prompt sender is in progress.
   */
  async waitForCapacity(): Promise<void> {
    const { maxMessages, maxBytes } = this.#init;
    while (this.#messages >= maxMessages || (this.#messages > 0 && this.#bytes >= maxBytes)) {
      this.#isBlocked = true;
      await new Promise<void>((resolve) => {
        this.#onRemove = resolve;
      });
    }
    this.#isBlocked = false;
  }

  /** Starts processing a message, or drops and reports it. */
  add(message: AgentCommMessage): void {
    const bytes = formatMessage(message).length;
    const lane = this.#lanes.get(message.sender) ?? this.#open(message);
    const capacity = lane && this.#takeCapacity(lane, message, bytes);
    if (lane === undefined || capacity === undefined) {
      this.#init.report(tooManyUnverified(message.sender, this.#init));
      this.#init.onUnverified(message);
      if (lane !== undefined) this.#closeIfEmpty(lane);
      return;
    }
    const entry: Entry = { message, bytes, dropping: new AbortController(), capacity, checks: 0 };
    lane.entries.add(entry);
    if (capacity.isPrompt) this.#count(entry, 1);
    const previous = lane.entries.size > 1 ? lane.tail : undefined;
    const processed = this.#process(lane, entry, previous);
    lane.tail = previous === undefined ? processed : settleBoth(previous, processed);
  }

  /** Waits until all messages are processed. */
  async settle(): Promise<void> {
    await Promise.all(Array.from(this.#lanes.values(), ({ tail }) => tail));
  }

  /**
   * Opens the lane of a sender. Returns `undefined` if too many slow senders have a lane. The
   * number of agents that this agent waits for is limited by its own requests.
   */
  #open(message: AgentCommMessage): Lane | undefined {
    const { sender } = message;
    const party = partyOf(sender);
    const isExpected = this.#init.isExpected(message);
    const isPrompt = isSelfContained(sender) || this.#proven.has(sender) ||
      isExpected && !this.#proven.isBarred(party);
    const isSlow = !isPrompt;
    const hasPlace = isSlow && this.#findPlace(party);
    if (isSlow && !hasPlace && !isExpected) return undefined;
    if (hasPlace) this.#slowSenders.take(1, party);
    const lane: Lane = {
      sender,
      party,
      entries: new Set(),
      tail: Promise.resolve(),
      isSlow,
      hasPlace,
      checks: 0,
      timer: setTimeout(() => this.#check(lane), CHECK_MS),
    };
    this.#lanes.set(sender, lane);
    return lane;
  }

  /** Returns `true` if there is a place for a slow sender of the party. */
  #findPlace(party: string): boolean {
    if (this.#slowSenders.has(1, party)) return true;
    this.#evict(party, ({ hasPlace }) => hasPlace ? 1 : 0);
    return this.#slowSenders.has(1, party);
  }

  /** Drops the messages of a slow sender. Returns `false` if no sender loses its capacity. */
  #evict(party: string, sizeOf: (lane: Lane) => number): boolean {
    const senders = Array.from(this.#lanes.values(), (lane) => ({
      lane,
      party: lane.party,
      used: lane.isSlow ? sizeOf(lane) : 0,
      isOld: lane.checks >= CHECKS_UNTIL_EVICTION,
    })).filter(({ used }) => used > 0);
    const evicted = findEvicted(senders, party, (name) => this.#isLate(name));
    if (evicted === undefined) return false;
    const { lane } = evicted;
    this.#leavePlace(lane);
    for (const entry of lane.entries) {
      entry.capacity.release();
      entry.dropping.abort(tooManyUnverified(lane.sender, this.#init));
    }
    return true;
  }

  #isLate(party: string): boolean {
    return this.#late.has(party) || this.#proven.isBarred(party);
  }

  #closeIfEmpty(lane: Lane): void {
    if (lane.entries.size > 0) return;
    clearTimeout(lane.timer);
    this.#lanes.delete(lane.sender);
    this.#leavePlace(lane);
  }

  #leavePlace(lane: Lane): void {
    if (lane.hasPlace) this.#slowSenders.take(-1, lane.party);
    lane.hasPlace = false;
  }

  /** Takes capacity for a message. Returns `undefined` if the message must be dropped. */
  #takeCapacity(lane: Lane, message: AgentCommMessage, bytes: number): Capacity | undefined {
    const { party, sender, isSlow } = lane;
    if (!isSlow) {
      if (isSelfContained(sender)) return { isPrompt: true, release: () => {} };
      const taken = this.#promptMessages.take(party, bytes);
      if (typeof taken === "function") return { isPrompt: true, release: taken };
    }
    let taken = this.#slowMessages.take(party, bytes);
    while (taken === "full" && isSlow && this.#evict(party, slowBytesOf)) {
      taken = this.#slowMessages.take(party, bytes);
    }
    if (typeof taken === "function") return { isPrompt: false, release: taken };
    // After a party was slow, its messages do not delay those of other senders again.
    if (!isSlow && !this.#proven.isBarred(party)) {
      return { isPrompt: true, isExcess: true, release: () => {} };
    }
    if (!this.#init.isExpected(message)) return undefined;
    const release = this.#replies.take(party, bytes);
    return typeof release === "function" ? { isPrompt: false, release } : undefined;
  }

  #count({ bytes }: Entry, sign: 1 | -1): void {
    this.#messages += sign;
    this.#bytes += sign * bytes;
    if (sign < 0) this.#onRemove();
  }

  /** Makes the party slow or late if a message has been in progress for too many checks. */
  #check(lane: Lane): void {
    lane.timer = setTimeout(() => this.#check(lane), CHECK_MS);
    lane.checks++;
    let isOverdue = false;
    for (const entry of lane.entries) {
      const { isPrompt, isExcess = false } = entry.capacity;
      const limit = this.#isBlocked && isExcess ? CHECKS_WHILE_BLOCKED : CHECKS_UNTIL_SLOW;
      if (++entry.checks < limit) continue;
      if (isPrompt) isOverdue = true;
      else if (!isSelfContained(lane.sender)) this.#late.add(lane.party);
    }
    if (!isOverdue) return;
    // The owner of a domain can create any number of senders.
    if (!isSelfContained(lane.sender)) this.#proven.bar(lane.sender);
    const owner = ownerOf(lane.sender);
    for (const other of this.#lanes.values()) {
      if (ownerOf(other.sender) === owner) this.#slowDown(other);
    }
  }

  /**
   * Makes a sender slow. Its messages that exceed the limits for slow senders are dropped, except
   * those of a sender whose DID contains its keys: the slow part is then this agent's own `allow`
   * function or replay store, and all senders may be affected.
   */
  #slowDown(lane: Lane): void {
    const { sender, party } = lane;
    const canWait = isSelfContained(sender);
    const hasCapacity = lane.isSlow || this.#slowSenders.has(1, party);
    if (!hasCapacity && canWait) return;
    if (!lane.isSlow && hasCapacity) {
      lane.hasPlace = true;
      this.#slowSenders.take(1, party);
    }
    lane.isSlow = true;
    for (const entry of lane.entries) {
      if (!entry.capacity.isPrompt) continue;
      const taken = hasCapacity ? this.#slowMessages.take(party, entry.bytes) : "full";
      if (typeof taken === "function") {
        entry.capacity.release();
        entry.capacity = { isPrompt: false, release: taken };
        this.#count(entry, -1);
      } else if (!canWait) {
        entry.dropping.abort(tooManyUnverified(sender, this.#init));
      }
    }
  }

  /** Makes a sender prompt, because one of its messages was verified. */
  #speedUp(lane: Lane): void {
    if (!isSelfContained(lane.sender) && !this.#proven.add(lane.sender)) return;
    lane.isSlow = false;
    this.#leavePlace(lane);
  }

  /**
   * Processes a message after the previous message from the same sender. The returned promise never
   * rejects.
   */
  async #process(lane: Lane, entry: Entry, previous: Promise<void> | undefined): Promise<void> {
    const { timeoutMs, signal, process, report, onUnverified } = this.#init;
    const { message, dropping } = entry;
    // The timeout includes the wait for earlier messages. If the timeout excluded the wait, one
    // sender whose DID never resolves could occupy its lane for the timeout multiplied by the
    // number of its messages.
    const deadline = startDeadline([signal, dropping.signal], {
      timeoutMs,
      reason: () => timedOut(`verify message from ${quote(message.sender)}`, timeoutMs),
    });
    let isVerified = false;
    try {
      if (previous !== undefined) await abortable(previous, deadline.signal);
      deadline.signal.throwIfAborted();
      isVerified = await abortable(process(message, deadline.signal), deadline.signal);
      if (isVerified) this.#speedUp(lane);
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      deadline.stop();
      this.#remove(lane, entry);
      if (!isVerified) onUnverified(message);
    }
  }

  #remove(lane: Lane, entry: Entry): void {
    lane.entries.delete(entry);
    if (entry.capacity.isPrompt) this.#count(entry, -1);
    entry.capacity.release();
    this.#closeIfEmpty(lane);
  }
}

/** Returns the size of the messages that use capacity for slow senders, in bytes. */
function slowBytesOf({ entries }: Lane): number {
  let sum = 0;
  for (const { capacity, bytes } of entries) sum += capacity.isPrompt ? 0 : bytes;
  return sum;
}

/** Waits for two promises that never reject. */
async function settleBoth(first: Promise<void>, second: Promise<void>): Promise<void> {
  await first;
  await second;
}
