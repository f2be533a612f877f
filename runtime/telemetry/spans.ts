/**
 * OpenTelemetry spans and metrics for the steps of runs.
 *
 * @module
 */

import type {
  ModelStepInfo,
  RunStepInfo,
  StepInfo,
  StepOutcome,
  ToolStepInfo,
} from "../loop/around.ts";
import type { LoopEvent } from "../loop/events.ts";
import { errorMessageOf } from "../shared/error.ts";
import type { ModelResponse } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { monotonicNow } from "../shared/platform.ts";
import { type TokenUsage, UNKNOWN_USAGE } from "../shared/usage.ts";
import {
  describeMessage,
  describeModelCall,
  describeResult,
  describeRun,
  describeToolExecution,
  errorTypeOf,
  type HistogramName,
  inputOf,
  modelUsageAttributes,
  outputOf,
  responseAttributes,
  runUsageAttributes,
  type SpanDescription,
  toContentText,
} from "./attributes.ts";
import { Metrics } from "./metrics.ts";
import type { TelemetryAttributes, TelemetrySettings, TelemetrySpan } from "./options.ts";
import { truncate } from "@parley/internal/escape-text";

/** Types of the events for parts of a response. */
const DELTAS: ReadonlySet<string> = new Set<LoopEvent["type"]>([
  "text_delta",
  "reasoning_delta",
  "tool_input_delta",
]);

/** Values of OpenTelemetry's `SpanKind` and `SpanStatusCode`. */
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** Reason why a step failed. */
interface StepError {
  readonly type: string;
  readonly message?: string;
}

/** A span that has not ended. */
interface OpenSpan<Context, Span> {
  readonly span: Span;
  /** Context in which the span is active. */
  readonly context: Context;
  /** Context that was active when the outermost run was started. */
  readonly outside: Context;
  /** Attributes of the metrics. */
  readonly dimensions: TelemetryAttributes;
  /** Start time, from `monotonicNow()`. */
  readonly startedAt: number;
}

/** A run that has not ended. */
interface RunRecord {
  replayedSteps: number;
  modelCalls: number;
  toolCalls: number;
  /** Called with the first chunk of the current model call. */
  onFirstChunk?: (() => void) | undefined;
  /**
   * Functions that end the spans of steps without an outcome. The reason for the missing outcome is
   * known only when the run ends.
   */
  readonly unfinished: ((error: StepError | undefined) => void)[];
}

/** A step whose span has started. */
export interface OpenStep<Context> {
  /** Context in which the span is active. */
  readonly context: Context;
  /** Ends the span of a step that has an outcome. */
  finish(outcome: StepOutcome): void;
  /** Ends the span of a step that has no outcome. */
  fail(error: unknown): void;
}

/** The open spans of all runs that use one telemetry object. */
export class Spans<Context, Span extends TelemetrySpan> {
  readonly #options: TelemetrySettings<Context, Span>;
  readonly #metrics: Metrics;
  /** Open spans of runs and tool executions, keyed by run id or idempotency key. */
  readonly #open: Map<string, OpenSpan<Context, Span>> = new Map();
  /** Runs in progress, keyed by run id. */
  readonly #runs: Map<string, RunRecord> = new Map();

  constructor(options: TelemetrySettings<Context, Span>) {
    this.#options = options;
    this.#metrics = new Metrics(options.meter);
  }

  /** Starts the span of a step. */
  start(step: StepInfo): OpenStep<Context> {
    switch (step.kind) {
      case "run":
        return this.#startRun(step);
      case "model":
        return this.#startModelCall(step);
      case "tool":
        return this.#startTool(step);
    }
  }

  /**
   * Records the data that is available only in events: the first chunk of a response, and replayed
   * steps.
   */
  take(event: LoopEvent): void {
    const run = this.#runs.get(event.runId);
    if (run === undefined) return;
    const isReplayed = "isReplayed" in event && event.isReplayed === true;
    if (isReplayed) run.replayedSteps++;
    if (DELTAS.has(event.type)) run.onFirstChunk?.();
  }

  #startRun(step: RunStepInfo): OpenStep<Context> {
    const { runId } = step;
    const described = describeRun(step);
    const open = this.#startSpan(described, INTERNAL, this.#enclosingStep(runId));
    const run: RunRecord = { replayedSteps: 0, modelCalls: 0, toolCalls: 0, unfinished: [] };
    this.#open.set(runId, open);
    this.#runs.set(runId, run);
    // `finish` and `fail` call `close` first, because the tracer may throw.
    const close = (): void => {
      this.#open.delete(runId);
      this.#runs.delete(runId);
    };
    const end = (error?: StepError): void => {
      if (run.replayedSteps > 0) {
        open.span.setAttributes({ "parley.replayed_steps": run.replayedSteps });
      }
      endSpan(open.span, error);
      this.#recordDuration("gen_ai.invoke_agent.duration", open, error);
      const { dimensions } = described;
      this.#metrics.record("gen_ai.invoke_agent.inference_calls", run.modelCalls, dimensions);
      this.#metrics.record("gen_ai.invoke_agent.tool_calls", run.toolCalls, dimensions);
    };
    return {
      context: open.context,
      finish: (outcome) => {
        close();
        if (!("stopReason" in outcome)) return;
        const { pending, stopReason } = outcome;
        // A waiting tool call has not failed: the tool is executed again when the run is resumed.
        const reason = pending === undefined ? { type: stopReason } : undefined;
        for (const endStep of run.unfinished) endStep(reason);
        open.span.setAttributes(this.#outputAttributes(outcome));
        end();
      },
      fail: (cause) => {
        close();
        const error = { type: errorTypeOf(cause), message: errorMessageOf(cause) };
        for (const endStep of run.unfinished) endStep(error);
        end(error);
      },
    };
  }

  #startModelCall(step: ModelStepInfo): OpenStep<Context> {
    const run = this.#runs.get(step.runId);
    const described = describeModelCall(step);
    const open = this.#startSpan(described, CLIENT, this.#open.get(step.runId));
    const end = (error?: StepError): void => {
      endSpan(open.span, error);
      this.#recordDuration("gen_ai.client.inference.duration", open, error);
    };
    if (run) {
      run.modelCalls++;
      run.onFirstChunk = () => {
        run.onFirstChunk = undefined;
        this.#recordFirstChunk(open);
      };
    }
    return {
      context: open.context,
      finish: (outcome) => {
        if (!("finishReason" in outcome)) return;
        open.span.setAttributes(this.#responseAttributes(outcome));
        if (outcome.modelId !== undefined) {
          open.dimensions["gen_ai.response.model"] = outcome.modelId;
        }
        end();
        const { usage = UNKNOWN_USAGE } = outcome;
        if (isKnown(usage)) this.#metrics.recordUsage(usage, open.dimensions);
      },
      fail: () => run?.unfinished.push(end),
    };
  }

  #recordFirstChunk({ span, startedAt, dimensions }: OpenSpan<Context, Span>): void {
    const seconds = secondsSince(startedAt);
    span.setAttributes({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": seconds,
    });
    this.#metrics.record("gen_ai.client.inference.time_to_first_chunk", seconds, dimensions);
  }

  #startTool(step: ToolStepInfo): OpenStep<Context> {
    const { idempotencyKey, runId, toolCall } = step;
    const run = this.#runs.get(runId);
    const open = this.#startSpan(describeToolExecution(step), INTERNAL, this.#open.get(runId));
    open.span.setAttributes(this.#content("gen_ai.tool.call.arguments", () => toolCall.input));
    this.#open.set(idempotencyKey, open);
    if (run) run.toolCalls++;
    const end = (error?: StepError): void => {
      endSpan(open.span, error);
      this.#recordDuration("gen_ai.execute_tool.duration", open, error);
    };
    return {
      context: open.context,
      finish: (outcome) => {
        this.#open.delete(idempotencyKey);
        if (!("toolCallId" in outcome)) return;
        open.span.setAttributes(
          this.#content("gen_ai.tool.call.result", () => describeResult(outcome)),
        );
        end(outcome.isError ? { type: outcome.code ?? "tool_error" } : undefined);
      },
      fail: () => {
        this.#open.delete(idempotencyKey);
        run?.unfinished.push(end);
      },
    };
  }

  /** Returns the span of the tool execution that started a sub-agent's run. */
  #enclosingStep(runId: string): OpenSpan<Context, Span> | undefined {
    let enclosing = "";
    for (const key of this.#open.keys()) {
      if (key.length > enclosing.length && runId.startsWith(`${key}/`)) enclosing = key;
    }
    return this.#open.get(enclosing);
  }

  #startSpan(
    { name, attributes, dimensions }: SpanDescription,
    kind: number,
    enclosing: OpenSpan<Context, Span> | undefined,
  ): OpenSpan<Context, Span> {
    const { context, trace, tracer } = this.#options;
    const active = context.active();
    // If no context manager is installed or the context was lost, the span of the enclosing step is
    // not active: the active context is still the context in which the outermost run was started.
    const outside = enclosing?.outside ?? active;
    const parent = enclosing && active === outside ? enclosing.context : active;
    const span = tracer.startSpan(
      name,
      { kind, attributes: { ...this.#options.attributes, ...attributes } },
      parent,
    );
    return {
      span,
      context: trace.setSpan(parent, span),
      outside,
      dimensions: { ...dimensions },
      startedAt: monotonicNow(),
    };
  }

  #recordDuration(
    name: HistogramName,
    { dimensions, startedAt }: OpenSpan<Context, Span>,
    error?: StepError,
  ): void {
    const attributes = error === undefined
      ? dimensions
      : { ...dimensions, "error.type": error.type };
    this.#metrics.record(name, secondsSince(startedAt), attributes);
  }

  #outputAttributes(output: ToolLoopOutput): TelemetryAttributes {
    return {
      "parley.run.stop_reason": output.stopReason,
      ...runUsageAttributes(output.totalUsage),
      ...this.#content("gen_ai.input.messages", () => inputOf(output).map(describeMessage)),
      ...this.#content("gen_ai.output.messages", () => outputOf(output).map(describeMessage)),
    };
  }

  #responseAttributes(response: ModelResponse): TelemetryAttributes {
    const { message, usage = UNKNOWN_USAGE } = response;
    return {
      ...responseAttributes(response),
      ...isKnown(usage) ? modelUsageAttributes(usage) : {},
      ...this.#content("gen_ai.output.messages", () => [describeMessage(message)]),
    };
  }

  /**
   * Returns an attribute that contains the content as text, or no attribute if content is not
   * recorded.
   */
  #content(name: string, describe: () => unknown): TelemetryAttributes {
    const { captureContent, maxContentLength } = this.#options;
    return captureContent ? { [name]: truncate(toContentText(describe()), maxContentLength) } : {};
  }
}

function endSpan(span: TelemetrySpan, error?: StepError): void {
  if (error !== undefined) {
    const { type, message } = error;
    span.setAttributes({ "error.type": type });
    span.setStatus({ code: ERROR, ...message === undefined ? {} : { message } });
  }
  span.end();
}

function secondsSince(startedAt: number): number {
  return (monotonicNow() - startedAt) / 1000;
}

/** Whether the token usage is known: reported by the provider, or estimated. */
function isKnown(usage: TokenUsage): boolean {
  return usage !== UNKNOWN_USAGE;
}
