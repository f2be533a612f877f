/**
 * Adapters for language models. Four functions create models that require only `fetch`:
 *
 * - {@linkcode openAiResponses}: OpenAI, Azure OpenAI, and other servers that implement the OpenAI
 *   Responses API
 * - {@linkcode openAiChat}: any local or hosted server that implements the OpenAI Chat Completions
 *   API
 * - {@linkcode anthropicMessages}: Anthropic, and other servers that implement the Anthropic
 *   Messages API
 * - {@linkcode googleGenerateContent}: Gemini models in Google AI Studio and Vertex AI
 *
 * Three functions create models from other models:
 *
 * - {@linkcode fromAiSdk}: a model from an AI SDK provider package
 * - {@linkcode fallbackModel}: a list of models, of which the first available one is called
 * - {@linkcode createModelLimiter}: limits that several models share
 *
 * The adapters read no environment variables and do not repeat failed calls. The tool loop repeats
 * calls whose error is `retryable`.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { openAiResponses } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = openAiResponses({ model: "gpt-5", apiKey: "your key" });
 * const agent = new ToolLoopAgent({ name: "clerk", model });
 * assertEquals(model.modelId, "gpt-5");
 * await agent.terminate();
 * ```
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
