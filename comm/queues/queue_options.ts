/**
 * Options that all message queues have.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { formatValue } from "@parley/internal/format-value";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import { assertCounts, assertPositive } from "@parley/internal/assert-argument";

/** Options that all message queues have. */
export interface QueueOptions {
  /**
   * Returns the name of the inbox for a recipient's DID. A name has 1 to 100 letters, digits,
   * hyphens and underscores. Return only a few distinct names: an inbox serves a whole service, not
   * a single DID.
   */
  readonly inboxOf: (recipient: string) => string;
  /**
   * Names of the ordered inboxes, which deliver the messages from each sender to each recipient
   * sequentially, in the order in which they were stored. A message that fails holds back later
   * messages from the same sender until it is acknowledged or becomes a dead letter. If omitted, no
   * inbox is ordered.
   */
  readonly orderedInboxes?: readonly string[];
  /**
   * Maximum size of a message, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxMessageBytes?: number;
  /**
   * Number of deliveries after which a message that was not acknowledged becomes a dead letter.
   *
   * @default {10}
   */
  readonly maxAttempts?: number;
  /**
   * Delay before the second delivery, in milliseconds. The delay doubles with each attempt.
   *
   * @default {1000}
   */
  readonly retryDelayMs?: number;
  /**
   * Maximum delay between deliveries, in milliseconds.
   *
   * @default {60_000}
   */
  readonly maxRetryDelayMs?: number;
  /**
   * Timeout for a handler, in milliseconds. After the timeout, the delivery's signal aborts and the
   * attempt counts as failed.
   *
   * @default {900_000}
   */
  readonly handlerTimeoutMs?: number;
  /**
   * Called with errors that do not reject any call, such as handler errors. If omitted, errors are printed to
   * standard error, each distinct error once and at most 20 errors per minute. `() => {}` silences the errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Validated options with default values. */
export interface QueueSettings extends Required<Omit<QueueOptions, "onError" | "orderedInboxes">> {
  readonly orderedInboxes: ReadonlySet<string>;
}

const INBOX_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** Validates the options that all message queues have. */
export function readQueueOptions(options: QueueOptions): QueueSettings {
  const { inboxOf, orderedInboxes = [] } = options;
  if (typeof inboxOf !== "function") {
    throw new TypeError(`"inboxOf" must be a function, got ${formatValue(inboxOf)}`);
  }
  if (!Array.isArray(orderedInboxes)) {
    throw new TypeError(`"orderedInboxes" must be an array, got ${formatValue(orderedInboxes)}`);
  }
  for (const inbox of orderedInboxes) assertInbox(inbox, "orderedInboxes");
  const { maxMessageBytes = DEFAULT_MAX_BYTES, maxAttempts = 10 } = options;
  const { retryDelayMs = 1000, maxRetryDelayMs = 60_000, handlerTimeoutMs = 900_000 } = options;
  assertCounts(1, { maxMessageBytes, maxAttempts });
  assertPositive({ retryDelayMs, maxRetryDelayMs, handlerTimeoutMs });
  return {
    inboxOf,
    orderedInboxes: new Set(orderedInboxes),
    maxMessageBytes,
    maxAttempts,
    retryDelayMs,
    maxRetryDelayMs,
    handlerTimeoutMs,
  };
}

/** Throws a `TypeError` if a value is not a valid inbox name. */
export function assertInbox(inbox: unknown, name: string = "inbox"): asserts inbox is string {
  if (typeof inbox === "string" && INBOX_NAME.test(inbox)) return;
  throw new TypeError(
    `"${name}" must be 1 to 100 letters, digits, "-" and "_", got ${formatValue(inbox)}`,
  );
}

/** Returns the inbox for a message. */
export function inboxOfMessage({ recipient }: AgentCommMessage, settings: QueueSettings): string {
  const inbox: unknown = settings.inboxOf(recipient);
  assertInbox(inbox, "inboxOf()");
  return inbox;
}

/** Identifies a message. A DID contains no spaces, so different messages have different keys. */
export function keyOf({ sender, id }: AgentCommMessage): string {
  return `${sender} ${id}`;
}

/** Identifies the messages that an ordered inbox delivers sequentially. */
export function laneOf({ sender, recipient }: AgentCommMessage): string {
  return `${sender} ${recipient}`;
}
