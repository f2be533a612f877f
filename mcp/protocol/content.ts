/**
 * The blocks that tool results and prompt messages consist of.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock ContentBlock}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Annotations } from "./annotations.ts";
import type { McpResource, ResourceContents } from "./resource.ts";

/** What all blocks may carry. */
export interface BlockBase {
  /** Hints for whoever shows it. */
  readonly annotations?: Annotations;
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** Text. */
export interface TextContent extends BlockBase {
  /** Tells the blocks apart. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** A picture. */
export interface ImageContent extends BlockBase {
  /** Tells the blocks apart. */
  readonly type: "image";
  /** The bytes in base64. */
  readonly data: string;
  /** Such as `image/png`. */
  readonly mimeType: string;
}

/** Sound. */
export interface AudioContent extends BlockBase {
  /** Tells the blocks apart. */
  readonly type: "audio";
  /** The bytes in base64. */
  readonly data: string;
  /** Such as `audio/wav`. */
  readonly mimeType: string;
}

/** A resource that can be read later. */
export interface ResourceLink extends BlockBase, Omit<McpResource, "annotations" | "_meta"> {
  /** Tells the blocks apart. */
  readonly type: "resource_link";
}

/** A resource with its contents. */
export interface EmbeddedResource extends BlockBase {
  /** Tells the blocks apart. */
  readonly type: "resource";
  /** The contents. */
  readonly resource: ResourceContents;
}

/** A block of a tool result or of a prompt message. */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;
