/**
 * Everything that depends on the protocol version, in one table.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
 * @module
 */

/**
 * How a peer says who it is: in every request (`modern`, 2026-07-28 and later) or once, by `initialize`
 * (`legacy`, up to 2025-11-25).
 */
export type Era = "modern" | "legacy";

/** A released version of the protocol. */
export type ProtocolVersion =
  | "2026-07-28"
  | "2025-11-25"
  | "2025-06-18"
  | "2025-03-26"
  | "2024-11-05";

/** One released version of the protocol and what it can do. */
export interface Revision {
  /** The version as it is written on the wire. */
  readonly version: ProtocolVersion;
  /** How a peer says who it is. */
  readonly era: Era;
  /** Whether one frame may hold several messages. */
  readonly hasBatches: boolean;
  /** Whether an event stream starts with an empty event, so that the client can come back to it. */
  readonly hasPrimingEvents: boolean;
}

/** The newest revision whose sessions begin with `initialize`. */
export const LATEST_LEGACY_REVISION: Revision = {
  version: "2025-11-25",
  era: "legacy",
  hasBatches: false,
  hasPrimingEvents: true,
};

/** All revisions, newest first. */
export const REVISIONS: readonly Revision[] = [
  { version: "2026-07-28", era: "modern", hasBatches: false, hasPrimingEvents: false },
  LATEST_LEGACY_REVISION,
  { version: "2025-06-18", era: "legacy", hasBatches: false, hasPrimingEvents: false },
  { version: "2025-03-26", era: "legacy", hasBatches: true, hasPrimingEvents: false },
  { version: "2024-11-05", era: "legacy", hasBatches: false, hasPrimingEvents: false },
];

/** The newest version. */
export const LATEST_VERSION = "2026-07-28";

/** Looks a version up. */
export function findRevision(version: unknown): Revision | undefined {
  return REVISIONS.find((revision) => revision.version === version);
}

/** The versions of one era, newest first. */
export function versionsOf(era: Era): readonly string[] {
  return REVISIONS.filter((revision) => revision.era === era).map(({ version }) => version);
}
