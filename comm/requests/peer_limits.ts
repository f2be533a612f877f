/**
 * Limits and timeouts of a peer.
 *
 * @module
 */

import { assertCount, assertPositiveNumber } from "@parley/internal/assert-argument";
import { type DefaultRule, type OptionCheck, withDefault } from "@parley/internal/options";

/** Limits and timeouts of a peer. */
export interface PeerLimits {
  /**
   * Maximum number of pending requests of this peer. If `maxPending` requests are pending, calls to
   * `request` reject with `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxPending?: number;
  /**
   * Maximum number of requests that are served concurrently. Requests beyond `maxServing` are
   * rejected with the error code `busy`.
   *
   * @default {32}
   */
  readonly maxServing?: number;
  /**
   * Maximum number of requests from one sender that are served concurrently, and of calls to
   * `onMessage`. All did:web senders with the same domain count as one sender. Requests beyond
   * `maxServingPerSender` are rejected with the error code `busy`. If omitted, one sender can use
   * half of `maxServing`, rounded up. If the transport connects only two agents, the value can be
   * equal to `maxServing`.
   */
  readonly maxServingPerSender?: number;
  /**
   * Maximum total size of the requests that are served concurrently, in bytes. Each UTF-16 code
   * unit of a request's JSON text counts as one byte. Requests beyond `maxServingBytes` are
   * rejected with the error code `busy`. The requests of one sender can use half of the limit. A
   * request that alone exceeds the limit, or the half, is served if no other request is in
   * progress, or no other request of its sender.
   *
   * @default {8_388_608}
   */
  readonly maxServingBytes?: number;
  /**
   * Maximum number of received messages that are verified concurrently. While `maxVerifying`
   * messages are being verified, the peer does not read from the transport.
   *
   * Messages from senders whose keys may have to be fetched, such as a did:web whose messages were
   * not verified before, do not count toward the limit. They have limits of their own:
   * `maxVerifying` such senders, and `maxVerifyingBytes` for their messages. All senders with the
   * same domain, or of the same method other than did:web, can use a quarter of these limits.
   * Messages beyond these limits are dropped and reported to `onError` with the code
   * `capacity_exceeded`, because waiting would delay all other senders. If a message takes longer
   * than a second to verify, the same applies to all senders with its domain, for a minute. If the
   * messages of one domain keep the peer from reading, this happens after a tenth of a second.
   *
   * @default {32}
   */
  readonly maxVerifying?: number;
  /**
   * Total size of the received messages that can be verified concurrently, in bytes. At this size,
   * the peer stops reading from the transport. Each UTF-16 code unit of a message's JSON text
   * counts as one byte.
   *
   * @default {8_388_608}
   */
  readonly maxVerifyingBytes?: number;
  /**
   * Timeout for verifying a received message, in milliseconds, including its wait for earlier
   * messages from the same sender. After the timeout, the message is dropped and reported to
   * `onError`. The timeout also applies to the commit of a request in the replay store.
   *
   * @default {10_000}
   */
  readonly verifyTimeoutMs?: number;
  /**
   * Maximum number of received updates that wait because their request's `onUpdate` has not
   * returned. The limit applies to all requests together; updates from one agent can use half of
   * it. Further updates are dropped and reported to `onError` with the code `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxQueuedUpdates?: number;
  /**
   * Maximum total size of the updates that wait, in bytes. Each UTF-16 code unit of an update's
   * JSON text counts as one byte. Updates from one agent can use half of the limit.
   *
   * @default {8_388_608}
   */
  readonly maxQueuedUpdateBytes?: number;
  /**
   * Maximum time that a request waits, after its response has arrived, until `onUpdate` has
   * returned for all earlier updates, in milliseconds. After the timeout, the waiting updates are
   * dropped and reported to `onError`, and the request ends with its response.
   *
   * @default {10_000}
   */
  readonly updateTimeoutMs?: number;
  /**
   * Timeout for signing a message and passing it to the transport, in milliseconds.
   *
   * @default {30_000}
   */
  readonly sendTimeoutMs?: number;
  /**
   * Maximum time that `close` waits for the handlers to return, in milliseconds.
   *
   * @default {5000}
   */
  readonly closeTimeoutMs?: number;
}

type LimitWithDefault = Exclude<keyof PeerLimits, "maxServingPerSender">;

/** Limits and timeouts of a peer, with default values filled in. */
export type PeerLimitSettings = Required<PeerLimits>;

/** Returns the default for `maxServingPerSender`: half of `maxServing`, rounded up. */
export function defaultPerSender(maxServing: number): number {
  return Math.ceil(maxServing / 2);
}

/** Rules for the limits. `maxServingPerSender` has a default that depends on `maxServing`. */
export const PEER_LIMIT_RULES: Readonly<
  Record<LimitWithDefault, DefaultRule<number>> & Record<"maxServingPerSender", OptionCheck>
> = {
  maxPending: withDefault(1000, assertCount),
  maxServing: withDefault(32, assertCount),
  maxServingPerSender: assertCount,
  maxServingBytes: withDefault(8_388_608, assertCount),
  maxVerifying: withDefault(32, assertCount),
  maxVerifyingBytes: withDefault(8_388_608, assertCount),
  verifyTimeoutMs: withDefault(10_000, assertPositiveNumber),
  maxQueuedUpdates: withDefault(1000, assertCount),
  maxQueuedUpdateBytes: withDefault(8_388_608, assertCount),
  updateTimeoutMs: withDefault(10_000, assertPositiveNumber),
  sendTimeoutMs: withDefault(30_000, assertPositiveNumber),
  closeTimeoutMs: withDefault(5000, assertPositiveNumber),
};
