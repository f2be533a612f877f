/**
 * Support for chat pages with `useChat` from the AI SDK.
 *
 * {@linkcode uiChatHandler} is the request handler of a complete chat server, whose conversations
 * are the sessions of `openSessions`. The conversation history is never taken from the page: only
 * the last message in a request is read, which contains the user's message or the approval
 * decisions.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
 * import { assert } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "a", model }),
 * });
 * const chat = uiChatHandler(sessions, {
 *   path: "/chat",
 *   authorize: (_request, chatId) => chatId === "chat-1", // a program checks the user's access
 * });
 *
 * const message = { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] };
 * const request = new Request("https://example.com/chat", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ id: "chat-1", messages: [message] }),
 * });
 * assert((await (await chat(request)).text()).includes('"delta":"Hello"'));
 * ```
 *
 * For a run without sessions, {@linkcode readUiTurn} reads a request, {@linkcode uiMessageResponse}
 * streams the run, and {@linkcode toUiMessages} converts a stored conversation.
 *
 * This module imports no AI SDK package. The chunks are tested with version 7 of the `ai` package.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 * @module
 */

export type { UiAgentData, UiMessageChunk, UiMessageMetadata } from "./ai_sdk_chunk_types.ts";
export { readUiTurn } from "./ai_sdk_input.ts";
export {
  toUiMessages,
  type ToUiMessagesOptions,
  type UiMessage,
  type UiMessagePart,
  type UiToolPart,
  type UiToolState,
} from "./ai_sdk_messages.ts";
export { uiMessageChunks, type UiMessageOptions, uiMessageResponse } from "./ai_sdk_response.ts";
export type { UiOptions, UiResponseOptions } from "./front_end.ts";
export type { UiInputOptions, UiTurn } from "./read_turn.ts";
export type { SessionRoutesOptions } from "./session_routes.ts";
export { uiChatHandler, type UiChatOptions } from "./ui_chat_handler.ts";
