/**
 * The message class, and serialization of messages as canonical JSON.
 *
 * @module
 */

import { assertObject, rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { assertNames, namesOf } from "@parley/internal/options";
import { canonicalize } from "../canonical/canonical_json.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import {
  type AgentCommMessageInit,
  NO_EXTENSIONS,
  type ParsedInit,
  readInit,
  readParsed,
  SigningCache,
  type ValidatedMembers,
  writeSigned,
} from "./message_members.ts";

const REPLY_NAMES = namesOf<{ readonly id?: string; readonly timestamp?: string | Date }>({
  id: true,
  timestamp: true,
});

function isValidated(init: AgentCommMessageInit): init is ValidatedMembers {
  return "cache" in init && init.cache instanceof SigningCache;
}

/** Returns `true` if a message was created by this copy of the package. */
let isMessageInstance: (message: AgentCommMessage) => boolean;

/** Returns the cache of a message that was created by this copy of the package. */
let getCache: (message: AgentCommMessage) => SigningCache;

/**
 * A message from one agent to another. The message and all its members are frozen. The payload is a
 * copy of the value passed to the constructor.
 *
 * @example Create a message and a reply
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const question = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: { question: "6 * 7" },
 * });
 * const answer = question.reply("task_result", { answer: 42 });
 *
 * assertEquals(answer.correlationId, question.id);
 * assertEquals(answer.sender, "did:web:bob.example");
 * ```
 */
export class AgentCommMessage {
  /** Unique identifier. */
  readonly id: string;
  /** Identifier that links related messages. In a reply, the `id` of the original message. */
  readonly correlationId: string | undefined;
  /** The `id` of the message that this message replies to. A signature does not cover `replyTo`. */
  readonly replyTo: string | undefined;
  /** DID of the sender. */
  readonly sender: string;
  /** DID of the recipient. */
  readonly recipient: string;
  /** Protocol identifier, such as `agent.task.v1`. */
  readonly protocol: string;
  /** Message type within the protocol, such as `task_assign`. */
  readonly messageType: string;
  /** The payload, deeply frozen. The members of all objects in the payload are sorted by name. */
  readonly payload: JsonValue;
  /** Ed25519 signature, encoded as base64url, or `undefined` if the message is not signed. */
  readonly signature: string | undefined;
  /** Creation time as an RFC 3339 date-time. A signature does not cover `timestamp`. */
  readonly timestamp: string;
  /** Creation time in milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /**
   * Additional members of the message, deeply frozen. An empty object if the message has no
   * additional members.
   */
  readonly extensions: JsonObject;

  readonly #cache: SigningCache;

  static {
    isMessageInstance = (message) => #cache in message;
    getCache = (message) => message.#cache;
  }

  /**
   * Creates a message. A message is itself a valid `init`: pass `{ ...message, signature }` to
   * create a modified copy.
   *
   * @param init Members of the message.
   * @throws {TypeError} If `init` is not an object.
   * @throws {CommError} With code "invalid_message" if a member is missing, empty or has the wrong
   *   type, if `sender` or `recipient` is not a valid DID, or if `timestamp` is not an RFC 3339
   *   date-time.
   * @throws {CommError} With code "serialization_failed", "invalid_unicode" or "too_deep" if
   *   `payload` or `extensions` is not valid JSON.
   */
  constructor(init: AgentCommMessageInit) {
    assertObject("init", init);
    const members = isValidated(init) ? init : readInit(init);
    this.id = members.id;
    this.correlationId = members.correlationId;
    this.replyTo = members.replyTo;
    this.sender = members.sender;
    this.recipient = members.recipient;
    this.protocol = members.protocol;
    this.messageType = members.messageType;
    this.payload = members.payload;
    this.signature = members.signature;
    this.timestamp = members.timestamp;
    this.timestampMs = members.timestampMs;
    this.extensions = members.extensions;
    this.#cache = members.cache;
    Object.freeze(this);
  }

  /**
   * Creates a reply to this message. Sender and recipient are swapped, `protocol` is copied, and
   * `correlationId` and `replyTo` are set to this message's `id`. The reply has a new `id` and
   * `timestamp`. To create a signed reply, use the `reply` method of a `MessageSigner`.
   *
   * @param messageType Message type within the protocol.
   * @param payload Payload of the reply: any JSON value.
   * @param signature Signature of the reply. Requires `options.id`, because a signature covers the
   *   `id`.
   * @param options `id` and `timestamp` of the reply.
   * @throws {TypeError} If an option is unknown.
   * @throws {CommError} Under the same conditions as the `AgentCommMessage` constructor.
   *
   * @example Link a reply to its request
   * ```ts
   * import { AgentCommMessage } from "@parley/comm";
   * import { assertEquals } from "@std/assert";
   *
   * const ping = new AgentCommMessage({
   *   sender: "did:web:ann.example",
   *   recipient: "did:web:bob.example",
   *   protocol: "agent.heartbeat.v1",
   *   messageType: "request",
   *   payload: null,
   * });
   * assertEquals(ping.reply("response", "alive").replyTo, ping.id);
   * ```
   */
  reply(
    messageType: string,
    payload: JsonValue,
    signature?: string,
    options: { readonly id?: string; readonly timestamp?: string | Date } = {},
  ): AgentCommMessage {
    assertObject("options", options);
    assertNames("options", options, REPLY_NAMES);
    return new AgentCommMessage({
      id: options.id,
      timestamp: options.timestamp,
      correlationId: this.id,
      replyTo: this.id,
      sender: this.recipient,
      recipient: this.sender,
      protocol: this.protocol,
      messageType,
      payload,
      signature,
    });
  }

  /**
   * Returns `true` if all members of the two messages are equal. The order of object members is
   * ignored. Ids and timestamps are compared as strings.
   *
   * @param other The message to compare with.
   */
  equals(other: AgentCommMessage): boolean {
    return writeMessage(this) === writeMessage(other);
  }

  /** Returns the message as a plain object, which omits absent members. */
  toJSON(): JsonObject {
    return toDocument(this);
  }
}

/**
 * Returns the message itself, or a validated and frozen copy if it was not created by this copy of
 * the package. A message object from another source could be invalid, or could change during an
 * asynchronous operation.
 */
export function ensureMessage(message: AgentCommMessage): AgentCommMessage {
  if (!isRecord(message)) {
    rejectArgument("message", "an AgentCommMessage", message, "parse text with parseMessage()");
  }
  return isMessageInstance(message) ? message : new AgentCommMessage(message);
}

/**
 * Converts a message to a plain object. Does not call `toJSON`, which a subclass could override.
 */
export function toDocument(message: AgentCommMessage): JsonObject {
  const { id, correlationId, replyTo, sender, recipient, protocol, messageType } = message;
  return {
    id,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    sender,
    recipient,
    protocol,
    messageType,
    payload: message.payload,
    ...(message.signature === undefined ? {} : { signature: message.signature }),
    timestamp: message.timestamp,
    ...message.extensions,
  };
}

/**
 * Creates a signed copy of a message that was created by this copy of the package. The members of
 * the message are neither validated nor copied again.
 */
export function withSignature(message: AgentCommMessage, signature: string): AgentCommMessage {
  const members: ValidatedMembers = { ...message, signature, cache: getCache(message) };
  return new AgentCommMessage(members);
}

/** Returns the signed members as canonical JSON, from the cache unless the JSON is long. */
export function writeCovered(message: AgentCommMessage): string {
  const own = ensureMessage(message);
  const { covered, isDisordered } = getCache(own);
  return covered === "" ? writeSigned(own, isDisordered) : covered;
}

/**
 * Serializes a message as canonical JSON. Inserts the unsigned members into the serialized signed
 * members.
 */
export function writeMessage(message: AgentCommMessage): string {
  const own = ensureMessage(message);
  if (own.extensions !== NO_EXTENSIONS) return canonicalize(toDocument(own));
  const { replyTo, signature, timestamp } = own;
  const covered = writeCovered(own);
  // The last match is the `sender` member, because quotation marks inside a string are escaped and
  // `sender` is the last signed member.
  const sender = covered.lastIndexOf(',"sender":"');
  return covered.slice(0, sender) + writeMember("replyTo", replyTo) + covered.slice(sender, -1) +
    writeMember("signature", signature) + writeMember("timestamp", timestamp) + "}";
}

function writeMember(name: string, text: string | undefined): string {
  return text === undefined ? "" : `,"${name}":${JSON.stringify(text)}`;
}

/** Creates a message from received, untrusted members. */
export function createMessage(init: ParsedInit): AgentCommMessage {
  return new AgentCommMessage(readParsed(init));
}
