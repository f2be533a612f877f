/**
 * Digests of cases, which show whether the meaning of a case has changed.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { formatCanonicalJson, type JsonObject } from "../kit/json.ts";
import { sha256Hex } from "../platform/crypto.ts";

/**
 * Version of the rules by which the kit runs a case. It increases if a default or a matcher
 * changes, because the digest does not depend on the code.
 */
const FORMAT = 1;

/** Members that cannot change a verdict: they explain, find or attribute a case. */
const EDITORIAL: ReadonlySet<string> = new Set([
  "title",
  "why",
  "refs",
  "source",
  "clauses",
  "flags",
  "aliases",
  "since",
  "until",
  "intermediate",
  "file",
]);

/** Number of hexadecimal digits of a digest, and of its short form in reports. */
const DIGITS = 32;
const REVISION_DIGITS = 8;

/**
 * Returns the digest of a complete case: the first 32 hexadecimal digits of the SHA-256 hash of the
 * canonical JSON of its members that can change a verdict.
 *
 * @see PROTOCOL.md "Digests"
 */
export function caseDigest(each: Case): string {
  return sha256Hex(formatCanonicalJson(toNormativeBody(each))).slice(0, DIGITS);
}

/** Returns the short form of a digest that reports contain: its first eight digits. */
export function caseRevision(each: Case): string {
  return caseDigest(each).slice(0, REVISION_DIGITS);
}

function toNormativeBody(each: Case): JsonObject {
  const members = Object.entries(each).filter(([name]) => !EDITORIAL.has(name));
  // The names of rows are prose.
  const rows = each.kind === "vector"
    ? { rows: each.rows.map(({ input, expect }) => ({ input, expect })) }
    : {};
  // All members of a case are JSON values.
  return { format: FORMAT, ...Object.fromEntries(members), ...rows } as JsonObject;
}
