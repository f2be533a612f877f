/**
 * What a client and a server can do, as they tell each other, and who they are.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities ServerCapabilities}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";

/** An image that stands for a server, a tool, a resource or a prompt. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  readonly src: string;
  /** The media type, when the source does not tell. */
  readonly mimeType?: string;
  /** Sizes such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  /** The background that the icon is made for. */
  readonly theme?: "light" | "dark";
}

/** The software on one side. Told by that side about itself: for display and logs, not for decisions. */
export interface Implementation {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its name for people. */
  readonly title?: string;
  /** What it does. */
  readonly description?: string;
  /** Where to read more. */
  readonly websiteUrl?: string;
  /** Images for a user interface. */
  readonly icons?: readonly Icon[];
}

/** What a server offers, as booleans. */
export interface McpCapabilities {
  /** Whether there are tools. */
  readonly tools: boolean;
  /** Whether there are resources. */
  readonly resources: boolean;
  /** Whether there are prompts. */
  readonly prompts: boolean;
}

/** What a server offers, as it stands on the wire. */
export interface ServerCapabilities {
  /** Tools; whether changes of their list are announced. */
  readonly tools?: { readonly listChanged?: boolean };
  /** Resources; whether changes of their list and of themselves are announced. */
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  /** Prompts; whether changes of their list are announced. */
  readonly prompts?: { readonly listChanged?: boolean };
  /** Completion of arguments. */
  readonly completions?: JsonObject;
  /** Log messages. */
  readonly logging?: JsonObject;
  /** Extensions by identifier. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Whatever is not standard. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** What a client offers, as it stands on the wire. */
export interface ClientCapabilities {
  /** It asks its user: by forms, by sending them to a URL. An empty object means forms. */
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  /** It asks its model; with tools, with context. */
  readonly sampling?: { readonly tools?: JsonObject; readonly context?: JsonObject };
  /** It tells the folders it works in. */
  readonly roots?: { readonly listChanged?: boolean };
  /** Extensions by identifier. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Whatever is not standard. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** The booleans of the specification, from what stands on the wire. */
export function toMcpCapabilities(wire: ServerCapabilities): McpCapabilities {
  return {
    tools: wire.tools !== undefined,
    resources: wire.resources !== undefined,
    prompts: wire.prompts !== undefined,
  };
}
