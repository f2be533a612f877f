/**
 * Resources on the wire.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources Resources}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Annotations } from "./annotations.ts";
import type { Icon } from "./capabilities.ts";

/** A resource as a server describes it. */
export interface McpResource {
  /** Where it is; unique. */
  readonly uri: string;
  /** What to call it. */
  readonly name: string;
  /** What it is, for the model. */
  readonly description?: string;
  /** The media type. */
  readonly mimeType?: string;
  /** A name for people. */
  readonly title?: string;
  /** How many bytes it has. */
  readonly size?: number;
  /** Hints for whoever shows it. */
  readonly annotations?: Annotations;
  /** Images for a user interface. */
  readonly icons?: readonly Icon[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** A family of resources, addressed by a URI template. */
export interface McpResourceTemplate {
  /** A URI template as in RFC 6570; unique. */
  readonly uriTemplate: string;
  /** What to call it. */
  readonly name: string;
  /** What its resources are, for the model. */
  readonly description?: string;
  /** The media type, when all have the same. */
  readonly mimeType?: string;
  /** A name for people. */
  readonly title?: string;
  /** Hints for whoever shows it. */
  readonly annotations?: Annotations;
  /** Images for a user interface. */
  readonly icons?: readonly Icon[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** What a resource holds: text, or bytes in base64. */
export interface ResourceContents {
  /** Which resource. */
  readonly uri: string;
  /** The media type. */
  readonly mimeType?: string;
  /** The contents as text. */
  readonly text?: string;
  /** The contents as bytes in base64. */
  readonly blob?: string;
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** What reading a resource gives. */
export interface ReadResourceResult {
  /** The contents; several when the URI names several. */
  readonly contents: readonly ResourceContents[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}
