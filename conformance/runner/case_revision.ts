/**
 * Case hashes.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { isObject } from "../kit/json.ts";
import { sha256Hex } from "../platform/crypto.ts";

/** Members that do not change the meaning of a case. */
const PROSE: ReadonlySet<string> = new Set([
  "title",
  "why",
  "refs",
  "source",
  "clauses",
  "flags",
  "aliases",
  "since",
  "until",
]);

/**
 * Returns the first eight hexadecimal digits of the SHA-256 hash of a case, without its prose and with sorted members.
 */
export function caseRevision(each: Case): string {
  const meaning = Object.entries(each).filter(([name]) => !PROSE.has(name));
  return sha256Hex(JSON.stringify(sorted(Object.fromEntries(meaning)))).slice(0, 8);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value).sort().map((name) => [name, sorted(value[name])]);
}
