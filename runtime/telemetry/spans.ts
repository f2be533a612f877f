/**
 * Starts and ends OpenTelemetry spans in response to the events of runs.
 *
 * @module
 */

import type { LoopEvent, LoopEventSink } from "../loop/events.ts";
import { assertMethods, assertObject } from "../shared/assertions.ts";
import { errorMessageOf } from "../shared/error.ts";
import { createErrorPrinter } from "../shared/error_printer.ts";
import { assertLimit } from "../shared/limits.ts";
import type { ToolResult } from "../shared/model.ts";
import {
  describeMessage,
  describeResult,
  errorTypeOf,
  inputOf,
  outputOf,
  toContentText,
  usageAttributes,
} from "./attributes.ts";
import type { TelemetryAttributes, TelemetryOptions, TelemetrySpan } from "./options.ts";

/** Values of OpenTelemetry's `SpanKind` and `SpanStatusCode`. */
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** Provider name recorded for models without a `provider`, because OpenTelemetry requires `gen_ai.provider.name`. */
const UNKNOWN_PROVIDER = "unknown";

/**
 * Creates a listener that turns the events of runs into spans. Pass the listener as `onEvent`. One listener can be used
 * for any number of runs and agents. The listener never throws.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 * @typeParam Span OpenTelemetry's `Span` type.
 * @param options The tracer, and whether to record message content.
 * @throws {TypeError} If `tracer`, `trace` or `context` is missing.
 * @throws {RangeError} If `maxContentLength` is not a positive integer.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 *
 * @example Collect the names of the spans
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { telemetry } from "@parley/runtime/telemetry";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // Usually: import { context, trace } from "@opentelemetry/api"; const tracer = trace.getTracer("my-app");
 * const names: string[] = [];
 * const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
 * const tracer = {
 *   startSpan: (name: string) => {
 *     names.push(name);
 *     return span;
 *   },
 * };
 * const trace = { setSpan: () => ({}) };
 * const context = { active: () => ({}) };
 *
 * await runToolLoop({
 *   model: scriptedModel([{ text: "Hello" }], "small"),
 *   registry: new ToolRegistry(),
 *   agentName: "greeter",
 *   onEvent: telemetry({ tracer, trace, context }),
 * }, "Hi");
 * assertEquals(names, ["invoke_agent greeter", "chat small"]);
 * ```
 */
export function telemetry<Context, Span extends TelemetrySpan>(
  options: TelemetryOptions<Context, Span>,
): LoopEventSink {
  assertObject("options", options);
  assertMethods("tracer", "a Tracer", options.tracer, ["startSpan"]);
  assertMethods("trace", '"trace" of @opentelemetry/api', options.trace, ["setSpan"]);
  assertMethods("context", '"context" of @opentelemetry/api', options.context, ["active"]);
  const { maxContentLength = 65_536, onError = createErrorPrinter("telemetry") } = options;
  assertLimit("maxContentLength", maxContentLength, 1);
  const runs = new Map<string, RunSpans<Context, Span>>();
  const record = (event: LoopEvent): void => {
    if (event.type === "run_started") {
      runs.set(event.runId, new RunSpans(options, event, findParent(runs, event.runId)));
    } else runs.get(event.runId)?.take(event);
  };
  return (event) => {
    try {
      record(event);
    } catch (error) {
      // A listener that throws ends the run, but a run must not fail because it cannot be traced.
      try {
        onError(error);
      } catch (failure) {
        // As for `onError` of a run, an exception is reported as an uncaught error.
        queueMicrotask(() => {
          throw failure;
        });
      }
    } finally {
      if (event.type === "run_finished" || event.type === "run_failed") runs.delete(event.runId);
    }
  };
}

/**
 * Returns the parent context for a sub-agent's run. The id of a sub-agent's run starts with the id of the parent run.
 */
function findParent<Context, Span extends TelemetrySpan>(
  runs: ReadonlyMap<string, RunSpans<Context, Span>>,
  runId: string,
): Context | undefined {
  let parentId = "";
  for (const id of runs.keys()) {
    if (id.length > parentId.length && runId.startsWith(`${id}/`)) parentId = id;
  }
  return runs.get(parentId)?.contextFor(runId.slice(parentId.length));
}

type EventOf<Type extends LoopEvent["type"]> = Extract<LoopEvent, { type: Type }>;

interface Chat<Span> {
  readonly span: Span;
  readonly startedAt: number;
  hasBegun: boolean;
}

/** The open spans of one run. */
class RunSpans<Context, Span extends TelemetrySpan> {
  readonly #options: TelemetryOptions<Context, Span>;
  readonly #context: Context;
  readonly #run: Span;
  readonly #tools = new Map<string, Span>();
  #chat: Chat<Span> | undefined;
  #callIds: readonly string[] = [];

  constructor(
    options: TelemetryOptions<Context, Span>,
    event: EventOf<"run_started">,
    parent: Context = options.context.active(),
  ) {
    const { runId, agentName, agentDid, modelId, outputType, provider = UNKNOWN_PROVIDER } = event;
    this.#options = options;
    this.#run = this.#start("invoke_agent", agentName, INTERNAL, {
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": modelId,
      "gen_ai.agent.name": agentName,
      ...agentDid === undefined ? {} : { "gen_ai.agent.id": agentDid },
      ...outputType === undefined ? {} : { "gen_ai.output.type": outputType },
      "parley.run.id": runId,
    }, parent);
    this.#context = options.trace.setSpan(parent, this.#run);
  }

  /**
   * Returns the context for a sub-agent's run, in which the span of the tool call that started the run is active.
   *
   * @param path The part of the sub-agent's run id that follows the id of the parent run.
   */
  contextFor(path: string): Context {
    const position = /^\/i\d+\/tool\/(\d+)\//.exec(path)?.[1];
    const span = this.#tools.get(this.#callIds[Number(position)] ?? "");
    return span === undefined ? this.#context : this.#options.trace.setSpan(this.#context, span);
  }

  take(event: LoopEvent): void {
    switch (event.type) {
      case "model_started":
        return this.#startChat(event);
      case "model_delta":
        return this.#noteFirstChunk();
      case "model_finished":
        return this.#finishChat(event);
      case "tool_started":
        return this.#startTool(event);
      case "tool_finished":
        return this.#finishTool(event.toolResult);
      case "run_finished":
        return this.#finish(event);
      case "run_failed":
        return this.#fail(event.error);
      default:
    }
  }

  /** Starts the span of a model call. Retries of the call belong to the same span. */
  #startChat({ modelId, provider = UNKNOWN_PROVIDER }: EventOf<"model_started">): void {
    if (this.#chat !== undefined) return;
    const span = this.#start("chat", modelId, CLIENT, {
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": modelId,
    }, this.#context);
    this.#chat = { span, startedAt: performance.now(), hasBegun: false };
  }

  #noteFirstChunk(): void {
    const chat = this.#chat;
    if (chat === undefined || chat.hasBegun) return;
    chat.hasBegun = true;
    chat.span.setAttributes({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": (performance.now() - chat.startedAt) / 1000,
    });
  }

  #finishChat(event: EventOf<"model_finished">): void {
    const { message, finishReason, usage, modelId, responseId } = event;
    this.#callIds = message.content.flatMap((part) =>
      part.type === "tool-call" ? [part.toolCallId] : []
    );
    this.#chat?.span.setAttributes({
      "gen_ai.response.finish_reasons": [finishReason],
      ...modelId === undefined ? {} : { "gen_ai.response.model": modelId },
      ...responseId === undefined ? {} : { "gen_ai.response.id": responseId },
      ...usageAttributes(usage),
      ...this.#content("gen_ai.output.messages", () => [
        { ...describeMessage(message), finish_reason: finishReason },
      ]),
    });
    this.#chat?.span.end();
    this.#chat = undefined;
  }

  #startTool({ toolCall }: EventOf<"tool_started">): void {
    const { toolName, toolCallId, input } = toolCall;
    const span = this.#start("execute_tool", toolName, INTERNAL, {
      "gen_ai.tool.name": toolName,
      "gen_ai.tool.call.id": toolCallId,
      "gen_ai.tool.type": "function",
      ...this.#content("gen_ai.tool.call.arguments", () => input),
    }, this.#context);
    this.#tools.set(toolCallId, span);
  }

  #finishTool(result: ToolResult): void {
    const span = this.#tools.get(result.toolCallId);
    if (span === undefined) return;
    this.#tools.delete(result.toolCallId);
    span.setAttributes(this.#content("gen_ai.tool.call.result", () => describeResult(result)));
    if (result.isError) setFailed(span, result.code ?? "tool_error");
    span.end();
  }

  #finish({ stopReason, output }: EventOf<"run_finished">): void {
    // A tool call that waits for an approval has not failed: the tool is executed again when the run is resumed.
    this.#endOpen(stopReason === "approval_pending" ? undefined : stopReason);
    this.#run.setAttributes({
      "parley.run.stop_reason": stopReason,
      ...usageAttributes(output.totalUsage),
      ...this.#content("gen_ai.input.messages", () => inputOf(output).map(describeMessage)),
      ...this.#content("gen_ai.output.messages", () => outputOf(output).map(describeMessage)),
    });
    this.#run.end();
  }

  #fail(error: unknown): void {
    const type = errorTypeOf(error);
    this.#endOpen(type, errorMessageOf(error));
    setFailed(this.#run, type, errorMessageOf(error));
    this.#run.end();
  }

  /** Ends the spans of calls that did not finish before the run ended. */
  #endOpen(type?: string, reason?: string): void {
    const open = [...this.#tools.values(), ...this.#chat === undefined ? [] : [this.#chat.span]];
    for (const span of open) {
      if (type !== undefined) setFailed(span, type, reason);
      span.end();
    }
    this.#tools.clear();
    this.#chat = undefined;
  }

  #start(
    operation: string,
    target: string,
    kind: number,
    attributes: TelemetryAttributes,
    context: Context,
  ): Span {
    const all = {
      ...this.#options.attributes,
      "gen_ai.operation.name": operation,
      ...attributes,
    };
    return this.#options.tracer.startSpan(
      `${operation} ${target}`,
      { kind, attributes: all },
      context,
    );
  }

  /** Returns an attribute that contains the content as text, or no attribute if content is not recorded. */
  #content(name: string, describe: () => unknown): TelemetryAttributes {
    const { captureContent = false, maxContentLength = 65_536 } = this.#options;
    return captureContent ? { [name]: toContentText(describe()).slice(0, maxContentLength) } : {};
  }
}

function setFailed(span: TelemetrySpan, type: string, message?: string): void {
  span.setAttributes({ "error.type": type });
  span.setStatus({ code: ERROR, ...message === undefined ? {} : { message } });
}
