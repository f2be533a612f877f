/**
 * Messages between agents of one process.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { defined, type JsonValue } from "../shared/json.ts";

/**
 * What a typed message is for. Decision: the specification names the type and not its values; these are the examples it
 * gives for messages between agents of several processes, so that one can become the other, and three more.
 */
export const MessageType = {
  /** Asks for something. */
  Request: "request",
  /** Answers a request. */
  Response: "response",
  /** Tells something and expects no answer. */
  Notification: "notification",
  /** Hands over a task. */
  TaskAssign: "task_assign",
  /** Tells how a task goes. */
  TaskProgress: "task_progress",
  /** Hands in a task's result. */
  TaskResult: "task_result",
  /** Takes a task back. */
  TaskCancel: "task_cancel",
  /** Says that something went wrong. */
  Error: "error",
} as const;

/** One of the values of {@linkcode MessageType}. */
export type MessageType = typeof MessageType[keyof typeof MessageType];

/** A message from one agent to another. */
export interface AgentMessage {
  /** A UUID. */
  readonly id: string;
  /** The sender's DID. */
  readonly senderDid: string;
  /** The recipient's DID. */
  readonly recipientDid: string;
  /** Anything that JSON can carry. */
  readonly payload: JsonValue;
  /** When it was made: RFC 3339, UTC, with milliseconds and `Z`. */
  readonly timestamp: string;
}

/** A message that says what it is for. */
export interface TypedMessage extends AgentMessage {
  /** What it is for. */
  readonly messageType: MessageType;
  /** The `id` of the message it answers. */
  readonly correlationId?: string;
}

/** Where ids and times come from. */
export interface MessageOptions {
  /** Makes an id. Default: a random UUID. */
  readonly randomUUID?: () => string;
  /** Tells the time, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Makes a message.
 *
 * @param senderDid the sender's DID
 * @param recipientDid the recipient's DID
 * @param payload anything that JSON can carry
 * @param options where id and time come from
 * @returns the message, frozen
 *
 * @example A message of one's own
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
  options: MessageOptions = {},
): AgentMessage {
  const { randomUUID = () => crypto.randomUUID(), now = Date.now } = options;
  return Object.freeze({
    id: randomUUID(),
    senderDid,
    recipientDid,
    payload,
    timestamp: new Date(now()).toISOString(),
  });
}

/**
 * Makes a message that says what it is for.
 *
 * @param senderDid the sender's DID
 * @param recipientDid the recipient's DID
 * @param payload anything that JSON can carry
 * @param messageType what it is for
 * @param correlationId the `id` of the message it answers
 * @param options where id and time come from
 * @returns the message, frozen
 * @throws {AgentError} code `channel_error`: there is no such message type
 *
 * @example A request and its response
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
  options: MessageOptions = {},
): TypedMessage {
  if (!Object.values(MessageType).includes(messageType)) {
    throw AgentError.channelError(`there is no message type "${messageType}"`);
  }
  return Object.freeze({
    ...createAgentMessage(senderDid, recipientDid, payload, options),
    messageType,
    ...defined({ correlationId }),
  });
}
