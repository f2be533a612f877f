/**
 * Copies of content parts that models, tools and callers pass to the loop, so that later changes to
 * the originals have no effect, and the copies can be stored as JSON.
 *
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
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
  const own = { ...part };
  const names = MEMBERS.get(own.type);
  // The caller rejects parts of unknown types.
  if (names === undefined) return own;
  const copy: Record<string, unknown> = { type: own.type };
  for (const name of names) if (own[name] !== undefined) copy[name] = own[name];
  if (own.type === "file") copyFile(copy, own);
  if (own.type === "tool-call") copyCall(copy, own);
  const options = own.providerOptions === undefined ? undefined : copyOptions(own.providerOptions);
  if (options !== undefined) copy.providerOptions = options;
  return copy;
}

function copyFile(copy: Record<string, unknown>, { data, filename }: UnknownRecord): void {
  copy.data = copyFileData(data);
  if (typeof filename !== "string") delete copy.filename;
}

function copyFileData(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { type, data, url } = value;
  if (type === "url") return { type, url: url instanceof URL ? new URL(url.href) : url };
  return { type, data: data instanceof Uint8Array ? new Uint8Array(data) : data };
}

function copyCall(copy: Record<string, unknown>, { input: given, ...call }: UnknownRecord): void {
  for (const name of ["toolCallId", "rawInput"]) {
    if (typeof call[name] !== "string") delete copy[name];
  }
  if (given === undefined) return;
  const input = copyJsonValue(given);
  if (input === undefined) copy.rawInput ??= NOT_JSON;
  copy.input = freezeJson(input === undefined ? {} : input);
}
