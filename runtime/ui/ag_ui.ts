/**
 * Support for AG-UI 1.0 front ends.
 *
 * {@linkcode agUiHandler} is the request handler of a complete chat server, whose conversations are
 * the sessions of `openSessions`. The conversation history is never taken from the client: only the
 * user's message and the approval decisions are read from a request.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { agUiHandler } from "@parley/runtime/ui/ag-ui";
 * import { assert } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "a", model }),
 * });
 * const answer = agUiHandler(sessions, {
 *   path: "/agent",
 *   authorize: (_request, threadId) => threadId === "chat-1", // a program checks the user's access
 * });
 *
 * const message = { id: "m1", role: "user", content: "Hi" };
 * const request = new Request("https://example.com/agent", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ threadId: "chat-1", runId: "run-1", messages: [message] }),
 * });
 * assert((await (await answer(request)).text()).includes('"delta":"Hello"'));
 * ```
 *
 * For a run without sessions, {@linkcode readAgUiInput} reads a request, and
 * {@linkcode agUiResponse} streams the run. A server that uses these functions must authenticate
 * the user, check that the user has access to the conversation `threadId`, and limit the size of
 * the request body. The module imports no AG-UI package.
 *
 * @see https://docs.ag-ui.com/spec/1.0
 * @module
 */

export type {
  AgUiContentPart,
  AgUiEvent,
  AgUiEventBody,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiUsage,
} from "./ag_ui_events.ts";
export { agUiHandler, type AgUiHandlerOptions } from "./ag_ui_handler.ts";
export { type AgUiInput, readAgUiInput } from "./ag_ui_input.ts";
export {
  agUiEvents,
  type AgUiOptions,
  agUiResponse,
  type AgUiResponseOptions,
} from "./ag_ui_response.ts";
export type { UiOptions, UiResponseOptions } from "./front_end.ts";
export type { UiInputOptions, UiTurn } from "./read_turn.ts";
export type { SessionRoutesOptions } from "./session_routes.ts";
