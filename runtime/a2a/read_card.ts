/**
 * Reads agent cards, and converts them to the form that is signed.
 *
 * Both use the same fields, so that a signature covers every member that a reader can see.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { copyJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import type { AgentCard } from "./agent_card.ts";
import { CARD_FIELDS, type CardField, type CardMessage, ONE_OF } from "./card_fields.ts";
import {
  InvalidMember,
  memberOf,
  pathOf,
  type ProtoObject,
  toProtoObject,
} from "@parley/internal/proto-json";

/**
 * Reads an agent card. Drops members that the protocol does not define, and members with default
 * values, which are equivalent to absent ones. A required member that is absent has its default
 * value, as in Protocol Buffers.
 *
 * @throws {InvalidMember} If a member is not valid.
 */
export function readAgentCard(value: unknown): AgentCard {
  // The cast is safe: the table of fields contains each member of the type, and a member that the
  // type requires has the presence `required`.
  return readMessage(toProtoObject(value, "card"), "AgentCard") as unknown as AgentCard;
}

/**
 * Returns the content of a card that is signed: without `signatures`, without members that the
 * protocol does not define, and without default values, unless the specification requires the
 * member or distinguishes a default value from an absent one. The signature is computed over the
 * result in the canonical form of RFC 8785.
 *
 * Receivers that convert the card to Protocol Buffers drop members that they do not know, so
 * members that the protocol does not define cannot be signed.
 *
 * @param card Agent card.
 * @throws {TypeError} If the card is not valid.
 * @see https://a2a-protocol.org/latest/specification/#841-canonicalization-requirements
 *
 * @example Remove default values
 * ```ts
 * import { toCanonicalCard } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const card = {
 *   name: "oracle",
 *   description: "Answers difficult questions",
 *   version: "1.0.0",
 *   supportedInterfaces: [],
 *   capabilities: { streaming: false, extensions: [] },
 *   defaultInputModes: ["text/plain"],
 *   defaultOutputModes: ["text/plain"],
 *   skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"], examples: [] }],
 * };
 * assertEquals(toCanonicalCard(card), {
 *   ...card,
 *   capabilities: { streaming: false },
 *   skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"] }],
 * });
 * ```
 */
export function toCanonicalCard(card: AgentCard | JsonObject): JsonObject {
  try {
    const { signatures: _, ...content } = readMessage(toProtoObject(card, "card"), "AgentCard");
    return content;
  } catch (error) {
    throw error instanceof InvalidMember ? new TypeError(error.message) : error;
  }
}

/**
 * Returns the path of a member that the protocol does not define, or `undefined` if the protocol
 * defines all members.
 *
 * @param card A valid card.
 */
export function findUnknownMember(card: unknown): string | undefined {
  return isRecord(card) ? unknownIn({ record: card, path: "card" }, "AgentCard") : undefined;
}

/** A field with its name. */
interface NamedField extends CardField {
  readonly name: string;
}

function readMessage(from: ProtoObject, message: CardMessage): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, field] of Object.entries<CardField>(CARD_FIELDS[message])) {
    const value = readField(from, { name, ...field });
    if (value !== undefined) members.push([name, value]);
  }
  if (ONE_OF.has(message) && members.length > 1) {
    const names = Object.keys(CARD_FIELDS[message]).map((name) => `"${name}"`);
    throw new InvalidMember(from.path, `an object with one of ${names.join(", ")}`);
  }
  return Object.fromEntries(members);
}

function readField(from: ProtoObject, field: NamedField): JsonValue | undefined {
  const { name, presence, repeated, type } = field;
  const value = memberOf(from, name);
  const at = { path: pathOf(from, name), type };
  if (repeated !== undefined) {
    const items = repeated === "list" ? readList(value ?? [], at) : readMap(value ?? {}, at);
    return presence === "required" || Object.keys(items).length > 0 ? items : undefined;
  }
  if (value === undefined) return presence === "required" ? defaultOf(type) : undefined;
  const read = readValue(value, at);
  return presence === undefined && (read === "" || read === false) ? undefined : read;
}

/** Place and type of a value. */
interface ValuePlace {
  readonly path: string;
  readonly type: CardField["type"];
}

function readList(value: unknown, { path, type }: ValuePlace): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new InvalidMember(path, "an array");
  return value.map((item, index) => readValue(item, { path: `${path}[${index}]`, type }));
}

function readMap(value: unknown, { path, type }: ValuePlace): JsonObject {
  if (!isRecord(value)) throw new InvalidMember(path, "an object");
  const entries = Object.entries(value);
  // `Object.fromEntries` defines a member named `__proto__` like any other.
  return Object.fromEntries(
    entries.map(([key, item]) => [key, readValue(item, { path: `${path}.${key}`, type })]),
  );
}

function readValue(value: unknown, { path, type }: ValuePlace): JsonValue {
  if (type === "string") {
    if (typeof value === "string" && value.isWellFormed()) return value;
    throw new InvalidMember(path, "a string");
  }
  if (type === "boolean") {
    if (typeof value === "boolean") return value;
    throw new InvalidMember(path, "a boolean");
  }
  if (type !== "struct") return readMessage(toProtoObject(value, path), type);
  const copy = isRecord(value) ? copyJsonValue(value) : undefined;
  if (copy === undefined) throw new InvalidMember(path, "a JSON object");
  return copy;
}

/** Returns the default value of a required field. */
function defaultOf(type: CardField["type"]): JsonValue {
  if (type === "string") return "";
  if (type === "boolean") return false;
  return type === "struct" ? {} : readMessage({ record: {}, path: "" }, type);
}

function unknownIn({ path, record }: ProtoObject, message: CardMessage): string | undefined {
  const fields: Readonly<Record<string, CardField>> = CARD_FIELDS[message];
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) return `${path}.${name}`;
    const unknown = unknownInField(value, { ...field, name: `${path}.${name}` });
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function unknownInField(value: unknown, { name, repeated, type }: NamedField): string | undefined {
  if (type === "string" || type === "boolean" || type === "struct") return undefined;
  if (repeated === undefined) {
    return isRecord(value) ? unknownIn({ record: value, path: name }, type) : undefined;
  }
  for (const [key, item] of Object.entries(Object(value))) {
    const path = repeated === "list" ? `${name}[${key}]` : `${name}.${key}`;
    const unknown = isRecord(item) ? unknownIn({ record: item, path }, type) : undefined;
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}
