/**
 * Language models: adapters onto `LanguageModel` for what is there already. They need `fetch` and nothing else.
 *
 * - `openAiChat` for every server that speaks OpenAI's chat completions, local or hosted
 *
 * @module
 */

export type { EndpointOptions, Fetch } from "./models/http.ts";
export { openAiChat, type OpenAiChatOptions } from "./models/openai_chat.ts";
