/**
 * The steps of a run through its step runner. Loaded by runs that have one.
 *
 * @module
 */

import { type ApprovalDecision, readApprovalDecision } from "./approval.ts";
import { AgentError } from "./error.ts";
import { fromStepValue, toStepValue } from "./journal/codec.ts";
import type { StepRunner } from "./journal/step_runner.ts";
import { isRecord } from "./json.ts";
import { type ToolCall, type ToolResult, ToolResultCode, type ToolResultOutput } from "./model.ts";
import { type Answer, readAnswer } from "./read_answer.ts";
import type { RunScope } from "./run_scope.ts";
import type { ToolStep } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";

/** Raised when what a journal holds changes its meaning. */
const JOURNAL_VERSION = 1;

/** Thrown out of a step that must not be recorded. */
class Undecided {}

/** Runs steps, or repeats what is recorded of them. What comes back is read like anything from outside. */
export class Replay {
  readonly #runner: StepRunner;

  constructor(runner: StepRunner) {
    this.#runner = runner;
  }

  /**
   * Checks the head of the journal, which says whose it is: resuming another run with it would mix two conversations.
   *
   * @throws {AgentError} code `core`: it is not this run's
   */
  async checkHead({ runId, agentName }: RunScope, userMessage: string): Promise<void> {
    const head = { version: JOURNAL_VERSION, agentName, userMessage };
    const recorded = await this.#runner.run(`${runId}/start`, "run", () => Promise.resolve(head));
    const isOurs = isRecord(recorded) && recorded.version === head.version &&
      recorded.agentName === head.agentName && recorded.userMessage === head.userMessage;
    if (isOurs) return;
    throw AgentError.core(
      `Cannot resume run "${runId}": its journal is of another version, agent or user message`,
    );
  }

  /** A model's answer. */
  async answer(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const recorded = await this.#runner.run(key, "model", async () => toStepValue(await ask()));
    return readAnswer(fromStepValue(recorded));
  }

  /** A decision; an open one, or none because the run was aborted, is not recorded. */
  async decision(
    key: string,
    ask: () => Promise<ApprovalDecision | undefined>,
  ): Promise<ApprovalDecision | undefined> {
    let asked: ApprovalDecision | undefined;
    try {
      const recorded = await this.#runner.run(key, "approval", async () => {
        asked = await ask();
        if (asked === undefined || asked.decision === "defer") throw new Undecided();
        return toStepValue(asked);
      });
      return readApprovalDecision(fromStepValue(recorded)) ?? raiseForeign(key);
    } catch (error) {
      if (error instanceof Undecided) return asked;
      throw error;
    }
  }

  /** What a tool call came to. */
  async toolStep(key: string, call: ToolCall, run: () => Promise<ToolStep>): Promise<ToolStep> {
    const recorded = await this.#runner.run(key, "tool", async () => toStepValue(await run()));
    return readToolStep(fromStepValue(recorded), call) ?? raiseForeign(key);
  }
}

function readToolStep(value: unknown, call: ToolCall): ToolStep | undefined {
  if (!isRecord(value)) return undefined;
  const result = readToolResult(value.result, call);
  if (result === undefined) return undefined;
  const stopRequested = value.stopRequested === true;
  const { usageByAgent } = value;
  return isUsageByAgent(usageByAgent)
    ? { result, stopRequested, usageByAgent }
    : { result, stopRequested };
}

function readToolResult(value: unknown, call: ToolCall): ToolResult | undefined {
  if (!isRecord(value)) return undefined;
  const { type, toolCallId, toolName, output, isError, code, durationMs } = value;
  if (type !== "tool-result" || toolCallId !== call.toolCallId || toolName !== call.toolName) {
    return undefined;
  }
  if (!isOutput(output) || typeof isError !== "boolean" || typeof durationMs !== "number") {
    return undefined;
  }
  return {
    type,
    toolCallId,
    toolName,
    output,
    isError,
    ...isResultCode(code) ? { code } : {},
    durationMs,
  };
}

function isOutput(value: unknown): value is ToolResultOutput {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "text":
    case "error-text":
      return typeof value.value === "string";
    case "json":
    case "error-json":
      return value.value !== undefined;
    case "execution-denied":
      return value.reason === undefined || typeof value.reason === "string";
    case "content":
      return Array.isArray(value.value);
    default:
      return false;
  }
}

function isResultCode(value: unknown): value is ToolResultCode {
  return Object.values<unknown>(ToolResultCode).includes(value);
}

function isUsageByAgent(value: unknown): value is Readonly<Record<string, TokenUsage>> {
  return isRecord(value) &&
    Object.values(value).every((usage) =>
      isRecord(usage) && typeof usage.inputTokens === "number" &&
      typeof usage.outputTokens === "number" && typeof usage.totalTokens === "number"
    );
}

function raiseForeign(key: string): never {
  throw AgentError.core(
    `Cannot resume the run: the journal's step "${key}" is of another run or damaged`,
  );
}
