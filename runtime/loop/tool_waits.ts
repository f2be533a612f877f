/**
 * Tools that wait for a signal or a scheduled time. A waiting tool suspends its run; a resumed run
 * executes the tool again.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertDate, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { toJson } from "../shared/to_json.ts";
import { asRecord, isPlainObject } from "@parley/internal/json";
import type { PendingWait } from "../shared/output.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import type { ToolCall } from "../shared/model.ts";
import type { DelegationState } from "./delegation_state.ts";
import type { RunState } from "./run_state.ts";

/** A tool call that may wait. */
export interface WaitingCall {
  readonly run: RunState;
  readonly call: ToolCall;
  delegation: DelegationState | undefined;
  /** Returns the journal key for the tool call. */
  keyOf(kind: "tool"): string;
}

/**
 * Asserts that a value contains the values of signals. A value that a tool cannot receive would
 * otherwise not arrive, and the run would wait forever.
 *
 * @throws {TypeError} If the value is not a plain object, or a signal is not serializable as JSON.
 */
export function assertSignals(name: string, signals: unknown): void {
  assertRecord(name, signals);
  if (!isPlainObject(signals)) rejectArgument(name, "a plain object", signals);
  for (const [key, value] of Object.entries(signals)) {
    if (value === undefined) continue;
    try {
      toJson(value);
    } catch (cause) {
      const path = `${name}[${JSON.stringify(key)}]`;
      const text = `"${path}" must be serializable as JSON: ${errorMessageOf(cause)}`;
      throw new TypeError(escapeText(text), { cause });
    }
  }
}

/**
 * Returns the value of a signal, or suspends the run if the signal is missing.
 *
 * @throws The error that suspends the run, which the tool must not catch.
 */
export function waitForSignal(execution: WaitingCall, key: string): JsonValue {
  assertKey(execution, key);
  assertStepRunner(execution);
  const { signals } = execution.run.config;
  const value = signals && Object.hasOwn(signals, key) ? signals[key] : undefined;
  // Several tools can wait for the same signal, so each tool receives a copy.
  if (value !== undefined) return toJson(value);
  const { call: toolCall, run: { path } } = execution;
  return suspend(execution, { kind: "signal", key, path, toolCall });
}

/**
 * Returns if the given time has been reached; otherwise, suspends the run. The first call with a
 * given key records the given time.
 *
 * @throws The error that suspends the run, which the tool must not catch.
 */
export async function sleepUntil(
  execution: WaitingCall,
  key: string,
  until: Date,
): Promise<void> {
  assertKey(execution, key);
  assertDate("until", until);
  const { call: toolCall, run } = execution;
  const due = await recordTime(execution, assertStepRunner(execution), key, until);
  if (timeOf(execution) >= Date.parse(due)) return;
  suspend(execution, { kind: "time", key, path: run.path, toolCall, due });
}

async function recordTime(
  execution: WaitingCall,
  runner: StepRunner,
  key: string,
  until: Date,
): Promise<string> {
  const stepKey = `${execution.keyOf("tool")}/wait/${key}`;
  try {
    const recorded = asRecord(
      await runner.run(stepKey, "wait", () => Promise.resolve({ until: until.toISOString() })),
    );
    if (typeof recorded.until === "string" && !Number.isNaN(Date.parse(recorded.until))) {
      return recorded.until;
    }
    throw AgentError.core(`Cannot resume the run: journal step "${stepKey}" is damaged`);
  } catch (error) {
    failRun(execution, error);
  }
}

function timeOf(execution: WaitingCall): number {
  try {
    return askClock(execution.run.now);
  } catch (error) {
    failRun(execution, error);
  }
}

/** Throws an error with which the run fails, because the tool did not cause the error. */
function failRun(execution: WaitingCall, error: unknown): never {
  const delegation = execution.delegation ??= { children: 0 };
  delegation.stepRunnerError ??= { error };
  throw error;
}

function suspend(execution: WaitingCall, wait: PendingWait): never {
  const delegation = execution.delegation ??= { children: 0 };
  delegation.pending ??= [];
  (delegation.waits ??= []).push(wait);
  throw AgentError.core(`Tool "${wait.toolCall.toolName}" waits for "${wait.key}"`);
}

function assertKey({ run: { runId } }: WaitingCall, key: unknown): void {
  const isKey = typeof key === "string" && key !== "" && !key.startsWith(`${runId}/`);
  if (!isKey) rejectArgument("key", "a non-empty string that does not start with the run id", key);
}

function assertStepRunner({ call: { toolName }, run }: WaitingCall): StepRunner {
  const { stepRunner } = run.config;
  if (stepRunner !== undefined) return stepRunner;
  throw AgentError.core(`Tool "${toolName}" cannot wait: the run has no step runner`);
}
