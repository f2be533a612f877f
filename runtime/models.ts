/**
 * Adapters for language models. The adapters require only `fetch`.
 *
 * - {@linkcode openAiChat}: any local or hosted server that implements the OpenAI Chat Completions
 *   API
 * - {@linkcode anthropicMessages}: the Anthropic Messages API
 * - {@linkcode fromAiSdk}: models from AI SDK provider packages
 *
 * @module
 */

export { type AiSdkModel, fromAiSdk } from "./models/ai_sdk.ts";
export { anthropicMessages, type AnthropicMessagesOptions } from "./models/anthropic_messages.ts";
export type { EndpointOptions, Fetch } from "./models/endpoint.ts";
export { openAiChat, type OpenAiChatOptions } from "./models/openai_chat.ts";
