/**
 * Code shared by the front-end protocols: options, masked errors and responses with server-sent
 * events.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import { assertOptionalFunction } from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionRules,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import { AgentError } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { oneOf } from "@parley/internal/option-checks";
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
   * `"continue"` lets the run finish, for example because the run is recorded in a journal or a
   * session. `"continue"` has no effect if the run's abort signal is the request's signal.
   *
   * @default {"abort"}
   */
  readonly onDisconnect?: "abort" | "continue";
}

/** Rules for the options that all front ends have in common. */
export const UI_RULES: OptionRules<UiOptions> = {
  errorText: assertOptionalFunction,
  onError: assertOptionalFunction,
};

/** Rules for the options for a response. */
export const RESPONSE_RULES: OptionRules<UiOptions> & {
  readonly onDisconnect: DefaultRule<"abort" | "continue">;
} = { ...UI_RULES, onDisconnect: withDefault("abort", oneOf("abort", "continue")) };

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
 */
export async function* eventsToEnd(
  events: AsyncIterable<LoopEvent>,
  { report }: UiErrors,
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
        report(event.error);
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

/** Content of a response that consists of server-sent events. */
export interface SseContent {
  /**
   * Events of the run. The run is aborted when the client disconnects, unless `onDisconnect` is
   * `"continue"`.
   */
  readonly events: ToolLoopStream;
  /** Chunks created from the events. Each chunk is sent as one server-sent event with JSON data. */
  readonly chunks: AsyncIterator<object, void>;
  /** Headers in addition to the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Data for an additional server-sent event at the end of the response. */
  readonly lastData?: string;
  /** Behavior when the client disconnects before the end of the run. */
  readonly onDisconnect: "abort" | "continue";
}

/**
 * Creates a response that sends chunks as server-sent events. The run starts when the response body
 * is read, and pauses while the client is not reading.
 */
export function sseResponse(
  { events, chunks, headers, lastData, onDisconnect }: SseContent,
  { report }: UiErrors,
): Response {
  const encoder = new TextEncoder();
  let isCancelled = false;
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    // Calls `return()` on the events, not on the chunks: the iterator of the chunks would first
    // wait for the next event.
    if (onDisconnect === "abort") await events.return().catch(report);
    else readToEnd(chunks).catch(report);
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      try {
        const { done, value } = await chunks.next();
        if (isCancelled) return;
        if (!done) {
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
          return;
        }
        if (lastData !== undefined) controller.enqueue(encoder.encode(`data: ${lastData}\n\n`));
        controller.close();
      } catch (error) {
        // A failed stream is not cancelled automatically, and without a reader, the run would wait
        // indefinitely.
        report(error);
        await cancel();
        throw error;
      }
    },
    cancel,
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      // Without the `x-accel-buffering` header, nginx buffers the response.
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}

async function readToEnd(chunks: AsyncIterator<object, void>): Promise<void> {
  while (!(await chunks.next()).done);
}
