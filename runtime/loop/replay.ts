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
import { type Answer, readAnswer } from "./response.ts";
import type { RunScope } from "./run_state.ts";
import { CallContext, type Ending } from "./tool_call_execution.ts";
import type { ToolStep } from "./tool_result.ts";

/** Raised when what a journal holds changes its meaning. */
const JOURNAL_VERSION = 1;

/** Thrown out of a step that must not be recorded. */
class Undecided {}

/**
 * Begins, or goes on, with a run that has a step runner.
 *
 * @throws {AgentError} code `core`: the journal is another run's
 */
export async function startReplay(
  run: RunScope,
  runner: StepRunner,
  userMessage: string,
): Promise<Replay> {
  const replay = new Replay(run, runner);
  await replay.checkHead(userMessage);
  return replay;
}

/** Runs steps, or repeats what is recorded of them. What comes back is read like anything from outside. */
export class Replay {
  readonly #run: RunScope;
  readonly #runner: StepRunner;

  constructor(run: RunScope, runner: StepRunner) {
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
  async answer(iteration: number, ask: () => Promise<Answer>): Promise<Answer> {
    const key = `${this.#run.runId}/i${iteration}/model`;
    const recorded = await this.#runner.run(key, "model", async () => toStepValue(await ask()));
    return readAnswer(fromStepValue(recorded));
  }

  /** What somebody made of a call's input. */
  async repair(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    return fromStepValue(
      await this.#runner.run(key, "repair", async () => toStepValue(await ask())),
    );
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
      return readApprovalDecision(fromStepValue(recorded)) ?? this.#raiseForeign(key);
    } catch (error) {
      if (error instanceof Undecided) return asked;
      throw error;
    }
  }

  /** Lets a tool work, or repeats what it came to. */
  startTool(item: CallContext, entry: RegisteredTool, ending: Ending): void {
    this.#toolStep(item, entry).then(ending, (error) => ending(undefined, error));
  }

  async #toolStep(item: CallContext, entry: RegisteredTool): Promise<ToolStep> {
    const { call, input, iteration, position, run } = item;
    const key = item.keyOf("tool");
    const work = (): Promise<ToolStep> =>
      new Promise((resolve, reject) => {
        // Step runners may run a step again, and an earlier try may still be at work: each try is one of its own.
        const attempt = Object.assign(new CallContext(run, iteration, call, position), {
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
    return this.#readToolStep(asRecord(fromStepValue(recorded)), call) ?? this.#raiseForeign(key);
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

  #raiseForeign(key: string): never {
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
