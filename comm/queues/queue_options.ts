/**
 * Options that all message queues have.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import {
  assertCount,
  assertFunction,
  assertPositiveNumber,
  rejectArgument,
} from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionCheck,
  required,
  type RequiredRule,
  withDefault,
} from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";

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
   * Called with errors that do not reject any call, such as handler errors. If omitted, errors are
   * printed to standard error, each distinct error once and at most 20 errors per minute.
   * `() => {}` silences the errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options of the message queues that store messages on a server. */
export interface StoredQueueOptions extends QueueOptions {
  /**
   * Maximum number of inboxes that this queue uses. Each inbox takes resources on the server.
   *
   * @default {20}
   */
  readonly maxInboxes?: number;
  /**
   * Maximum number of messages being stored at the same time. If `maxPendingMessages` messages are
   * being stored, `send` rejects with `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxPendingMessages?: number;
  /**
   * Maximum total size of the messages being stored at the same time, in bytes.
   *
   * @default {8_388_608}
   */
  readonly maxPendingBytes?: number;
  /**
   * Time after which undelivered messages and dead letters are deleted, in milliseconds.
   *
   * @default {1_209_600_000}
   */
  readonly retentionMs?: number;
  /**
   * Time to track acknowledged messages, in milliseconds. A message with the same sender, id and
   * content that is sent within `deduplicationMs` is not stored again.
   *
   * @default {86_400_000}
   */
  readonly deduplicationMs?: number;
}

/** Validated options with default values. */
export interface QueueSettings extends Required<Omit<QueueOptions, "onError" | "orderedInboxes">> {
  readonly orderedInboxes: ReadonlySet<string>;
}

/** Validated options with default values, of a queue that stores messages on a server. */
export type StoredQueueSettings =
  & QueueSettings
  & Required<Omit<StoredQueueOptions, keyof QueueOptions>>;

const INBOX_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** Rules for options that all have defaults. */
type DefaultRules<Options> = {
  readonly [Name in keyof Options]-?: DefaultRule<Exclude<Options[Name], undefined>>;
};

/** Rules for the options that all message queues have. */
export const QUEUE_RULES:
  & DefaultRules<Omit<QueueOptions, "inboxOf" | "onError">>
  & { readonly inboxOf: RequiredRule; readonly onError: OptionCheck } = {
    inboxOf: required(assertFunction),
    orderedInboxes: withDefault([], assertInboxes),
    maxMessageBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
    maxAttempts: withDefault(10, assertCount),
    retryDelayMs: withDefault(1000, assertPositiveNumber),
    maxRetryDelayMs: withDefault(60_000, assertPositiveNumber),
    handlerTimeoutMs: withDefault(900_000, assertPositiveNumber),
    onError: assertFunction,
  };

/** Rules for the options of the message queues that store messages on a server. */
export const STORED_QUEUE_RULES:
  & typeof QUEUE_RULES
  & DefaultRules<Omit<StoredQueueOptions, keyof QueueOptions>> = {
    ...QUEUE_RULES,
    maxInboxes: withDefault(20, assertCount),
    maxPendingMessages: withDefault(1000, assertCount),
    maxPendingBytes: withDefault(8_388_608, assertCount),
    retentionMs: withDefault(1_209_600_000, assertPositiveNumber),
    deduplicationMs: withDefault(86_400_000, assertPositiveNumber),
  };

function assertInboxes(name: string, value: unknown): void {
  if (!Array.isArray(value)) rejectArgument(name, "an array", value);
  for (const inbox of value) assertInbox(inbox, name);
}

/** Throws a `TypeError` if a value is not a valid inbox name. */
export function assertInbox(inbox: unknown, name: string = "inbox"): asserts inbox is string {
  if (typeof inbox === "string" && INBOX_NAME.test(inbox)) return;
  rejectArgument(name, '1 to 100 letters, digits, "-" and "_"', inbox);
}

/** Returns the inbox for a message. */
export function inboxOfMessage({ recipient }: AgentCommMessage, settings: QueueSettings): string {
  const inbox: unknown = settings.inboxOf(recipient);
  // An unhandled rejection of an async function would end the process.
  reportRejection(inbox, () => {});
  assertInbox(inbox, "inboxOf()");
  return inbox;
}

/** Identifies a message. A DID contains no spaces, so different messages have different keys. */
export function keyOf({ sender, id }: AgentCommMessage): string {
  return `${sender} ${id}`;
}

/** Returns the sender of the message that a key identifies. */
export function senderOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}

/** Identifies the messages that an ordered inbox delivers sequentially. */
export function laneOf({ sender, recipient }: AgentCommMessage): string {
  return `${sender} ${recipient}`;
}
