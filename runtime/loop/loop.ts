/**
 * The tool loop: calls the model, executes the requested tool calls and returns their results to
 * the model, until the run ends.
 *
 * Agents and event streams use the same loop. Events are created only if a listener is registered.
 *
 * @module
 */

import { AgentError, errorMessageOf, formatNames } from "../shared/error.ts";
import { excerpt } from "@parley/internal/escape-text";
import { defined } from "@parley/internal/json";
import { openBudget } from "../budget/budget.ts";
import { openRunBudget } from "../budget/run_budget.ts";
import type { UserTurn } from "../shared/model.ts";
import {
  AgentStopReason,
  type PartialLoopOutput,
  type ToolLoopOutput,
  type TypedOutput,
} from "../shared/output.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";
import { callAround } from "./around.ts";
import { assertContinuable, assertTurn, copyTurn } from "./conversation.ts";
import { assertNotAnswered } from "./final_answer.ts";
import { Iterations } from "./iteration.ts";
import type { LoopControl } from "./loop_control.ts";
import type { ToolLoopConfig, ToolLoopSettings } from "./options.ts";
import { readToolLoopConfig } from "./read_options.ts";
import { startReplay } from "./replay.ts";
import { textOf } from "./response.ts";
import { type RunEnd, RunState } from "./run_state.ts";

/**
 * Runs the tool loop for one user turn.
 *
 * Tool errors are returned to the model as tool results. Limits, aborts and pending approvals end
 * the run with a stop reason. The promise rejects only if the run cannot continue. An `AgentError`
 * contains the output up to the failure as `partialOutput`.
 *
 * @typeParam S Type of the `output` schema.
 * @param config Model, tools and options.
 * @param userMessage Message from the user: text or parts. If omitted, the run continues the
 * conversation in `messages`, or resumes the recorded run with its recorded message.
 * @returns Final text, transcript, stop reason and token usage.
 * @throws {TypeError} If `userMessage` is not a string or an array of parts, if it is omitted and
 * there is no conversation to continue, if `config` contains an unknown option, if an option has
 * the wrong type, or if `output` is not a schema that describes an object.
 * @throws {RangeError} If a numeric option is out of range.
 * @throws {AgentError} With code `model_error` if a model call fails with an error that is not
 * retryable, or after the last retry.
 * @throws {AgentError} With code `max_iterations_exceeded` at the iteration limit if
 * `onMaxIterations` is `"throw"`.
 * @throws {AgentError} With code `tool_not_found` if the model calls an unknown tool and
 * `onUnknownTool` is `"throw"`.
 * @throws {AgentError} With code `tool_execution_failed` if a tool fails and `onToolError` is
 * `"throw"`.
 * @throws {AgentError} With code `core` if `prepareIteration`, a stop condition, listener, step
 * runner or journal fails.
 * @throws The signal's reason if the signal is aborted and `onAbort` is `"throw"`.
 *
 * @example Run with one tool
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
export function runToolLoop<S extends Schema = Schema>(
  config: ToolLoopConfig<S>,
  userMessage?: UserTurn,
): Promise<TypedOutput<Infer<S>>>;
export async function runToolLoop(
  config: ToolLoopConfig,
  userMessage?: UserTurn,
): Promise<ToolLoopOutput> {
  const settings = readToolLoopConfig(config);
  const { agentName, around, budget, onEvent } = settings;
  return await controlToolLoop(settings, userMessage, {
    path: [agentName],
    budgets: [budget && openBudget(budget)],
    sinks: [onEvent],
    arounds: [around],
  });
}

/** Runs the tool loop with hooks that can pause it. */
export async function controlToolLoop(
  config: ToolLoopSettings,
  userMessage: UserTurn | undefined,
  control: LoopControl,
): Promise<ToolLoopOutput> {
  const turn = copyTurn(userMessage);
  assertCanStart(config, turn);
  const budget = openRunBudget(control.budgets, control.inherited);
  const run = budget === undefined
    ? new RunState(config, turn, control)
    : new RunState({ ...config, signal: budget.joinTo(config.signal) }, turn, control, budget);
  return await new ToolLoop(run).run(turn);
}

/**
 * Validates the user's turn.
 *
 * @throws {TypeError} If the turn is invalid, or there is neither a turn nor a conversation to
 * continue.
 */
export function assertCanStart(
  { messages, registry, stepRunner }: ToolLoopSettings,
  userMessage: unknown,
): asserts userMessage is UserTurn | undefined {
  assertTurn("userMessage", userMessage);
  if (userMessage !== undefined || stepRunner) return;
  assertContinuable(messages);
  assertNotAnswered(messages, registry);
}

/** Maximum number of keys of unused decisions in an error message. */
const MAX_KEYS = 10;
/** Maximum length of a key in an error message, in characters. */
const MAX_KEY_LENGTH = 300;

class ToolLoop {
  readonly #run: RunState;
  readonly #iterations: Iterations;

  constructor(run: RunState) {
    this.#run = run;
    this.#iterations = new Iterations(run);
  }

  async run(turn: UserTurn | undefined): Promise<ToolLoopOutput> {
    const run = this.#run;
    const { agentName, around, config: { agentDid, model: { modelId, provider } }, path } = run;
    const outputType = run.answer && ("json" as const);
    const decisionKeys = run.decisions?.keys;
    run.budget?.enter();
    try {
      run.emit?.(
        defined({
          type: "run_started" as const,
          modelId,
          provider,
          agentName,
          agentDid,
          outputType,
          decisionKeys: decisionKeys?.length ? decisionKeys : undefined,
        }),
      );
      const output = around
        ? await callAround(
          around,
          defined({
            kind: "run" as const,
            runId: run.runId,
            path,
            agentName,
            agentDid,
            outputType,
          }),
          () => this.#runToEnd(turn),
          run,
        )
        : await this.#runToEnd(turn);
      if (run.failure) throw run.failure;
      run.emit?.({ type: "run_finished", stopReason: output.stopReason, output });
      if (run.failure) throw run.failure;
      return output;
    } catch (error) {
      const failure = this.#toFailure(error);
      run.emit?.({ type: "run_failed", error: failure });
      // If a listener's exception is not the error that the run rejects with, no caller would
      // receive that exception.
      if (run.failure && run.failure !== error) run.report(run.failure);
      throw failure;
    } finally {
      run.budget?.leave();
      run.deadlines.close();
    }
  }

  /**
   * Executes the iterations of the run.
   *
   * @throws The error that the run rejects with.
   */
  async #runToEnd(turn: UserTurn | undefined): Promise<ToolLoopOutput> {
    const run = this.#run;
    try {
      const output = await this.#finish(
        await this.#startReplay(turn) ?? await this.#iterations.run(),
      );
      this.#reportUnusedDecisions();
      if (run.failure) throw run.failure;
      return output;
    } catch (error) {
      // The run rejects with this error, so the error must not also be reported to `onError`.
      if (run.failure === error) run.failure = undefined;
      throw this.#toFailure(error);
    }
  }

  /** Starts the replay of the journal. Returns the outcome if the run is aborted meanwhile. */
  async #startReplay(turn: UserTurn | undefined): Promise<RunEnd | undefined> {
    const run = this.#run;
    const { signal, stepRunner } = run.config;
    if (stepRunner === undefined) return undefined;
    try {
      this.#iterations.replay = await startReplay(run, stepRunner, turn);
      return undefined;
    } catch (error) {
      if (!run.isAborted || error !== signal?.reason) throw error;
      return run.abortEnd;
    }
  }

  #reportUnusedDecisions(): void {
    const run = this.#run;
    const keys = run.decisions?.unused ?? [];
    if (keys.length === 0) return;
    run.emit?.({ type: "decision_unused", keys });
    // An aborted run may not have reached the calls that the decisions are for.
    if (!run.isAborted) run.report(unusedDecisions(run.runId, keys));
  }

  /** Applies `onMaxIterations` to a run that has reached the iteration limit. */
  async #applyMaxIterations(limit: RunEnd): Promise<RunEnd> {
    const { answer, config: { onMaxIterations = answer ? "finalize" : "return" } } = this.#run;
    if (onMaxIterations === "throw") {
      const { length } = this.#iterations.finished;
      const names = this.#iterations.finished.at(-1)?.toolCalls.map(({ toolName }) => toolName);
      throw AgentError.maxIterationsExceeded(length, names ?? []);
    }
    return onMaxIterations === "finalize" ? await this.#finalize(limit) : limit;
  }

  /** Calls the model once more at a limit, to get its final answer. */
  async #finalize(limit: RunEnd): Promise<RunEnd> {
    const end = await this.#iterations.run(limit);
    // The final model call does not change the stop reason unless the run is aborted during the
    // call.
    return end.reason === this.#run.abortEnd.reason ? end : limit;
  }

  /** Calls the model once more if the run ends at a limit that allows another call. */
  async #applyLimit(end: RunEnd): Promise<RunEnd> {
    if (end.finalize) return await this.#finalize(end);
    return end.reason === AgentStopReason.MaxIterations ? await this.#applyMaxIterations(end) : end;
  }

  async #finish(end: RunEnd): Promise<ToolLoopOutput> {
    const { answer, config: { onAbort, signal } } = this.#run;
    const { reason: stopReason, conditionName: stopConditionName, pending } = await this
      .#applyLimit(end);
    const output = defined({
      ...this.#partialOutput(),
      stopReason,
      stopConditionName,
      pending,
      ...answer?.outcome,
    });
    if (stopReason !== AgentStopReason.Aborted || onAbort !== "throw") return output;
    try {
      Object.defineProperty(signal?.reason, "partialOutput", { value: output, configurable: true });
    } catch {
      // If the abort reason is a primitive value or a frozen object, the `partialOutput` property
      // cannot be added.
    }
    throw signal?.reason;
  }

  #partialOutput(): PartialLoopOutput {
    const { answer, history, messages, path, usage } = this.#run;
    const { finished: iterations } = this.#iterations;
    const output = {
      finalText: answer?.text ?? textOf(iterations.at(-1)?.assistantMessage),
      iterations,
      totalUsage: usage.total,
      usageByModel: usage.byModel,
      messages,
      ...history === undefined ? {} : { history },
    };
    const usageByAgent = usage.byAgent(path);
    return usageByAgent === undefined ? output : { ...output, usageByAgent };
  }

  /**
   * Converts an error to an `AgentError` with the partial output. The caller's abort reason is
   * returned unchanged.
   */
  #toFailure(cause: unknown): unknown {
    const { signal } = this.#run.config;
    if (signal?.aborted && cause === signal.reason) return cause;
    const isConverted = AgentError.isAgentError(cause) &&
      cause.partialOutput?.iterations === this.#iterations.finished;
    if (isConverted) return cause;
    const partialOutput = this.#partialOutput();
    return AgentError.isAgentError(cause)
      ? cause.withPartialOutput(partialOutput)
      : AgentError.core(`Cannot finish the run: ${errorMessageOf(cause)}`, {
        cause,
        partialOutput,
      });
  }
}

function unusedDecisions(runId: string, keys: readonly string[]): AgentError {
  // The keys can come from a client.
  const first = keys.slice(0, MAX_KEYS).map((key) => excerpt(key, MAX_KEY_LENGTH));
  const shown = keys.length > MAX_KEYS ? [...first, "…"] : first;
  return AgentError.core(
    `Cannot use the decisions ${formatNames(shown)}: no tool call of run "${runId}" has these ` +
      "keys; pass the run id of the run that requested the approval",
  );
}
