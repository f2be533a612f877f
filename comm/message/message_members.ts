/**
 * Validation of the members of a message.
 *
 * @module
 */

import { writeJson } from "../canonical/write_json.ts";
import { isDid } from "../did/did.ts";
import { invalidMessage } from "../shared/error.ts";
import { formatValue, quote } from "@parley/internal/format-value";
import {
  copyJson,
  copyValue,
  createCopier,
  DEFAULT_MAX_DEPTH,
  freezeArrays,
  isJsonObject,
  type JsonCopier,
  type JsonObject,
  type JsonValue,
} from "../shared/json.ts";
import { createOwner, ownValue } from "../shared/own_json.ts";
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
   * Creation time, as a `Date` or as an RFC 3339 date-time, which is stored unchanged. Defaults to
   * the current time.
   */
  readonly timestamp?: string | Date | undefined;
  /**
   * Additional members of the message, such as `proof`. If omitted, the message has no additional
   * members.
   */
  readonly extensions?: JsonObject | undefined;
}

/** Members of a message before validation. */
export type UnknownInit = { readonly [M in keyof AgentCommMessageInit]: unknown };

/** Members of a parsed message before validation. Nothing else refers to the values. */
export interface ParsedInit extends UnknownInit {
  readonly payload: JsonValue | undefined;
  readonly extensions: JsonObject | undefined;
  /**
   * JSON of the message, without whitespace and with sorted members outside of the payload, or an
   * empty string if the JSON has another form or contains other members than a message.
   */
  readonly text: string;
}

/** Validated, copied and frozen members of a message. */
export interface ValidatedMembers {
  readonly id: string;
  readonly correlationId: string | undefined;
  readonly replyTo: string | undefined;
  readonly sender: string;
  readonly recipient: string;
  readonly protocol: string;
  readonly messageType: string;
  readonly payload: JsonValue;
  readonly signature: string | undefined;
  readonly timestamp: string;
  readonly timestampMs: number;
  readonly extensions: JsonObject;
  readonly cache: SigningCache;
}

/**
 * Cache for the canonical JSON of a message. A message and its signed copy share one cache.
 *
 * The existence of an instance also proves that the message's members are valid: only `readInit`
 * and `readParsed` create instances, and code outside this package cannot obtain them.
 */
export class SigningCache {
  /**
   * Whether JavaScript enumerates the members of any object in the payload in a different order
   * than RFC 8785 requires.
   */
  readonly isDisordered: boolean;
  /** Canonical JSON of the signed members, or an empty string if the JSON is too long to cache. */
  readonly covered: string;

  constructor(isDisordered: boolean, covered: string) {
    this.isDisordered = isDisordered;
    this.covered = covered.length <= MAX_KEPT_LENGTH ? covered : "";
  }
}

/**
 * Maximum length of a cached signing payload. To save memory, longer payloads are not cached but
 * serialized on each use.
 */
const MAX_KEPT_LENGTH = 16_384;

/** Members that a signature covers. */
type SignedMembers = Pick<
  ValidatedMembers,
  "correlationId" | "id" | "messageType" | "payload" | "protocol" | "recipient" | "sender"
>;

/** Serializes the signed members as canonical JSON. */
export function writeSigned(
  { correlationId, id, messageType, payload, protocol, recipient, sender }: SignedMembers,
  isDisordered: boolean,
): string {
  // `writeJson` expects sorted members, so list them in alphabetical order.
  const members = correlationId === undefined
    ? { id, messageType, payload, protocol, recipient, sender }
    : { correlationId, id, messageType, payload, protocol, recipient, sender };
  return writeJson(members, isDisordered);
}

/** Names that extensions must not use, in the order of canonical JSON. */
const MEMBERS = [
  "correlationId",
  "id",
  "messageType",
  "payload",
  "protocol",
  "recipient",
  "replyTo",
  "sender",
  "signature",
  "timestamp",
];

/**
 * Maximum nesting depth of a payload. The message object is one of the `DEFAULT_MAX_DEPTH` levels.
 */
const PAYLOAD_DEPTH = DEFAULT_MAX_DEPTH - 1;

/** Extensions of a message that has no additional members. */
export const NO_EXTENSIONS: JsonObject = Object.freeze({});

/** Returns `true` if a name is one of the ten standard members rather than an extension. */
export function isMessageMember(name: string): boolean {
  return MEMBERS.includes(name);
}

/** Returns `true` if all names are standard members, in the order of canonical JSON. */
export function areOrderedMembers(names: readonly string[]): boolean {
  let next = 0;
  for (const name of names) {
    next = MEMBERS.indexOf(name, next) + 1;
    if (next === 0) return false;
  }
  return true;
}

/**
 * Validates, copies and freezes the members of a message. Throws a `CommError` if a member is
 * invalid.
 */
export function readInit(init: UnknownInit): ValidatedMembers {
  const texts = readTexts(init);
  const copier = createCopier({ maxDepth: PAYLOAD_DEPTH, frozen: true });
  const payload = copyValue(init.payload, 0, copier);
  const cache = createCache(texts, payload, copier);
  freezeArrays(copier);
  const signature = readOptionalText("signature", init.signature);
  return toMembers(texts, {
    payload,
    signature,
    extensions: readExtensions(init.extensions),
    cache,
  });
}

/** Validates and freezes the members of a parsed message, as {@linkcode readInit} does. */
export function readParsed(init: ParsedInit): ValidatedMembers {
  const texts = readTexts(init);
  const owner = createOwner(PAYLOAD_DEPTH);
  const payload = ownValue(init.payload ?? null, 0, owner);
  const signature = readOptionalText("signature", init.signature);
  const signed = owner.isReordered ? "" : cutSigned(init.text, texts, signature);
  const cache = signed === ""
    ? createCache(texts, payload, owner)
    : new SigningCache(false, signed);
  freezeArrays(owner);
  return toMembers(texts, {
    payload,
    signature,
    extensions: ownExtensions(init.extensions),
    cache,
  });
}

/**
 * Cuts the signed members out of canonical JSON of a message, which takes a third of the time of
 * serializing them. Returns an empty string if the text has another form.
 */
function cutSigned(
  text: string,
  { replyTo, sender, timestamp }: Pick<Texts, "replyTo" | "sender" | "timestamp">,
  signature: string | undefined,
): string {
  const timestampAt = findMember(text, text.length - 1, ',"timestamp":"', timestamp);
  const signatureAt = findMember(text, timestampAt, ',"signature":"', signature);
  if (replyTo === undefined) return signatureAt < 0 ? "" : `${text.slice(0, signatureAt)}}`;
  const senderAt = findMember(text, signatureAt, ',"sender":"', sender);
  const replyToAt = findMember(text, senderAt, ',"replyTo":"', replyTo);
  return replyToAt < 0 ? "" : `${text.slice(0, replyToAt)}${text.slice(senderAt, signatureAt)}}`;
}

/**
 * Returns the index of a member that ends before the index `end`. Returns -1 if there is no such
 * member, or if its value contains characters that are escaped in JSON and is longer therefore.
 */
function findMember(text: string, end: number, name: string, value: string | undefined): number {
  if (value === undefined) return end;
  const start = end - name.length - value.length - 1;
  return text.startsWith(name, start) ? start : -1;
}

/** Joins the members of a message. Spreading them takes 50 ns longer. */
function toMembers(texts: Texts, others: Omit<ValidatedMembers, keyof Texts>): ValidatedMembers {
  return {
    id: texts.id,
    correlationId: texts.correlationId,
    replyTo: texts.replyTo,
    sender: texts.sender,
    recipient: texts.recipient,
    protocol: texts.protocol,
    messageType: texts.messageType,
    payload: others.payload,
    signature: others.signature,
    timestamp: texts.timestamp,
    timestampMs: texts.timestampMs,
    extensions: others.extensions,
    cache: others.cache,
  };
}

function createCache(
  texts: Omit<SignedMembers, "payload">,
  payload: JsonValue,
  { isDisordered, size }: Pick<JsonCopier, "isDisordered" | "size">,
): SigningCache {
  const isKept = size <= MAX_KEPT_LENGTH;
  const covered = isKept ? writeSigned({ ...texts, payload }, isDisordered) : "";
  return new SigningCache(isDisordered, covered);
}

/** Members that precede the signature in the validation, apart from the payload. */
type Texts = Omit<ValidatedMembers, "cache" | "extensions" | "payload" | "signature">;

function readTexts(init: UnknownInit): Texts {
  const timestamp = toTimestamp(init.timestamp);
  const id = readText("id", init.id === undefined ? createUuidV7(timestamp.ms) : init.id);
  const correlationId = readOptionalText("correlationId", init.correlationId);
  const replyTo = readOptionalText("replyTo", init.replyTo);
  const sender = readDid("sender", init.sender);
  const recipient = readDid("recipient", init.recipient);
  const protocol = readText("protocol", init.protocol);
  const messageType = readText("messageType", init.messageType);
  if (init.payload === undefined) throw invalidMessage("payload", "is missing");
  return {
    id,
    correlationId,
    replyTo,
    sender,
    recipient,
    protocol,
    messageType,
    timestamp: timestamp.text,
    timestampMs: timestamp.ms,
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
  if (isDid(value)) return value;
  const text = readText(field, value);
  throw invalidMessage(field, `must be a DID, got ${quote(text)}`);
}

function toTimestamp(value: unknown): { readonly text: string; readonly ms: number } {
  if (value === undefined) return fromMs(Date.now());
  if (value instanceof Date) return fromMs(value.getTime());
  if (typeof value === "string") {
    const ms = readTimestamp(value);
    if (ms !== undefined) return { text: value, ms };
  }
  const text = readText("timestamp", value);
  throw invalidMessage("timestamp", `must be an RFC 3339 date-time, got ${quote(text)}`);
}

function fromMs(ms: number): { readonly text: string; readonly ms: number } {
  try {
    return { text: formatTimestamp(ms), ms };
  } catch {
    // `formatTimestamp` throws only if the year is out of range.
    throw invalidMessage("timestamp", "must be within the years 0000 to 9999");
  }
}

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

/** Sorts and freezes the extensions of a parsed message. */
function ownExtensions(extensions: JsonObject | undefined): JsonObject {
  if (extensions === undefined) return NO_EXTENSIONS;
  const owner = createOwner(DEFAULT_MAX_DEPTH);
  const owned = ownValue(extensions, 0, owner);
  freezeArrays(owner);
  return isJsonObject(owned) ? owned : NO_EXTENSIONS;
}
