/**
 * The MCP protocol versions whose messages the kit knows.
 *
 * @module
 */

import type { Members } from "./parts.ts";

/** The protocol versions, oldest first. */
export const MESSAGE_VERSIONS = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
] as const;

/** A protocol version whose messages the kit knows. */
export type MessageVersion = typeof MESSAGE_VERSIONS[number];

/** Reads a protocol version. Returns `undefined` if the kit does not know its messages. */
export function readMessageVersion(version: unknown): MessageVersion | undefined {
  return MESSAGE_VERSIONS.find((known) => known === version);
}

/** Returns the members that exist from one version on, or no members in an earlier version. */
export function since(
  version: MessageVersion,
  first: MessageVersion,
  members: Members,
): Members {
  return version >= first ? members : {};
}

/** Returns the members that exist in one version only, or no members in another version. */
export function only(
  version: MessageVersion,
  single: MessageVersion,
  members: Members,
): Members {
  return version === single ? members : {};
}
