/**
 * Check of the path of an HTTP endpoint.
 *
 * @module
 */

import { assertNonEmptyString, rejectArgument } from "@parley/internal/assert-argument";

/** Throws if an option is not a path as in the URLs of requests. */
export function assertPath(name: string, value: unknown): void {
  assertNonEmptyString(name, value);
  const { origin, pathname } = new URL(value, "http://localhost");
  if (origin === "http://localhost" && pathname === value && !value.endsWith("/")) return;
  rejectArgument(
    name,
    "a path as in the URLs of requests, which starts with a slash and does not end with one",
    value,
  );
}
