/**
 * Limits on the length of tool results.
 *
 * @module
 */

import { truncate } from "@parley/internal/escape-text";
import type { JsonValue } from "../shared/json.ts";
import type { FilePart, TextPart, ToolResultOutput } from "../shared/model.ts";

/** Limits on the output of one tool call. */
export interface OutputLimits {
  /** Maximum length of the text or JSON data, in UTF-16 code units. */
  readonly maxToolOutputChars: number;
  /** Maximum total length of the file data, in base64 characters or bytes. */
  readonly maxToolFileChars: number;
}

/** Number of media-type characters that do not count as file data. */
const MAX_MEDIA_TYPE_LENGTH = 100;

/** Maximum number of parts. The limits on text and files do not limit the number of empty parts. */
const MAX_PARTS = 10_000;

/**
 * Returns the output unchanged, or truncated to the limits. A note in the truncated output states
 * how much was removed.
 */
export function limitOutput(output: ToolResultOutput, limits: OutputLimits): ToolResultOutput {
  const { maxToolOutputChars } = limits;
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value.length > maxToolOutputChars
        ? { ...output, value: cutText(output.value, maxToolOutputChars) }
        : output;
    case "json":
    case "error-json": {
      if (!isLonger(output.value, maxToolOutputChars)) return output;
      const value = cutText(JSON.stringify(output.value), maxToolOutputChars);
      return { ...output, type: output.type === "json" ? "text" : "error-text", value };
    }
    case "content": {
      const value = limitParts(output.value, limits);
      const isComplete = value.length === output.value.length &&
        value.every((part, index) => part === output.value[index]);
      return isComplete ? output : { ...output, value };
    }
    case "execution-denied": {
      const { reason = "" } = output;
      return reason.length > maxToolOutputChars
        ? { ...output, reason: cutText(reason, maxToolOutputChars) }
        : output;
    }
  }
}

function limitParts(
  parts: readonly (TextPart | FilePart)[],
  { maxToolOutputChars, maxToolFileChars }: OutputLimits,
): (TextPart | FilePart)[] {
  let chars = maxToolOutputChars;
  let fileChars = maxToolFileChars;
  const kept: (TextPart | FilePart)[] = [];
  for (const given of parts) {
    // Parts beyond the limit are dropped, because a note for each dropped part could make the
    // output long.
    if (chars <= 0 || kept.length >= MAX_PARTS) break;
    const part = limitOptions(given, chars);
    if (part.providerOptions !== undefined) chars -= lengthOfJson(part.providerOptions);
    if (part.type === "text") {
      kept.push(part.text.length > chars ? { ...part, text: cutText(part.text, chars) } : part);
      chars -= part.text.length;
      continue;
    }
    const length = lengthOf(part);
    const isKept = length <= fileChars;
    const note = `[Omitted: a file of type ${
      truncate(part.mediaType, MAX_MEDIA_TYPE_LENGTH)
    }, too large]`;
    kept.push(isKept ? part : { type: "text", text: note });
    if (isKept) fileChars -= length;
    // A file also counts toward the text limit, so that the number of parts is bounded.
    chars -= note.length;
  }
  if (kept.length < parts.length) {
    kept.push({ type: "text", text: `[Omitted: ${parts.length - kept.length} further parts]` });
  }
  return kept;
}

/** Returns the part, without its provider options if they are longer than the limit. */
function limitOptions<Part extends TextPart | FilePart>(part: Part, limit: number): Part {
  if (part.providerOptions === undefined || !isLonger(part.providerOptions, limit)) return part;
  const copy = { ...part };
  Reflect.deleteProperty(copy, "providerOptions");
  return copy;
}

function lengthOf({ data, filename = "", mediaType }: FilePart): number {
  const length = data.type === "url" ? data.url.href.length : data.data.length;
  return length + filename.length + Math.max(mediaType.length - MAX_MEDIA_TYPE_LENGTH, 0);
}

/** Truncates a string and appends a note. */
function cutText(text: string, maxLength: number): string {
  const start = truncate(text, maxLength);
  const note = `… [Truncated: ${maxLength} of ${text.length} characters]`;
  // A slice keeps the whole string in memory as long as the slice exists. Serializing and parsing
  // the slice creates a copy, so that the whole string can be released.
  return JSON.parse(JSON.stringify(start + note));
}

/**
 * Returns true if the JSON text of a value is longer than the limit. Stops counting at the limit,
 * and does not count the additional characters of JSON escape sequences.
 */
function isLonger(value: JsonValue, limit: number): boolean {
  return lengthOfJson(value, limit) > limit;
}

/** Returns the length of the JSON text of a value, or a length above the limit. */
function lengthOfJson(value: JsonValue, limit = Infinity): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  let length = 1;
  if (isArray(value)) {
    for (const item of value) {
      if (length > limit) break;
      length += lengthOfJson(item, limit - length) + 1;
    }
  } else {
    for (const name of Object.keys(value)) {
      if (length > limit) break;
      length += lengthOfJson(value[name] ?? null, limit - length) + name.length + 4;
    }
  }
  return Math.max(length, 2);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
