/**
 * OpenTelemetry spans and metrics for runs, following the semantic conventions for generative AI.
 *
 * Spread the result of {@linkcode telemetry} into the configuration of an agent or a run. This
 * module imports no OpenTelemetry package; the caller passes the objects from `@opentelemetry/api`.
 *
 * - `invoke_agent {agent}`: a run. The parent of a run's span is the active span; for a sub-agent,
 *   the active span is that of the tool call that started the run.
 * - `chat {model}`: a model call, including all its retries
 * - `execute_tool {tool}`: the execution of a tool
 *
 * A span is active while its step executes, so spans that a tool or a model starts are children of
 * the step's span. An active span requires a context manager, for example
 * `AsyncLocalStorageContextManager` from `@opentelemetry/context-async-hooks`. Model calls and tool
 * executions whose results are read from a journal have no spans; the run's span counts them in the
 * `parley.replayed_steps` attribute.
 *
 * With a `meter`, metrics are also recorded: the durations of runs, model calls and tool
 * executions, the number of calls per run, and the token usage.
 *
 * The OpenTelemetry conventions for generative AI are still in development. Span, attribute and
 * metric names match the conventions as of November 2026 and may change in a minor version of this
 * package.
 *
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { telemetry } from "@parley/runtime/telemetry";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
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
 * const model = scriptedModel([{ text: "Hello" }], "small");
 * const spans = telemetry({ tracer, trace, context });
 * await runToolLoop({ model, registry: new ToolRegistry(), ...spans }, "Hi");
 * assertEquals(names, ["invoke_agent agent", "chat small"]);
 * ```
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @module
 */

export { type Telemetry, telemetry } from "./telemetry/telemetry.ts";
export type {
  CounterOptions,
  HistogramOptions,
  TelemetryAttributes,
  TelemetryMeter,
  TelemetryOptions,
  TelemetrySpan,
} from "./telemetry/options.ts";
