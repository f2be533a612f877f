/**
 * Support for chat pages with `useChat` from the AI SDK: streams a run to the page as a UI message
 * stream, reads the page's requests, and converts a stored conversation to the messages of a
 * reloaded page.
 *
 * The conversation history is never taken from the page: {@linkcode readUiTurn} reads only the last
 * message in a request, which contains the user's turn or the approval decisions. The application
 * stores the conversation, for example in a session.
 *
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { readUiTurn, uiMessageResponse } from "@parley/runtime/ui/ai-sdk";
 * import { assert } from "@std/assert";
 *
 * async function chat(request: Request): Promise<Response> {
 *   const { turn } = readUiTurn(await request.json());
 *   const model = scriptedModel([{ text: "Hello" }]);
 *   return uiMessageResponse(streamToolLoop({ model, registry: new ToolRegistry() }, turn));
 * }
 *
 * const message = { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] };
 * const body = JSON.stringify({ id: "chat-1", messages: [message] });
 * const response = await chat(new Request("https://example.com/chat", { method: "POST", body }));
 * assert((await response.text()).includes('"delta":"Hello"'));
 * ```
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
