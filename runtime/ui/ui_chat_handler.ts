/**
 * A chat server for `useChat` from the AI SDK.
 *
 * @module
 */

import { asRecord } from "@parley/internal/json";
import type { SessionState } from "../session/session_state.ts";
import type { Sessions } from "../session/sessions.ts";
import { readUiTurn } from "./ai_sdk_input.ts";
import { uiMessageResponse } from "./ai_sdk_response.ts";
import { toUiMessages, type UiMessage } from "./ai_sdk_messages.ts";
import type { UiInputOptions } from "./read_turn.ts";
import {
  type ClientMessage,
  createSessionRoutes,
  readTurnId,
  type SessionRoutesOptions,
} from "./session_routes.ts";

/** Options for {@linkcode uiChatHandler}. */
export interface UiChatOptions extends SessionRoutesOptions, UiInputOptions {}

/**
 * Creates the request handler of a chat server for pages with `useChat` from the AI SDK. A page can
 * be reloaded in the middle of a response, be open in several tabs, stop the response, and decide
 * on tool calls. The run continues if the connection is lost.
 *
 * | Route | Response |
 * | --- | --- |
 * | `POST path` | The run as a UI message stream; 409 with `{ code: "session_busy", runId }` if a run is in progress |
 * | `GET path/:id` | `{ status, runId, messages }`, for the `messages` option of `useChat` |
 * | `GET path/:id/stream` | The run in progress, which `useChat` requests with `resume: true`; 204 if no run can be read |
 * | `POST path/:id/stop` | `{ outcome }`, after the run has ended. `stop()` of `useChat` only closes the connection, so a page calls both |
 *
 * Other responses have the status 400, 403, 404, 405, 413, 415, 500 or 503, and a JSON body with a
 * `code`. The id of an assistant's message is the id of its run.
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
 * import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * const handle = uiChatHandler(sessions, {
 *   path: "/api/chat",
 *   authorize: (request, chatId) => request.headers.get("x-user") === chatId, // for example
 * });
 *
 * const message = { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] };
 * const request = new Request("https://example.com/api/chat", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", "x-user": "ann" },
 *   body: JSON.stringify({ id: "ann", messages: [message] }),
 * });
 * assertEquals((await (await handle(request)).text()).includes('"delta":"Hello"'), true);
 * ```
 */
export function uiChatHandler(
  sessions: Sessions,
  options: UiChatOptions,
): (request: Request) => Promise<Response> {
  return createSessionRoutes(
    "uiChatHandler",
    sessions,
    options,
    ({ keepAliveMs, limits, texts }) => ({
      read: (body) => readMessage(body, limits),
      stream: (run, { turn }) =>
        // The page that sends decisions shows the message up to the calls that they decide on.
        uiMessageResponse(run, { ...texts, keepAliveMs, sendRecorded: turn !== undefined }),
      reconnect: ({ run }) =>
        run === undefined
          ? new Response(null, { status: 204 })
          : uiMessageResponse(run, { ...texts, keepAliveMs }),
      describe: (state) => ({ messages: sessionToUiMessages(state, texts) }),
    }),
  );
}

function readMessage(body: unknown, limits: UiInputOptions): ClientMessage {
  const { decisions, threadId: sessionId, turn } = readUiTurn(body, limits);
  if (turn === undefined) return { sessionId, turn, options: { decisions } };
  const { messages, trigger } = asRecord(body);
  return {
    sessionId,
    turn,
    options: {
      ...readTurnId(Array.isArray(messages) ? messages.at(-1) : undefined),
      regenerate: trigger === "regenerate-message",
    },
  };
}

/**
 * Converts the conversation of a session to UI messages. The id of an assistant's message is the id
 * of its run, as in the stream of the run.
 */
function sessionToUiMessages(
  { current, runs }: SessionState,
  errors: Parameters<typeof toUiMessages>[1],
): readonly UiMessage[] {
  const messages: UiMessage[] = [];
  const [first, ...others] = runs;
  let group = first && { ...first };
  const add = (): void => {
    const { runId = "" } = group ?? {};
    for (const message of toUiMessages(group?.messages ?? [], errors)) {
      messages.push({ ...message, id: message.role === "user" ? `${runId}/user` : runId });
    }
  };
  for (const run of others) {
    // A run without a message from the user continues the response of the run before.
    if (group !== undefined && run.messages[0]?.role !== "user") {
      group = { ...run, messages: [...group.messages, ...run.messages] };
      continue;
    }
    add();
    group = { ...run };
  }
  add();
  if (current?.turn === undefined) return messages;
  const content = typeof current.turn === "string"
    ? [{ type: "text", text: current.turn } as const]
    : [...current.turn];
  const [shown] = toUiMessages([{ role: "user", content }], errors);
  return shown === undefined ? messages : [...messages, { ...shown, id: `${current.runId}/user` }];
}
