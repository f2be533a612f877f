/**
 * Parses JSON objects that may contain secrets.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";

/**
 * Parses a JSON object. Returns `undefined` if the text is not a JSON object. The error of the JSON
 * parser is discarded, because it quotes the text.
 */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
