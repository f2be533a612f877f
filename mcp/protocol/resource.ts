/**
 * Wire format of resources.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources Resources}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Annotations } from "./annotations.ts";
import type { Icon } from "./capabilities.ts";

/** A resource, as described by a server. */
export interface McpResource {
  /** URI of the resource, unique on the server. */
  readonly uri: string;
  /** Name of the resource. */
  readonly name: string;
  /** Description of the resource for the model. */
  readonly description?: string;
  /** Media type of the resource. */
  readonly mimeType?: string;
  /** Display name of the resource. */
  readonly title?: string;
  /** Size of the resource, in bytes. */
  readonly size?: number;
  /** Audience, priority and modification time of the resource. */
  readonly annotations?: Annotations;
  /** Icons for user interfaces. */
  readonly icons?: readonly Icon[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** A template for resources whose URIs match a URI template. */
export interface McpResourceTemplate {
  /** URI template (RFC 6570), unique on the server. */
  readonly uriTemplate: string;
  /** Name of the resource template. */
  readonly name: string;
  /** Description of the resources for the model. */
  readonly description?: string;
  /** Media type of the resources, if they all have the same type. */
  readonly mimeType?: string;
  /** Display name of the resource template. */
  readonly title?: string;
  /** Audience, priority and modification time of the resources. */
  readonly annotations?: Annotations;
  /** Icons for user interfaces. */
  readonly icons?: readonly Icon[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** Contents of a resource, either text or base64-encoded binary data. */
export interface ResourceContents {
  /** URI of the resource. */
  readonly uri: string;
  /** Media type of the contents. */
  readonly mimeType?: string;
  /** Text contents. */
  readonly text?: string;
  /** Binary contents, encoded as base64. */
  readonly blob?: string;
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** Result of `resources/read`. */
export interface ReadResourceResult {
  /**
   * Contents of the resource. Reading one URI can return several items, such as the files in a
   * folder.
   */
  readonly contents: readonly ResourceContents[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** Members of resource contents. */
const CONTENTS_MEMBERS = ["uri", "mimeType", "text", "blob", "_meta"];

/**
 * Returns `true` if a value is resource contents: an object with a string `uri`, either a string
 * `text` or a string `blob`, and no members that resource contents do not define.
 */
export function isResourceContents(value: unknown): value is ResourceContents {
  if (!isRecord(value) || typeof value.uri !== "string") return false;
  const hasOneBody = (typeof value.text === "string") !== (typeof value.blob === "string") &&
    (value.text === undefined || value.blob === undefined);
  return hasOneBody && Object.keys(value).every((name) => CONTENTS_MEMBERS.includes(name));
}
