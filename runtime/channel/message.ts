/**
 * Messages between agents in one process.
 *
 * @module
 */

import {
  assertNonEmptyString,
  assertObject,
  assertOptionalFunction,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "../shared/json.ts";
import { defined } from "@parley/internal/json";

/** The type of a message, which indicates its purpose. */
export const MessageType = {
  /** A request that expects a response. */
  Request: "request",
  /** The response to a request. */
  Response: "response",
  /** A notification, which expects no response. */
  Notification: "notification",
  /** A message that assigns a task. */
  TaskAssign: "task_assign",
  /** A message that reports the progress of a task. */
  TaskProgress: "task_progress",
  /** A message that reports the result of a task. */
  TaskResult: "task_result",
  /** A message that cancels a task. */
  TaskCancel: "task_cancel",
  /** A message that reports an error. */
  Error: "error",
} as const;

/** One of the values of {@linkcode MessageType}. */
export type MessageType = typeof MessageType[keyof typeof MessageType];

/** A message from one agent to another. */
export interface AgentMessage {
  /** UUID of the message. */
  readonly id: string;
  /** DID of the sender. */
  readonly senderDid: string;
  /** DID of the recipient. */
  readonly recipientDid: string;
  /** Content of the message; any JSON value. */
  readonly payload: JsonValue;
  /** Creation time as an RFC 3339 timestamp in UTC, with milliseconds and the suffix `Z`. */
  readonly timestamp: string;
}

/** A typed message. */
export interface TypedMessage extends AgentMessage {
  /** Type of the message. */
  readonly messageType: MessageType;
  /** The `id` of the message to which this message responds. */
  readonly correlationId?: string;
}

/** Custom sources for a message's id and timestamp. */
export interface MessageOptions {
  /** Returns the message id. If omitted, `crypto.randomUUID` is used. */
  readonly randomUUID?: () => string;
  /**
   * Returns the creation time, in milliseconds since the Unix epoch. If omitted, `Date.now` is
   * used.
   */
  readonly now?: () => number;
}

const MESSAGE_NAMES = namesOf<MessageOptions>({ randomUUID: true, now: true });

/**
 * Creates a message.
 *
 * @param senderDid DID of the sender.
 * @param recipientDid DID of the recipient.
 * @param payload Content of the message; any JSON value.
 * @param options Sources for the id and the timestamp.
 * @returns The message, which is frozen.
 * @throws {TypeError} If a DID is not a non-empty string.
 *
 * @example Create a message with a fixed id and time
 * ```ts
 * import { createAgentMessage } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const message = createAgentMessage("did:example:a", "did:example:b", { hello: "world" }, {
 *   randomUUID: () => "00000000-0000-4000-8000-000000000001",
 *   now: () => 0,
 * });
 * assertEquals(message.timestamp, "1970-01-01T00:00:00.000Z");
 * ```
 */
export function createAgentMessage(
  senderDid: string,
  recipientDid: string,
  payload: JsonValue,
  options?: MessageOptions,
): AgentMessage {
  assertNonEmptyString("senderDid", senderDid);
  assertNonEmptyString("recipientDid", recipientDid);
  if (options !== undefined) assertMessageOptions(options);
  return Object.freeze({
    id: options?.randomUUID?.() ?? crypto.randomUUID(),
    senderDid,
    recipientDid,
    payload,
    timestamp: new Date(options?.now?.() ?? Date.now()).toISOString(),
  });
}

/**
 * Creates a typed message.
 *
 * @param senderDid DID of the sender.
 * @param recipientDid DID of the recipient.
 * @param payload Content of the message; any JSON value.
 * @param messageType Type of the message.
 * @param correlationId The `id` of the message that this message responds to.
 * @param options Sources for the id and the timestamp.
 * @returns The message, which is frozen.
 * @throws {AgentError} With code `channel_error` if the message type is unknown.
 *
 * @example Create a request and its response
 * ```ts
 * import { createTypedMessage, MessageType } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const [a, b] = ["did:example:a", "did:example:b"];
 * const request = createTypedMessage(a, b, "ping", MessageType.Request);
 * const response = createTypedMessage(b, a, "pong", MessageType.Response, request.id);
 * assertEquals(response.correlationId, request.id);
 * ```
 */
export function createTypedMessage(
  senderDid: string,
  recipientDid: string,
  payload: JsonValue,
  messageType: MessageType,
  correlationId?: string,
  options?: MessageOptions,
): TypedMessage {
  if (!Object.values(MessageType).includes(messageType)) {
    throw AgentError.channelError(`unknown message type ${formatValue(messageType)}`);
  }
  return Object.freeze({
    ...createAgentMessage(senderDid, recipientDid, payload, options),
    messageType,
    ...defined({ correlationId }),
  });
}

/** Throws unless options are valid. They are read by hand, because a message is created often. */
function assertMessageOptions(options: MessageOptions): void {
  assertObject("options", options);
  assertNames("options", options, MESSAGE_NAMES);
  assertOptionalFunction("randomUUID", options.randomUUID);
  assertOptionalFunction("now", options.now);
}
