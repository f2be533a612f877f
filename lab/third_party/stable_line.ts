/**
 * Text that is the same in every run of a case.
 *
 * @module
 */

import { excerpt } from "../../conformance/kit/escape_text.ts";

const MAX_LINE = 160;

/** Patterns of values that differ between runs, with their replacements. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<uuid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>"],
  [/\b\d+(?:\.\d+)? ms\b/g, "<n> ms"],
  [/\b(no violation in) \d+ messages?\b/g, "$1 <n> messages"],
  [/(?:file:\/\/)?\/[^\s"':]*\/(?=(?:conformance|lab|node_modules|npm)\/)/g, ""],
];

/** Joins text into one line and replaces values that differ between runs with placeholders. */
export function toStableLine(text: string): string {
  const line = VOLATILE.reduce(
    (left, [pattern, place]) => left.replace(pattern, place),
    text.replace(/\s+/g, " ").trim(),
  );
  return excerpt(line, MAX_LINE);
}
