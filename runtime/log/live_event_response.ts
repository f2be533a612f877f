/**
 * A response that streams the events of a run of a session, or of a durable run.
 *
 * @module
 */

import { assertOptionalFunction, rejectArgument } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { toEventJson } from "../loop/event_json.ts";
import { sseResponse } from "../shared/sse_response.ts";
import type { LiveEvent, LiveRun } from "./live_run.ts";

/** Options for {@linkcode liveEventResponse}. */
export interface LiveEventOptions {
  /**
   * Interval of comments that keep the connection open while the run sends nothing, in
   * milliseconds; a positive integer.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
  /**
   * Called with the error of a run that cannot be read. If omitted, each distinct error is printed
   * to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readLiveEventOptions = optionsReader<LiveEventOptions>("options")({
  keepAliveMs: withDefault(15_000, int32From(1)),
  onError: assertOptionalFunction,
});

/**
 * Creates a response that streams the events of a run as server-sent events, for an `EventSource`
 * or any other client. The data of each event is the result of `toEventJson`, and its id is the
 * cursor: a client that reconnects sends the last id as the header `Last-Event-ID`, which the
 * server passes to `attach` as `after`. If another process has taken over the run, an event with
 * the name `log_reset` tells the client to discard the events of the run. The last event has the
 * name `end`.
 *
 * The events contain the inputs and results of tools and the messages of errors.
 *
 * The response takes the place of a reader until it has ended or is cancelled. If its body is not
 * read for 30 seconds, another reader can take the place.
 *
 * @param run Run, from `send` or `attach` of the sessions, or from `attach` of durable runs.
 * @param options Interval of the comments, and error handling.
 * @throws {TypeError} If `run` is not a run that can be attached to, or an option has the wrong
 * type.
 * @throws {RangeError} If `keepAliveMs` is not a positive integer.
 * @throws {AgentError} With code `capacity_exceeded` if there are too many readers.
 *
 * @example Stream the events of a run
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { liveEventResponse } from "@parley/runtime/events";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * const response = liveEventResponse(await sessions.send("chat-1", "Hi"));
 * const text = await response.text();
 * assertEquals(text.startsWith('id: 1.0\ndata: {"type":"run_state"'), true);
 * assertEquals(text.endsWith("event: end\ndata: {}\n\n"), true);
 * ```
 */
export function liveEventResponse(run: LiveRun, options: LiveEventOptions = {}): Response {
  if (typeof Object(run)[Symbol.asyncIterator] !== "function" || !("sessionId" in run)) {
    rejectArgument("run", "a run from attach() or send()", run);
  }
  const { keepAliveMs, onError } = readLiveEventOptions(options);
  const events = run[Symbol.asyncIterator]();
  return sseResponse({
    chunks: { next: () => events.next() },
    encode,
    end: "event: end\ndata: {}\n\n",
    keepAliveMs,
    onDisconnect: async () => await events.return?.(),
    onError: createErrorReporter("liveEventResponse", onError),
  });
}

function encode({ cursor, event }: LiveEvent): string {
  if (event.type === "run_state") return `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`;
  if (event.type === "log_reset") {
    return `event: log_reset\nid: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return `id: ${cursor}\ndata: ${JSON.stringify(toEventJson(event))}\n\n`;
}
