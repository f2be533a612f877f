/**
 * Adapters for language models. The adapters require only `fetch`.
 *
 * - {@linkcode openAiResponses}: OpenAI, Azure OpenAI, and other servers that implement the OpenAI
 *   Responses API
 * - {@linkcode openAiChat}: any local or hosted server that implements the OpenAI Chat Completions
 *   API
 * - {@linkcode anthropicMessages}: the Anthropic Messages API
 * - {@linkcode fallbackModel}: a list of models, of which the first available one is called
 * - {@linkcode createModelLimiter}: limits that several models share
 * - {@linkcode googleGenerateContent}: the Gemini API of Google AI Studio and Vertex AI
 * - {@linkcode fromAiSdk}: models from AI SDK provider packages
 *
 * @module
 */

export { type AiSdkModel, fromAiSdk } from "./models/ai_sdk.ts";
export { anthropicMessages, type AnthropicMessagesOptions } from "./models/anthropic_messages.ts";
export type { EndpointOptions, Fetch } from "./models/endpoint.ts";
export {
  fallbackModel,
  type FallbackModelOptions,
  type ModelFallback,
} from "./models/fallback_model.ts";
export {
  googleGenerateContent,
  type GoogleGenerateContentOptions,
} from "./models/google_generate_content.ts";
export {
  createModelLimiter,
  type ModelLimiter,
  type ModelLimiterOptions,
} from "./models/model_limiter.ts";
export { openAiChat, type OpenAiChatOptions } from "./models/openai_chat.ts";
export { openAiResponses, type OpenAiResponsesOptions } from "./models/openai_responses.ts";
