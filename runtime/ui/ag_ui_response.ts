/**
 * Streams a run to an AG-UI client.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import type { LiveRun } from "../log/live_run.ts";
import { rejectArgument } from "@parley/internal/assert-argument";
import { type OptionRules, optionsReader, required, type Settings } from "@parley/internal/options";
import { defined } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";
import { AgUiEncoder } from "./ag_ui_encoder.ts";
import type { AgUiEvent, AgUiMessage } from "./ag_ui_events.ts";
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
import { readId } from "./read_turn.ts";

/**
 * Options for {@linkcode agUiEvents}. The result of {@linkcode readAgUiInput} contains the ids and
 * the client's messages, and must be passed without its `turn` and `decisions`.
 */
export interface AgUiOptions extends UiOptions {
  /** Id of the conversation. */
  readonly threadId: string;
  /** Run id that the client receives. If omitted, the run id of the agent's run is used. */
  readonly runId?: string;
  /**
   * Messages that the client displays, in the order of the conversation. If set, the client
   * receives a snapshot without the partial response of a failed model call, and a resumed run does
   * not send the client's own messages again. If omitted, partial responses and repeated messages
   * remain visible.
   */
  readonly clientMessages?: readonly JsonObject[];
}

/** Options for {@linkcode agUiResponse}. */
export interface AgUiResponseOptions extends AgUiOptions, UiResponseOptions {}

const AG_UI_RULES: OptionRules<Pick<AgUiOptions, "clientMessages" | "runId" | "threadId">> = {
  threadId: required(readId),
  runId: readId,
  clientMessages: (name, value) => {
    if (!Array.isArray(value)) rejectArgument(name, "an array of messages", value);
  },
};

const readEventsOptions = optionsReader<AgUiOptions>("options")({ ...UI_RULES, ...AG_UI_RULES });

const readResponseOptions = optionsReader<AgUiResponseOptions>("options")({
  ...RESPONSE_RULES,
  ...AG_UI_RULES,
});

/**
 * Converts the events of a run to AG-UI events.
 *
 * The events of sub-agents have a `subagentRunId`. The progress of a tool is sent as a `CUSTOM`
 * event named `tool_progress`. If the run is waiting for approvals, the run finishes with the
 * outcome `interrupt`, and the id of each interrupt is the key of the approval. Reasoning
 * signatures are not sent, because the client never sends the history back.
 *
 * @param events Events of one run, for example from `agent.stream()` or `session.stream()`.
 * @param options Ids of the conversation and the run, and the handling of errors.
 * @returns An iterator that never rejects: the error of a failed run becomes a `RUN_ERROR` event
 * with a masked message.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If an id has more than 4096 characters.
 *
 * @example Show the types of the events
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { agUiEvents } from "@parley/runtime/ui/ag-ui";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * const types: string[] = [];
 * for await (const { type } of agUiEvents(agent.stream("Hi"), { threadId: "chat-1" })) types.push(type);
 * assertEquals([types.at(0), types.at(-1)], ["RUN_STARTED", "RUN_FINISHED"]);
 * ```
 */
export function agUiEvents(
  events: AsyncIterable<LoopEvent>,
  options: AgUiOptions,
): AsyncIterableIterator<AgUiEvent, void> {
  const settings = readEventsOptions(options);
  return toAgUiEvents(events, settings, createUiErrors("agUiEvents", settings));
}

/**
 * Creates a response that streams a run to an AG-UI client as server-sent events.
 *
 * The run starts when the body of the response is read, and pauses while the client is not reading.
 * If the client disconnects, the run is aborted, unless `onDisconnect` is `"continue"`. A run of
 * `openSessions`, or a durable run from `attach` of `openRuns`, is only read.
 *
 * @param events Events of one run, for example from `agent.stream()` or `session.stream()`.
 * @param options Ids of the conversation and the run, the handling of errors, and the behavior on
 * disconnection.
 * @throws {TypeError} If `events` is not a stream, or an option has the wrong type.
 * @throws {RangeError} If an id has more than 4096 characters.
 * @throws {AgentError} With code `capacity_exceeded` if the run of a session has too many readers.
 *
 * @example Respond to a request
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { agUiResponse } from "@parley/runtime/ui/ag-ui";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * const response = agUiResponse(agent.stream("Hi"), { threadId: "chat-1" });
 * assertEquals(response.headers.get("content-type"), "text/event-stream");
 * await response.text();
 * ```
 */
export function agUiResponse(
  events: ToolLoopStream | LiveRun,
  options: AgUiResponseOptions,
): Response {
  const { keepAliveMs, onDisconnect, ...settings } = readResponseOptions(options);
  const errors = createUiErrors("agUiResponse", settings);
  const source = toSource(events, onDisconnect);
  const chunks = toAgUiEvents(source.events, settings, errors, isLiveRun(events));
  return uiResponse({ source, chunks, onDisconnect, keepAliveMs }, errors);
}

/** What a client that reconnects receives. */
export interface AgUiReplay {
  readonly threadId: string;
  /** Messages before the run. */
  readonly messages: readonly AgUiMessage[];
  readonly run: LiveRun;
  readonly keepAliveMs: number;
}

/**
 * Creates the response to a client that reconnects: a snapshot of the messages before the run, and
 * the events of the run.
 */
export function agUiReplay(
  { keepAliveMs, messages, run, threadId }: AgUiReplay,
  errors: UiErrors,
): Response {
  const source = toSource(run, undefined);
  const encoder = new AgUiEncoder({ threadId, clientMessages: messages }, errors);
  const chunks = (async function* (): AsyncGenerator<AgUiEvent, void> {
    yield* encoder.open(run.runId);
    for await (const event of eventsToEnd(source.events, errors, true)) {
      yield* encoder.encode(event);
    }
  })();
  return uiResponse({ source, chunks, keepAliveMs }, errors);
}

async function* toAgUiEvents(
  events: AsyncIterable<LoopEvent>,
  { clientMessages, runId, threadId }: Settings<AgUiOptions, never>,
  errors: UiErrors,
  isReported = false,
): AsyncGenerator<AgUiEvent, void> {
  const encoder = new AgUiEncoder({ threadId, ...defined({ clientMessages, runId }) }, errors);
  for await (const event of eventsToEnd(events, errors, isReported)) yield* encoder.encode(event);
}
