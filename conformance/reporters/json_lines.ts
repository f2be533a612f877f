/**
 * Results as JSON Lines: one line per result, as described in `schemas/result.schema.json`.
 *
 * @module
 */

import type { CaseResult } from "../kit/verdict.ts";

/** Formats a result as one line of JSON. */
export function formatJsonLine(result: CaseResult): string {
  return `${JSON.stringify(result)}\n`;
}
