/**
 * Execution and replay of a run's steps through its step runner.
 *
 * @module
 */

import { assertRecord } from "@parley/internal/assert-argument";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import type { RecordedUse } from "../budget/run_budget.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { asRecord, defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import { type ToolCall, type ToolResult, ToolResultCode, type UserTurn } from "../shared/model.ts";
import { readCount } from "../shared/usage.ts";
import type { UsageByName } from "./usage_totals.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ApprovalDecision, readApprovalDecision } from "./approval.ts";
import { type ModelStep, readRecordedPlan, type RecordedPlan } from "./prepare_iteration.ts";
import { invalidStep, NotRecorded } from "./recorded_steps.ts";
import { readModelResponse, readUsage } from "./response.ts";
import type { RunState } from "./run_state.ts";
import { RunSteps } from "./run_steps.ts";
import { assertContinuable, assertTurn, toUserMessage } from "./conversation.ts";
import { digestOfConversation } from "./conversation_digest.ts";
import { digestOfJson } from "./decisions.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { assertNotAnswered } from "./final_answer.ts";
import { type OnToolCallEnd, ToolCallExecution } from "./tool_call_execution.ts";
import { errorResult, isOutput, type ToolStep } from "./tool_result.ts";
import { ToolStarts } from "./tool_starts.ts";

/**
 * Version of the journal data. `JOURNAL_VERSION` must be incremented if the meaning of recorded
 * data changes.
 */
const JOURNAL_VERSION = 4;

/** Digests of a tool call that needs a decision. */
export interface CallDigests {
  /** Digest of the tool's name and the input. */
  readonly digest: string;
  /** Digest of the tool call and of the tool as it is shown to the person who decides. */
  readonly shown: string;
}

/** A decision that was requested or read from the journal. */
export interface RecordedDecision {
  /** The decision. `undefined` if the run was aborted before the decision. */
  readonly decision: ApprovalDecision | undefined;
  /** Whether the decision approves a tool that has changed since. */
  readonly isChanged: boolean;
}

/**
 * Starts or resumes a run that has a step runner.
 *
 * @param turn The user's turn. If omitted, the recorded turn is added to the run's messages.
 * @throws {TypeError} If there is neither a turn nor a recorded turn, and the run has no messages
 * to continue from.
 * @throws {AgentError} With code `core` if the journal belongs to a different run.
 */
export async function startReplay(
  run: RunState,
  runner: StepRunner,
  turn: UserTurn | undefined,
): Promise<Replay> {
  const replay = new Replay(run, runner);
  await replay.checkHead(turn);
  return replay;
}

/**
 * Executes the steps of a run or replays their recorded results. Validates the results that the
 * step runner returns.
 */
export class Replay {
  /** Recorded starts of the run's tool calls. */
  readonly starts: ToolStarts;
  readonly #run: RunState;
  readonly #steps: RunSteps;

  constructor(run: RunState, runner: StepRunner) {
    this.#run = run;
    this.#steps = new RunSteps(runner, run.deadlines, run.config.graceMs);
    this.starts = new ToolStarts(this.#steps);
  }

  /**
   * Verifies that the first journal entry matches the run, because a run resumed with another run's
   * journal would mix two conversations.
   *
   * @throws {TypeError} If there is no turn and there are no messages to continue.
   * @throws {AgentError} With code `core` if the version, agent name, turn or messages in the
   * journal differ from the run's.
   */
  async checkHead(turn: UserTurn | undefined): Promise<void> {
    const { runId, agentName, config, conversation, messages: transcript } = this.#run;
    const { messages = [], history: view } = config;
    const digest = await digestOfConversation(conversation);
    const history = {
      length: messages.length,
      digest: view === undefined ? digest : await digestOfJson(toStepValue([digest, view])),
    };
    const head = { version: JOURNAL_VERSION, agentName, turn: toStepValue(turn ?? null), history };
    const recorded = asRecord(
      await this.#steps.run(`${runId}/start`, "run", () => {
        if (turn === undefined) {
          assertContinuable(messages);
          assertNotAnswered(messages, config.registry);
        }
        return Promise.resolve(head);
      }),
    );
    // A resumed run without a turn uses the recorded turn.
    const expected = turn === undefined ? { ...head, turn: recorded.turn ?? null } : head;
    const matches = formatSorted(recorded) === formatSorted(expected);
    if (!matches) {
      throw AgentError.core(
        `Cannot resume run "${runId}": the journal has a different version, agent name, user message or history`,
      );
    }
    if (turn !== undefined || expected.turn === null) return;
    const recordedTurn = fromStepValue(expected.turn);
    assertTurn("the recorded user message", recordedTurn);
    if (recordedTurn !== undefined) transcript.push(toUserMessage(recordedTurn));
  }

  /**
   * Prepares the iteration and calls the model, or replays the recorded plan and response.
   *
   * @param kind The final call after a budget is used up has a different key, because a resumed
   * run whose budget is greater makes the call that the budget has prevented.
   */
  async modelStep(
    iteration: number,
    kind: "model" | "final",
    execute: () => Promise<ModelStep>,
  ): Promise<ModelStep> {
    const key = `${this.#run.runId}/i${iteration}/${kind}`;
    const recorded = await this.#steps.run(key, "model", async () => {
      const step = await execute();
      return toStepValue("plan" in step ? { ...step.response, plan: step.plan } : step);
    });
    const value = fromStepValue(recorded);
    const plan = this.#readPlan(asRecord(value).plan, key);
    if (plan === undefined) return readModelResponse(value);
    return { plan, response: plan.stop === undefined ? readModelResponse(value) : undefined };
  }

  #readPlan(value: unknown, key: string): RecordedPlan | undefined {
    if (value === undefined) return undefined;
    try {
      assertRecord("plan", value);
      const plan = readRecordedPlan(value, this.#run.messages.length);
      const { outputMode } = value;
      return outputMode === "native" || outputMode === "tool" ? { ...plan, outputMode } : plan;
    } catch {
      // A run never records an invalid plan, so the journal is damaged.
      return invalidStep(key);
    }
  }

  /** Requests a repair of a tool call or replays the recorded result. */
  async repair(key: string, request: () => Promise<unknown>): Promise<unknown> {
    return fromStepValue(
      await this.#steps.run(key, "repair", async () => toStepValue(await request())),
    );
  }

  /**
   * Requests an approval decision or replays the recorded decision. Deferred decisions and aborted
   * requests are not recorded.
   *
   * @param digests Digests of the tool call, which a recorded decision must also contain.
   * @returns The decision, and whether the recorded approval is for another tool.
   * @throws {AgentError} With code `core` if the recorded decision is invalid or is for a different
   * call.
   */
  async decision(
    key: string,
    digests: CallDigests,
    request: () => Promise<ApprovalDecision | undefined>,
  ): Promise<RecordedDecision> {
    let asked: ApprovalDecision | undefined;
    try {
      const recorded = await this.#steps.run(key, "approval", async () => {
        asked = await request();
        if (asked === undefined || asked.decision === "defer") throw new NotRecorded();
        return toStepValue({ ...asked, ...digests });
      });
      const { digest, shown, ...values } = asRecord(fromStepValue(recorded));
      if (digest !== digests.digest) {
        throw AgentError.core(
          `Cannot resume the run: journal step "${key}" is the approval of a different tool call`,
        );
      }
      const decision = readApprovalDecision(values) ?? invalidStep(key);
      // Journals of earlier versions contain no digest of the tool.
      const isChanged = shown !== undefined && shown !== digests.shown;
      return { decision, isChanged: isChanged && decision.decision === "approve" };
    } catch (error) {
      if (error instanceof NotRecorded) return { decision: asked, isChanged: false };
      throw error;
    }
  }

  /**
   * Returns true if an execution of the tool call was started but neither finished nor suspended.
   * Sets `earlierExecutions` to the number of executions before the interrupted execution.
   */
  async isOutcomeUnknown(execution: ToolCallExecution): Promise<boolean> {
    try {
      return await this.#steps.lock(
        execution.keyOf("tool"),
        () => this.starts.isInterrupted(execution),
      );
    } catch (error) {
      // An aborted run executes no further tools.
      if (this.#run.isAborted) return false;
      throw error;
    }
  }

  /** Executes a tool or replays its recorded result. */
  startTool(execution: ToolCallExecution, entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    const isRepeatable = this.#run.config.onUnknownOutcome === "repeat" || isSafeToRepeat(entry);
    const execute = (): Promise<ToolStep> => this.#runToolStep(execution, entry, isRepeatable);
    // Between the recorded start of a tool and its step, another execution of this run must not
    // conclude that the tool was interrupted.
    const ended = isRepeatable ? execute() : this.#steps.lock(execution.keyOf("tool"), execute);
    ended.then(onEnd, (error) => onEnd(undefined, error));
  }

  async #runToolStep(
    execution: ToolCallExecution,
    entry: RegisteredTool,
    isRepeatable: boolean,
  ): Promise<ToolStep> {
    const { call, run } = execution;
    const key = execution.keyOf("tool");
    const isFirst = isRepeatable || await this.starts.begin(execution, entry);
    let isReplayed = true;
    const step = async (): Promise<JsonValue> => {
      isReplayed = false;
      const mayExecute = isFirst || await this.starts.beginAfterSuspension(execution, entry);
      if (!mayExecute) {
        run.budget?.countToolCall();
        return toStepValue(unknownOutcome(execution));
      }
      // The run may have been aborted while the start was being recorded.
      if (run.isAborted) throw new NotRecorded();
      return toStepValue(await executeTool(execution, entry));
    };
    let recorded: unknown;
    try {
      recorded = await this.#steps.run(key, "tool", step);
    } catch (error) {
      const isSuspended = execution.delegation?.pending !== undefined;
      // An abort can end the run after the start was recorded and before the step is executed.
      const isUnused = isFirst && isReplayed && run.isAborted;
      if (isSuspended || !isRepeatable && (error instanceof NotRecorded || isUnused)) {
        await this.starts.suspend(execution, entry);
      }
      throw error;
    }
    if (isReplayed) await this.#takeRecorded(`${key}/`);
    execution.isReplayed = isReplayed;
    const ended = this.#readToolStep(asRecord(fromStepValue(recorded)), call) ?? invalidStep(key);
    const isOvertaken = isFirst && isReplayed && !isRepeatable &&
      ended.result.code === ToolResultCode.OutcomeUnknown;
    // Another process has read the recorded start, and has recorded an unknown outcome before this
    // process called the step. Without this execution, no process would execute the tool.
    if (isOvertaken && !run.isAborted) await executeTool(execution, entry);
    return ended;
  }

  /**
   * Marks the decisions for the sub-agents of a replayed tool call as used, if an earlier run has
   * recorded them. Other decisions below the tool call match no call, and are reported.
   */
  async #takeRecorded(prefix: string): Promise<void> {
    const { decisions } = this.#run;
    for (const key of decisions?.unusedBelow(prefix) ?? []) {
      const stepKey = key.slice(0, Math.max(key.lastIndexOf("#"), 0));
      if (await this.starts.isRecorded(stepKey, "approval")) decisions?.take(key);
    }
  }

  #readToolStep(
    { budgetUse, result, stopRequested, usageByAgent, usageByModel }: UnknownRecord,
    call: ToolCall,
  ): ToolStep | undefined {
    const read = this.#readToolResult(asRecord(result), call);
    if (read === undefined) return undefined;
    const step = { result: read, stopRequested: stopRequested === true };
    const usage = defined({
      usageByAgent: readUsages(usageByAgent),
      usageByModel: readUsages(usageByModel),
      budgetUse: readRecordedUse(budgetUse),
    });
    return { ...step, ...usage };
  }

  #readToolResult(value: UnknownRecord, call: ToolCall): ToolResult | undefined {
    const { type, toolCallId, toolName, output, isError, isTruncated, code, durationMs } = value;
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
      ...isTruncated === true ? { isTruncated } : {},
      ...known === undefined ? {} : { code: known },
      durationMs,
    };
  }
}

/** Executes a tool. Rejects if the execution ends without a result. */
function executeTool(execution: ToolCallExecution, entry: RegisteredTool): Promise<ToolStep> {
  const { call, input, iteration, position, run } = execution;
  return new Promise((resolve, reject) => {
    // A step runner may retry a step while an earlier attempt is still running, so each attempt has
    // its own state.
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
}

/**
 * Whether the annotations of a tool declare that it can be executed again after an unknown outcome.
 */
export function isSafeToRepeat({ tool: { annotations } }: RegisteredTool): boolean {
  return annotations?.readOnly === true || annotations?.idempotent === true;
}

/** Creates the outcome of a call that was interrupted and is not executed again. */
function unknownOutcome({ call, denialReason }: ToolCallExecution): ToolStep {
  const denial = denialReason === undefined ? "" : `It was not executed again: ${denialReason}. `;
  const text = `Outcome unknown: the run was interrupted while tool "${call.toolName}" was ` +
    `running, so the call may have had an effect. ${denial}Check the effect before you call the tool again.`;
  return { result: errorResult(call, "outcome_unknown", text), stopRequested: false };
}

/** Reads what sub-agents have used of a budget. Counts that are not valid are read as 0. */
function readRecordedUse(value: unknown): RecordedUse | undefined {
  if (!isRecord(value)) return undefined;
  const { modelCalls, toolCalls, usageByModel } = value;
  return {
    modelCalls: readCount(modelCalls) ?? 0,
    toolCalls: readCount(toolCalls) ?? 0,
    usageByModel: readUsages(usageByModel) ?? {},
  };
}

/** Reads the token usage of sub-agents. Counts that are not valid are read as 0. */
function readUsages(value: unknown): UsageByName | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, usage]) => [name, readUsage(usage)]),
  );
}
