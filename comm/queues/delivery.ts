/**
 * Delivery of a stored message to a handler.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { parseMessage } from "../message/message_json.ts";
import { abortable } from "@parley/internal/abortable";
import { type Deadline, startDeadline } from "@parley/internal/deadline";
import { CommError, timedOut } from "../shared/error.ts";
import { errorText } from "../shared/error_text.ts";
import { VerifyFailureReason } from "../signing/verify_result.ts";
import { holds } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { type QueueHandler, Reject } from "./message_queue.ts";
import type { QueueSettings } from "./queue_options.ts";
import { escapeText, excerpt } from "@parley/internal/escape-text";

/** Result of a delivery. */
export type DeliveryOutcome =
  | { readonly type: "acknowledged" }
  | { readonly type: "rejected"; readonly reason: string; readonly error: unknown }
  | { readonly type: "failed"; readonly error: unknown };

/** Options for {@linkcode deliver}. */
export interface DeliverOptions<Tx> {
  readonly handler: QueueHandler<Tx>;
  readonly settings: Pick<QueueSettings, "maxAttempts" | "maxMessageBytes" | "handlerTimeoutMs">;
  /** Number of this delivery, starting at 1. */
  readonly attempt: number;
  /**
   * Aborted when the consumer stops. A running handler can still acknowledge its message after the
   * consumer stops.
   */
  readonly stopped: AbortSignal;
  /** Aborted when the queue delivers the message to another consumer. */
  readonly lost?: AbortSignal;
  readonly tx?: Tx | undefined;
}

/**
 * Delivers a message to a handler. The returned promise never rejects. A handler that exceeds its
 * time limit is considered failed, even if it continues to run. The handler is not called if the
 * consumer is stopped or the message is lost.
 */
export async function deliver<Tx>(
  json: unknown,
  options: DeliverOptions<Tx>,
): Promise<DeliveryOutcome> {
  const { settings: { maxAttempts, maxMessageBytes }, attempt, stopped } = options;
  if (attempt > maxAttempts) {
    const reason = `not acknowledged after ${maxAttempts} deliveries`;
    return { type: "rejected", reason, error: new Reject(reason) };
  }
  const message = readStored(json, maxMessageBytes);
  if (message instanceof Error) {
    return { type: "rejected", reason: message.message, error: message };
  }
  try {
    await callHandler(message, options);
    return { type: "acknowledged" };
  } catch (error) {
    const isFinal = isReject(error) || attempt === maxAttempts && !stopped.aborted;
    return isFinal
      ? { type: "rejected", reason: reasonOf(error), error }
      : { type: "failed", error };
  }
}

/** Returns true for a {@linkcode Reject}. A handler can throw a value that cannot be read. */
function isReject(error: unknown): boolean {
  return holds(() => error instanceof Reject);
}

/** Codes of verification failures that any agent can cause in the name of any sender. */
const UNVERIFIED: ReadonlySet<string> = new Set(
  Object.values(VerifyFailureReason).filter((reason) =>
    !reason.startsWith("replay_") && reason !== "sender_refused"
  ),
);

/** Returns `true` if a message was rejected because it failed verification. Never throws. */
export function isUnverified(error: unknown): boolean {
  return holds(() => {
    const failure = error instanceof Reject ? error.cause : error;
    return failure instanceof CommError && UNVERIFIED.has(failure.code);
  });
}

/** Parses a stored message. Returns the error if the message is invalid. */
export function readStored(json: unknown, maxBytes: number): AgentCommMessage | Error {
  if (typeof json !== "string" && !(json instanceof Uint8Array)) {
    return new TypeError(`stored message must be a string, got ${formatValue(json)}`);
  }
  try {
    return parseMessage(json, { maxBytes });
  } catch (error) {
    if (error instanceof CommError) return error;
    throw error;
  }
}

/** Returns the delay after a failed delivery, in milliseconds. */
export function retryDelayOf(
  { retryDelayMs, maxRetryDelayMs }: Pick<QueueSettings, "retryDelayMs" | "maxRetryDelayMs">,
  attempt: number,
): number {
  return Math.min(retryDelayMs * 2 ** (attempt - 1), maxRetryDelayMs);
}

/**
 * Returns the text of a thrown value, truncated to 1000 characters. Never throws. Lone surrogates
 * are replaced, because databases do not store them.
 */
export function reasonOf(error: unknown): string {
  return escapeText(excerpt(errorText(error).toWellFormed(), 1000));
}

/**
 * Calls a handler. The delivery's signal and its timer are created on first use, because they take
 * more processor time than all other steps of a delivery: a synchronous handler that does not read
 * the signal needs neither.
 */
async function callHandler<Tx>(
  message: AgentCommMessage,
  { handler, settings, attempt, stopped, lost, tx }: DeliverOptions<Tx>,
): Promise<void> {
  stopped.throwIfAborted();
  lost?.throwIfAborted();
  const { handlerTimeoutMs: timeoutMs } = settings;
  const timeout = { timeoutMs, reason: () => timedOut("handle message", timeoutMs) };
  let deadline: Deadline | undefined;
  let hasEnded = false;
  const open = (): AbortSignal => {
    deadline ??= startDeadline([stopped, lost], timeout);
    if (hasEnded) deadline.stop();
    return deadline.signal;
  };
  try {
    const handled = handler({
      message,
      attempt,
      get signal() {
        return open();
      },
      ...(tx === undefined ? {} : { tx }),
    });
    if (handled === undefined) return;
    try {
      await abortable(handled, open());
    } catch (error) {
      if (!stopped.aborted || error !== open().reason) throw error;
      // The handler of a stopped consumer can still acknowledge its message.
      await untilLate(handled, lost, timeout);
    }
  } finally {
    hasEnded = true;
    deadline?.stop();
  }
}

/**
 * Waits until the handler of a stopped consumer ends, for at most one more `handlerTimeoutMs`
 * period.
 */
async function untilLate(
  handled: Promise<void>,
  lost: AbortSignal | undefined,
  timeout: { readonly timeoutMs: number; readonly reason: () => Error },
): Promise<void> {
  const deadline = startDeadline([lost], timeout);
  try {
    await abortable(handled, deadline.signal);
  } finally {
    deadline.stop();
  }
}
