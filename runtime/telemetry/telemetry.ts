/**
 * Creates the event listener and the `around` function that record the spans and metrics of runs.
 *
 * @module
 */

import type { Around } from "../loop/around.ts";
import type { LoopEventSink } from "../loop/events.ts";
import {
  assertCount,
  assertMethods,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertRecord,
} from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { assertNames, namesOf } from "@parley/internal/options";
import type { TelemetryOptions, TelemetrySettings, TelemetrySpan } from "./options.ts";
import { Spans } from "./spans.ts";

const OPTION_NAMES = namesOf<TelemetryOptions<unknown, TelemetrySpan>>({
  tracer: true,
  trace: true,
  context: true,
  meter: true,
  attributes: true,
  captureContent: true,
  maxContentLength: true,
  onError: true,
});

/** Options for an agent or a run, created by {@linkcode telemetry}. */
export interface Telemetry {
  /**
   * Starts and ends a span for each run, model call and tool execution, and activates the span
   * while the step executes.
   */
  readonly around: Around;
  /**
   * Records the time to the first chunk of streamed responses, and the number of replayed steps. If
   * a run uses a different `onEvent` listener, the time to the first chunk and the number of
   * replayed steps are not recorded.
   */
  readonly onEvent: LoopEventSink;
}

/**
 * Creates the options that record the spans and metrics of runs. Spread the returned options into
 * the configuration of an agent or a run. The returned options can be used for any number of runs
 * and agents. A failure of the tracer or the meter does not affect a run.
 *
 * The returned options contain `onEvent`. To use a second listener, pass it as the `onEvent` option
 * of `run`, or call both listeners from one function.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 * @typeParam Span OpenTelemetry's `Span` type.
 * @param options The tracer, the meter, and whether to record message content.
 * @throws {TypeError} If `tracer`, `trace` or `context` is missing, or `meter` is not a meter.
 * @throws {RangeError} If `maxContentLength` is not a positive integer.
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 *
 * @example Collect the names of the spans
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { telemetry } from "@parley/runtime/telemetry";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // Usually: import { context, metrics, trace } from "@opentelemetry/api"; const tracer = trace.getTracer("my-app");
 * const names: string[] = [];
 * const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
 * const tracer = {
 *   startSpan: (name: string) => {
 *     names.push(name);
 *     return span;
 *   },
 * };
 * const trace = { setSpan: () => "inside" };
 * const context = {
 *   active: () => "outside",
 *   with: (_context: string, callback: () => void) => callback(),
 * };
 *
 * await runToolLoop({
 *   model: scriptedModel([{ text: "Hello" }], "small"),
 *   registry: new ToolRegistry(),
 *   agentName: "greeter",
 *   ...telemetry({ tracer, trace, context }),
 * }, "Hi");
 * assertEquals(names, ["invoke_agent greeter", "chat small"]);
 * ```
 */
export function telemetry<Context, Span extends TelemetrySpan>(
  options: TelemetryOptions<Context, Span>,
): Telemetry {
  const settings = readTelemetryOptions(options);
  const { context } = settings;
  const report = createErrorReporter("telemetry", settings.onError);
  const spans = new Spans(settings);
  const attempt = <Value>(record: () => Value): Value | undefined => {
    try {
      return record();
    } catch (error) {
      report(error);
      return undefined;
    }
  };
  return {
    around: async (step, next) => {
      const open = attempt(() => spans.start(step));
      if (open === undefined) return await next();
      let work: ReturnType<typeof next> | undefined;
      // A context manager may call `execute` several times or too late, but the step is executed
      // only once.
      const execute = (): ReturnType<typeof next> => work ??= next();
      attempt(() =>
        context.with(open.context, () => {
          execute();
        })
      );
      try {
        // If the context cannot be activated, the step executes outside that context.
        const outcome = await execute();
        attempt(() => open.finish(outcome));
        return outcome;
      } catch (error) {
        attempt(() => open.fail(error));
        throw error;
      }
    },
    onEvent: (event) => {
      attempt(() => spans.take(event));
    },
  };
}

/**
 * Reads the options. The types of a span and a context are known only to the caller, so there is no
 * table of rules.
 */
function readTelemetryOptions<Context, Span extends TelemetrySpan>(
  options: TelemetryOptions<Context, Span>,
): TelemetrySettings<Context, Span> {
  assertRecord("options", options);
  assertNames("options", options, OPTION_NAMES);
  const { attributes = {}, captureContent = false, context, maxContentLength = 65_536 } = options;
  const { meter, onError, trace, tracer } = options;
  assertMethods("tracer", "a Tracer", tracer, ["startSpan"]);
  assertMethods("trace", '"trace" of @opentelemetry/api', trace, ["setSpan"]);
  assertMethods("context", '"context" of @opentelemetry/api', context, ["active", "with"]);
  if (meter !== undefined) {
    assertMethods("meter", "a Meter", meter, ["createHistogram", "createCounter"]);
  }
  assertRecord("attributes", attributes);
  assertOptionalBoolean("captureContent", captureContent);
  assertCount("maxContentLength", maxContentLength);
  assertOptionalFunction("onError", onError);
  return { attributes, captureContent, context, maxContentLength, meter, onError, trace, tracer };
}
