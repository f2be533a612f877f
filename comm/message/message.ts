/**
 * The message class, and serialization of messages as canonical JSON.
 *
 * @module
 */

import { isDid } from "../did/did.ts";
import { formatValue, invalidMessage, quote } from "../shared/error.ts";
import { canonicalize } from "../canonical/canonical_json.ts";
import {
  copyJson,
  copyValue,
  createCopier,
  DEFAULT_MAX_DEPTH,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../shared/json.ts";
import { writeJson } from "../canonical/write_json.ts";
import { formatTimestamp, readTimestamp } from "../shared/timestamp.ts";
import { createUuidV7 } from "../shared/uuid.ts";

/** Members of a new {@linkcode AgentCommMessage}. */
export interface AgentCommMessageInit {
  /** Unique identifier. Defaults to a new UUIDv7 that contains the time in `timestamp`. */
  readonly id?: string | undefined;
  /** Identifier that links related messages. In a reply, the `id` of the original message. */
  readonly correlationId?: string | undefined;
  /** The `id` of the message that this message replies to. */
  readonly replyTo?: string | undefined;
  /** DID of the sender. */
  readonly sender: string;
  /** DID of the recipient. */
  readonly recipient: string;
  /** Protocol identifier, such as `agent.task.v1`. Any non-empty string is valid. */
  readonly protocol: string;
  /** Message type within the protocol, such as `task_assign`. Any non-empty string is valid. */
  readonly messageType: string;
  /** The payload: any JSON value with at most 127 levels of nesting. */
  readonly payload: JsonValue;
  /** Ed25519 signature created by `signMessage`, encoded as base64url. */
  readonly signature?: string | undefined;
  /**
   * Creation time, as a `Date` or an RFC 3339 date-time. A string is stored unchanged. Defaults to
   * the current time.
   */
  readonly timestamp?: string | Date | undefined;
  /**
   * Additional members of the message, such as `proof`. If omitted, the message has no additional
   * members.
   */
  readonly extensions?: JsonObject | undefined;
}

/** Names that extensions must not use. */
const MEMBERS: ReadonlySet<string> = new Set([
  "id",
  "correlationId",
  "replyTo",
  "sender",
  "recipient",
  "protocol",
  "messageType",
  "payload",
  "signature",
  "timestamp",
]);

/** Maximum nesting depth of a payload. The message object is the first level. */
const PAYLOAD_DEPTH = DEFAULT_MAX_DEPTH - 1;

/**
 * Maximum length of a cached signing payload. To save memory, longer payloads are not cached but
 * serialized on each use.
 */
const MAX_KEPT_LENGTH = 16_384;

/** Validated, copied and frozen members of a message. */
interface ValidatedMembers extends Omit<AgentCommMessage, "reply" | "equals" | "toJSON"> {
  readonly cache: SigningCache;
}

/**
 * Cache for the canonical JSON of a message. A message and its signed copy share one cache.
 *
 * An instance also proves that the message's members are validated, because code outside this
 * module cannot create or obtain instances.
 */
class SigningCache {
  /**
   * Whether JavaScript enumerates the members of any object in the payload in a different order
   * than RFC 8785 requires.
   */
  readonly isDisordered: boolean;
  /** Canonical JSON of the signed members, or an empty string if no JSON is cached. */
  covered = "";

  constructor(isDisordered: boolean) {
    this.isDisordered = isDisordered;
  }
}

function isValidated(init: AgentCommMessageInit): init is ValidatedMembers {
  return "cache" in init && init.cache instanceof SigningCache;
}

/** Returns `true` if a message was created by this copy of the package. */
let isMessageInstance: (message: AgentCommMessage) => boolean;

/** Returns the cache of a message that was created by this copy of the package. */
let getCache: (message: AgentCommMessage) => SigningCache;

/** Returns `true` if a name is one of the ten standard members rather than an extension. */
export function isMessageMember(name: string): boolean {
  return MEMBERS.has(name);
}

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
  /** The payload, deeply frozen. The members of its objects are sorted by name. */
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
   * @throws {CommError} With code "invalid_message" if a member is missing, empty or has the wrong
   *   type, if `sender` or `recipient` is not a valid DID, or if `timestamp` is not an RFC 3339
   *   date-time.
   * @throws {CommError} With code "serialization_failed", "invalid_unicode" or "too_deep" if
   *   `payload` or `extensions` is not valid JSON.
   */
  constructor(init: AgentCommMessageInit) {
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

  /** Returns the message as a plain object. Absent members are omitted. */
  toJSON(): JsonObject {
    return toDocument(this);
  }
}

/**
 * Returns the message itself, or a validated and frozen copy if it was not created by this copy of
 * the package. An object from another source could be invalid, or could change during an
 * asynchronous operation.
 */
export function ensureMessage(message: AgentCommMessage): AgentCommMessage {
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
 * Creates a signed copy of a message that was created by this copy of the package. The members are
 * neither validated nor copied again.
 */
export function withSignature(message: AgentCommMessage, signature: string): AgentCommMessage {
  const members: ValidatedMembers = { ...message, signature, cache: getCache(message) };
  return new AgentCommMessage(members);
}

/**
 * Serializes the signed members as canonical JSON. The result is cached for signing, encoding,
 * decoding and verifying the message.
 */
export function writeCovered(message: AgentCommMessage): string {
  const own = ensureMessage(message);
  const cache = getCache(own);
  if (cache.covered !== "") return cache.covered;
  const { correlationId, id, messageType, payload, protocol, recipient, sender } = own;
  // `writeJson` expects sorted members, so list them in alphabetical order.
  const members = correlationId === undefined
    ? { id, messageType, payload, protocol, recipient, sender }
    : { correlationId, id, messageType, payload, protocol, recipient, sender };
  const text = writeJson(members, cache.isDisordered);
  if (text.length <= MAX_KEPT_LENGTH) cache.covered = text;
  return text;
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

/** Members of a message before validation. */
type UnknownInit = { readonly [M in keyof AgentCommMessageInit]: unknown };

/** Creates a message from received, untrusted members. */
export function createMessage(init: UnknownInit): AgentCommMessage {
  return new AgentCommMessage(readInit(init));
}

function readInit(init: UnknownInit): ValidatedMembers {
  const timestamp = toTimestamp(init.timestamp);
  const id = readText("id", init.id === undefined ? createUuidV7(timestamp.ms) : init.id);
  const correlationId = readOptionalText("correlationId", init.correlationId);
  const replyTo = readOptionalText("replyTo", init.replyTo);
  const sender = readDid("sender", init.sender);
  const recipient = readDid("recipient", init.recipient);
  const protocol = readText("protocol", init.protocol);
  const messageType = readText("messageType", init.messageType);
  if (init.payload === undefined) throw invalidMessage("payload", "is missing");
  const copier = createCopier({ maxDepth: PAYLOAD_DEPTH, frozen: true });
  const payload = copyValue(init.payload, 0, copier);
  return {
    id,
    correlationId,
    replyTo,
    sender,
    recipient,
    protocol,
    messageType,
    payload,
    signature: readOptionalText("signature", init.signature),
    timestamp: timestamp.text,
    timestampMs: timestamp.ms,
    extensions: readExtensions(init.extensions),
    cache: new SigningCache(copier.isDisordered),
  };
}

function readText(field: string, value: unknown): string {
  if (value === undefined) throw invalidMessage(field, "is missing");
  if (typeof value !== "string") {
    throw invalidMessage(field, `must be a string, got ${formatValue(value)}`);
  }
  if (value === "") throw invalidMessage(field, "must not be empty");
  if (!value.isWellFormed()) throw invalidMessage(field, "must be well-formed Unicode");
  return value;
}

function readOptionalText(field: string, value: unknown): string | undefined {
  return value === undefined ? undefined : readText(field, value);
}

function readDid(field: string, value: unknown): string {
  const text = readText(field, value);
  if (!isDid(text)) throw invalidMessage(field, `must be a DID, got ${quote(text)}`);
  return text;
}

function toTimestamp(value: unknown): { readonly text: string; readonly ms: number } {
  if (value === undefined) return fromMs(Date.now());
  if (value instanceof Date) return fromMs(value.getTime());
  const text = readText("timestamp", value);
  const ms = readTimestamp(text);
  if (ms === undefined) {
    throw invalidMessage("timestamp", `must be an RFC 3339 date-time, got ${quote(text)}`);
  }
  return { text, ms };
}

function fromMs(ms: number): { readonly text: string; readonly ms: number } {
  try {
    return { text: formatTimestamp(ms), ms };
  } catch {
    // `formatTimestamp` throws only if the year is out of range.
    throw invalidMessage("timestamp", "must be within the years 0000 to 9999");
  }
}

const NO_EXTENSIONS: JsonObject = Object.freeze({});

function readExtensions(value: unknown): JsonObject {
  if (value === undefined || value === NO_EXTENSIONS) return NO_EXTENSIONS;
  const copy = copyJson(value, { frozen: true });
  if (!isJsonObject(copy)) {
    throw invalidMessage("extensions", `must be an object, got ${formatValue(copy)}`);
  }
  const taken = Object.keys(copy).find(isMessageMember);
  if (taken !== undefined) throw invalidMessage(taken, "must not be the name of an extension");
  return copy;
}
