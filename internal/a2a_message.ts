/**
 * Reads messages of the A2A protocol and their parts, in one form: known members only, names in
 * lowerCamelCase, and no members with their default value.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#414-message Message}
 *
 * @module
 */

import { defined } from "./json.ts";
import {
  InvalidMember,
  invalidMember,
  type JsonObject,
  type JsonValue,
  memberOf,
  pathOf,
  type ProtoObject,
  readEnum,
  readJsonObject,
  readJsonValue,
  readString,
  readStrings,
  requireString,
  toProtoObject,
  toStandardBase64,
} from "./proto_json.ts";

/** Members that the parts of all kinds have. */
type PartDetails = {
  readonly metadata?: JsonObject;
  readonly filename?: string;
  readonly mediaType?: string;
};

/** A part of a message or an artifact. */
export type PartJson =
  & PartDetails
  & (
    | { readonly text: string }
    | { readonly raw: string }
    | { readonly url: string }
    | { readonly data: JsonValue }
  );

/** A message. A type alias, because an interface is not assignable to a JSON object. */
export type MessageJson = {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly PartJson[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
};

/** Maximum length of the id of a message, in UTF-16 code units. */
export const MAX_ID_LENGTH = 256;

/**
 * Maximum length of the id of a task, which can contain the percent-encoded id of a conversation.
 */
export const MAX_TASK_ID_LENGTH = 5000;

/** Maximum length of the id of a conversation, which is the id of a session. */
export const MAX_CONTEXT_ID_LENGTH = 512;

/** Default of the maximum number of parts in a message or an artifact. */
export const MAX_PARTS = 100;

const ROLES = ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"] as const;

/**
 * Reads a message. Members that the protocol does not define are dropped.
 *
 * @throws {InvalidMember} If the message is not valid.
 */
export function readMessage(
  value: unknown,
  path = "message",
  maxParts: number = MAX_PARTS,
): MessageJson {
  const from = toProtoObject(value, path);
  const messageId = requireString(from, "messageId", MAX_ID_LENGTH);
  const role = readEnum(from, "role", ROLES);
  if (role !== "ROLE_USER" && role !== "ROLE_AGENT") {
    throw invalidMember(from, "role", '"ROLE_USER" or "ROLE_AGENT"');
  }
  const parts = readParts(from, maxParts);
  const contextId = readString(from, "contextId", MAX_CONTEXT_ID_LENGTH);
  const taskId = readString(from, "taskId", MAX_TASK_ID_LENGTH);
  const metadata = readJsonObject(from, "metadata");
  const extensions = toOptional(readStrings(from, "extensions"));
  const referenceTaskIds = toOptional(readStrings(from, "referenceTaskIds"));
  return {
    messageId,
    role,
    parts,
    ...defined({ contextId, taskId, metadata, extensions, referenceTaskIds }),
  };
}

/** Returns `undefined` for an empty list. ProtoJSON does not distinguish it from an absent list. */
export function toOptional(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * Reads the parts of a message or an artifact.
 *
 * @throws {InvalidMember} If there is no part, or too many, or a part is not valid.
 */
export function readParts(from: ProtoObject, maxParts: number = MAX_PARTS): readonly PartJson[] {
  const list = memberOf(from, "parts");
  if (!Array.isArray(list) || list.length === 0 || list.length > maxParts) {
    const count = maxParts === Infinity ? "at least 1 part" : `1 to ${maxParts} parts`;
    throw invalidMember(from, "parts", `an array of ${count}`);
  }
  const path = pathOf(from, "parts");
  return list.map((part, index) => readPart(part, `${path}[${index}]`));
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(;[\x20-\x7e]{0,200})?$/;

/**
 * Reads a part.
 *
 * @throws {InvalidMember} If the part is not valid.
 */
export function readPart(value: unknown, path: string): PartJson {
  const from = toProtoObject(value, path);
  const mediaType = readString(from, "mediaType", 300);
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw invalidMember(from, "mediaType", "a media type");
  }
  const filename = readString(from, "filename", 255);
  const metadata = readJsonObject(from, "metadata");
  return { ...readContent(from), ...defined({ filename, mediaType, metadata }) };
}

const CONTENT = ["text", "raw", "url", "data"] as const;

/** In a `google.protobuf.Value`, `null` is a value. It is absent only if another content is set. */
function readContent(from: ProtoObject): PartJson {
  const { path, record } = from;
  const set = CONTENT.filter((kind) => memberOf(from, kind) !== undefined);
  const kind = set[0] ?? (Object.hasOwn(record, "data") ? "data" : undefined);
  if (kind === undefined || set.length > 1) {
    throw new InvalidMember(path, 'an object with one of "text", "raw", "url" and "data"');
  }
  if (kind === "data") return { data: readJsonValue(from, kind) };
  const content = record[kind];
  if (typeof content !== "string" || !content.isWellFormed()) {
    throw invalidMember(from, kind, "a string");
  }
  if (kind === "text") return { text: content };
  if (kind === "url") return { url: readUrl(from, content) };
  const raw = toStandardBase64(content);
  if (raw === undefined) throw invalidMember(from, kind, "base64 data");
  return { raw };
}

function readUrl(from: ProtoObject, text: string): string {
  if (text.length <= 8192 && URL.canParse(text)) return text;
  throw invalidMember(from, "url", "a URL of at most 8192 characters");
}
