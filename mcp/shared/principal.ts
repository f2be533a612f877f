/**
 * Check of the principals that a program or a token verifier passes.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";

/**
 * Returns `true` if a value is an object with a `subject` string and, if present, `scopes` as an
 * array of strings and `key` as a string. Returns `false` for all other values, and for an object
 * whose members cannot be read. A promise must not count as an authenticated principal, and a
 * string as `scopes` would contain each part of its text.
 *
 * A subject must have a visible character. A program that reads a missing user name as an empty
 * string or as spaces would otherwise give all unidentified users the same sessions and tasks.
 */
export function isPrincipal(value: unknown): boolean {
  try {
    if (!isRecord(value)) return false;
    const { subject, scopes, key = "" } = value;
    return isSubject(subject) && typeof key === "string" &&
      (scopes === undefined || isStrings(scopes));
  } catch {
    // A getter or a proxy threw an error.
    return false;
  }
}

/** Returns `true` if a value is a string with at least one visible character. */
export function isSubject(value: unknown): value is string {
  // The category C contains control characters and invisible characters, such as U+200B.
  return typeof value === "string" && /[^\s\p{C}]/u.test(value);
}

/**
 * Throws unless a value is a principal; see {@linkcode isPrincipal}.
 *
 * @param name Name of the value, for the error message.
 * @param value Value to check.
 * @throws {TypeError} If the value is not a principal.
 */
export function assertPrincipal(name: string, value: unknown): void {
  if (isPrincipal(value)) return;
  const requirement =
    'undefined or an object with "subject" (a non-empty string) and optionally "scopes" (an array of strings)';
  rejectArgument(name, requirement, value);
}

/** Returns `true` if a principal has all required scopes. */
export function hasScopes(
  required: Iterable<string>,
  principal: { readonly scopes?: readonly string[] } | undefined,
): boolean {
  const granted = new Set(principal?.scopes);
  return Array.from(required).every((scope) => granted.has(scope));
}

function isStrings(value: unknown): boolean {
  // `every` skips the holes of an array.
  return Array.isArray(value) && Array.from(value).every((item) => typeof item === "string");
}
