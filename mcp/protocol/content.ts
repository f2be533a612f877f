/**
 * Content blocks in tool results and prompt messages.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock ContentBlock}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Annotations } from "./annotations.ts";
import { isResourceContents, type McpResource, type ResourceContents } from "./resource.ts";

/** Members common to all content blocks. */
export interface BlockBase {
  /** Audience, priority and modification time of the block. */
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

/**
 * Members of each type of content block, in addition to those of {@linkcode BlockBase}: required,
 * then optional.
 */
const BLOCK_MEMBERS: ReadonlyMap<unknown, { readonly text: string[]; readonly other: string[] }> =
  new Map([
    ["text", { text: ["text"], other: [] }],
    ["image", { text: ["data", "mimeType"], other: [] }],
    ["audio", { text: ["data", "mimeType"], other: [] }],
    [
      "resource_link",
      { text: ["uri", "name"], other: ["description", "mimeType", "title", "size", "icons"] },
    ],
    ["resource", { text: [], other: ["resource"] }],
  ]);

/**
 * Returns the names of the required members that a block lacks, or that have the wrong type, such
 * as `"data" and "mimeType"`. Returns `undefined` for complete blocks and for blocks of other
 * types.
 */
export function missingMembers(block: ContentBlock): string | undefined {
  const lacking = BLOCK_MEMBERS.get(block.type)?.text
    .filter((name) => typeof Reflect.get(block, name) !== "string");
  if (lacking === undefined) return undefined;
  if (lacking.length > 0) return lacking.map((name) => `"${name}"`).join(" and ");
  if (block.type !== "resource") return undefined;
  // The block was received, so the resource can have any type.
  const resource: unknown = block.resource;
  if (!isRecord(resource)) return '"resource"';
  if (typeof resource.uri !== "string") return '"uri"';
  const hasBody = typeof resource.text === "string" || typeof resource.blob === "string";
  return hasBody ? undefined : '"text" or "blob"';
}

/**
 * Returns `true` if a value is a content block: an object whose `type` is one of the five block
 * types, which has the required members of this type and no members that the type does not define.
 * The check is strict, because an object that has a `type` member but is not a content block is
 * treated as data.
 */
export function isContentBlock(value: unknown): value is JsonObject & ContentBlock {
  if (!isRecord(value)) return false;
  const members = BLOCK_MEMBERS.get(value.type);
  if (members === undefined) return false;
  const allowed = ["type", "annotations", "_meta", ...members.text, ...members.other];
  return members.text.every((name) => typeof value[name] === "string") &&
    Object.keys(value).every((name) => allowed.includes(name)) &&
    (value.type !== "resource" || isResourceContents(value.resource));
}
