/**
 * Content blocks in tool results and prompt messages.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock ContentBlock}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Annotations } from "./annotations.ts";
import type { McpResource, ResourceContents } from "./resource.ts";

/** Members common to all content blocks. */
export interface BlockBase {
  /** Audience, priority and age of the block. */
  readonly annotations?: Annotations;
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** A text block. */
export interface TextContent extends BlockBase {
  /** Type of the block. */
  readonly type: "text";
  /** Text of the block. */
  readonly text: string;
}

/** An image block. */
export interface ImageContent extends BlockBase {
  /** Type of the block. */
  readonly type: "image";
  /** Base64-encoded image data. */
  readonly data: string;
  /** Media type of the image, such as `image/png`. */
  readonly mimeType: string;
}

/** An audio block. */
export interface AudioContent extends BlockBase {
  /** Type of the block. */
  readonly type: "audio";
  /** Base64-encoded audio data. */
  readonly data: string;
  /** Media type of the audio data, such as `audio/wav`. */
  readonly mimeType: string;
}

/** A link to a resource. The client can read the resource with `resources/read`. */
export interface ResourceLink extends BlockBase, Omit<McpResource, "annotations" | "_meta"> {
  /** Type of the block. */
  readonly type: "resource_link";
}

/** A block that contains a resource. */
export interface EmbeddedResource extends BlockBase {
  /** Type of the block. */
  readonly type: "resource";
  /** Contents of the resource. */
  readonly resource: ResourceContents;
}

/** A content block in a tool result or prompt message. */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;
