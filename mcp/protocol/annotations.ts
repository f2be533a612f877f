/**
 * Annotations for content blocks, resources and messages.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations Annotations}
 * @module
 */

/** Author of a message. */
export type Role = "user" | "assistant";

/**
 * Audience, priority and modification time of a content block or resource. Annotations are hints
 * from the server.
 */
export interface Annotations {
  /** Intended audience. */
  readonly audience?: readonly Role[];
  /** Importance, from 0 (optional) to 1 (required). */
  readonly priority?: number;
  /** Time of the last modification, in ISO 8601 format. */
  readonly lastModified?: string;
}
