/**
 * Wire format of prompts.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts Prompts}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { Role } from "./annotations.ts";
import type { Icon } from "./capabilities.ts";
import type { ContentBlock } from "./content.ts";

/** A prompt argument. */
export interface McpPromptArgument {
  /** Name of the argument. */
  readonly name: string;
  /** User-facing description of the argument. */
  readonly description?: string;
  /**
   * Whether the argument is required.
   *
   * @default {false}
   */
  readonly required?: boolean;
  /** Display name of the argument. */
  readonly title?: string;
}

/** A prompt, as described by a server. */
export interface McpPrompt {
  /** Name of the prompt, unique on the server. */
  readonly name: string;
  /** Description of the prompt. */
  readonly description?: string;
  /** Arguments of the prompt. */
  readonly arguments: readonly McpPromptArgument[];
  /** Display name of the prompt. */
  readonly title?: string;
  /** Icons for user interfaces. */
  readonly icons?: readonly Icon[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}

/** A message in a prompt. */
export interface PromptMessage {
  /** Author of the message. */
  readonly role: Role;
  /** Content of the message. */
  readonly content: ContentBlock;
}

/** Result of `prompts/get`. */
export interface GetPromptResult {
  /** Description of the prompt. */
  readonly description?: string;
  /** Messages in the prompt, in order. */
  readonly messages: readonly PromptMessage[];
  /** Additional metadata. */
  readonly _meta?: JsonObject;
}
