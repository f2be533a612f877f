/**
 * Receives messages and verifies them concurrently within limits, in order for each sender.
 *
 * @module
 */

import { ensureMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { holds } from "@parley/internal/assert-argument";
import { CommError, type CommErrorCodeType } from "../shared/error.ts";
import { delay } from "../transport/message_codec.ts";
import type { MessageTransport } from "../transport/transport.ts";
import { Lanes, type LanesInit } from "./lanes.ts";

/** Options for {@linkcode receiveMessages}. */
export interface ReceiverInit extends LanesInit {
  readonly transport: MessageTransport;
}

/**
 * Error codes that `receive` uses for a single invalid message. If `receive` rejects with a code
 * that is not in this set, the transport has failed, and another call to `receive` would fail too.
 */
const INVALID_MESSAGE_CODES: ReadonlySet<CommErrorCodeType> = new Set<CommErrorCodeType>([
  "invalid_message",
  "deserialization_failed",
  "duplicate_member",
  "unsafe_integer",
  "number_out_of_range",
  "invalid_unicode",
  "too_deep",
  "message_too_large",
]);

/**
 * Number of messages that are invalid or not verified, after which other tasks can run. A transport
 * can have such messages ready faster than they are dropped, so timers and other connections would
 * otherwise wait until it has none.
 */
const DROPS_PER_TURN = 64;

/**
 * Receives messages until the transport ends or the signal aborts. Messages from the same sender
 * are processed sequentially, because the order of updates matters. While {@linkcode Lanes} has no
 * capacity for the messages of prompt senders, no message is read from the transport.
 *
 * Resolves when the transport has ended and all messages are processed. Rejects if the transport
 * fails.
 */
export async function receiveMessages(init: ReceiverInit): Promise<void> {
  const { transport, signal, report, onUnverified } = init;
  let dropped = 0;
  const lanes = new Lanes({
    ...init,
    onUnverified: (message) => {
      dropped++;
      onUnverified(message);
    },
  });
  try {
    for (;;) {
      await lanes.waitForCapacity();
      if (dropped >= DROPS_PER_TURN) {
        dropped = 0;
        await delay(0);
      }
      try {
        const message = await abortable(transport.receive(), signal);
        if (message === undefined) return;
        lanes.add(ensureMessage(message));
      } catch (error) {
        if (signal.aborted || !isInvalidMessage(error)) throw error;
        dropped++;
        report(error);
      }
    }
  } finally {
    await lanes.settle();
  }
}

function isInvalidMessage(error: unknown): boolean {
  return holds(() => error instanceof CommError && INVALID_MESSAGE_CODES.has(error.code));
}
