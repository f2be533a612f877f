/**
 * Execution and replay of a run's steps through its step runner.
 *
 * @module
 */

import { fromStepValue, toStepValue } from "../journal/codec.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import { AgentError } from "../shared/error.ts";
import { asRecord, type UnknownRecord } from "../shared/json.ts";
import {
  type ToolCall,
  type ToolResult,
  ToolResultCode,
  type ToolResultOutput,
} from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ApprovalDecision, readApprovalDecision } from "./approval.ts";
import { type ParsedResponse, readModelResponse } from "./response.ts";
import type { RunState } from "./run_state.ts";
import { type OnToolCallEnd, ToolCallExecution } from "./tool_call_execution.ts";
import type { ToolStep } from "./tool_result.ts";

/** Version of the journal data. Must be incremented if the meaning of recorded data changes. */
const JOURNAL_VERSION = 1;

/** Thrown by a step of a run to prevent the step's result from being recorded. */
class NotRecorded {}

/**
 * Starts or resumes a run that has a step runner.
 *
 * @throws {AgentError} With code `core` if the journal belongs to a different run.
 */
export async function startReplay(
  run: RunState,
  runner: StepRunner,
  userMessage: string,
): Promise<Replay> {
  const replay = new Replay(run, runner);
  await replay.checkHead(userMessage);
  return replay;
}

/**
 * Executes the steps of a run or replays their recorded results. Validates the results that the step runner returns.
 */
export class Replay {
  readonly #run: RunState;
  readonly #runner: StepRunner;

  constructor(run: RunState, runner: StepRunner) {
    this.#run = run;
    this.#runner = runner;
  }

  /**
   * Verifies that the first journal entry matches the run, because a run resumed with another run's journal would mix
   * two conversations.
   *
   * @throws {AgentError} With code `core` if the version, the agent name or the user message differs.
   */
  async checkHead(userMessage: string): Promise<void> {
    const { runId, agentName } = this.#run;
    const head = { version: JOURNAL_VERSION, agentName, userMessage };
    const recorded = asRecord(
      await this.#runner.run(`${runId}/start`, "run", () => Promise.resolve(head)),
    );
    const isOurs = recorded.version === head.version && recorded.agentName === head.agentName &&
      recorded.userMessage === head.userMessage;
    if (isOurs) return;
    throw AgentError.core(
      `Cannot resume run "${runId}": the journal has a different version, agent name or user message`,
    );
  }

  /** Calls the model or replays its recorded response. */
  async modelResponse(
    iteration: number,
    callModel: () => Promise<ParsedResponse>,
  ): Promise<ParsedResponse> {
    const key = `${this.#run.runId}/i${iteration}/model`;
    const recorded = await this.#runner.run(
      key,
      "model",
      async () => toStepValue(await callModel()),
    );
    return readModelResponse(fromStepValue(recorded));
  }

  /** Requests a repair of a tool call or replays the recorded result. */
  async repair(key: string, request: () => Promise<unknown>): Promise<unknown> {
    return fromStepValue(
      await this.#runner.run(key, "repair", async () => toStepValue(await request())),
    );
  }

  /**
   * Requests an approval decision or replays the recorded one. Deferred decisions and aborted requests are not
   * recorded.
   */
  async decision(
    key: string,
    request: () => Promise<ApprovalDecision | undefined>,
  ): Promise<ApprovalDecision | undefined> {
    let asked: ApprovalDecision | undefined;
    try {
      const recorded = await this.#runner.run(key, "approval", async () => {
        asked = await request();
        if (asked === undefined || asked.decision === "defer") throw new NotRecorded();
        return toStepValue(asked);
      });
      return readApprovalDecision(fromStepValue(recorded)) ?? this.#throwInvalidStep(key);
    } catch (error) {
      if (error instanceof NotRecorded) return asked;
      throw error;
    }
  }

  /** Executes a tool or replays its recorded result. */
  startTool(execution: ToolCallExecution, entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    this.#runToolStep(execution, entry).then(onEnd, (error) => onEnd(undefined, error));
  }

  async #runToolStep(execution: ToolCallExecution, entry: RegisteredTool): Promise<ToolStep> {
    const { call, input, iteration, position, run } = execution;
    const key = execution.keyOf("tool");
    const work = (): Promise<ToolStep> =>
      new Promise((resolve, reject) => {
        // A step runner may retry a step while an earlier attempt is still running, so each attempt has its own state.
        const attempt = Object.assign(new ToolCallExecution(run, iteration, call, position), {
          entry,
          input,
        });
        attempt.start(entry, (step, error) => {
          execution.delegation = attempt.delegation;
          execution.error = attempt.error;
          if (step) resolve(step);
          else reject(error);
        });
      });
    const recorded = await this.#runner.run(key, "tool", async () => toStepValue(await work()));
    return this.#readToolStep(asRecord(fromStepValue(recorded)), call) ??
      this.#throwInvalidStep(key);
  }

  #readToolStep(
    { result, stopRequested, usageByAgent }: UnknownRecord,
    call: ToolCall,
  ): ToolStep | undefined {
    const read = this.#readToolResult(asRecord(result), call);
    if (read === undefined) return undefined;
    const step = { result: read, stopRequested: stopRequested === true };
    return isUsageByAgent(usageByAgent) ? { ...step, usageByAgent } : step;
  }

  #readToolResult(value: UnknownRecord, call: ToolCall): ToolResult | undefined {
    const { type, toolCallId, toolName, output, isError, code, durationMs } = value;
    const isOurs = type === "tool-result" && toolCallId === call.toolCallId &&
      toolName === call.toolName;
    if (!isOurs || !isOutput(output)) return undefined;
    if (typeof isError !== "boolean" || typeof durationMs !== "number") return undefined;
    const known = Object.values(ToolResultCode).find((one) => one === code);
    return {
      type,
      toolCallId,
      toolName,
      output,
      isError,
      ...known === undefined ? {} : { code: known },
      durationMs,
    };
  }

  #throwInvalidStep(key: string): never {
    throw AgentError.core(
      `Cannot resume the run: journal step "${key}" is damaged or belongs to a different run`,
    );
  }
}

function isOutput(value: unknown): value is ToolResultOutput {
  const { type, value: content, reason } = asRecord(value);
  switch (type) {
    case "text":
    case "error-text":
      return typeof content === "string";
    case "json":
    case "error-json":
      return content !== undefined;
    case "execution-denied":
      return reason === undefined || typeof reason === "string";
    case "content":
      return Array.isArray(content);
    default:
      return false;
  }
}

function isUsageByAgent(value: unknown): value is Readonly<Record<string, TokenUsage>> {
  return typeof value === "object" && value !== null && Object.values(value).every((usage) => {
    const { inputTokens, outputTokens, totalTokens } = asRecord(usage);
    return [inputTokens, outputTokens, totalTokens].every((count) => typeof count === "number");
  });
}
