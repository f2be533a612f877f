/**
 * Copies of content parts that models, tools and callers pass to the loop, so that later changes to
 * the originals have no effect, and the copies can be stored as JSON.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { errorMessageOf } from "../shared/error.ts";
import { copyJsonValue, freezeJson, type JsonValue } from "../shared/json.ts";
import { toJson } from "../shared/to_json.ts";

/** Text that replaces tool input that is not a JSON value. */
const NOT_JSON = "[input that is not a JSON value]";

/**
 * Names of the members, keyed by content part type. Other members, such as a `toJSON` method, are
 * not copied.
 */
const MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["reasoning", ["text"]],
  ["file", ["mediaType", "filename", "data"]],
  ["tool-call", ["toolCallId", "toolName", "input", "rawInput"]],
]);

/**
 * Copies a content part from a tool or a caller, which is not validated.
 *
 * @throws {TypeError} If the provider options are not serializable as JSON.
 */
export function copyPart(part: unknown): unknown {
  return copyMembers(part, (options) => {
    try {
      return toJson(options);
    } catch (cause) {
      const text = `"providerOptions" must be serializable as JSON: ${errorMessageOf(cause)}`;
      throw new TypeError(text, { cause });
    }
  });
}

/**
 * Copies a content part from a model, which is not validated. The input of a tool call is a frozen
 * JSON value in the copy; other input is replaced and treated as invalid JSON. Provider options
 * that are not serializable as JSON are omitted.
 */
export function copyModelPart(part: unknown): unknown {
  return copyMembers(part, (options) => {
    try {
      return toJson(options);
    } catch {
      // The model call has succeeded, so its response is used without these options.
      return undefined;
    }
  });
}

function copyMembers(
  part: unknown,
  copyOptions: (options: unknown) => JsonValue | undefined,
): unknown {
  if (!isRecord(part)) return part;
  const { type, providerOptions } = part;
  const names = MEMBERS.get(type);
  // The caller rejects parts of unknown types.
  if (names === undefined) return { ...part };
  const copy: Record<string, unknown> = { type };
  for (const name of names) {
    // A member may be a getter, so it is read once.
    const value = part[name];
    if (value !== undefined) copy[name] = value;
  }
  if (type === "file") copyFile(copy);
  if (type === "tool-call") copyCall(copy);
  const options = providerOptions === undefined ? undefined : copyOptions(providerOptions);
  if (options !== undefined) copy.providerOptions = options;
  return copy;
}

function copyFile(copy: Record<string, unknown>): void {
  copy.data = copyFileData(copy.data);
  if (!isText(copy.filename)) delete copy.filename;
}

function copyFileData(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { type, data, url } = value;
  if (type === "url") return { type, url: url instanceof URL ? new URL(url.href) : url };
  return { type, data: data instanceof Uint8Array ? new Uint8Array(data) : data };
}

function copyCall(copy: Record<string, unknown>): void {
  if (!isText(copy.toolCallId)) delete copy.toolCallId;
  if (!isText(copy.rawInput)) delete copy.rawInput;
  if (copy.input === undefined) return;
  const input = copyJsonValue(copy.input);
  if (input === undefined) copy.rawInput ??= NOT_JSON;
  copy.input = freezeJson(input === undefined ? {} : input);
}

/** Returns true if a member is absent or a string. */
function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
