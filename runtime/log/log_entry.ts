/**
 * The entries of a run's log: events of the run, and changes of its state.
 *
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { formatValue } from "@parley/internal/format-value";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { RunPhase } from "./run_log.ts";

/**
 * The execution of a run has started, or has ended: `"running"` if a process has started to execute
 * the run, or the phase that the run has reached.
 */
export interface RunStateEvent {
  /** Type of the event. */
  readonly type: "run_state";
  /** New state. */
  readonly state: RunPhase;
  /** Id of the run. */
  readonly runId: string;
  /** Empty, because the state belongs to the session. */
  readonly path: readonly string[];
  /** Time of the change, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** An entry of a log. */
export type LogEntry = LoopEvent | RunStateEvent;

/** Members that an entry of each type must have, each with the type of its value. */
const MEMBERS: Readonly<Record<LogEntry["type"], Readonly<Record<string, string>>>> = {
  run_state: { state: "string" },
  run_started: { agentName: "string", modelId: "string" },
  iteration_started: { iteration: "number" },
  model_started: { iteration: "number", modelId: "string", attempt: "number" },
  text_delta: { iteration: "number", text: "string" },
  reasoning_delta: { iteration: "number", reasoning: "string" },
  tool_input_delta: {
    iteration: "number",
    toolCallId: "string",
    toolName: "string",
    inputText: "string",
  },
  model_finished: { iteration: "number", message: "object", usage: "object" },
  model_retry: { iteration: "number", attempt: "number", delayMs: "number", reason: "string" },
  approval_requested: { iteration: "number", toolCall: "object" },
  approval_decided: { iteration: "number", toolCall: "object", decision: "string" },
  decision_unused: { keys: "object" },
  tool_started: { iteration: "number", toolCall: "object" },
  tool_progress: { iteration: "number", toolCallId: "string", toolName: "string" },
  tool_finished: { iteration: "number", toolResult: "object" },
  iteration_finished: { iteration: "object" },
  run_paused: {},
  run_resumed: {},
  run_finished: { stopReason: "string", output: "object" },
  run_failed: {},
};

/**
 * Converts an event to an entry. The messages and iterations of an output are omitted, because the
 * entries before it contain them.
 *
 * @throws {TypeError} If the event contains a value that JSON cannot represent.
 */
export function toLogEntry(event: LogEntry): JsonValue {
  return toStepValue({ ...event, ...shorten(event) });
}

/** Returns the members of an event whose stored form is shorter. */
function shorten(event: LogEntry): object {
  switch (event.type) {
    case "run_finished":
      return { output: { ...event.output, messages: [], iterations: [] } };
    case "iteration_finished": {
      const { index, usage } = event.iteration;
      const assistantMessage = { role: "assistant", content: [] };
      return { iteration: { index, usage, assistantMessage, toolCalls: [], toolResults: [] } };
    }
    case "run_failed":
    case "tool_finished":
    case "approval_decided":
      return { error: describeError(event.error) };
    default:
      return {};
  }
}

function describeError(error: unknown): object | undefined {
  if (error === undefined) return undefined;
  const code = AgentError.isAgentError(error) ? error.code : undefined;
  const name = error instanceof Error ? error.name : "Error";
  return { name, message: errorMessageOf(error), code };
}

/**
 * Reads an entry. An error becomes an `Error` with the same name, message and code.
 *
 * @returns The entry, or a description of the error.
 */
export function readLogEntry(value: unknown): LogEntry | string {
  const entry = fromStepValue(value);
  if (!isRecord(entry)) return "not a JSON object";
  const { at, error, path, runId, type } = entry;
  const members = typeof type === "string" && isEntryType(type) ? MEMBERS[type] : undefined;
  if (members === undefined) return `unknown entry type ${formatValue(type)}`;
  const isOrigin = typeof runId === "string" && typeof at === "number" && isPath(path);
  if (!isOrigin) return '"runId", "path" or "at" is missing';
  for (const [name, kind] of Object.entries(members)) {
    const member = entry[name];
    if (typeof member !== kind || member === null) {
      return `"${name}" must be of type ${kind}, got ${formatValue(member)}`;
    }
  }
  // The members that the type requires have been checked. The entry was written by `toLogEntry`.
  return { ...entry, ...isRecord(error) && { error: toError(error) } } as unknown as LogEntry;
}

function isEntryType(type: string): type is LogEntry["type"] {
  return Object.hasOwn(MEMBERS, type);
}

function isPath(path: unknown): boolean {
  return Array.isArray(path) && path.every((name) => typeof name === "string");
}

function toError({ code, message, name }: UnknownRecord): Error {
  const error = new Error(typeof message === "string" ? message : "unknown");
  if (typeof name === "string") error.name = name;
  return typeof code === "string" ? Object.assign(error, { code }) : error;
}
