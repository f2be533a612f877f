/**
 * The JSON form of events, for logs, command-line programs and web pages.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { type JsonValue, MAX_JSON_DEPTH } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import type { FilePart, ReasoningPart, TextPart, ToolCall, ToolResult } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { LoopEvent } from "./events.ts";

/**
 * An event as JSON. Members that are not listed here depend on the `type`; see
 * {@linkcode toEventJson}.
 */
export interface LoopEventJson {
  /** Type of the event, as in `LoopEvent`. */
  readonly type: string;
  /** Id of the run. */
  readonly runId: string;
  /** Agent names from the outermost agent to the running agent. */
  readonly path: readonly string[];
  /** Time of the event, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Event members that depend on the `type`. */
  readonly [member: string]: JsonValue;
}

/** Text that replaces values that are nested too deeply. */
const TOO_DEEP = "(nested too deeply)";

/**
 * Converts an event to JSON. The result has the members of the event, with the following
 * differences, so that the events of a run include each message only once:
 *
 * - `iteration_finished`: `iteration` is the index of the iteration. `toolCalls` is the number of
 *   tool calls, and `usage` is the token usage of the model call. The assistant message is in the
 *   `model_finished` event, and the tool results are in the `tool_finished` events.
 * - `run_finished`: instead of `output`, the members `finalText`, `iterations` (number of
 *   iterations), `totalUsage`, `usageByModel`, `usageByAgent`, `stopConditionName` and `approvals`
 *   (the pending approvals), taken from the output.
 * - A file has `mediaType`, `filename`, and either `size`, in bytes, or `url`.
 * - An `error` is an object with `name`, `message` and, for an `AgentError`, `code`.
 * - `providerOptions` are omitted. Values that JSON cannot represent become strings, and cyclic
 *   values and values nested more than 200 levels deep are replaced with a note.
 *
 * `toEventJson` never throws. Later versions may add event types and members.
 *
 * @param event Event to convert.
 *
 * @example Write the events of a run as JSON Lines
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { toEventJson } from "@parley/runtime/events";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * const lines: string[] = [];
 * for await (const event of streamToolLoop({ model, registry: new ToolRegistry() }, "Hi")) {
 *   lines.push(JSON.stringify(toEventJson(event)));
 * }
 * assertEquals(JSON.parse(lines.at(-1) ?? "").finalText, "Hello");
 * ```
 */
export function toEventJson(event: LoopEvent): LoopEventJson {
  const { type, runId, path, at, ...body } = event;
  return { type, runId, path: [...path], at, ...toJsonMembers({ ...body, ...describe(event) }) };
}

/**
 * Reads an event in the form that {@linkcode toEventJson} returns. Unknown event types and members
 * are accepted.
 *
 * @param value The event as parsed JSON.
 * @returns The event, or a description of the error.
 *
 * @example Read an event written by a later version
 * ```ts
 * import { readEventJson } from "@parley/runtime/events";
 * import { assertEquals } from "@std/assert";
 *
 * const event = readEventJson({ type: "new_type", runId: "r", path: ["a"], at: 0, extra: 1 });
 * assertEquals(typeof event === "string" ? event : event.extra, 1);
 * assertEquals(readEventJson({ type: 5 }), '"type" must be a string, got 5');
 * ```
 */
export function readEventJson(value: unknown): LoopEventJson | string {
  if (!isRecord(value)) return "not a JSON object";
  const { type, runId, path, at } = value;
  if (typeof type !== "string") return `"type" must be a string, got ${formatValue(type)}`;
  if (typeof runId !== "string") return `"runId" must be a string, got ${formatValue(runId)}`;
  const isPath = Array.isArray(path) && path.every((name) => typeof name === "string");
  if (!isPath) return '"path" must be an array of strings';
  if (typeof at !== "number") return `"at" must be a number, got ${formatValue(at)}`;
  return { ...toJsonMembers(value), type, runId, path, at };
}

/** Returns the event members whose JSON form differs from the original value. */
function describe(event: LoopEvent): Record<string, unknown> {
  switch (event.type) {
    case "model_finished":
      return { message: { role: "assistant", content: event.message.content.map(describePart) } };
    case "approval_requested":
    case "tool_started":
      return { toolCall: describePart(event.toolCall) };
    case "approval_decided":
      return { toolCall: describePart(event.toolCall), error: describeError(event.error) };
    case "tool_finished":
      return { toolResult: describePart(event.toolResult), error: describeError(event.error) };
    case "iteration_finished": {
      const { index, toolCalls, usage } = event.iteration;
      return { iteration: index, toolCalls: toolCalls.length, usage };
    }
    case "run_finished":
      return describeOutput(event.output);
    case "run_failed":
      return { error: describeError(event.error ?? "unknown") };
    default:
      return {};
  }
}

function describeOutput(output: ToolLoopOutput): Record<string, unknown> {
  const { finalText, iterations, totalUsage, usageByModel, usageByAgent } = output;
  const { stopConditionName, pending } = output;
  const approvals = pending?.approvals.map((approval) => ({
    ...approval,
    toolCall: describePart(approval.toolCall),
  }));
  return {
    output: undefined,
    finalText,
    iterations: iterations.length,
    totalUsage,
    usageByModel,
    usageByAgent,
    stopConditionName,
    approvals,
  };
}

type Part = TextPart | ReasoningPart | FilePart | ToolCall | ToolResult;

function describePart(part: Part): Record<string, unknown> {
  const described = { ...part, providerOptions: undefined };
  if (part.type === "file") return { ...described, data: undefined, ...describeFile(part) };
  if (part.type !== "tool-result" || part.output.type !== "content") return described;
  return { ...described, output: { type: "content", value: part.output.value.map(describePart) } };
}

function describeFile({ data }: FilePart): { size: number } | { url: string } {
  if (data.type === "url") {
    const { href, protocol } = data.url;
    return protocol === "data:" ? { size: href.length } : { url: href };
  }
  if (typeof data.data !== "string") return { size: data.data.byteLength };
  return { size: Math.floor(data.data.replace(/={1,2}$/, "").length * 3 / 4) };
}

function describeError(error: unknown): Record<string, unknown> | undefined {
  if (error === undefined) return undefined;
  const code = AgentError.isAgentError(error) ? error.code : undefined;
  const name = error instanceof Error ? error.name : "Error";
  return defined({ name, message: errorMessageOf(error), code });
}

/**
 * Converts the members of an object to JSON. Members that are `undefined` are omitted.
 *
 * @param outer The enclosing objects and arrays, outermost first.
 */
function toJsonMembers(
  members: object,
  outer: readonly unknown[] = [],
): Record<string, JsonValue> {
  const converted: Record<string, JsonValue> = {};
  const path = [...outer, members];
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) {
      // With plain assignment, a member named "__proto__" would change the prototype of the result.
      Object.defineProperty(converted, name, {
        value: toJson(value, path),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
  }
  return converted;
}

function toJson(value: unknown, outer: readonly unknown[]): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  // Without the check for enclosing values, the output for a value with several cycles would grow
  // exponentially.
  if (outer.length > MAX_JSON_DEPTH || outer.includes(value)) return TOO_DEEP;
  if (Array.isArray(value)) {
    const path = [...outer, value];
    return value.map((item) => toJson(item, path));
  }
  return isRecord(value) ? toJsonMembers(value, outer) : errorMessageOf(value);
}
