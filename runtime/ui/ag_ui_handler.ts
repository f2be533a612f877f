/**
 * A chat server for AG-UI clients.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import type { SessionState } from "../session/session_state.ts";
import type { Sessions } from "../session/sessions.ts";
import { toOutcome } from "./ag_ui_parts.ts";
import type { AgUiEvent } from "./ag_ui_events.ts";
import { type AgUiHistoryRun, toAgUiMessages, toHistoryRun } from "./ag_ui_history.ts";
import { type AgUiInput, readAgUiInput } from "./ag_ui_input.ts";
import { agUiReplay, agUiResponse } from "./ag_ui_response.ts";
import { createUiErrors, type UiErrors, uiResponse } from "./front_end.ts";
import type { UiInputOptions } from "./read_turn.ts";
import {
  type ClientMessage,
  createSessionRoutes,
  type ProtocolSettings,
  readTurnId,
  type SessionProtocol,
  type SessionRoutesOptions,
} from "./session_routes.ts";

/** Options for {@linkcode agUiHandler}. */
export interface AgUiHandlerOptions extends SessionRoutesOptions, UiInputOptions {}

/**
 * Creates the request handler of a chat server for AG-UI clients. A page can be reloaded in the
 * middle of a response, be open in several tabs, stop the response, and decide on tool calls. The
 * run continues if the connection is lost.
 *
 * | Route | Response |
 * | --- | --- |
 * | `POST path` | The run as AG-UI events; 409 with `{ code: "session_busy", runId }` if a run is in progress |
 * | `GET path/:id` | `{ status, runId, messages }`, for the `initialMessages` of a client |
 * | `GET path/:id/stream` | A snapshot of the conversation, and the run in progress |
 * | `POST path/:id/stop` | `{ outcome }`, after the run has ended. `abortRun()` of a client only closes the connection, so a page calls both |
 *
 * Other responses have the status 400, 403, 404, 405, 413, 415, 500 or 503, and a JSON body with a
 * `code`.
 *
 * `HttpAgent` of `@ag-ui/client` 1.0 sends messages, but does not implement `connect()`, which
 * `connectAgent()` calls to show the conversation of a reloaded page. A page implements it with the
 * stream route, which has the events that `connectAgent()` expects:
 *
 * ```text
 * class ChatAgent extends HttpAgent {
 *   protected override connect({ threadId }: RunAgentInput) {
 *     this.abortController = new AbortController(); // abortRun() may have aborted the old one
 *     const { abortController: { signal }, headers } = this;
 *     const url = `${this.url}/${encodeURIComponent(threadId)}/stream`;
 *     return transformHttpEventStream(runHttpRequest(() => fetch(url, { headers, signal })));
 *   }
 * }
 * const agent = new ChatAgent({ url: "/api/agent", threadId });
 * await agent.connectAgent();
 * ```
 *
 * The stream starts with `RUN_STARTED` and `MESSAGES_SNAPSHOT`, so the client displays each message
 * once, also if it was not reloaded. If no run is in progress, the stream ends with `RUN_FINISHED`
 * after the snapshot; it is empty if the session has no messages. The client does not reconnect by
 * itself: a page calls `connectAgent()` when it is loaded, and when a run has failed because the
 * connection was lost. If the client has `pendingInterrupts`, `connectAgent()` rejects, so a page
 * that was not reloaded empties them first; the stream contains those that are still pending.
 *
 * The messages of sub-agents are sent while their run can be read, and are not part of the
 * conversation later. The id of the user's message identifies the message: a request that is
 * repeated attaches to the run that it has started. A message together with the approval of a tool
 * call is rejected, because a message gives up the calls that wait.
 *
 * A `POST` request must have the content type `application/json`, which is optional for the last
 * route if the request comes from the same origin or from a program other than a browser. `POST`
 * requests with `Sec-Fetch-Site: cross-site` are rejected.
 *
 * @param sessions Sessions, from `openSessions`.
 * @param options Path, access check, limits and error handling.
 * @returns A function for any server with web-standard requests and responses. Never rejects.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Serve chats
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { agUiHandler } from "@parley/runtime/ui/ag-ui";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * const handle = agUiHandler(sessions, {
 *   path: "/api/agent",
 *   authorize: (request, threadId) => request.headers.get("x-user") === threadId, // for example
 * });
 *
 * const message = { id: "m1", role: "user", content: "Hi" };
 * const request = new Request("https://example.com/api/agent", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", "x-user": "ann" },
 *   body: JSON.stringify({ threadId: "ann", runId: "r1", messages: [message] }),
 * });
 * assertEquals((await (await handle(request)).text()).includes('"delta":"Hello"'), true);
 * ```
 */
export function agUiHandler(
  sessions: Sessions,
  options: AgUiHandlerOptions,
): (request: Request) => Promise<Response> {
  return createSessionRoutes("agUiHandler", sessions, options, createProtocol);
}

/** A message, with what its response repeats. */
interface AgUiMessageRequest extends ClientMessage {
  readonly input: AgUiInput;
}

function createProtocol(
  { keepAliveMs, limits, texts }: ProtocolSettings,
): SessionProtocol<AgUiMessageRequest> {
  const errors = createUiErrors("agUiHandler", texts);
  return {
    read: (body) => {
      const input = readAgUiInput(body, limits);
      return { ...readMessage(input), input };
    },
    stream: (run, { input: { clientMessages, runId, threadId } }) =>
      agUiResponse(run, { ...texts, keepAliveMs, clientMessages, runId, threadId }),
    reconnect: async ({ load, run, sessionId: threadId }) => {
      const { runs } = await load();
      if (run === undefined) return idleResponse({ runs, threadId, keepAliveMs }, errors);
      const { runId } = run;
      const end = runs.findIndex((stored) => stored.runId === runId);
      const earlier: readonly AgUiHistoryRun[] = end < 0 ? runs : runs.slice(0, end);
      const messages = toAgUiMessages([...earlier, toHistoryRun(run)], errors);
      return agUiReplay({ run, threadId, messages, keepAliveMs }, errors);
    },
    describe: ({ current, runs }) => ({
      messages: toAgUiMessages([...runs, ...current ? [toHistoryRun(current)] : []], errors),
    }),
  };
}

/** @throws {TypeError} If there is neither a message nor a decision, or both. */
function readMessage(
  { clientMessages, decisions, threadId: sessionId, turn }: AgUiInput,
): ClientMessage {
  const answers = Object.values(decisions);
  if (turn === undefined) {
    if (answers.length > 0) return { sessionId, turn, options: { decisions } };
    rejectArgument(
      "messages",
      "an array that ends with a message from the user",
      clientMessages,
      '"resume" has no decisions; to receive a run in progress, request the stream of the session',
    );
  }
  if (answers.some(({ decision }) => decision === "approve")) {
    rejectArgument("resume", "without an approval if there is a message", answers);
  }
  return { sessionId, turn, options: readTurnId(clientMessages.at(-1)) };
}

/** Creates the response for a session without a run that can be read. */
function idleResponse(
  { keepAliveMs, runs, threadId }: {
    readonly threadId: string;
    readonly runs: SessionState["runs"];
    readonly keepAliveMs: number;
  },
  errors: UiErrors,
): Response {
  const last = runs.at(-1);
  const chunks = (function* (): Generator<AgUiEvent, void> {
    if (last === undefined) return;
    const { runId, stopReason } = last;
    yield { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
    yield { type: "MESSAGES_SNAPSHOT", messages: [...toAgUiMessages(runs, errors)] };
    const outcome = toOutcome(stopReason);
    yield { type: "RUN_FINISHED", threadId, runId, outcome, result: { stopReason }, usage: [] };
  })();
  const next = (): Promise<IteratorResult<AgUiEvent, void>> => Promise.resolve(chunks.next());
  return uiResponse(
    { source: { end: () => Promise.resolve() }, chunks: { next }, keepAliveMs },
    errors,
  );
}
