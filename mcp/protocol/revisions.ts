/**
 * Protocol versions and their features.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
 * @module
 */

/**
 * Era of a protocol version. In `modern` versions (2026-07-28 and later), each request describes
 * its client. In `legacy` versions (up to 2025-11-25), the client opens a session with
 * `initialize`.
 */
export type Era = "modern" | "legacy";

/** A released protocol version. */
export type ProtocolVersion =
  | "2026-07-28"
  | "2025-11-25"
  | "2025-06-18"
  | "2025-03-26"
  | "2024-11-05";

/** A released protocol version and its features. */
export interface Revision {
  /** Version string, as sent in messages. */
  readonly version: ProtocolVersion;
  /** Protocol era of the version: `legacy` or `modern`. */
  readonly era: Era;
  /** Whether JSON-RPC batches are allowed. */
  readonly hasBatches: boolean;
  /**
   * Whether an SSE stream starts with an empty event, whose id allows the client to resume the
   * stream with `Last-Event-ID`.
   */
  readonly hasPrimingEvents: boolean;
  /** Whether the capability `sampling` has the members `tools` and `context`. */
  readonly hasSamplingParts: boolean;
}

/** The latest legacy version. */
export const LATEST_LEGACY_REVISION: Revision = {
  version: "2025-11-25",
  era: "legacy",
  hasBatches: false,
  hasPrimingEvents: true,
  hasSamplingParts: true,
};

/** The legacy versions before 2025-11-25. */
const EARLIER = { era: "legacy", hasPrimingEvents: false, hasSamplingParts: false } as const;

/** All supported versions, latest first. */
export const REVISIONS: readonly Revision[] = [
  {
    version: "2026-07-28",
    era: "modern",
    hasBatches: false,
    hasPrimingEvents: false,
    hasSamplingParts: true,
  },
  LATEST_LEGACY_REVISION,
  { ...EARLIER, version: "2025-06-18", hasBatches: false },
  { ...EARLIER, version: "2025-03-26", hasBatches: true },
  { ...EARLIER, version: "2024-11-05", hasBatches: false },
];

/** The latest protocol version. */
export const LATEST_VERSION = "2026-07-28";

/** Returns a protocol version and its features, or `undefined` if the version is unknown. */
export function findRevision(version: unknown): Revision | undefined {
  for (const revision of REVISIONS) if (revision.version === version) return revision;
  return undefined;
}

/** Returns the versions in an era, latest first. */
export function versionsOf(era: Era): readonly string[] {
  return REVISIONS.filter((revision) => revision.era === era).map(({ version }) => version);
}
