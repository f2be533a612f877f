/**
 * OpenTelemetry spans for runs, following the semantic conventions for generative AI.
 *
 * Pass the result of {@linkcode telemetry} to a run or an agent as `onEvent`. This module imports no OpenTelemetry
 * package; the caller passes the objects from `@opentelemetry/api`.
 *
 * - `invoke_agent {agent}`: a run. The parent of a run's span is the span that is active when the run starts or, for a
 *   sub-agent, the span of the tool call that started the run.
 * - `chat {model}`: a model call, including all its retries
 * - `execute_tool {tool}`: the execution of a tool
 *
 * The OpenTelemetry conventions for generative AI are still in development. The attribute names match the conventions
 * as of November 2026 and may change in a minor version of this package.
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
 * const listener = telemetry({
 *   tracer,
 *   trace: { setSpan: () => ({}) },
 *   context: { active: () => ({}) },
 * });
 * const model = scriptedModel([{ text: "Hello" }], "small");
 * await runToolLoop({ model, registry: new ToolRegistry(), onEvent: listener }, "Hi");
 * assertEquals(names, ["invoke_agent agent", "chat small"]);
 * ```
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @module
 */

export type { TelemetryAttributes, TelemetryOptions, TelemetrySpan } from "./telemetry/options.ts";
export { telemetry } from "./telemetry/spans.ts";
