/**
 * Request bodies of the model APIs, as the types of the providers' own packages describe them.
 *
 * @module
 */

import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { Content, GenerateContentConfig, Tool, ToolConfig } from "@google/genai";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";

/** A body of the Chat Completions API. */
export type ChatBody = ChatCompletionCreateParamsNonStreaming;

/**
 * An assistant message of OpenRouter and the servers that follow it. They require the reasoning
 * that they have sent, in members that OpenAI's API does not have.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export interface RoutedAssistantMessage extends ChatCompletionAssistantMessageParam {
  readonly reasoning?: string;
  readonly reasoning_details?: readonly object[];
}

/** A body of the Chat Completions API for a server that sends reasoning. */
export type RoutedChatBody = Omit<ChatBody, "messages"> & {
  readonly messages: readonly (
    | Exclude<ChatCompletionMessageParam, ChatCompletionAssistantMessageParam>
    | RoutedAssistantMessage
  )[];
};

/**
 * An input item of the Responses API. The package requires the id of reasoning, which the API
 * cannot resolve if it does not store the response.
 */
export type InputItem = ResponseInputItem | Omit<ResponseReasoningItem, "id">;

/** A body of the Responses API. */
export type ResponsesBody = Omit<ResponseCreateParamsNonStreaming, "input"> & {
  readonly input: readonly InputItem[];
};

/**
 * A body of the Messages API. The package describes version 2026-10-21 of the API, from which these
 * settings were removed. The model requests version 2023-06-01.
 *
 * @see https://platform.claude.com/docs/en/api/versioning
 */
export interface MessagesBody extends MessageCreateParamsNonStreaming {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

/** A body of the Gemini API, whose members the package calls differently only at the top level. */
export interface GeminiBody {
  readonly contents: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly Tool[];
  readonly toolConfig?: ToolConfig;
  readonly generationConfig?: GenerateContentConfig;
}
