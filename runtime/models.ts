/**
 * Adapters for language models. They need only `fetch`.
 *
 * - {@linkcode openAiChat}: any local or hosted server with the OpenAI Chat Completions API
 * - {@linkcode anthropicMessages}: the Anthropic Messages API
 * - {@linkcode fromAiSdk}: models of the provider packages of the AI SDK
 *
 * @module
 */

export { type AiSdkModel, fromAiSdk } from "./models/ai_sdk.ts";
export { anthropicMessages, type AnthropicMessagesOptions } from "./models/anthropic_messages.ts";
export type { EndpointOptions, Fetch } from "./models/endpoint.ts";
export { openAiChat, type OpenAiChatOptions } from "./models/openai_chat.ts";
