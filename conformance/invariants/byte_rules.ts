/**
 * Rules on the bytes of messages.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";

/** Versions in which several messages can form one JSON array. */
const LAST_WITH_BATCHES = "2025-03-26";

/** The conversation that the bytes belong to. */
interface BytesContext {
  /** Protocol version, or `undefined` if it is unknown. */
  readonly version: string | undefined;
}

/**
 * Finds violations of the rules on a line over stdio: it is one message in UTF-8.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function findLineProblems(line: Uint8Array, context: BytesContext): readonly string[] {
  const encoding = findEncodingProblem(line);
  if (encoding !== undefined) return [encoding];
  const text = new TextDecoder().decode(line);
  if (text.trim() === "") return ["an empty line"];
  return findTextProblems(text, context);
}

/** Finds violations of the rules on the text of a message. */
export function findTextProblems(text: string, { version }: BytesContext): readonly string[] {
  const parsed = readJson(text);
  if (parsed === undefined) return [`text that is not a message: ${show(text, 200)}`];
  if (isObject(parsed.value)) return [];
  const mayBeBatch = version === undefined || version <= LAST_WITH_BATCHES;
  if (Array.isArray(parsed.value) && parsed.value.length > 0 && mayBeBatch) return [];
  return [`JSON that is not one message: ${show(parsed.value, 200)}`];
}

/** Finds bytes that are not UTF-8, and a byte order mark. */
export function findEncodingProblem(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "a byte order mark";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return undefined;
  } catch {
    const text = new TextDecoder().decode(bytes);
    return `bytes that are not UTF-8, in ${show(text, 200)}`;
  }
}
