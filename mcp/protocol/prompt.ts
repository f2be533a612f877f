/**
 * Prompts on the wire.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts Prompts}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Role } from "./annotations.ts";
import type { Icon } from "./capabilities.ts";
import type { ContentBlock } from "./content.ts";

/** A blank in a prompt. */
export interface McpPromptArgument {
  /** Its name. */
  readonly name: string;
  /** What it is, for people. */
  readonly description?: string;
  /** Whether it has to be filled in. */
  readonly required: boolean;
  /** A name for people. */
  readonly title?: string;
}

/** A prompt as a server describes it. */
export interface McpPrompt {
  /** Unique name. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** Its blanks. */
  readonly arguments: readonly McpPromptArgument[];
  /** A name for people. */
  readonly title?: string;
  /** Images for a user interface. */
  readonly icons?: readonly Icon[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}

/** One message of a prompt that has been filled in. */
export interface PromptMessage {
  /** Who speaks. */
  readonly role: Role;
  /** What is said. */
  readonly content: ContentBlock;
}

/** What filling in a prompt gives. */
export interface GetPromptResult {
  /** What the prompt is for. */
  readonly description?: string;
  /** The messages, in order. */
  readonly messages: readonly PromptMessage[];
  /** Whatever else. */
  readonly _meta?: JsonObject;
}
