/**
 * The steps of a run through its step runner.
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

/** Raised when what a journal holds changes its meaning. */
const JOURNAL_VERSION = 1;

/** Thrown out of a step that must not be recorded. */
class NotRecorded {}

/**
 * Begins, or goes on, with a run that has a step runner.
 *
 * @throws {AgentError} code `core`: the journal is another run's
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

/** Runs steps, or repeats what is recorded of them. What comes back is read like anything from outside. */
export class Replay {
  readonly #run: RunState;
  readonly #runner: StepRunner;

  constructor(run: RunState, runner: StepRunner) {
    this.#run = run;
    this.#runner = runner;
  }

  /**
   * Checks the head of the journal, which says whose it is: resuming another run with it would mix two conversations.
   *
   * @throws {AgentError} code `core`: it is not this run's
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
      `Cannot resume run "${runId}": its journal is of another version, agent or user message`,
    );
  }

  /** A model's answer. */
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

  /** What somebody made of a call's input. */
  async repair(key: string, request: () => Promise<unknown>): Promise<unknown> {
    return fromStepValue(
      await this.#runner.run(key, "repair", async () => toStepValue(await request())),
    );
  }

  /** A decision; an open one, or none because the run was aborted, is not recorded. */
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
      return readApprovalDecision(fromStepValue(recorded)) ?? this.#throwForeignStep(key);
    } catch (error) {
      if (error instanceof NotRecorded) return asked;
      throw error;
    }
  }

  /** Lets a tool work, or repeats what it came to. */
  startTool(item: ToolCallExecution, entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    this.#runToolStep(item, entry).then(onEnd, (error) => onEnd(undefined, error));
  }

  async #runToolStep(item: ToolCallExecution, entry: RegisteredTool): Promise<ToolStep> {
    const { call, input, iteration, position, run } = item;
    const key = item.keyOf("tool");
    const work = (): Promise<ToolStep> =>
      new Promise((resolve, reject) => {
        // Step runners may run a step again, and an earlier try may still be at work: each try is one of its own.
        const attempt = Object.assign(new ToolCallExecution(run, iteration, call, position), {
          entry,
          input,
        });
        attempt.start(entry, (step, error) => {
          item.delegation = attempt.delegation;
          if (step) resolve(step);
          else reject(error);
        });
      });
    const recorded = await this.#runner.run(key, "tool", async () => toStepValue(await work()));
    return this.#readToolStep(asRecord(fromStepValue(recorded)), call) ??
      this.#throwForeignStep(key);
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

  #throwForeignStep(key: string): never {
    throw AgentError.core(
      `Cannot resume the run: the journal's step "${key}" is of another run or damaged`,
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
