/**
 * Capabilities and identities that clients and servers declare to each other.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities ServerCapabilities}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";

/** An icon for a server, tool, resource or prompt. */
export interface Icon {
  /** URL of the image, with an `https:` or `data:` scheme. */
  readonly src: string;
  /**
   * Media type of the image, used instead of a missing or generic media type in the response for
   * the URL.
   */
  readonly mimeType?: string;
  /** Sizes in pixels, such as `48x48`, or `any` for a scalable image. */
  readonly sizes?: readonly string[];
  /** Background that the icon is designed for. */
  readonly theme?: "light" | "dark";
}

/**
 * Name and version of a client or server, which are self-reported, so use them only for display and
 * logging.
 */
export interface Implementation {
  /** Name of the software. */
  readonly name: string;
  /** Version of the software. */
  readonly version: string;
  /** Display name of the software. */
  readonly title?: string;
  /** Description of the software. */
  readonly description?: string;
  /** URL of the software's website. */
  readonly websiteUrl?: string;
  /** Icons for user interfaces. */
  readonly icons?: readonly Icon[];
}

/** Server capabilities as booleans. */
export interface McpCapabilities {
  /** Whether the server declares the `tools` capability. */
  readonly tools: boolean;
  /** Whether the server declares the `resources` capability. */
  readonly resources: boolean;
  /** Whether the server declares the `prompts` capability. */
  readonly prompts: boolean;
}

/** Server capabilities in wire format. */
export interface ServerCapabilities {
  /** Tools. `listChanged`: the server sends a notification when its tool list changes. */
  readonly tools?: { readonly listChanged?: boolean };
  /**
   * Resources. `listChanged`: the server sends a notification when its resource list changes.
   * `subscribe`: clients can subscribe to updates to individual resources.
   */
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  /** Prompts. `listChanged`: the server sends a notification when its prompt list changes. */
  readonly prompts?: { readonly listChanged?: boolean };
  /** Argument completion. */
  readonly completions?: JsonObject;
  /** Log messages. */
  readonly logging?: JsonObject;
  /** Settings for supported extensions, keyed by extension identifier. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Capabilities outside the specification, keyed by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** Client capabilities in wire format. */
export interface ClientCapabilities {
  /**
   * Elicitation: user input through a form or at a URL. An empty object is equivalent to
   * `{ form: {} }`.
   */
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  /**
   * Sampling: messages from the client's model. `tools`: a sampling request may contain tools.
   * `context`: a sampling request may set `includeContext`.
   */
  readonly sampling?: { readonly tools?: JsonObject; readonly context?: JsonObject };
  /**
   * Roots: folders and files that the server may use. `listChanged`: the client sends a
   * notification when its roots change.
   */
  readonly roots?: { readonly listChanged?: boolean };
  /** Settings for supported extensions, keyed by extension identifier. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Capabilities outside the specification, keyed by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** Converts server capabilities from wire format to booleans. */
export function toMcpCapabilities(wire: ServerCapabilities): McpCapabilities {
  return {
    tools: wire.tools !== undefined,
    resources: wire.resources !== undefined,
    prompts: wire.prompts !== undefined,
  };
}
