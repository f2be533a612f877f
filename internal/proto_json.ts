/**
 * Reads members of messages in ProtoJSON: names in lowerCamelCase or in snake_case, `null` for
 * absent members, enumerations as names or numbers, and base64 in both alphabets. Members that are
 * not read are dropped.
 *
 * @see https://protobuf.dev/programming-guides/json/
 * @module
 */

import { copyJson, isPlainJson, isRecord, type UnknownRecord } from "./json.ts";

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Maximum nesting depth of a JSON value. */
const MAX_DEPTH = 200;

/**
 * A member that is not valid. The server responds with `INVALID_PARAMS`, and the client throws
 * `INVALID_AGENT_RESPONSE`.
 */
export class InvalidMember extends Error {
  override readonly name = "InvalidMember";
  /** Path of the member, for example `message.parts[0].url`. */
  readonly path: string;
  /** Requirement for the member. */
  readonly requirement: string;

  constructor(path: string, requirement: string) {
    super(`"${path}" must be ${requirement}`);
    this.path = path;
    this.requirement = requirement;
  }
}

/** An object whose members are read, with its path in error messages. */
export interface ProtoObject {
  readonly record: UnknownRecord;
  /** Path of the object. Empty for the outermost object. */
  readonly path: string;
}

/** @throws {InvalidMember} If the value is not an object. */
export function toProtoObject(value: unknown, path = ""): ProtoObject {
  if (!isRecord(value)) throw new InvalidMember(path === "" ? "request" : path, "an object");
  return { record: value, path };
}

/** Returns the path of a member. */
export function pathOf({ path }: ProtoObject, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Returns the error for a member that is not valid. */
export function invalidMember(from: ProtoObject, name: string, requirement: string): InvalidMember {
  return new InvalidMember(pathOf(from, name), requirement);
}

/** Returns a member by its name in lowerCamelCase or in snake_case. `null` counts as absent. */
export function memberOf({ record }: ProtoObject, name: string): unknown {
  const value = ownMember(record, name);
  if (value !== undefined) return value;
  return ownMember(record, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function ownMember(record: UnknownRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] ?? undefined : undefined;
}

/** Reads a member that is an object. */
export function readObject(from: ProtoObject, name: string): ProtoObject | undefined {
  const value = memberOf(from, name);
  return value === undefined ? undefined : toProtoObject(value, pathOf(from, name));
}

/** Reads a member that is an object and must be set. */
export function requireObject(from: ProtoObject, name: string): ProtoObject {
  return toProtoObject(memberOf(from, name), pathOf(from, name));
}

/**
 * Reads a string. An empty string counts as absent, because ProtoJSON does not distinguish them.
 */
export function readString(
  from: ProtoObject,
  name: string,
  maxLength = 1024,
): string | undefined {
  const value = memberOf(from, name);
  if (value === undefined || value === "") return undefined;
  if (isText(value, maxLength)) return value;
  throw invalidMember(from, name, `a string of at most ${maxLength} characters`);
}

/** Reads a string that must not be empty. */
export function requireString(from: ProtoObject, name: string, maxLength?: number): string {
  const value = readString(from, name, maxLength);
  if (value === undefined) throw invalidMember(from, name, "a non-empty string");
  return value;
}

/** Databases reject lone surrogates and U+0000. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value.length <= maxLength && value.isWellFormed() &&
    !value.includes("\0");
}

/** Reads a list of strings. Absent and empty lists are equal. */
export function readStrings(from: ProtoObject, name: string, maxItems = 100): readonly string[] {
  const value = memberOf(from, name);
  if (value === undefined) return [];
  const isList = Array.isArray(value) && value.length <= maxItems;
  if (isList && value.every((item) => isText(item, 1024))) return value;
  throw invalidMember(from, name, `an array of at most ${maxItems} strings`);
}

/** Reads an integer: a number, or a decimal string as in a query or for 64-bit values. */
export function readInteger(
  from: ProtoObject,
  name: string,
  [min, max]: readonly [number, number],
): number | undefined {
  const value = memberOf(from, name);
  if (value === undefined || value === "") return undefined;
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) {
    return number;
  }
  throw invalidMember(from, name, `an integer from ${min} to ${max}`);
}

/** Reads a boolean, which is `false` if it is absent. In a query, it is a string. */
export function readBoolean(from: ProtoObject, name: string): boolean {
  const value = memberOf(from, name);
  if (value === undefined || value === false || value === "false" || value === "") return false;
  if (value === true || value === "true") return true;
  throw invalidMember(from, name, "a boolean");
}

/** Reads the name or the number of an enumeration whose first name means that it is not set. */
export function readEnum<Name extends string>(
  from: ProtoObject,
  name: string,
  names: readonly Name[],
): Name | undefined {
  const value = memberOf(from, name);
  if (value === undefined || value === "") return undefined;
  const found = names.find((each, index) => each === value || index === value);
  if (found === undefined) {
    throw invalidMember(
      from,
      name,
      `one of ${names.slice(1).map((each) => `"${each}"`).join(", ")}`,
    );
  }
  return found === names[0] ? undefined : found;
}

/** Reads a JSON object, such as metadata. Returns a copy. */
export function readJsonObject(from: ProtoObject, name: string): JsonObject | undefined {
  const value = memberOf(from, name);
  if (value === undefined) return undefined;
  if (isJson(value) && isJsonObject(value)) return copyJson(value);
  throw invalidMember(from, name, 'a JSON object without "__proto__"');
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

/** Reads a JSON value, which can be `null`. Returns a copy. */
export function readJsonValue(from: ProtoObject, name: string): JsonValue {
  const value = from.record[name];
  if (isJson(value)) return copyJson(value);
  throw invalidMember(from, name, 'a JSON value without "__proto__"');
}

function isJson(value: unknown): value is JsonValue {
  return isPlainJson(value, MAX_DEPTH) && !hasPrototypeMember(value);
}

/** A member with this name would be lost in programs that assign members to a new object. */
function hasPrototypeMember(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasPrototypeMember);
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeMember);
}

/** Reads a time in RFC 3339 format. Returns milliseconds since the Unix epoch. */
export function readTime(from: ProtoObject, name: string): number | undefined {
  const text = readString(from, name, 64);
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw invalidMember(from, name, "a time in RFC 3339 format");
  return time;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Reads bytes in either base64 alphabet. Returns padded base64 in the standard alphabet, in which
 * the bits after the last byte are zero, so that equal bytes have equal texts.
 */
export function toStandardBase64(text: string): string | undefined {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (text.length - standard.length > 2 || !/^[A-Za-z0-9+/]*$/.test(standard)) return undefined;
  const rest = standard.length % 4;
  if (rest === 1) return undefined;
  const end = standard.length - rest;
  return standard.slice(0, end) + btoa(atob(standard.slice(end)));
}
