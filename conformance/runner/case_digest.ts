/**
 * Digests of cases and of requirement sets, which show whether the meaning of a case has changed.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import type { SetCase } from "../kit/requirement_set.ts";
import { formatCanonicalJson, type JsonObject } from "../kit/json.ts";
import { sha256Hex } from "../platform/crypto.ts";

/**
 * Version of the rules by which the kit runs a case. It increases if a default or a matcher
 * changes, because the digest does not depend on the code.
 */
export const FORMAT = 1;

/** Members that cannot change a verdict: they explain, find or attribute a case. */
const EDITORIAL: ReadonlySet<string> = new Set([
  "title",
  "why",
  "refs",
  "source",
  "clauses",
  "flags",
  "aliases",
  "state",
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
 * @param each A complete case.
 * @param format Version of the rules by which the kit runs the case.
 * @see PROTOCOL.md "Digests"
 */
export function caseDigest(each: Case, format: number = FORMAT): string {
  return sha256Hex(formatCanonicalJson(toNormativeBody(each, format))).slice(0, DIGITS);
}

/** Returns the short form of a digest that reports contain: its first eight digits. */
export function caseRevision(each: Case): string {
  return caseDigest(each).slice(0, REVISION_DIGITS);
}

/** Returns the entry of a case in a requirement set. */
export function toSetCase(each: Case): SetCase {
  const { id, level } = each;
  return { id, level, digest: caseDigest(each) };
}

/**
 * Returns the digest of a requirement set: the SHA-256 hash, in hexadecimal, of its name and its
 * cases, one line for each case in the order of the ids.
 *
 * @see PROTOCOL.md "Digests"
 */
export function setDigest(name: string, cases: readonly SetCase[]): string {
  const lines = cases.toSorted((one, other) => one.id < other.id ? -1 : 1)
    .map(({ id, level, digest }) => `${id} ${level} ${digest}\n`);
  return sha256Hex(`parley-set 1 ${name}\n${lines.join("")}`);
}

function toNormativeBody(each: Case, format: number): JsonObject {
  const members = Object.entries(each).filter(([name]) => !EDITORIAL.has(name));
  // The names of rows are prose.
  const rows = each.kind === "vector" ? { rows: each.rows.map(({ name: _, ...row }) => row) } : {};
  // All members of a case are JSON values.
  return { format, ...Object.fromEntries(members), ...rows } as JsonObject;
}
