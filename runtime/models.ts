/**
 * Language models: adapters onto `LanguageModel` for what is there already. They need `fetch` and nothing else.
 *
 * - `openAiChat` for every server that speaks OpenAI's chat completions, local or hosted
 * - `anthropicMessages` for Anthropic's Messages
 * - `fromAiSdk` for the models of the AI SDK's provider packages
 *
 * @module
 */

export { type AiSdkModel, fromAiSdk } from "./models/ai_sdk.ts";
export { anthropicMessages, type AnthropicMessagesOptions } from "./models/anthropic_messages.ts";
export type { EndpointOptions, Fetch } from "./models/endpoint.ts";
export { openAiChat, type OpenAiChatOptions } from "./models/openai_chat.ts";
