/**
 * The tool loop: ask the model, execute the tool calls it wants, feed the results back, until something ends it.
 *
 * There is one engine. Events are made only when somebody listens; a streamed run is this one with a listener.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined } from "../shared/json.ts";
import type { AssistantMessage, FinishReason, ToolCall, ToolResult } from "../shared/model.ts";
import {
  AgentStopReason,
  type PartialLoopOutput,
  type PendingBatch,
  type ToolLoopIteration,
  type ToolLoopOutput,
} from "../shared/output.ts";
import { addUsage } from "../shared/usage.ts";
import { callModel, type ModelCallInput } from "./model_call.ts";
import type { LoopControl, ToolLoopConfig } from "./options.ts";
import { type Replay, startReplay } from "./replay.ts";
import {
  type CallIds,
  callIdsIn,
  completeToolCalls,
  type ParsedResponse,
  textOf,
} from "./response.ts";
import { RunState } from "./run_state.ts";
import {
  type AgentStopCondition,
  byPriority,
  firstTriggered,
  maxIterations,
} from "./stop_conditions.ts";
import { ToolCallBatch, type ToolCallBatchOutcome } from "./tool_call_batch.ts";
import { errorResult } from "./tool_result.ts";

/** Why a run ends. */
interface RunEnd {
  readonly reason: AgentStopReason;
  readonly conditionName?: string;
  readonly pending?: PendingBatch;
}

const CUT_OFF = "the output was cut off";

/** Why the calls of an answer are not executed, by its finish reason. */
const SKIP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, string>>> = {
  length: CUT_OFF,
  interrupted: CUT_OFF,
  "content-filter": "the answer was withheld by the content filter",
};

/** Why a run ends with an answer that has no calls, by its finish reason; otherwise the model has stopped. */
const STOP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, AgentStopReason>>> = {
  length: AgentStopReason.OutputTruncated,
  interrupted: AgentStopReason.OutputTruncated,
  "content-filter": AgentStopReason.ContentFiltered,
};

/**
 * Runs the loop once.
 *
 * Failures of tools are results that the model reads; limits, aborts and open approvals are stop reasons. The promise
 * rejects only when the run cannot go on, and then `partialOutput` has everything so far.
 *
 * @param config the model, the tools, and how to behave
 * @param userMessage what the user says
 * @returns the answer, the transcript and what it cost
 * @throws {RangeError} a limit is out of range
 * @throws {AgentError} code `model_error`: the model failed; `max_iterations_exceeded`, `tool_not_found`,
 * `tool_execution_failed`: only when asked for; `core`: a stop condition, listener, step runner or journal failed
 *
 * @example A tool and its answer
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const registry = new ToolRegistry([{
 *   name: "add",
 *   inputSchema: { type: "object", required: ["a", "b"] },
 *   execute: ({ a, b }: { a: number; b: number }) => a + b,
 * }]);
 * const model = scriptedModel([
 *   { calls: [{ toolName: "add", input: { a: 1, b: 2 } }] },
 *   { text: "It is 3" },
 * ]);
 * const output = await runToolLoop({ model, registry }, "What is 1 + 2?");
 * assertEquals([output.finalText, output.stopReason], ["It is 3", "model_stop"]);
 * ```
 */
export async function runToolLoop(
  config: ToolLoopConfig,
  userMessage: string,
): Promise<ToolLoopOutput> {
  return await controlToolLoop(config, userMessage, {});
}

/** Runs the loop for somebody who may want it to rest. */
export async function controlToolLoop(
  config: ToolLoopConfig,
  userMessage: string,
  control: LoopControl,
): Promise<ToolLoopOutput> {
  if (typeof userMessage !== "string") {
    throw new TypeError("Cannot run: the user message is no string");
  }
  return await new ToolLoop(new RunState(config, userMessage, control)).run(userMessage);
}

class ToolLoop {
  readonly #run: RunState;
  readonly #iterations: ToolLoopIteration[] = [];
  readonly #conditions: readonly AgentStopCondition[];
  /** The ids of all calls, looked for when the first call comes. */
  #callIds: CallIds | undefined;
  #replay: Replay | undefined;
  #toolCallCount = 0;

  constructor(run: RunState) {
    this.#run = run;
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.limits.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => run.stopRequested },
    ]);
  }

  async run(userMessage: string): Promise<ToolLoopOutput> {
    const run = this.#run;
    const { agentName, config: { agentDid, model: { modelId, provider }, stepRunner } } = run;
    try {
      run.emit?.(defined({ type: "run_started" as const, modelId, provider, agentName, agentDid }));
      if (stepRunner) this.#replay = await startReplay(run, stepRunner, userMessage);
      const output = await this.#finish(await this.#iterate());
      run.emit?.({ type: "run_finished", stopReason: output.stopReason, output });
      if (run.failure) throw run.failure;
      return output;
    } catch (error) {
      const failure = this.#toFailure(error);
      run.emit?.({ type: "run_failed", error: failure });
      throw failure;
    } finally {
      run.deadlines.close();
    }
  }

  async #iterate(): Promise<RunEnd> {
    const run = this.#run;
    for (let index = 0;; index++) {
      if (run.shouldPause) await run.waitUntilResumed();
      if (run.isAborted) return { reason: run.abortReason };
      const end = await this.#runIteration(index);
      if (end) return end;
    }
  }

  /** @param isFinal whether the model is asked for a last answer without tools, and calls are not executed */
  async #runIteration(index: number, isFinal = false): Promise<RunEnd | undefined> {
    const run = this.#run;
    run.emit?.({ type: "iteration_started", iteration: index });
    const response = await this.#callModel(index, isFinal);
    if (!response) return { reason: run.abortReason };
    const { finishReason } = response;
    this.#callIds ??= callIdsIn(run.messages);
    const { calls, message } = completeToolCalls(response.message, index, this.#callIds);
    if (calls.length === 0) {
      this.#record(index, response, message, calls, []);
      // Evaluated for conditions that keep count; a complete answer is never reported as a limit.
      if (!isFinal) this.#checkStopConditions(index, finishReason, 0);
      return { reason: STOP_REASON_BY_FINISH[finishReason] ?? AgentStopReason.ModelStop };
    }
    const skipReason = isFinal
      ? "the iteration limit was reached"
      : SKIP_REASON_BY_FINISH[finishReason];
    if (!skipReason && run.shouldPause) await run.waitUntilResumed();
    const { failure, pending: approvals, results }: ToolCallBatchOutcome = skipReason
      ? {
        results: calls.map((call) =>
          errorResult(call, "output_truncated", `Not executed: ${skipReason}`)
        ),
        pending: [],
      }
      : await new ToolCallBatch(run, index, calls, this.#replay).execute();
    if (approvals.length > 0) {
      run.ownUsage = addUsage(run.ownUsage, response.usage);
      return {
        reason: AgentStopReason.ApprovalPending,
        pending: { iteration: index, assistantMessage: message, toolResults: results, approvals },
      };
    }
    this.#record(index, response, message, calls, results);
    if (failure) throw failure;
    if (finishReason === "content-filter") return { reason: AgentStopReason.ContentFiltered };
    if (run.isAborted) return { reason: run.abortReason };
    return isFinal ? undefined : this.#checkStopConditions(index, finishReason, calls.length);
  }

  /** The model's answer; undefined when the run was aborted before there was one. */
  async #callModel(iteration: number, isFinal: boolean): Promise<ParsedResponse | undefined> {
    const run = this.#run;
    const { registry, generateOptions: options = {} } = run.config;
    if (run.failure) throw run.failure;
    if (run.isAborted) return undefined;
    const input: ModelCallInput = isFinal
      ? { iteration, tools: [], options: { ...options, toolChoice: "none" } }
      : { iteration, tools: registry.definitions(), options };
    try {
      const response = this.#replay
        ? await this.#replay.modelResponse(iteration, () => callModel(run, input))
        : await callModel(run, input);
      run.emit?.({ type: "model_finished", iteration, ...response });
      return response;
    } catch (error) {
      // Whatever else went wrong then, the caller has already given up on the answer.
      if (run.isAborted) return undefined;
      throw error;
    }
  }

  #record(
    index: number,
    { usage }: ParsedResponse,
    assistantMessage: AssistantMessage,
    toolCalls: readonly ToolCall[],
    toolResults: ToolResult[],
  ): void {
    const run = this.#run;
    const { messages } = run;
    messages.push(Object.freeze(assistantMessage));
    if (toolCalls.length > 0) messages.push(Object.freeze({ role: "tool", content: toolResults }));
    const iteration = { index, assistantMessage, toolCalls, toolResults, usage };
    this.#iterations.push(iteration);
    this.#toolCallCount += toolCalls.length;
    run.ownUsage = addUsage(run.ownUsage, usage);
    run.emit?.({ type: "iteration_finished", iteration });
  }

  #checkStopConditions(
    iteration: number,
    lastFinishReason: FinishReason,
    lastToolCallCount: number,
  ): RunEnd | undefined {
    const { config, messages, totalUsage } = this.#run;
    return firstTriggered({
      iteration,
      totalUsage,
      lastFinishReason,
      lastToolCallCount,
      iterations: this.#iterations,
      totalToolCalls: this.#toolCallCount,
      messages,
      // The loop's own conditions do not look at the clock, which is slow.
      elapsedMs: config.stopConditions ? this.#run.elapsedMs : 0,
    }, this.#conditions);
  }

  async #finish(
    { reason: stopReason, conditionName: stopConditionName, pending }: RunEnd,
  ): Promise<ToolLoopOutput> {
    const { onMaxIterations, onAbort, signal } = this.#run.config;
    if (stopReason === AgentStopReason.MaxIterations) {
      const { length } = this.#iterations;
      if (onMaxIterations === "throw") {
        const names = this.#iterations.at(-1)?.toolCalls.map(({ toolName }) => toolName);
        throw AgentError.maxIterationsExceeded(length, names ?? []);
      }
      if (onMaxIterations === "finalize") await this.#runIteration(length, true);
    }
    const output = defined({ ...this.#partialOutput(), stopReason, stopConditionName, pending });
    if (stopReason !== AgentStopReason.Aborted || onAbort !== "throw") return output;
    try {
      Object.defineProperty(signal?.reason, "partialOutput", { value: output, configurable: true });
    } catch {
      // A reason that is no object, or a frozen one, carries nothing.
    }
    throw signal?.reason;
  }

  #partialOutput(): PartialLoopOutput {
    const { delegated, messages, ownUsage, path, totalUsage } = this.#run;
    const iterations = this.#iterations;
    const output = {
      finalText: textOf(iterations.at(-1)?.assistantMessage),
      iterations,
      totalUsage,
      messages,
    };
    if (delegated.size === 0) return output;
    const usageByAgent = { [path.join("/")]: ownUsage, ...Object.fromEntries(delegated) };
    return { ...output, usageByAgent };
  }

  /** What the run rejects with: an AgentError with everything so far, or what the caller wants thrown on abort. */
  #toFailure(cause: unknown): unknown {
    const { signal } = this.#run.config;
    if (signal?.aborted && cause === signal.reason) return cause;
    const partialOutput = this.#partialOutput();
    return AgentError.isAgentError(cause)
      ? cause.withPartialOutput(partialOutput)
      : AgentError.core(`Cannot finish the run: ${errorMessageOf(cause)}`, {
        cause,
        partialOutput,
      });
  }
}
