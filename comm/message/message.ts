/**
 * The message that agents exchange: one immutable value.
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

/** What a new message is made of. */
export interface AgentCommMessageInit {
  /** Unique identifier; the default is a new UUIDv7 for the moment of `timestamp`. */
  readonly id?: string | undefined;
  /** Links related messages; on a reply it is the original's `id`. */
  readonly correlationId?: string | undefined;
  /** The id of the message this one replies to. */
  readonly replyTo?: string | undefined;
  /** The sending agent's DID. */
  readonly sender: string;
  /** The receiving agent's DID. */
  readonly recipient: string;
  /** Protocol identifier, e.g. `agent.task.v1`; any non-empty text. */
  readonly protocol: string;
  /** Type within the protocol, e.g. `task_assign`; any non-empty text. */
  readonly messageType: string;
  /** Any JSON value that nests at most 127 levels. */
  readonly payload: JsonValue;
  /** Ed25519 signature in base64url; see `signMessage`. */
  readonly signature?: string | undefined;
  /** Time of creation: a moment, or RFC 3339 text, which is kept as it is; the default is now. */
  readonly timestamp?: string | Date | undefined;
  /** Members that are not listed here, such as `proof`; the default is none. */
  readonly extensions?: JsonObject | undefined;
}

/** The names that are not extensions. */
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

/** The envelope is the first level of the document that the payload is part of. */
const PAYLOAD_DEPTH = DEFAULT_MAX_DEPTH - 1;

/** How long the text of what a signature covers may be to be kept: beyond, writing it again is the smaller evil. */
const MAX_KEPT_LENGTH = 16_384;

/** Validated, copied and frozen members of a message. */
interface ValidatedMembers extends Omit<AgentCommMessage, "reply" | "equals" | "toJSON"> {
  readonly cache: SigningCache;
}

/**
 * Cache for the canonical JSON of a message. A message and its signed copy share one cache.
 *
 * It also proves that members are validated: the class is private to this module, and instances do not leave it, so
 * that no other code can supply one.
 */
class SigningCache {
  /** Whether JavaScript enumerates the members of an object in the payload in another order than RFC 8785. */
  readonly isDisordered: boolean;
  /** Canonical JSON of the signed members, or an empty string if it is not cached. */
  covered = "";

  constructor(isDisordered: boolean) {
    this.isDisordered = isDisordered;
  }
}

function isValidated(init: AgentCommMessageInit): init is ValidatedMembers {
  return "cache" in init && init.cache instanceof SigningCache;
}

/** Whether a message was made here, and not by another copy of this package perhaps. */
let isMessageInstance: (message: AgentCommMessage) => boolean;

/** Returns the cache of a message that was created by this module. */
let getCache: (message: AgentCommMessage) => SigningCache;

/** The name of the member that a text is, or undefined when it is none of the ten. */
export function isMessageMember(name: string): boolean {
  return MEMBERS.has(name);
}

/**
 * A message from one agent to another. It and all it holds are frozen; the payload is a copy.
 *
 * @example Create a message and answer it
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
  /** Links related messages; on a reply it is the original's `id`. Undefined when absent. */
  readonly correlationId: string | undefined;
  /** The id of the message this one replies to. No signature covers it. Undefined when absent. */
  readonly replyTo: string | undefined;
  /** The sending agent's DID. */
  readonly sender: string;
  /** The receiving agent's DID. */
  readonly recipient: string;
  /** Protocol identifier, e.g. `agent.task.v1`. */
  readonly protocol: string;
  /** Type within the protocol, e.g. `task_assign`. */
  readonly messageType: string;
  /** The payload, frozen all through; the members of its objects are sorted. */
  readonly payload: JsonValue;
  /** Ed25519 signature in base64url. Undefined when the message is unsigned. */
  readonly signature: string | undefined;
  /** Time of creation in RFC 3339. No signature covers it. */
  readonly timestamp: string;
  /** `timestamp` in milliseconds since 1970. */
  readonly timestampMs: number;
  /** The members of the envelope beyond the ten above, frozen all through; empty when there are none. */
  readonly extensions: JsonObject;

  readonly #cache: SigningCache;

  static {
    isMessageInstance = (message) => #cache in message;
    getCache = (message) => message.#cache;
  }

  /**
   * Creates a message; a message is itself a valid `init`, so `{ ...message, signature }` makes a changed copy.
   *
   * @param init what it is made of
   * @throws {CommError} `invalid_message` when a member is missing, empty or of the wrong type, `sender` or `recipient`
   *   is no DID, or `timestamp` no RFC 3339 text; for what is in `payload` and `extensions`, what `canonicalize` throws
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
   * Creates the answer to this message: sender and recipient change places, `protocol` stays, `correlationId` and
   * `replyTo` are this message's `id`, id and timestamp are new. `signer.reply` signs it as well.
   *
   * @param messageType type within the protocol
   * @param payload any JSON value
   * @param signature a signature over the answer, for which `options` must fix its id
   * @param options `id` and `timestamp` of the answer
   * @throws {CommError} as the constructor does
   *
   * @example Link an answer to its question
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
   * Whether another message has the same members, whatever the order of members in objects. Ids and timestamps are
   * compared as text.
   *
   * @param other the other message
   */
  equals(other: AgentCommMessage): boolean {
    return writeMessage(this) === writeMessage(other);
  }

  /** The message as a plain object, members in the order of the specification, absent ones left out. */
  toJSON(): JsonObject {
    return toDocument(this);
  }
}

/**
 * The message, or a checked and frozen copy of what only looks like one: that is not taken at its word, and could change
 * while somebody waits.
 */
export function ensureMessage(message: AgentCommMessage): AgentCommMessage {
  return isMessageInstance(message) ? message : new AgentCommMessage(message);
}

/** The message as a plain object, whatever a subclass makes of `toJSON`. */
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
 * The same message, which was made here, with a signature. What was checked and copied when the message was made is neither
 * checked nor copied again.
 */
export function withSignature(message: AgentCommMessage, signature: string): AgentCommMessage {
  const members: ValidatedMembers = { ...message, signature, cache: getCache(message) };
  return new AgentCommMessage(members);
}

/**
 * The canonical JSON of the members that a signature covers. Signing, encoding, decoding and verifying need it one after
 * another, so it is kept.
 */
export function writeCovered(message: AgentCommMessage): string {
  const own = ensureMessage(message);
  const cache = getCache(own);
  if (cache.covered !== "") return cache.covered;
  const { correlationId, id, messageType, payload, protocol, recipient, sender } = own;
  // In order already.
  const members = correlationId === undefined
    ? { id, messageType, payload, protocol, recipient, sender }
    : { correlationId, id, messageType, payload, protocol, recipient, sender };
  const text = writeJson(members, cache.isDisordered);
  if (text.length <= MAX_KEPT_LENGTH) cache.covered = text;
  return text;
}

/** The canonical JSON of a message: what a signature covers, with the other members where they belong. */
export function writeMessage(message: AgentCommMessage): string {
  const own = ensureMessage(message);
  if (own.extensions !== NO_EXTENSIONS) return canonicalize(toDocument(own));
  const { replyTo, signature, timestamp } = own;
  const covered = writeCovered(own);
  // Within a string, the quotation marks would be escaped.
  const sender = covered.lastIndexOf(',"sender":"');
  return covered.slice(0, sender) + writeMember("replyTo", replyTo) + covered.slice(sender, -1) +
    writeMember("signature", signature) + writeMember("timestamp", timestamp) + "}";
}

function writeMember(name: string, text: string | undefined): string {
  return text === undefined ? "" : `,"${name}":${JSON.stringify(text)}`;
}

/** What a message could be made of, as long as nobody has looked at it. */
type UnknownInit = { readonly [M in keyof AgentCommMessageInit]: unknown };

/** Creates a message of what came over a wire. */
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
    // The formatter refuses one thing only.
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
