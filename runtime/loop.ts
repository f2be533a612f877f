/**
 * The tool loop: ask the model, execute the tool calls it wants, feed the results back, until something ends it.
 *
 * There is one engine. Events are made only when somebody listens; a streamed run is this one with a listener.
 *
 * @module
 */

import { askModel, describeModel } from "./ask_model.ts";
import { CORE } from "./core.ts";
import { AgentError, reasonOf } from "./error.ts";
import { defined } from "./json.ts";
import type { LoopControl, ToolLoopConfig } from "./loop_options.ts";
import {
  type AssistantMessage,
  type FinishReason,
  type GenerationOptions,
  type ToolCall,
  type ToolResult,
  ToolResultCode,
} from "./model.ts";
import {
  AgentStopReason,
  type PartialLoopOutput,
  type PendingBatch,
  type ToolLoopIteration,
  type ToolLoopOutput,
} from "./output.ts";
import { type Answer, callIdsIn, labelCalls, textOf } from "./read_answer.ts";
import type { Replay } from "./replay.ts";
import { RunScope } from "./run_scope.ts";
import { type AgentStopCondition, byPriority, firstTriggered, maxIterations } from "./stop.ts";
import { type BatchOutcome, executeToolCalls } from "./tool_calls.ts";
import { errorResult } from "./tool_result.ts";
import { addUsage } from "./usage.ts";

/** Why a run ends. */
interface End {
  readonly reason: AgentStopReason;
  readonly conditionName?: string;
  readonly pending?: PendingBatch;
}

const NO_OPTIONS: GenerationOptions = Object.freeze({});

const CUT_OFF = "Not executed: the output was cut off before this call was complete";

/** Why the calls of an answer are not executed, by its finish reason. */
const REFUSALS: Readonly<Partial<Record<FinishReason, string>>> = {
  length: CUT_OFF,
  interrupted: CUT_OFF,
  "content-filter": "Not executed: the answer was withheld by the content filter",
};

/** Why a run ends with an answer that has no calls, by its finish reason; otherwise the model has stopped. */
const ENDS: Readonly<Partial<Record<FinishReason, AgentStopReason>>> = {
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
    throw new TypeError(`Cannot run: the user message is a ${typeof userMessage}, not a string`);
  }
  return await new ToolLoop(new RunScope(config, userMessage, control), userMessage).run();
}

class ToolLoop {
  readonly #run: RunScope;
  readonly #userMessage: string;
  readonly #iterations: ToolLoopIteration[] = [];
  readonly #conditions: readonly AgentStopCondition[];
  /** The ids of all calls, looked for when the first call comes. */
  #callIds: Set<string> | undefined;
  #replay: Replay | undefined;
  #toolCallCount = 0;
  #stopRequested = false;

  constructor(run: RunScope, userMessage: string) {
    this.#run = run;
    this.#userMessage = userMessage;
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.limits.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => this.#stopRequested },
    ]);
  }

  async run(): Promise<ToolLoopOutput> {
    const run = this.#run;
    const { agentName, config: { agentDid, model, stepRunner } } = run;
    try {
      run.emit?.({
        type: "run_started",
        ...describeModel(model),
        ...defined({ agentName, agentDid }),
      });
      if (stepRunner !== undefined) {
        const { Replay } = await import("./replay.ts");
        this.#replay = new Replay(CORE, stepRunner);
        await this.#replay.checkHead(run, this.#userMessage);
      }
      const output = await this.#finish(await this.#iterate());
      run.emit?.({ type: "run_finished", stopReason: output.stopReason, output });
      if (run.failure !== undefined) throw run.failure;
      return output;
    } catch (error) {
      const failure = this.#toFailure(error);
      run.emit?.({ type: "run_failed", error: failure });
      throw failure;
    } finally {
      run.waits.close();
    }
  }

  async #iterate(): Promise<End> {
    for (let index = 0;; index++) {
      if (this.#run.mustWait) await this.#run.wait();
      if (this.#run.isAborted) return this.#aborted();
      const end = await this.#iteration(index);
      if (end !== undefined) return end;
    }
  }

  /** @param isFinal whether the model is asked for a last answer without tools, and calls are not executed */
  async #iteration(index: number, isFinal = false): Promise<End | undefined> {
    const run = this.#run;
    run.emit?.({ type: "iteration_started", iteration: index });
    const answer = await this.#ask(index, isFinal);
    if (answer === undefined) return this.#aborted();
    const { finishReason } = answer;
    this.#callIds ??= callIdsIn(run.messages);
    const { message, calls } = labelCalls(answer.message, index, this.#callIds);
    if (calls.length === 0) {
      this.#record(index, answer, message, calls, []);
      // Evaluated for conditions that keep count; a complete answer is never reported as a limit.
      if (!isFinal) this.#check(index, finishReason, 0);
      return { reason: ENDS[finishReason] ?? AgentStopReason.ModelStop };
    }
    const refusal = isFinal
      ? "Not executed: the iteration limit was reached"
      : REFUSALS[finishReason];
    if (refusal === undefined && run.mustWait) await run.wait();
    const batch = refusal === undefined
      ? await executeToolCalls(run, index, calls, this.#replay)
      : refuseAll(calls, refusal);
    const { results, pending: approvals } = batch;
    if (approvals.length > 0) {
      run.ownUsage = addUsage(run.ownUsage, answer.usage);
      return {
        reason: AgentStopReason.ApprovalPending,
        pending: { iteration: index, assistantMessage: message, toolResults: results, approvals },
      };
    }
    this.#record(index, answer, message, calls, results);
    if (batch.failure !== undefined) throw batch.failure;
    if (batch.stopRequested) this.#stopRequested = true;
    if (finishReason === "content-filter") return { reason: AgentStopReason.ContentFiltered };
    if (run.isAborted) return this.#aborted();
    return isFinal ? undefined : this.#check(index, finishReason, calls.length);
  }

  /** The model's answer; undefined when the run was aborted before there was one. */
  async #ask(iteration: number, isFinal: boolean): Promise<Answer | undefined> {
    const run = this.#run;
    const { registry, generateOptions = NO_OPTIONS } = run.config;
    if (run.failure !== undefined) throw run.failure;
    if (run.isAborted) return undefined;
    const question = {
      iteration,
      tools: isFinal ? [] : registry.definitions(),
      options: isFinal ? { ...generateOptions, toolChoice: "none" as const } : generateOptions,
    };
    try {
      const answer = this.#replay === undefined
        ? await askModel(run, question)
        : await this.#replay.answer(
          `${run.runId}/i${iteration}/model`,
          () => askModel(run, question),
        );
      run.emit?.({ type: "model_finished", iteration, ...answer });
      return answer;
    } catch (error) {
      // Whatever else went wrong then, the caller has already given up on the answer.
      if (run.isAborted) return undefined;
      throw error;
    }
  }

  #record(
    index: number,
    answer: Answer,
    assistantMessage: AssistantMessage,
    toolCalls: readonly ToolCall[],
    toolResults: ToolResult[],
  ): void {
    const run = this.#run;
    const { messages } = run;
    messages.push(Object.freeze(assistantMessage));
    if (toolCalls.length > 0) messages.push(Object.freeze({ role: "tool", content: toolResults }));
    const iteration = { index, assistantMessage, toolCalls, toolResults, usage: answer.usage };
    this.#iterations.push(iteration);
    this.#toolCallCount += toolCalls.length;
    run.ownUsage = addUsage(run.ownUsage, answer.usage);
    run.emit?.({ type: "iteration_finished", iteration });
  }

  #check(
    iteration: number,
    lastFinishReason: FinishReason,
    lastToolCallCount: number,
  ): End | undefined {
    const { config: { stopConditions }, messages, totalUsage } = this.#run;
    const context = {
      iteration,
      totalUsage,
      lastFinishReason,
      lastToolCallCount,
      // The loop's own conditions look at nothing else, and clocks are slow.
      ...stopConditions && {
        iterations: this.#iterations,
        totalToolCalls: this.#toolCallCount,
        elapsedMs: this.#run.elapsedMs,
        messages,
      },
    };
    return firstTriggered(context, this.#conditions);
  }

  #aborted(): End {
    return {
      reason: this.#run.isTerminating ? AgentStopReason.Terminated : AgentStopReason.Aborted,
    };
  }

  async #finish(
    { reason, conditionName: stopConditionName, pending }: End,
  ): Promise<ToolLoopOutput> {
    const { onMaxIterations, onAbort, signal } = this.#run.config;
    if (reason === AgentStopReason.MaxIterations) {
      const { length } = this.#iterations;
      if (onMaxIterations === "throw") {
        const names = this.#iterations.at(-1)?.toolCalls.map(({ toolName }) => toolName) ?? [];
        throw AgentError.maxIterationsExceeded(length, names);
      }
      if (onMaxIterations === "finalize") await this.#iteration(length, true);
    }
    const output = defined({
      ...this.#partialOutput(),
      stopReason: reason,
      stopConditionName,
      pending,
    });
    if (reason === AgentStopReason.Aborted && onAbort === "throw") {
      throw withPartialOutput(signal?.reason, output);
    }
    return output;
  }

  #partialOutput(): PartialLoopOutput {
    const { delegated, messages, ownUsage, path, totalUsage } = this.#run;
    return defined({
      finalText: textOf(this.#iterations.at(-1)?.assistantMessage),
      iterations: this.#iterations,
      totalUsage,
      messages,
      usageByAgent: delegated.size > 0
        ? { [path.join("/")]: ownUsage, ...Object.fromEntries(delegated) }
        : undefined,
    });
  }

  /** What the run rejects with: an AgentError with everything so far, or what the caller wants thrown on abort. */
  #toFailure(cause: unknown): unknown {
    const { signal } = this.#run.config;
    if (signal?.aborted && cause === signal.reason) return cause;
    const partialOutput = this.#partialOutput();
    if (AgentError.isAgentError(cause)) return cause.withPartialOutput(partialOutput);
    const text = `Cannot finish the run: ${reasonOf(cause)}`;
    return AgentError.core(text, { cause, partialOutput });
  }
}

function refuseAll(calls: readonly ToolCall[], text: string): BatchOutcome {
  const results = calls.map((call) => errorResult(call, ToolResultCode.OutputTruncated, text));
  return { results, pending: [] };
}

/** The reason itself, as the web's convention has it; an object carries the output along. */
function withPartialOutput(reason: unknown, partialOutput: ToolLoopOutput): unknown {
  if (typeof reason === "object" && reason !== null && Object.isExtensible(reason)) {
    Object.defineProperty(reason, "partialOutput", { value: partialOutput, configurable: true });
  }
  return reason;
}
