/**
 * Streams a run to a page with `useChat` from the AI SDK.
 *
 * @module
 */

import { assertOptionalBoolean, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader } from "@parley/internal/options";
import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import type { LiveRun } from "../log/live_run.ts";
import { UiMessageEncoder } from "./ai_sdk_chunks.ts";
import type { UiMessageChunk } from "./ai_sdk_chunk_types.ts";
import {
  createUiErrors,
  eventsToEnd,
  RESPONSE_RULES,
  toSource,
  UI_RULES,
  type UiErrors,
  type UiOptions,
  uiResponse,
  type UiResponseOptions,
} from "./front_end.ts";
import { isLiveRun } from "./live_events.ts";

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
   * @default {false} For the run of a session and for a durable run, `true`.
   */
  readonly sendRecorded?: boolean;
}

const readChunkOptions = optionsReader<UiOptions & UiMessageOptions>("options")({
  ...UI_RULES,
  sendRecorded: assertOptionalBoolean,
});

const readResponseOptions = optionsReader<UiResponseOptions & UiMessageOptions>("options")({
  ...RESPONSE_RULES,
  sendRecorded: assertOptionalBoolean,
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
  const errors = createUiErrors("uiMessageChunks", settings);
  return encodeAll(events, errors, new UiMessageEncoder(errors, sendRecorded ?? false));
}

/**
 * Creates the response to a request from `useChat`: the chunks of {@linkcode uiMessageChunks} as
 * server-sent events, with the `x-vercel-ai-ui-message-stream: v1` header.
 *
 * A stream of `streamToolLoop`, `agent.stream()` or `session.stream()` belongs to the response: the
 * run starts when the response body is read, pauses while the page is not reading, and is aborted
 * when the page disconnects. A run of `openSessions`, or a durable run from `attach` of `openRuns`,
 * is only read: it continues when the page disconnects, and the id of the message is the id of the
 * run. `uiChatHandler` creates this response for a chat server.
 *
 * @param events Run to send: a stream, a run from `send` or `attach` of the sessions, or a durable
 * run from `attach`.
 * @param options Error handling, and behavior when the page disconnects.
 * @returns A response with status 200. An error in the run becomes an `error` chunk.
 * @throws {TypeError} If `events` is not a stream of a run, an option has the wrong type, or
 * `onDisconnect` is set for a run of `openSessions` or `openRuns`.
 * @throws {RangeError} If `keepAliveMs` is not a positive integer.
 * @throws {AgentError} With code `capacity_exceeded` if the run of a session has too many readers.
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
  events: ToolLoopStream | LiveRun,
  options: UiResponseOptions & UiMessageOptions = {},
): Response {
  const { keepAliveMs, onDisconnect, sendRecorded, ...settings } = readResponseOptions(options);
  const errors = createUiErrors("uiMessageResponse", settings);
  const source = toSource(events, onDisconnect);
  // The page may not have seen the run of a session, and its message is replaced by the run's id.
  const runId = isLiveRun(events) ? events.runId : undefined;
  const encoder = new UiMessageEncoder(errors, sendRecorded ?? runId !== undefined, runId);
  const chunks = encodeAll(source.events, errors, encoder, isLiveRun(events));
  const headers = { "x-vercel-ai-ui-message-stream": "v1" };
  return uiResponse(
    { source, chunks, headers, lastData: "[DONE]", onDisconnect, keepAliveMs },
    errors,
  );
}

function encodeAll(
  events: AsyncIterable<LoopEvent>,
  errors: UiErrors,
  encoder: UiMessageEncoder,
  isReported = false,
): AsyncGenerator<UiMessageChunk, void> {
  return (async function* () {
    for await (const event of eventsToEnd(events, errors, isReported)) yield* encoder.encode(event);
  })();
}
