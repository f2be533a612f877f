/**
 * Support for AG-UI 1.0 front ends: streams a run to an AG-UI client, and reads the client's
 * requests.
 *
 * The conversation history is never taken from the client: {@linkcode readAgUiInput} reads only the
 * user's turn and approval decisions. The application must store the conversation, for example in a
 * session.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { AgentSession, memorySessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { agUiResponse, readAgUiInput } from "@parley/runtime/ui/ag-ui";
 * import { assert } from "@std/assert";
 *
 * const store = memorySessions();
 * const stepRunner = recordSteps(new MemoryJournal());
 *
 * async function answer(request: Request): Promise<Response> {
 *   const { decisions, turn, ...ids } = readAgUiInput(await request.json());
 *   const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 *   const session = new AgentSession(agent, { id: ids.threadId, store, stepRunner });
 *   return agUiResponse(session.stream(turn, { decisions }), ids);
 * }
 *
 * const message = { id: "m1", role: "user", content: "Hi" };
 * const body = JSON.stringify({ threadId: "chat-1", runId: "run-1", messages: [message] });
 * const response = await answer(new Request("https://example.com/agent", { method: "POST", body }));
 * assert((await response.text()).includes('"delta":"Hello"'));
 * ```
 *
 * The module imports no AG-UI package. A server that uses this module must authenticate the user,
 * check that the user has access to the conversation `threadId`, and limit the size of the request
 * body.
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
