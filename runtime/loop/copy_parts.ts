/**
 * Copies of content parts that models, tools and callers pass to the loop, so that later changes to
 * the originals have no effect.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { copyJsonValue, freezeJson } from "../shared/json.ts";

/** Text that replaces tool input that is not a JSON value. */
const NOT_JSON = "[input that is not a JSON value]";

/**
 * Copies a content part, which is not validated. The input of a tool call is a frozen JSON value in
 * the copy; other input is replaced and treated as invalid JSON.
 */
export function copyPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const copy: Record<string, unknown> = { ...part };
  if (copy.providerOptions !== undefined) {
    copy.providerOptions = copyJsonValue(copy.providerOptions) ?? copy.providerOptions;
  }
  if (copy.type === "file") copy.data = copyFileData(copy.data);
  if (copy.type !== "tool-call" || copy.input === undefined) return copy;
  const input = copyJsonValue(copy.input);
  if (input === undefined && typeof copy.rawInput !== "string") copy.rawInput = NOT_JSON;
  copy.input = freezeJson(input === undefined ? {} : input);
  return copy;
}

function copyFileData(data: unknown): unknown {
  if (!isRecord(data)) return data;
  const copy: Record<string, unknown> = { ...data };
  if (copy.data instanceof Uint8Array) copy.data = new Uint8Array(copy.data);
  if (copy.url instanceof URL) copy.url = new URL(copy.url.href);
  return copy;
}
