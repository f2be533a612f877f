/**
 * OpenAI-compatible endpoints: agents as the models of the Chat Completions interface
 * ({@linkcode chatCompletionsHandler}) and of the Responses interface
 * ({@linkcode responsesHandler}), for any client of the OpenAI API.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { chatCompletionsHandler } from "@parley/runtime/openai";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using clerk = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 * });
 * const handler = chatCompletionsHandler({ models: { clerk } });
 *
 * const request = new Request("https://example.com/v1/chat/completions", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ model: "clerk", messages: [{ role: "user", content: "Hi" }] }),
 * });
 * const response = await handler(request, { principal: { subject: "ann" } });
 * assertEquals((await response.json()).choices[0].message.content, "Hello");
 * ```
 *
 * The module serves agents to clients of the OpenAI API. To use a model of such an API in an agent,
 * see `openAiChat` and `openAiResponses` in `@parley/runtime/models`. The module does not
 * authenticate: the caller comes from the HTTP server, for example from `resourceServer` of
 * `@parley/mcp/auth`.
 *
 * @see https://platform.openai.com/docs/api-reference
 * @module
 */

export { chatCompletionsHandler, type ChatCompletionsOptions } from "./openai/chat_completions.ts";
export type { OpenAiEndpointOptions } from "./openai/endpoint.ts";
export { responsesHandler, type ResponsesOptions } from "./openai/responses.ts";
export type { UiOptions } from "./ui/front_end.ts";
