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

/** A tool call in a neutral response. */
export interface AnswerCall {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** JSON text of the input. It can be malformed for the APIs in which the input is text. */
  readonly input: string;
}

/** A response of a model, in a form that does not depend on the API. */
export interface ProviderAnswer {
  /** Text. */
  readonly text?: string;
  /** Reasoning with the value that a client must return unchanged. Chat Completions has none. */
  readonly reasoning?: { readonly text: string; readonly signature: string };
  /** Data of a redacted thinking block, for the Messages API only. */
  readonly redacted?: string;
  /** Tool calls. */
  readonly calls?: readonly AnswerCall[];
  /** Whether the token limit has cut the response off. */
  readonly isCut?: true;
}

/** A response of a scripted model provider. */
export interface ProviderReply extends HttpHead, HttpBody {
  /**
   * Answer that the kit writes in the format of the API, as a stream if the request asks for it.
   */
  readonly answer?: ProviderAnswer;
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
