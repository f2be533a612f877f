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
  // A member may be a getter, so each member is read once.
  const { type, providerOptions } = part;
  const copy = copyKnown(type, part);
  // The caller rejects parts of unknown types.
  if (copy === undefined) return { ...part };
  const options = providerOptions === undefined ? undefined : copyOptions(providerOptions);
  if (options !== undefined) copy.providerOptions = options;
  return copy;
}

/**
 * Copies the members of a part that belong to its type. Other members, such as a `toJSON` method,
 * are not copied. Returns `undefined` if the type is not known.
 */
function copyKnown(type: unknown, part: UnknownRecord): Record<string, unknown> | undefined {
  switch (type) {
    case "text":
    case "reasoning":
      return { type, text: part.text };
    case "file":
      return copyFile(part);
    case "tool-call":
      return copyCall(part);
    default:
      return undefined;
  }
}

function copyFile({ data, filename, mediaType }: UnknownRecord): Record<string, unknown> {
  const name = typeof filename === "string" ? { filename } : {};
  return { type: "file", mediaType, ...name, data: copyFileData(data) };
}

function copyFileData(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { type, data, url } = value;
  if (type === "url") return { type, url: url instanceof URL ? new URL(url.href) : url };
  return { type, data: data instanceof Uint8Array ? new Uint8Array(data) : data };
}

function copyCall(
  { input: given, rawInput, toolCallId, toolName }: UnknownRecord,
): Record<string, unknown> {
  const input = given === undefined ? undefined : copyJsonValue(given);
  const copy: Record<string, unknown> = { type: "tool-call", toolCallId, toolName, input };
  if (typeof toolCallId !== "string") delete copy.toolCallId;
  if (typeof rawInput === "string") copy.rawInput = rawInput;
  if (input !== undefined) freezeJson(input);
  else if (given === undefined) delete copy.input;
  else {
    copy.rawInput ??= NOT_JSON;
    copy.input = Object.freeze({});
  }
  return copy;
}
