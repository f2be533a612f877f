/**
 * Wire format of tools.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools Tools}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Icon } from "./capabilities.ts";
import type { ContentBlock } from "./content.ts";

/**
 * Hints about a tool's behavior, declared by the server. Do not rely on hints from untrusted
 * servers.
 */
export interface ToolAnnotations {
  /** Display name of the tool. */
  readonly title?: string;
  /** Whether the tool leaves its environment unmodified; if omitted, assume `false`. */
  readonly readOnlyHint?: boolean;
  /** Whether the tool can delete or overwrite data; if omitted, assume `true`. */
  readonly destructiveHint?: boolean;
  /**
   * Whether repeated calls with the same arguments have no additional effect; if omitted, assume
   * `false`.
   */
  readonly idempotentHint?: boolean;
  /**
   * Whether the tool interacts with external systems, such as the Web; if omitted, assume `true`.
   */
  readonly openWorldHint?: boolean;
}

/** A tool, as described by a server. */
export interface McpToolDescriptor {
  /** Name of the tool, unique on the server. */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description: string;
  /**
   * JSON Schema for the arguments object, in draft 2020-12 unless `$schema` names a different
   * draft.
   */
  readonly inputSchema: JsonObject;
  /** Display name of the tool. */
  readonly title?: string;
  /** JSON Schema for `structuredContent` in results. */
  readonly outputSchema?: JsonObject;
  /** Hints about the tool's behavior. */
  readonly annotations?: ToolAnnotations;
  /** Icons for user interfaces. */
  readonly icons?: readonly Icon[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** Result of `tools/call`. */
export interface CallToolResult {
  /** Content blocks for the model and the user. */
  readonly content: readonly ContentBlock[];
  /** Result as a JSON value, which must match the tool's `outputSchema`, if there is one. */
  readonly structuredContent?: unknown;
  /** Whether the tool call failed. If `true`, the content describes the error. */
  readonly isError?: boolean;
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}
