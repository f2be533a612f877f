/**
 * Tools on the wire.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools Tools}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Icon } from "./capabilities.ts";
import type { ContentBlock } from "./content.ts";

/** Hints about what a tool does. Told by the server: do not trust them unless you trust it. */
export interface ToolAnnotations {
  /** A name for people. */
  readonly title?: string;
  /** Whether it changes nothing. Default false. */
  readonly readOnlyHint?: boolean;
  /** Whether it may destroy something. Default true. */
  readonly destructiveHint?: boolean;
  /** Whether calling it twice is the same as calling it once. Default false. */
  readonly idempotentHint?: boolean;
  /** Whether it reaches beyond a closed world. Default true. */
  readonly openWorldHint?: boolean;
}

/** A tool as a server describes it. */
export interface McpToolDescriptor {
  /** Unique name. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description: string;
  /** JSON Schema (2020-12 unless `$schema` says otherwise) of the arguments: an object. */
  readonly inputSchema: JsonObject;
  /** A name for people. */
  readonly title?: string;
  /** JSON Schema of `structuredContent` in the results. */
  readonly outputSchema?: JsonObject;
  /** Hints about what it does. */
  readonly annotations?: ToolAnnotations;
  /** Images for a user interface. */
  readonly icons?: readonly Icon[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** What calling a tool gives. */
export interface CallToolResult {
  /** Blocks for the model and the user. */
  readonly content: readonly ContentBlock[];
  /** The result as a JSON value, by the tool's `outputSchema` if it has one. */
  readonly structuredContent?: unknown;
  /** Whether the tool failed; the content then says why. */
  readonly isError?: boolean;
  /** Whatever else. */
  readonly _meta?: JsonObject;
}
