/**
 * OpenTelemetry spans of runs, after the semantic conventions for generative AI.
 *
 * Give {@linkcode telemetry} to a run or an agent as `emit`. No OpenTelemetry package is imported: the caller passes the
 * objects of `@opentelemetry/api`.
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
 * await runToolLoop({ model, registry: new ToolRegistry(), emit: listener }, "Hi");
 * assertEquals(names, ["invoke_agent agent", "chat small"]);
 * ```
 *
 * @module
 */

export {
  telemetry,
  type TelemetryAttributes,
  type TelemetryOptions,
  type TelemetrySpan,
} from "./telemetry/spans.ts";
