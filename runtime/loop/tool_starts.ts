/**
 * Recorded starts and suspensions of tool executions.
 *
 * Each start and each suspension contains a digest of the call and of the tool, so that a resumed
 * run does not treat the start of a tool as the start of another tool with the same name.
 *
 * @module
 */

import type { StepKind } from "../journal/step_runner.ts";
import { isRecord } from "@parley/internal/json";
import type { RegisteredTool } from "../tools/registry.ts";
import { digestOfShown } from "./decisions.ts";
import { invalidStep, NotRecorded } from "./recorded_steps.ts";
import type { RunSteps } from "./run_steps.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";

/**
 * Maximum number of executions of a tool call. A recorded number above this maximum means that the
 * step runner returns values for steps that it has not recorded.
 */
const MAX_EXECUTIONS = 1_000;

/** Reads and records the starts and suspensions of tool executions. */
export class ToolStarts {
  readonly #steps: RunSteps;

  constructor(steps: RunSteps) {
    this.#steps = steps;
  }

  /**
   * Computes the digests of the calls before the tools are started, so that the tools are started
   * synchronously, in call order.
   */
  async prepare(executions: readonly ToolCallExecution[]): Promise<void> {
    for (const execution of executions) {
      const { call, entry, result } = execution;
      if (entry && !result) execution.shown = await digestOfShown(call, entry);
    }
  }

  /** Returns true if the result of a tool call is recorded. */
  async isFinished(execution: ToolCallExecution): Promise<boolean> {
    return await this.isRecorded(execution.keyOf("tool"), "tool");
  }

  /**
   * Returns true if an earlier run with the same journal has started the tool that is registered
   * now, and not another tool, or if the result of the call is recorded.
   */
  async wasStarted(execution: ToolCallExecution, entry: RegisteredTool): Promise<boolean> {
    if (await this.isFinished(execution)) return true;
    const last = await this.#lastStart(execution);
    return last !== undefined && isStartOf(last, await digestOfShown(execution.call, entry));
  }

  /**
   * Returns the value of the last recorded start or suspension, or `undefined` if there is none.
   */
  async #lastStart(execution: ToolCallExecution): Promise<unknown> {
    let last: unknown;
    for (let count = 0;; count++) {
      const begin = await this.#lookUp(countedKey(execution, "begin", count), "begin");
      const suspended = await this.#lookUp(countedKey(execution, "suspended", count), "suspended");
      const found = suspended ?? begin;
      if (found === undefined) return last;
      last = found;
    }
  }

  /**
   * Returns true if an execution of the tool call was started but neither finished nor suspended.
   * Sets `earlierExecutions` to the number of executions before the interrupted execution.
   */
  async isInterrupted(execution: ToolCallExecution): Promise<boolean> {
    while (await this.#isRecorded(execution, "begin")) {
      if (!await this.#isRecorded(execution, "suspended")) return !await this.isFinished(execution);
      execution.earlierExecutions++;
    }
    return false;
  }

  /** Records the start of a tool execution. Returns false if this start is already recorded. */
  async begin(execution: ToolCallExecution, entry: RegisteredTool): Promise<boolean> {
    const key = countedKey(execution, "begin");
    const shown = execution.shown ?? await digestOfShown(execution.call, entry);
    let isFirst = false;
    const recorded = await this.#steps.run(key, "begin", () => {
      isFirst = true;
      return Promise.resolve({ shown });
    });
    return isStart(recorded) ? isFirst : invalidStep(key);
  }

  /** Records the start of a tool call's next execution if its previous execution was suspended. */
  async beginAfterSuspension(
    execution: ToolCallExecution,
    entry: RegisteredTool,
  ): Promise<boolean> {
    while (await this.#isRecorded(execution, "suspended")) {
      execution.earlierExecutions++;
      if (await this.begin(execution, entry)) return true;
    }
    return false;
  }

  /** Records that a tool execution has ended without a result and may be repeated. */
  async suspend(execution: ToolCallExecution, entry: RegisteredTool): Promise<void> {
    try {
      const shown = execution.shown ?? await digestOfShown(execution.call, entry);
      // The starts of a tool that is safe to repeat are not recorded, so the next number may be the
      // number of a suspension of another tool.
      while (!isStartOf(await this.#recordSuspension(execution, shown), shown)) {
        execution.earlierExecutions++;
      }
    } catch (error) {
      // If the suspension is not recorded, a resumed run does not continue the sub-agents of the
      // tool.
      if (execution.delegation) execution.delegation.stepRunnerError ??= { error };
      throw error;
    }
  }

  async #recordSuspension(execution: ToolCallExecution, shown: string): Promise<unknown> {
    const key = countedKey(execution, "suspended");
    return await this.#steps.run(key, "suspended", () => Promise.resolve({ shown }));
  }

  async #isRecorded(execution: ToolCallExecution, kind: "begin" | "suspended"): Promise<boolean> {
    return await this.isRecorded(countedKey(execution, kind), kind);
  }

  /** Returns true if a step is recorded. */
  async isRecorded(key: string, kind: StepKind): Promise<boolean> {
    return await this.#lookUp(key, kind) !== undefined;
  }

  /** Returns the recorded value of a step, or `undefined` if the step is not recorded. */
  async #lookUp(key: string, kind: StepKind): Promise<unknown> {
    try {
      return await this.#steps.lookUp(key, kind, () => Promise.reject(new NotRecorded())) ?? null;
    } catch (error) {
      if (error instanceof NotRecorded) return undefined;
      throw error;
    }
  }
}

/** Returns true if a value is a recorded start. Earlier versions record `true`. */
function isStart(value: unknown): boolean {
  return value === true || isRecord(value) && typeof value.shown === "string";
}

/** Returns true if a recorded start is the start of the tool with the given digest. */
function isStartOf(value: unknown, shown: string): boolean {
  return value === true || isRecord(value) && value.shown === shown;
}

function countedKey(
  execution: ToolCallExecution,
  kind: "begin" | "suspended",
  count = execution.earlierExecutions,
): string {
  const key = execution.keyOf(kind);
  return count < MAX_EXECUTIONS ? `${key}.${count}` : invalidStep(key);
}
