/**
 * Hints that blocks, resources and messages share.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations Annotations}
 * @module
 */

/** Who speaks. */
export type Role = "user" | "assistant";

/** Who a block is for, how much it matters, how old it is. */
export interface Annotations {
  /** Who should see it. */
  readonly audience?: readonly Role[];
  /** From 0 (optional) to 1 (required). */
  readonly priority?: number;
  /** An ISO 8601 time. */
  readonly lastModified?: string;
}
