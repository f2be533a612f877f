/**
 * Messages as JSON text: the trust boundary. Everything a peer sends comes in through {@linkcode parseMessage}.
 *
 * @module
 */

import { invalidMessage } from "../shared/error.ts";
import { isJsonObject, type JsonObject, type JsonValue, setMember } from "../shared/json.ts";
import { DEFAULT_MAX_BYTES, parseJson, type ParseJsonOptions } from "../shared/json_parse.ts";
import { type AgentCommMessage, createMessage, isMessageMember, writeMessage } from "./message.ts";

/** Options of {@linkcode parseMessage}. */
export interface ParseMessageOptions extends ParseJsonOptions {
  /**
   * What happens to members that the specification does not name: `keep` puts them into `extensions`, `reject` refuses
   * the message; the default is `keep`.
   */
  readonly unknownMembers?: "keep" | "reject";
}

/**
 * Reads a message from its JSON text.
 *
 * Pass the text or bytes as they came: once another parser has been over them, duplicate members and lost digits
 * cannot be seen any more.
 *
 * @param input a text, or its bytes in UTF-8
 * @param options limits
 * @returns the message; nothing is verified yet
 * @throws {CommError} what `parseJson` throws, and `invalid_message` when a member is missing, empty or of the wrong
 *   type; null for `correlationId`, `replyTo` or `signature` counts as absent
 * @throws {RangeError} when an option is out of range
 *
 * @example Read what a peer sent
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
  const { unknownMembers = "keep", ...limits } = options;
  return readCanonical(input, limits) ?? toMessage(parseJson(input, limits), unknownMembers);
}

/** How canonical messages begin. */
const CANONICAL_START = /^\{(?:"correlationId":"[^"]*",)?"id":"[^"]*","messageType":/;

/** How long a text may be to be read natively first: a longer one costs too much when that was in vain. */
const MAX_QUICK_LENGTH = 16_384;

/**
 * Reads a message natively, which is a good deal quicker. A text that is exactly what this package writes for what was
 * read has none of the traps that the strict parser is there for: no member is doubled, no digit and no letter lost.
 * Undefined for any other text, which the strict parser has to judge.
 */
function readCanonical(
  input: string | Uint8Array,
  { maxBytes = DEFAULT_MAX_BYTES, maxDepth }: ParseJsonOptions,
): AgentCommMessage | undefined {
  if (typeof input !== "string" || input.length > MAX_QUICK_LENGTH) return undefined;
  const isLimited = maxDepth !== undefined || !(input.length * 3 <= maxBytes);
  if (isLimited || !CANONICAL_START.test(input)) return undefined;
  try {
    const message = toMessage(JSON.parse(input), "reject");
    return writeMessage(message) === input ? message : undefined;
  } catch {
    // The strict parser says better what is wrong.
    return undefined;
  }
}

function toMessage(
  value: unknown,
  unknownMembers: ParseMessageOptions["unknownMembers"],
): AgentCommMessage {
  if (!isJsonObject(value)) throw invalidMessage("", "must be an object");
  const extensions = readExtensions(value);
  if (extensions !== undefined && unknownMembers === "reject") {
    const [unknown = ""] = Object.keys(extensions);
    throw invalidMessage(unknown, "is not a known member");
  }
  for (const name of DEFAULTED) {
    if (!Object.hasOwn(value, name)) throw invalidMessage(name, "is missing");
  }
  const { correlationId, replyTo, signature } = value;
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
  });
}

/** What a new message would be given where it is missing. */
const DEFAULTED = ["id", "timestamp"];

/** The members that the specification does not name; undefined when there are none, as is usual. */
function readExtensions(value: JsonObject): JsonObject | undefined {
  const names = Object.keys(value).filter((name) => !isMessageMember(name));
  if (names.length === 0) return undefined;
  const extensions: Record<string, JsonValue> = {};
  for (const name of names) setMember(extensions, name, value[name] ?? null);
  return extensions;
}

/**
 * Writes a message as JSON text, in canonical form (RFC 8785): one text for each message. `parseMessage` reads it back.
 *
 * @param message the message
 *
 * @example A message survives the wire
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
