/**
 * Check of the principals that a program or a token verifier passes.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";

/**
 * Returns `true` if a value is an object with a `subject` string and, if present, `scopes` as an
 * array of strings. Returns `false` for all other values, and for an object whose members cannot be
 * read. A promise must not count as an authenticated principal, and a string as `scopes` would
 * contain each part of its text.
 */
export function isPrincipal(value: unknown): boolean {
  try {
    if (!isRecord(value)) return false;
    const { subject, scopes } = value;
    return typeof subject === "string" && (scopes === undefined || isStrings(scopes));
  } catch {
    // A getter or a proxy threw an error.
    return false;
  }
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
    'undefined or an object with "subject" (a string) and optionally "scopes" (an array of strings)';
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
