/**
 * Receives messages and verifies them concurrently within limits, in order for each sender.
 *
 * @module
 */

import { type AgentCommMessage, ensureMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";
import { abortable } from "@parley/internal/abortable";
import { CommError, type CommErrorCodeType, timedOut } from "../shared/error.ts";
import { quote } from "@parley/internal/format-value";
import type { MessageTransport } from "../transport/transport.ts";
import { startDeadline } from "../shared/deadline.ts";

/** Options for {@linkcode receiveMessages}. */
export interface ReceiverInit {
  readonly transport: MessageTransport;
  /** Maximum number of messages in progress. */
  readonly maxMessages: number;
  /** Maximum total size of the messages in progress, in bytes. */
  readonly maxBytes: number;
  /**
   * Timeout for processing one message, in milliseconds, including its wait for earlier messages.
   */
  readonly timeoutMs: number;
  /** Aborts the processing of all messages. */
  readonly signal: AbortSignal;
  /** Processes a message. */
  readonly process: (message: AgentCommMessage, signal: AbortSignal) => Promise<void>;
  /** Called with errors from invalid messages and from `process`. */
  readonly report: (error: unknown) => void;
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
 * Receives messages until the transport ends. Messages from the same sender are processed
 * sequentially, because the order of updates matters. A sender whose DID is slow to resolve does
 * not delay other senders unless the limits are reached. While `maxMessages` or `maxBytes` is
 * reached, no message is read from the transport.
 *
 * Resolves when the transport has ended and all messages are processed. Rejects if the transport
 * fails.
 */
export async function receiveMessages(init: ReceiverInit): Promise<void> {
  const { transport, maxMessages, maxBytes, report } = init;
  const lanes = new Lanes(init);
  try {
    for (;;) {
      await lanes.waitUntilBelow(maxMessages, maxBytes);
      try {
        const message = await transport.receive();
        if (message === undefined) return;
        lanes.add(ensureMessage(message));
      } catch (error) {
        if (!isInvalidMessage(error)) throw error;
        report(error);
      }
    }
  } finally {
    await lanes.settle();
  }
}

function isInvalidMessage(error: unknown): boolean {
  return error instanceof CommError && INVALID_MESSAGE_CODES.has(error.code);
}

/** Messages in progress: one sequence for each sender. */
class Lanes {
  readonly #init: ReceiverInit;
  readonly #lastBySender = new Map<string, Promise<void>>();
  #messages = 0;
  #bytes = 0;
  #onRemove: () => void = () => {};

  constructor(init: ReceiverInit) {
    this.#init = init;
  }

  /**
   * Waits until `maxMessages` and `maxBytes` permit another message. A message larger than
   * `maxBytes` is permitted only if no other message is in progress.
   */
  async waitUntilBelow(maxMessages: number, maxBytes: number): Promise<void> {
    while (this.#messages >= maxMessages || (this.#messages > 0 && this.#bytes >= maxBytes)) {
      await new Promise<void>((resolve) => {
        this.#onRemove = resolve;
      });
    }
  }

  add(message: AgentCommMessage): void {
    const { sender } = message;
    const bytes = formatMessage(message).length;
    this.#messages++;
    this.#bytes += bytes;
    const previous = this.#lastBySender.get(sender);
    const last = this.#process(message, previous).finally(() => {
      this.#messages--;
      this.#bytes -= bytes;
      if (this.#lastBySender.get(sender) === last) this.#lastBySender.delete(sender);
      this.#onRemove();
    });
    this.#lastBySender.set(sender, last);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#lastBySender.values());
  }

  /**
   * Processes a message after the previous message from the same sender. The returned promise never
   * rejects.
   */
  async #process(message: AgentCommMessage, previous: Promise<void> | undefined): Promise<void> {
    const { timeoutMs, signal, process, report } = this.#init;
    // The timeout includes the wait for earlier messages. If the timeout excluded the wait, one
    // sender whose DID never resolves could occupy the receiver for the timeout multiplied by the
    // number of its messages.
    const deadline = startDeadline([signal], {
      timeoutMs,
      reason: () => timedOut(`verify message from ${quote(message.sender)}`, timeoutMs),
    });
    try {
      if (previous !== undefined) await abortable(previous, deadline.signal);
      deadline.signal.throwIfAborted();
      await abortable(process(message, deadline.signal), deadline.signal);
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      deadline.stop();
    }
  }
}
