/**
 * Parsing and formatting of messages as JSON. Received messages are untrusted input, and {@linkcode
 * parseMessage} is the only function that parses them.
 *
 * @module
 */

import { canStringify } from "../canonical/write_json.ts";
import { invalidMessage } from "../shared/error.ts";
import {
  DEFAULT_MAX_DEPTH,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from "../shared/json.ts";
import {
  decodeUtf8,
  type JsonLimits,
  type ParseJsonOptions,
  parseWithin,
  readJsonLimits,
} from "../shared/json_parse.ts";
import { assertObject } from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import { assertNames, namesOf } from "@parley/internal/options";
import { type AgentCommMessage, createMessage, writeMessage } from "./message.ts";
import { areOrderedMembers, isMessageMember } from "./message_members.ts";

/** Options for {@linkcode parseMessage}. */
export interface ParseMessageOptions extends ParseJsonOptions {
  /**
   * Handling of members that the message format does not define. `keep` stores unknown members in
   * `extensions`, and `reject` throws `invalid_message`.
   *
   * @default {"keep"}
   */
  readonly unknownMembers?: "keep" | "reject";
}

/**
 * Parses a message from JSON without verifying its signature.
 *
 * Pass received text or bytes unchanged: after another parser has processed the input, duplicate
 * members and lost digits can no longer be detected.
 *
 * @param input JSON text, as a string or as UTF-8 bytes.
 * @param options Limits, and the handling of unknown members.
 * @returns The unverified message. A `correlationId`, `replyTo` or `signature` of `null` is treated
 * as absent.
 * @throws {CommError} With code "invalid_message" if a member is missing, empty or has the wrong
 *   type.
 * @throws {CommError} With one of the codes listed for `parseJson` if the input is not valid JSON
 *   or exceeds a limit.
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If `unknownMembers` is neither `keep` nor `reject`, or an option is unknown.
 *
 * @example Parse a received message
 * ```ts
 * import { parseMessage } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const message = parseMessage(`{
 *   "id": "1",
 *   "sender": "did:web:ann.example",
 *   "recipient": "did:web:bob.example",
 *   "protocol": "agent.heartbeat.v1",
 *   "messageType": "request",
 *   "payload": null,
 *   "timestamp": "2026-01-02T03:04:05.678Z"
 * }`);
 * assertEquals(message.protocol, "agent.heartbeat.v1");
 * ```
 */
export function parseMessage(
  input: string | Uint8Array,
  options: ParseMessageOptions = {},
): AgentCommMessage {
  assertObject("options", options);
  assertNames("options", options, NAMES);
  const { unknownMembers = "keep" } = options;
  assertUnknownMembers("unknownMembers", unknownMembers);
  const limits = readJsonLimits(options);
  return readQuickly(input, limits, unknownMembers) ??
    toMessage(parseWithin(input, limits), "", unknownMembers);
}

const NAMES = namesOf<ParseMessageOptions>({
  maxBytes: true,
  maxDepth: true,
  unknownMembers: true,
});

const assertUnknownMembers = oneOf("keep", "reject");

/**
 * Maximum size of input that is first parsed with `JSON.parse`. If the input begins like output of
 * `JSON.stringify` but differs later, the time spent in `JSON.parse` is wasted, and parsing takes
 * up to twice as long.
 */
const MAX_QUICK_LENGTH = 262_144;

/**
 * Parses a message in the form that `JSON.stringify` writes, with or without indentation, with
 * `JSON.parse`. `parseJson` takes up to five times as long. If `JSON.stringify` writes the parsed
 * value as the same text, the text has no duplicate members, and parsing lost no digits or
 * characters. Returns `undefined` if the input has another form or is invalid, or if an escape
 * sequence might be a lone surrogate. If the result is `undefined`, the caller must use
 * `parseJson`.
 */
function readQuickly(
  input: string | Uint8Array,
  { maxBytes, maxDepth }: JsonLimits,
  unknownMembers: ParseMessageOptions["unknownMembers"],
): AgentCommMessage | undefined {
  const size = typeof input === "string" ? input.length : input.byteLength;
  const isLimited = maxDepth !== DEFAULT_MAX_DEPTH || !(size * 3 <= maxBytes);
  if (isLimited || size > MAX_QUICK_LENGTH || !canStringify()) return undefined;
  try {
    const text = typeof input === "string" ? input : decodeUtf8(input);
    const indent = findIndent(text);
    if (indent === undefined || text.includes("\\ud")) return undefined;
    const value: unknown = JSON.parse(text);
    // Any indentation, even an empty one, makes `JSON.stringify` slower by half.
    const isCompact = indent === "";
    const written = isCompact ? JSON.stringify(value) : JSON.stringify(value, undefined, indent);
    if (written !== text) return undefined;
    return toMessage(value, isCompact ? text : "", unknownMembers);
  } catch {
    // Do not rethrow the error, because `parseJson` reports a more precise error than `JSON.parse`.
    return undefined;
  }
}

/**
 * Returns the indentation of an object that begins as `JSON.stringify` writes it, or `undefined` if
 * it begins in another way.
 */
function findIndent(text: string): string | undefined {
  if (text.startsWith('{"')) return text.charAt(text.indexOf(":") + 1) === " " ? undefined : "";
  return text.startsWith("{\n") ? text.slice("{\n".length, text.indexOf('"')) : undefined;
}

/**
 * Converts a parsed value to a message.
 *
 * @param compact The JSON text without whitespace, or an empty string if the text has whitespace.
 */
function toMessage(
  value: unknown,
  compact: string,
  unknownMembers: ParseMessageOptions["unknownMembers"],
): AgentCommMessage {
  if (!isJsonObject(value)) throw invalidMessage("", "must be an object");
  const names = Object.keys(value);
  const isOrdered = areOrderedMembers(names);
  const extensions = isOrdered ? undefined : readExtensions(value, names);
  if (extensions !== undefined && unknownMembers === "reject") {
    const [unknown = ""] = Object.keys(extensions);
    throw invalidMessage(unknown, "is not a known member");
  }
  for (const name of DEFAULTED) {
    if (!Object.hasOwn(value, name)) throw invalidMessage(name, "is missing");
  }
  const { correlationId, replyTo, signature } = value;
  const hasNull = correlationId === null || replyTo === null || signature === null;
  return createMessage({
    id: value.id,
    correlationId: correlationId ?? undefined,
    replyTo: replyTo ?? undefined,
    sender: value.sender,
    recipient: value.recipient,
    protocol: value.protocol,
    messageType: value.messageType,
    payload: value.payload,
    signature: signature ?? undefined,
    timestamp: value.timestamp,
    extensions,
    text: isOrdered && !hasNull ? compact : "",
  });
}

/** Required members that the `AgentCommMessage` constructor sets if they are omitted. */
const DEFAULTED = ["id", "timestamp"];

/**
 * Returns the members that the message format does not define, or `undefined` if there are none.
 */
function readExtensions(value: JsonObject, names: readonly string[]): JsonObject | undefined {
  if (names.every(isMessageMember)) return undefined;
  const extensions: Record<string, JsonValue> = {};
  for (const name of names) {
    if (!isMessageMember(name)) setMember(extensions, name, value[name] ?? null);
  }
  return extensions;
}

/**
 * Formats a message as canonical JSON (RFC 8785). To parse the result, use `parseMessage`.
 *
 * @param message The message.
 *
 * @example Format and parse a message
 * ```ts
 * import { AgentCommMessage, formatMessage, parseMessage } from "@parley/comm";
 * import { assert } from "@std/assert";
 *
 * const message = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: { question: "6 * 7" },
 * });
 * assert(parseMessage(formatMessage(message)).equals(message));
 * ```
 */
export function formatMessage(message: AgentCommMessage): string {
  return writeMessage(message);
}
