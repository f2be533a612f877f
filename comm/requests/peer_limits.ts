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
   * Maximum number of requests from one sender that are served concurrently. Requests beyond
   * `maxServingPerSender` are rejected with the error code `busy`. If several senders share the
   * transport, set a value below `maxServing`. If omitted, one sender can use the entire
   * `maxServing` limit.
   */
  readonly maxServingPerSender?: number;
  /**
   * Maximum total size of the requests that are served concurrently, in bytes. Each UTF-16 code
   * unit of a request's JSON text counts as one byte. Requests beyond `maxServingBytes` are
   * rejected with the error code `busy`. A request that alone exceeds the limit is served if no
   * other request is in progress.
   *
   * @default {8_388_608}
   */
  readonly maxServingBytes?: number;
  /**
   * Maximum number of received messages that are verified concurrently. While `maxVerifying`
   * messages are being verified, the peer does not read from the transport.
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
   * `onError`.
   *
   * @default {10_000}
   */
  readonly verifyTimeoutMs?: number;
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

/** Rules for the limits. If `maxServingPerSender` is omitted, it is equal to `maxServing`. */
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
  sendTimeoutMs: withDefault(30_000, assertPositiveNumber),
  closeTimeoutMs: withDefault(5000, assertPositiveNumber),
};
