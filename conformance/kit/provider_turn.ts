/**
 * The script of a model provider in cases.
 *
 * @module
 */

import type { HttpBody, HttpHead } from "./http_message.ts";
import type { JsonValue } from "./json.ts";

/** APIs of model providers that the kit can act as. */
export const ProviderApi = {
  OpenAiChat: "openai-chat",
  OpenAiResponses: "openai-responses",
  Anthropic: "anthropic",
  Gemini: "gemini",
} as const;

/** A value of {@linkcode ProviderApi}. */
export type ProviderApi = (typeof ProviderApi)[keyof typeof ProviderApi];

/** A response of a scripted model provider. */
export interface ProviderReply extends HttpHead, HttpBody {
  /** Delay before the response, in milliseconds, before scaling. */
  readonly delayMs?: number;
  /** Whether the kit closes the connection after the body, without ending the response. */
  readonly cut?: true;
}

/** A request that the subject must send to a scripted model provider, and its response. */
export interface ProviderTurn {
  /** Matcher for the request {`method`, `path`, `headers`, `json`}. */
  readonly expect?: JsonValue;
  /** Reason for `n/a` if the subject does not send the request. */
  readonly optional?: string;
  /** Delays the response until a step releases the gate with this name. */
  readonly hold?: string;
  /** The response. */
  readonly reply: ProviderReply;
}
