/**
 * Code shared by the front-end protocols: options, masked errors and responses with server-sent
 * events.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import {
  assertMethods,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionCheck,
  type OptionRules,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import type { LiveEvent, LiveRun } from "../log/live_run.ts";
import { AgentError } from "../shared/error.ts";
import { sseResponse, toSseData } from "../shared/sse_response.ts";
import { isLiveRun, withoutRepeats } from "./live_events.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From, oneOf } from "@parley/internal/option-checks";
import type { ToolResult, ToolResultOutput } from "../shared/model.ts";

/** Text that a front end receives instead of an error. */
const DEFAULT_ERROR_TEXT = "An error occurred";

/** Options for sending the events of a run to a front end. */
export interface UiOptions {
  /**
   * Returns the text that the front end receives for an error, either the error of a failed run or
   * an exception thrown by a tool. Errors can contain secrets, for example a host name. If
   * `errorText` is omitted, throws or returns a value that is not a string, the text is
   * `An error occurred`.
   */
  readonly errorText?: (error: unknown) => string;
  /**
   * Called with the error of a failed run, whose message the front end does not receive, and with
   * exceptions from `errorText`. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options for a response that streams the events of a run. */
export interface UiResponseOptions extends UiOptions {
  /**
   * Behavior when the client disconnects before the end of the run: `"abort"` aborts the run, and
   * `"continue"` lets the run finish, for example because it is recorded in a journal. `"continue"`
   * has no effect if the run's abort signal is the request's signal. Must be omitted for a run of
   * `openSessions` or `openRuns`, which no connection ends.
   *
   * @default {"abort"}
   */
  readonly onDisconnect?: "abort" | "continue";
  /**
   * Interval of comments that keep the connection open while the run sends nothing, in
   * milliseconds; a positive integer. Proxies close silent connections, often after 60 seconds.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
}

/** Rules for the options that all front ends have in common. */
export const UI_RULES: OptionRules<UiOptions> = {
  errorText: assertOptionalFunction,
  onError: assertOptionalFunction,
};

/** Rules for the options for a response. */
export const RESPONSE_RULES: OptionRules<UiOptions> & {
  readonly onDisconnect: OptionCheck;
  readonly keepAliveMs: DefaultRule<number>;
} = {
  ...UI_RULES,
  onDisconnect: (name, value) => value === undefined || oneOf("abort", "continue")(name, value),
  keepAliveMs: withDefault(15_000, int32From(1)),
};

/** Error handling for a front end. */
export interface UiErrors {
  /** Returns the text that the front end receives for an error. */
  readonly mask: (error: unknown) => string;
  /** Reports an error to the application. */
  readonly report: (error: unknown) => void;
}

/** Creates the error handling from the options that all front ends have in common. */
export function createUiErrors(
  source: string,
  { errorText, onError }: Partial<Settings<UiOptions, never>>,
): UiErrors {
  const report = createErrorReporter(source, onError);
  const mask = (error: unknown): string => {
    try {
      const text: unknown = errorText?.(error);
      reportRejection(text, report);
      if (typeof text === "string") return text;
    } catch (failure) {
      report(failure);
    }
    return DEFAULT_ERROR_TEXT;
  };
  return { mask, report };
}

/**
 * Yields the events of a run until the run ends. Never rejects: if the iterator rejects without a
 * `run_failed` event, for example because a session cannot be loaded, a `run_failed` event is
 * added. The error of a failed run is reported only once.
 *
 * @param isReported Whether the error of a failed run has already been reported or recorded, by the
 * sessions or by the worker of a durable run.
 */
export async function* eventsToEnd(
  events: AsyncIterable<LoopEvent>,
  { report }: UiErrors,
  isReported = false,
): AsyncGenerator<LoopEvent, void> {
  let first: LoopEvent | undefined;
  let at = Date.now();
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const event of events) {
      first ??= event;
      at = event.at;
      if (event.type === "run_failed" && event.runId === first.runId) {
        failure = event;
        if (!isReported) report(event.error);
      }
      yield event;
    }
  } catch (error) {
    if (failure?.error !== error) report(error);
    if (failure === undefined) {
      yield { type: "run_failed", runId: first?.runId ?? "", path: first?.path ?? [], at, error };
    }
  }
}

/**
 * Codes of tool results whose text contains an exception thrown by a tool or by the conversion of
 * its result.
 */
const EXCEPTION_CODES: ReadonlySet<unknown> = new Set([
  "tool_execution_failed",
  "not_serializable",
]);

/** Text that precedes the exception in the tool result for a schema that throws. */
const SCHEMA_FAILED = "cannot be checked: the schema failed: ";

/**
 * A finished tool call, from an event or from a stored conversation, which contains no exceptions.
 */
export interface FinishedCall {
  /** Result of the call. */
  readonly toolResult: ToolResult;
  /** The exception that the tool or its schema threw. */
  readonly error?: unknown;
}

/**
 * Returns a tool's output in a form that is safe to send to a front end. The text of an exception
 * is replaced, because tools throw errors that are not intended for a user. A `ToolError` is
 * replaced too, because its content is intended for the model.
 */
export function visibleOutput(
  { toolResult, error }: FinishedCall,
  { mask }: UiErrors,
): ToolResultOutput {
  const { code, output, toolName } = toolResult;
  const reason = "value" in output && typeof output.value === "string" ? output.value : "";
  const hasSchemaFailed = code === "invalid_input" &&
    (error !== undefined || reason.includes(SCHEMA_FAILED));
  if (!EXCEPTION_CODES.has(code) && !hasSchemaFailed) return output;
  return {
    type: "error-text",
    value: mask(error ?? AgentError.toolExecutionFailed(toolName, reason)),
  };
}

/** Events that a response sends, and the end of reading if the client disconnects. */
export interface UiSource {
  /** Events of the run. */
  readonly events: AsyncIterable<LoopEvent>;
  /** Aborts the run, or detaches from the run of a session. */
  readonly end: () => Promise<unknown>;
}

/**
 * Returns the source of a response.
 *
 * @throws {TypeError} If `onDisconnect` is set for a run that no connection ends.
 */
export function toSource(
  run: ToolLoopStream | LiveRun,
  onDisconnect: "abort" | "continue" | undefined,
): UiSource {
  if (!isLiveRun(run)) {
    assertMethods("events", "a ToolLoopStream or a LiveRun", run, ["next", "return"]);
    return { events: run, end: () => run.return() };
  }
  if (onDisconnect !== undefined) {
    rejectArgument(
      "onDisconnect",
      "omitted for the run of a session and for a durable run",
      onDisconnect,
      "a connection never ends such a run; call stop() of the sessions, or cancel() of the runs",
    );
  }
  const events = run[Symbol.asyncIterator]();
  let isDetached = false;
  return {
    events: toPageEvents(run.runId, { [Symbol.asyncIterator]: () => events }, () => isDetached),
    end: async () => {
      isDetached = true;
      await events.return?.();
    },
  };
}

/**
 * Yields the events of a session's run for a page. Rejects if the reader ends before the run, for
 * example because the server stops, so that the page does not show the part of the response that it
 * has received as complete.
 */
async function* toPageEvents(
  runId: string,
  events: AsyncIterable<LiveEvent>,
  isDetached: () => boolean,
): AsyncGenerator<LoopEvent, void> {
  let hasEnded = false;
  for await (const event of withoutRepeats(events)) {
    const { type } = event;
    hasEnded ||= event.runId === runId && (type === "run_finished" || type === "run_failed");
    yield event;
  }
  if (hasEnded || isDetached()) return;
  throw AgentError.core(
    `Cannot send the rest of run "${runId}": the reader ended before the run; attach again`,
  );
}

/** Settings of the response to a front end. */
export interface UiResponse {
  readonly source: Pick<UiSource, "end">;
  /** Chunks created from the events. Each chunk is sent as one server-sent event with JSON data. */
  readonly chunks: AsyncIterator<object, void>;
  /** Headers in addition to the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Data for an additional server-sent event at the end of the response. */
  readonly lastData?: string;
  /** Interval of comments that keep the connection open, in milliseconds. */
  readonly keepAliveMs: number;
  /** Behavior when the client disconnects before the end. By default, the source is ended. */
  readonly onDisconnect?: "abort" | "continue" | undefined;
}

/**
 * Creates a response that sends chunks as server-sent events. The run starts when the response body
 * is read, and pauses while the client is not reading.
 */
export function uiResponse(
  { chunks, headers, keepAliveMs, lastData, onDisconnect, source }: UiResponse,
  { report }: UiErrors,
): Response {
  // The connection does not wait for the run.
  const finish = (): Promise<void> => {
    readToEnd(chunks).catch(report);
    return Promise.resolve();
  };
  return sseResponse({
    chunks,
    encode: toSseData,
    keepAliveMs,
    onError: report,
    // Ends the events, not the chunks: the iterator of the chunks would first wait for the next
    // event.
    onDisconnect: onDisconnect === "continue" ? finish : source.end,
    ...headers && { headers },
    ...lastData !== undefined && { end: `data: ${lastData}\n\n` },
  });
}

async function readToEnd(chunks: AsyncIterator<object, void>): Promise<void> {
  while (!(await chunks.next()).done);
}
