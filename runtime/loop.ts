/**
 * The tool loop: ask the model, execute the tool calls it wants, feed the results back, until something ends it.
 *
 * There is one engine. Events are made only when somebody listens; a streamed run is this one with a listener.
 *
 * @module
 */

import { askModel, describeModel, type Question } from "./ask_model.ts";
import { type BatchOutcome, completeResults, refusalFor, refuseAll } from "./batch_outcome.ts";
import { AgentError, reasonOf } from "./error.ts";
import type { StepRunner } from "./journal/step_runner.ts";
import type { LoopControl, ToolLoopConfig } from "./loop_options.ts";
import type {
  AssistantMessage,
  FinishReason,
  GenerationOptions,
  ModelMessage,
  ToolCall,
  ToolMessage,
  ToolResult,
} from "./model.ts";
import {
  AgentStopReason,
  type PartialLoopOutput,
  type PendingBatch,
  type ToolLoopIteration,
  type ToolLoopOutput,
} from "./output.ts";
import { type Answer, CallIds, labelCalls, textOf } from "./read_answer.ts";
import type { Replay } from "./replay.ts";
import { RunScope } from "./run_scope.ts";
import {
  type AgentStopCondition,
  byPriority,
  firstTriggered,
  type LoopContext,
  maxIterations,
} from "./stop.ts";
import { executeToolCalls } from "./tool_calls.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";

/** Why a run ends. */
interface End {
  readonly reason: AgentStopReason;
  readonly conditionName?: string;
  readonly pending?: PendingBatch;
}

const NO_RESULTS: readonly ToolResult[] = Object.freeze([]);
const NO_OPTIONS: GenerationOptions = Object.freeze({});

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

/** What stop conditions look at. The time is taken when one asks for it. */
class Progress implements LoopContext {
  readonly iteration: number;
  readonly totalUsage: TokenUsage;
  readonly lastFinishReason: FinishReason;
  readonly lastToolCallCount: number;
  readonly iterations: readonly ToolLoopIteration[];
  readonly totalToolCalls: number;
  readonly #run: RunScope;

  constructor(run: RunScope, counts: Omit<Required<LoopContext>, "elapsedMs" | "messages">) {
    this.#run = run;
    this.iteration = counts.iteration;
    this.totalUsage = counts.totalUsage;
    this.lastFinishReason = counts.lastFinishReason;
    this.lastToolCallCount = counts.lastToolCallCount;
    this.iterations = counts.iterations;
    this.totalToolCalls = counts.totalToolCalls;
  }

  get elapsedMs(): number {
    return this.#run.elapsedMs;
  }

  get messages(): readonly ModelMessage[] {
    return this.#run.messages;
  }
}

class ToolLoop {
  readonly #run: RunScope;
  readonly #userMessage: string;
  readonly #iterations: ToolLoopIteration[] = [];
  readonly #conditions: readonly AgentStopCondition[];
  readonly #ids: CallIds;
  #replay: Replay | undefined;
  #ownUsage = NO_USAGE;
  #toolCallCount = 0;
  #stopRequested = false;

  constructor(run: RunScope, userMessage: string) {
    this.#run = run;
    this.#userMessage = userMessage;
    this.#ids = new CallIds(run.messages);
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.limits.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => this.#stopRequested },
    ]);
  }

  async run(): Promise<ToolLoopOutput> {
    const run = this.#run;
    try {
      this.#announce();
      const { stepRunner } = run.config;
      if (stepRunner !== undefined) await this.#startReplay(stepRunner);
      const end = await this.#iterate();
      const output = await this.#finish(end);
      run.emit({ type: "run_finished", stopReason: output.stopReason, output });
      if (run.failure !== undefined) throw run.failure;
      return output;
    } catch (error) {
      const failure = this.#toFailure(error);
      run.emit({ type: "run_failed", error: failure });
      throw failure;
    } finally {
      run.waits.close();
    }
  }

  #announce(): void {
    const run = this.#run;
    if (run.sink === undefined) return;
    const { agentDid, model } = run.config;
    run.emit({
      type: "run_started",
      agentName: run.agentName,
      ...agentDid === undefined ? {} : { agentDid },
      ...describeModel(model),
    });
  }

  /** What repeats recorded steps is loaded by runs that record. */
  async #startReplay(stepRunner: StepRunner): Promise<void> {
    const { Replay } = await import("./replay.ts");
    this.#replay = new Replay(stepRunner);
    await this.#replay.checkHead(this.#run, this.#userMessage);
  }

  async #iterate(): Promise<End> {
    for (let index = 0;; index++) {
      if (this.#run.mustWait) await this.#run.wait();
      if (this.#run.isAborted) return this.#aborted();
      const end = await this.#iteration(index);
      if (end !== undefined) return end;
    }
  }

  async #iteration(index: number): Promise<End | undefined> {
    const run = this.#run;
    if (run.sink !== undefined) run.emit({ type: "iteration_started", iteration: index });
    const answer = await this.#ask(index);
    if (answer === undefined) return this.#aborted();
    const { finishReason } = answer;
    const { message, calls } = labelCalls(answer.message, index, this.#ids);
    if (calls.length === 0) {
      this.#record(index, answer, message, calls);
      return this.#afterLast(index, finishReason);
    }
    const refusal = refusalFor(finishReason);
    if (refusal === undefined && run.mustWait) await run.wait();
    const batch = refusal === undefined
      ? await executeToolCalls(run, index, calls, this.#replay)
      : refuseAll(calls, refusal);
    if (batch.pending.length > 0 && !run.isAborted) {
      this.#ownUsage = addUsage(this.#ownUsage, answer.usage);
      return pendingEnd(index, message, batch);
    }
    const content = completeResults(calls, batch.results);
    this.#record(index, answer, message, calls, { role: "tool", content });
    if (batch.failure !== undefined) throw batch.failure;
    if (batch.stopRequested) this.#stopRequested = true;
    if (finishReason === "content-filter") return { reason: AgentStopReason.ContentFiltered };
    return run.isAborted ? this.#aborted() : this.#check(index, finishReason, calls.length);
  }

  /** The model's answer; undefined when the run was aborted before there was one. */
  async #ask(
    iteration: number,
    tools = this.#run.config.registry.definitions(),
    options = this.#run.config.generateOptions ?? NO_OPTIONS,
  ): Promise<Answer | undefined> {
    const run = this.#run;
    if (run.failure !== undefined) throw run.failure;
    if (run.isAborted) return undefined;
    try {
      const answer = await this.#askOrReplay({ iteration, tools, options });
      if (run.sink !== undefined) {
        run.emit({ type: "model_finished", iteration, ...eventFields(answer) });
      }
      return answer;
    } catch (error) {
      // Whatever else went wrong then, the caller has already given up on the answer.
      if (run.isAborted) return undefined;
      throw error;
    }
  }

  #askOrReplay(question: Question): Promise<Answer> {
    const run = this.#run;
    return this.#replay === undefined ? askModel(run, question) : this.#replay.answer(
      `${run.runId}/i${question.iteration}/model`,
      () => askModel(run, question),
    );
  }

  #record(
    index: number,
    { usage }: Answer,
    assistantMessage: AssistantMessage,
    toolCalls: readonly ToolCall[],
    toolMessage?: ToolMessage,
  ): void {
    const run = this.#run;
    const toolResults = toolMessage?.content ?? NO_RESULTS;
    run.messages.push(Object.freeze(assistantMessage));
    if (toolMessage !== undefined) run.messages.push(Object.freeze(toolMessage));
    const iteration = { index, assistantMessage, toolCalls, toolResults, usage };
    this.#iterations.push(iteration);
    this.#ownUsage = addUsage(this.#ownUsage, usage);
    this.#toolCallCount += toolCalls.length;
    if (run.sink !== undefined) run.emit({ type: "iteration_finished", iteration });
  }

  #afterLast(index: number, finishReason: FinishReason): End {
    // Evaluated for conditions that keep count; a complete answer is never reported as a limit.
    this.#check(index, finishReason, 0);
    switch (finishReason) {
      case "length":
      case "interrupted":
        return { reason: AgentStopReason.OutputTruncated };
      case "content-filter":
        return { reason: AgentStopReason.ContentFiltered };
      default:
        return { reason: AgentStopReason.ModelStop };
    }
  }

  #check(
    iteration: number,
    lastFinishReason: FinishReason,
    lastToolCallCount: number,
  ): End | undefined {
    const context = new Progress(this.#run, {
      iteration,
      totalUsage: this.#totalUsage(),
      lastFinishReason,
      lastToolCallCount,
      iterations: this.#iterations,
      totalToolCalls: this.#toolCallCount,
    });
    return firstTriggered(context, this.#conditions);
  }

  #aborted(): End {
    return {
      reason: this.#run.isTerminating ? AgentStopReason.Terminated : AgentStopReason.Aborted,
    };
  }

  async #finish(end: End): Promise<ToolLoopOutput> {
    const { onMaxIterations, onAbort, signal } = this.#run.config;
    if (end.reason === AgentStopReason.MaxIterations) {
      if (onMaxIterations === "throw") throw this.#limitError();
      if (onMaxIterations === "finalize") await this.#finalize();
    }
    const output = this.#output(end);
    if (end.reason === AgentStopReason.Aborted && onAbort === "throw") {
      throw withPartialOutput(signal?.reason, output);
    }
    return output;
  }

  #limitError(): AgentError {
    const last = this.#iterations.at(-1);
    const names = last?.toolCalls.map(({ toolName }) => toolName) ?? [];
    return AgentError.maxIterationsExceeded(this.#iterations.length, names);
  }

  /** One more answer, without tools: calls that come nevertheless are answered and not executed. */
  async #finalize(): Promise<void> {
    const index = this.#iterations.length;
    const { generateOptions } = this.#run.config;
    const answer = await this.#ask(index, [], { ...generateOptions, toolChoice: "none" });
    if (answer === undefined) return;
    const { message, calls } = labelCalls(answer.message, index, this.#ids);
    if (calls.length === 0) return this.#record(index, answer, message, calls);
    const { results } = refuseAll(calls, "Not executed: the iteration limit was reached");
    this.#record(index, answer, message, calls, { role: "tool", content: results });
  }

  #output({ reason, conditionName, pending }: End): ToolLoopOutput {
    return {
      ...this.#partialOutput(),
      stopReason: reason,
      ...conditionName === undefined ? {} : { stopConditionName: conditionName },
      ...pending === undefined ? {} : { pending },
    };
  }

  #partialOutput(): PartialLoopOutput {
    const { messages } = this.#run;
    const usageByAgent = this.#usageByAgent();
    return {
      finalText: textOf(this.#iterations.at(-1)?.assistantMessage),
      iterations: this.#iterations,
      totalUsage: this.#totalUsage(),
      messages,
      ...usageByAgent === undefined ? {} : { usageByAgent },
    };
  }

  #totalUsage(): TokenUsage {
    const { delegated } = this.#run;
    return delegated === undefined
      ? this.#ownUsage
      : [...delegated.values()].reduce(addUsage, this.#ownUsage);
  }

  #usageByAgent(): Record<string, TokenUsage> | undefined {
    const { delegated, path } = this.#run;
    if (delegated === undefined) return undefined;
    return { [path.join("/")]: this.#ownUsage, ...Object.fromEntries(delegated) };
  }

  /** What the run rejects with: an AgentError with everything so far, or what the caller wants thrown on abort. */
  #toFailure(error: unknown): unknown {
    if (this.#isAbortReason(error)) return error;
    const partialOutput = this.#partialOutput();
    return AgentError.isAgentError(error)
      ? error.withPartialOutput(partialOutput)
      : AgentError.core(`Cannot finish the run: ${reasonOf(error)}`, {
        cause: error,
        partialOutput,
      });
  }

  #isAbortReason(error: unknown): boolean {
    const { signal } = this.#run.config;
    return signal?.aborted === true && error === signal.reason;
  }
}

function eventFields({ message, finishReason, usage, modelId, responseId }: Answer): {
  message: AssistantMessage;
  finishReason: FinishReason;
  usage: TokenUsage;
  modelId?: string;
  responseId?: string;
} {
  return {
    message,
    finishReason,
    usage,
    ...modelId === undefined ? {} : { modelId },
    ...responseId === undefined ? {} : { responseId },
  };
}

function pendingEnd(
  iteration: number,
  assistantMessage: AssistantMessage,
  { pending, results }: BatchOutcome,
): End {
  return {
    reason: AgentStopReason.ApprovalPending,
    pending: { iteration, assistantMessage, toolResults: results, approvals: pending },
  };
}

/** The reason itself, as the web's convention has it; an object carries the output along. */
function withPartialOutput(reason: unknown, partialOutput: ToolLoopOutput): unknown {
  if (typeof reason === "object" && reason !== null && Object.isExtensible(reason)) {
    Object.defineProperty(reason, "partialOutput", {
      value: partialOutput,
      configurable: true,
    });
  }
  return reason;
}
