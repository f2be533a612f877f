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

import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import {
  assertMethods,
  assertOptionalBoolean,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { UnknownRecord } from "@parley/internal/json";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import { type UiMessageChunk, UiMessageEncoder } from "./ai_sdk_chunks.ts";
import {
  createUiErrors,
  eventsToEnd,
  RESPONSE_RULES,
  sseResponse,
  UI_RULES,
  type UiErrors,
  type UiOptions,
  type UiResponseOptions,
} from "./front_end.ts";
import {
  readFile,
  readId,
  readUiLimits,
  toDecisions,
  toUserTurn,
  type UiApprovalAnswer,
  type UiInputLimits,
  type UiInputOptions,
  type UiTurn,
} from "./read_turn.ts";

export type { UiAgentData, UiMessageChunk, UiMessageMetadata } from "./ai_sdk_chunks.ts";
export {
  toUiMessages,
  type ToUiMessagesOptions,
  type UiMessage,
  type UiMessagePart,
  type UiToolPart,
  type UiToolState,
} from "./ai_sdk_messages.ts";
export type { UiInputOptions, UiOptions, UiResponseOptions, UiTurn };

/** Options for a UI message stream, in addition to the options shared by all front ends. */
export interface UiMessageOptions {
  /**
   * Whether to send all iterations that a resumed run reads from its journal. By default, the
   * stream starts with the results of the tool calls that the user has decided on, because the page
   * that sent the decisions already shows the message up to these calls. If the run received no
   * decisions, only the recorded tool calls that the run still executes are sent. Set
   * `sendRecorded` if the page starts a new message, which is the case if the request contains a
   * turn: `sendRecorded: turn !== undefined`.
   *
   * @default {false}
   */
  readonly sendRecorded?: boolean;
}

const SEND_RECORDED = withDefault(false, assertOptionalBoolean);

const readChunkOptions = optionsReader<UiOptions & UiMessageOptions>("options")({
  ...UI_RULES,
  sendRecorded: SEND_RECORDED,
});

const readResponseOptions = optionsReader<UiResponseOptions & UiMessageOptions>("options")({
  ...RESPONSE_RULES,
  sendRecorded: SEND_RECORDED,
});

/**
 * Converts the events of a run to the chunks of a UI message stream.
 *
 * Each iteration is a step of the message. If a model call is retried, the parts streamed by the
 * failed attempt are removed. Deferred approvals become `tool-approval-request` chunks, whose
 * `approvalId` is the key of the decision. A tool's progress becomes a preliminary output. Events
 * of sub-agents become transient `data-agent` chunks and are not mixed into the message, except for
 * a sub-agent's tool calls that need an approval. The text of an exception is replaced before it is
 * sent; see {@linkcode UiOptions.errorText}.
 *
 * @param events Events of a run and its sub-agents.
 * @param options Error handling.
 * @returns The chunks. The iterator never rejects: the error of a failed run becomes an `error`
 * chunk.
 * @throws {TypeError} If `events` is not an async iterable, or an option has the wrong type.
 *
 * @example Convert the events of a run that returns text
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { uiMessageChunks } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * const types: string[] = [];
 * for await (const { type } of uiMessageChunks(streamToolLoop({ model, registry: new ToolRegistry() }, "Hi"))) {
 *   types.push(type);
 * }
 * assertEquals(types, [
 *   "start",
 *   "start-step",
 *   "text-start",
 *   "text-delta",
 *   "text-end",
 *   "finish-step",
 *   "finish",
 * ]);
 * ```
 */
export function uiMessageChunks(
  events: AsyncIterable<LoopEvent>,
  options: UiOptions & UiMessageOptions = {},
): AsyncIterableIterator<UiMessageChunk> {
  if (typeof Object(events)[Symbol.asyncIterator] !== "function") {
    rejectArgument("events", "an async iterable", events);
  }
  const { sendRecorded, ...settings } = readChunkOptions(options);
  return encodeAll(events, createUiErrors("uiMessageChunks", settings), sendRecorded);
}

/**
 * Creates the response to a request from `useChat`: the chunks of {@linkcode uiMessageChunks} as
 * server-sent events, with the `x-vercel-ai-ui-message-stream: v1` header.
 *
 * The run starts when the response body is read, and pauses while the page is not reading.
 *
 * @param events Run to send, as returned by `streamToolLoop` or an agent. Calling the iterator's
 * `return()` must abort the run.
 * @param options Error handling, and behavior when the page disconnects.
 * @returns A response with status 200. An error in the run becomes an `error` chunk.
 * @throws {TypeError} If `events` is not a stream of a run, or an option has the wrong type.
 *
 * @example Return the response from a chat route
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { uiMessageResponse } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * const response = uiMessageResponse(streamToolLoop({ model, registry: new ToolRegistry() }, "Hi"));
 * assertEquals(response.headers.get("x-vercel-ai-ui-message-stream"), "v1");
 * assertEquals((await response.text()).split("\n\n").at(-2), "data: [DONE]");
 * ```
 */
export function uiMessageResponse(
  events: ToolLoopStream,
  options: UiResponseOptions & UiMessageOptions = {},
): Response {
  assertMethods("events", "a ToolLoopStream", events, ["next", "return"]);
  const { onDisconnect, sendRecorded, ...settings } = readResponseOptions(options);
  const errors = createUiErrors("uiMessageResponse", settings);
  const chunks = encodeAll(events, errors, sendRecorded);
  const headers = { "x-vercel-ai-ui-message-stream": "v1" };
  return sseResponse({ events, chunks, headers, lastData: "[DONE]", onDisconnect }, errors);
}

/**
 * Reads the request body that `useChat` sends with its default transport.
 *
 * Only the last message is read. If the last message is a user message, its text and file parts are
 * the turn. If the last message is an assistant message, its approvals contain the user's
 * decisions; only `approved: true` approves a call. All messages before the last one, tool results
 * and system messages are ignored, because a page can forge them. A page therefore needs to send
 * only the last message: the transport's `prepareSendMessagesRequest` can limit `messages` to it.
 *
 * @param body Parsed JSON body of the request.
 * @param options Limits for the turn and the decisions.
 * @returns Chat id, chosen by the client, and the user's turn or decisions.
 * @throws {TypeError} If the body is not valid. The response to an invalid body should have
 * status 400.
 * @throws {RangeError} If the body or an option exceeds a limit. If the body exceeds a limit, the
 * response should have status 413.
 *
 * @example Read a message and an approval
 * ```ts
 * import { readUiTurn } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const user = { role: "user", parts: [{ type: "text", text: "Clean up" }] };
 * assertEquals(readUiTurn({ id: "chat-1", messages: [user] }), {
 *   threadId: "chat-1",
 *   turn: "Clean up",
 *   decisions: {},
 * });
 *
 * const approval = { id: "r1/i0/approval/0#digest", approved: true };
 * const part = { type: "tool-remove", toolCallId: "c1", state: "approval-responded", approval };
 * const { decisions } = readUiTurn({ id: "chat-1", messages: [user, { role: "assistant", parts: [part] }] });
 * assertEquals(decisions, { "r1/i0/approval/0#digest": { decision: "approve" } });
 * ```
 */
export function readUiTurn(body: unknown, options: UiInputOptions = {}): UiTurn {
  const limits = readUiLimits(options);
  const { id, messages } = readObject("body", body);
  const threadId = readId("id", id);
  if (!Array.isArray(messages) || messages.length === 0) {
    rejectArgument("messages", "a non-empty array", messages);
  }
  const name = `messages[${messages.length - 1}]`;
  const { role, parts } = readObject(name, messages.at(-1));
  if (!Array.isArray(parts)) rejectArgument(`${name}.parts`, "an array", parts);
  switch (role) {
    case "user":
      return { threadId, turn: readTurn(`${name}.parts`, parts, limits), decisions: {} };
    case "assistant":
      return { threadId, decisions: readDecisions(`${name}.parts`, parts, limits) };
    default:
      rejectArgument(`${name}.role`, '"user" or "assistant"', role);
  }
}

function encodeAll(
  events: AsyncIterable<LoopEvent>,
  errors: UiErrors,
  sendRecorded: boolean,
): AsyncGenerator<UiMessageChunk, void> {
  const encoder = new UiMessageEncoder(errors, sendRecorded);
  return (async function* () {
    for await (const event of eventsToEnd(events, errors)) yield* encoder.encode(event);
  })();
}

function readTurn(name: string, parts: readonly unknown[], limits: UiInputLimits): UserTurn {
  const content: (TextPart | FilePart)[] = [];
  for (const [position, value] of parts.entries()) {
    const path = `${name}[${position}]`;
    const { type, text, url, mediaType, filename } = readObject(path, value);
    if (type === "text") {
      if (typeof text !== "string") rejectArgument(`${path}.text`, "a string", text);
      content.push({ type, text });
    } else if (type === "file") {
      // If a browser does not know the media type of a file, it sends an empty string.
      content.push(readFile(path, { url, mediaType: mediaType || undefined, filename }));
    }
  }
  return toUserTurn(content, limits) ?? rejectArgument(name, "an array with text or files", parts);
}

function readDecisions(
  name: string,
  parts: readonly unknown[],
  limits: UiInputLimits,
): UiTurn["decisions"] {
  const answers: UiApprovalAnswer[] = [];
  for (const [position, value] of parts.entries()) {
    const path = `${name}[${position}]`;
    const { state, approval } = readObject(path, value);
    if (state !== "approval-responded") continue;
    const { id: key, approved, isAutomatic, reason } = readObject(`${path}.approval`, approval);
    if (isAutomatic !== true) answers.push({ key, approved, reason });
  }
  if (answers.length === 0) {
    rejectArgument(
      name,
      "an array that contains an answered approval, because the last message is from the assistant",
      parts,
      `to resume an interrupted run, send the user's message again ("regenerate()" of useChat)`,
    );
  }
  return toDecisions(name, answers, limits);
}

/**
 * Copies an object's own properties, so that properties inherited from a prototype cannot approve a
 * call.
 */
function readObject(name: string, value: unknown): UnknownRecord {
  assertRecord(name, value);
  return { __proto__: null, ...value };
}
