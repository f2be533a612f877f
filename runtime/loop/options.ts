/**
 * Options for the tool loop and their defaults.
 *
 * @module
 */

import type { Budget } from "../budget/budget.ts";
import type { BudgetLimits } from "../budget/limits.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import type { HealthProfile } from "../lifecycle/health.ts";
import type { JsonValue } from "../shared/json.ts";
import type { Settings } from "@parley/internal/options";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  LanguageModel,
  MessageInput,
  ModelMessage,
  SystemPrompt,
} from "../shared/model.ts";
import type { HistoryView } from "../shared/output.ts";
import type { WholeSchema } from "../shared/schema.ts";
import type { Schema } from "../shared/typed_schema.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ApprovalDecision, ApprovalHandler } from "./approval.ts";
import type { Around } from "./around.ts";
import type { LoopEventSink } from "./events.ts";
import type { PrepareIteration } from "./iteration_plan.ts";
import type { AgentStopCondition } from "./stop_conditions.ts";
import type { ToolCallRepair } from "./tool_call_repair.ts";

/**
 * Options for the tool loop, shared by `runToolLoop`, agents and sub-agents.
 *
 * @typeParam S Type of the `output` schema.
 */
export interface LoopOptions<S extends Schema = Schema> {
  /**
   * System prompt, sent as the first message of every conversation. The object form of the system
   * prompt adds provider-specific data, for example to cache the prompt. If omitted, no system
   * message is sent.
   */
  readonly systemPrompt?: string | SystemPrompt;
  /**
   * Maximum number of iterations; a positive integer. An iteration consists of one model call and
   * its tool calls.
   *
   * @default {10}
   */
  readonly maxIterations?: number;
  /**
   * Settings for every model call, such as `temperature`. If omitted, the model's defaults apply.
   */
  readonly generateOptions?: GenerationOptions;
  /**
   * Called before every model call. `prepareIteration` can change the model, tools, settings and
   * messages of the call, append a user message, or end the run. Sub-agents do not inherit
   * `prepareIteration`. If omitted, every model call receives the whole transcript and all tools in
   * the registry.
   */
  readonly prepareIteration?: PrepareIteration;
  /** Decides whether a tool call is executed. If omitted, every call is approved. */
  readonly approvalHandler?: ApprovalHandler;
  /**
   * Repairs tool input that is not valid JSON or does not match the tool's schema. Called at most
   * once per tool call. If omitted, the error is returned to the model.
   */
  readonly repairToolCall?: ToolCallRepair;
  /**
   * Estimates the token usage of a model call if the model does not report the input or the output;
   * the estimate supplies the missing counts. A model that reports 0 input and 0 output tokens does
   * not report its usage. Estimated usage is marked as `estimated`. If the function throws or does
   * not return input and output counts, the run fails, because no limit applies. Sub-agents inherit
   * the function. If omitted, missing counts are 0, so `maxTotalTokens` and the limits of a
   * budget on tokens and cost have no effect for such a model, which is reported to `onError`.
   */
  readonly estimateUsage?: (
    messages: readonly ModelMessage[],
    answer: AssistantMessage,
  ) => TokenUsage;
  /**
   * Schema of the final answer: a JSON Schema, or a schema from a library that implements Standard
   * Schema. The schema must describe an object, and validation must have no side effects. The
   * validated final answer is the `value` of the output. If omitted, the final answer is text.
   */
  readonly output?: WholeSchema<S>;
  /**
   * Method of requesting a final answer that matches `output`:
   *
   * - `"native"` requests JSON text with `generateOptions.responseFormat`.
   * - `"tool"` offers an additional tool, `final_answer`, whose input is the final answer.
   *   `final_answer` is not part of the registry. If the name `final_answer` is already registered,
   *   the additional tool is named `final_answer_1`, or `final_answer_2` if that name is also
   *   registered, and so on.
   * - `"auto"` selects `"native"` if the model's `nativeOutput` declares support for JSON output,
   *   and `"tool"` otherwise.
   *
   * @default {"auto"}
   */
  readonly outputMode?: "auto" | "native" | "tool";
  /**
   * Maximum number of times that an invalid final answer is returned to the model with a
   * description of the errors; 0 or greater. After one more invalid final answer, the run ends with
   * stop reason `output_invalid`.
   *
   * @default {1}
   */
  readonly outputRetries?: number;
  /**
   * Limits on tokens, cost, time, model calls and tool calls, which also apply to the sub-agents
   * that the tools run with their context. Limits are a new budget for each run; a
   * {@linkcode Budget} is shared by all runs that receive it. If omitted, only the budget of the
   * run and of the runs whose tools have started it applies.
   */
  readonly budget?: Budget | BudgetLimits;
  /**
   * Behavior when a limit of the run's own budget is used up:
   *
   * - `"return"` resolves with stop reason `budget_exceeded`.
   * - `"finalize"` calls the model once more, without tools, and then resolves with stop reason
   *   `budget_exceeded`. With `output`, the model can only give its final answer in this call,
   *   which is also charged. The model is not called if it has not responded in this run, if the
   *   time is used up, or if a budget of a run that has started this run is used up.
   *
   * @default {"return"}
   */
  readonly onBudgetExceeded?: "return" | "finalize";
  /** Stop conditions, evaluated after each iteration, in addition to `maxIterations`. */
  readonly stopConditions?: readonly AgentStopCondition[];
  /**
   * Behavior when the iteration limit is reached:
   *
   * - `"return"` resolves with stop reason `max_iterations`.
   * - `"throw"` rejects with code `max_iterations_exceeded`.
   * - `"finalize"` calls the model once more, without tools, and then resolves with stop reason
   *   `max_iterations`. With `output`, the model can only give its final answer in this call.
   *
   * If omitted, `"finalize"` applies if `output` is set, and `"return"` otherwise.
   */
  readonly onMaxIterations?: "return" | "throw" | "finalize";
  /**
   * Behavior when the signal is aborted:
   *
   * - `"return"` resolves with stop reason `aborted` and the partial output.
   * - `"throw"` rejects with the signal's reason. If the reason is an object, its `partialOutput`
   *   property is set to the partial output.
   *
   * @default {"return"}
   */
  readonly onAbort?: "return" | "throw";
  /**
   * Behavior when the model calls an unknown tool: `"continue"` returns an error result to the
   * model, and `"throw"` rejects the run with code `tool_not_found`.
   *
   * @default {"continue"}
   */
  readonly onUnknownTool?: "continue" | "throw";
  /**
   * Behavior when a tool fails: `"continue"` returns an error result to the model, and `"throw"`
   * rejects the run with code `tool_execution_failed`.
   *
   * @default {"continue"}
   */
  readonly onToolError?: "continue" | "throw";
  /**
   * Behavior when a resumed run contains a tool call that was started but has no recorded result,
   * for example after a crash. `onUnknownOutcome` applies to runs with a `stepRunner`:
   *
   * - `"tell"` returns an error result with code `outcome_unknown` to the model.
   * - `"ask"` requests a decision from the approval handler, with the reason `outcome_unknown`. An
   *   approval executes the tool again, and a denial returns the error result to the model. Without
   *   an approval handler, the decision is deferred.
   * - `"repeat"` executes the tool again.
   *
   * Tools whose annotations declare `readOnly` or `idempotent` are always executed again. For a
   * tool with neither annotation, `"tell"` and `"ask"` record one additional step per call.
   *
   * @default {"tell"}
   */
  readonly onUnknownOutcome?: "repeat" | "ask" | "tell";
  /**
   * Maximum number of tools that run concurrently; a positive integer.
   *
   * @default {8}
   */
  readonly toolConcurrency?: number;
  /**
   * Maximum number of tool calls executed per model response; a positive integer. Tool calls beyond
   * this maximum receive an error result.
   *
   * @default {128}
   */
  readonly maxToolCallsPerIteration?: number;
  /**
   * Timeout for a tool call, in milliseconds, and for an asynchronous validation of its input. 0
   * disables the timeout.
   *
   * @default {120_000}
   */
  readonly toolTimeoutMs?: number;
  /**
   * Maximum length of a tool result, in UTF-16 code units. The text of a longer result is truncated
   * to this length, and a note about the truncation is appended. JSON data that exceeds this length
   * is returned to the model as truncated text. A result can have at most 10,000 parts. A positive
   * integer.
   *
   * @default {1_000_000}
   */
  readonly maxToolOutputChars?: number;
  /**
   * Maximum total length of the file data in a tool result, in base64 characters or bytes,
   * including file names. Each file that exceeds the limit is replaced with a note. A positive
   * integer.
   *
   * @default {16_777_216}
   */
  readonly maxToolFileChars?: number;
  /**
   * Timeout for a model call, in milliseconds, including a streamed response. The timeout also
   * applies to a model that never settles. 0 disables the timeout.
   *
   * @default {600_000}
   */
  readonly modelTimeoutMs?: number;
  /**
   * Time that tools have to finish after an abort, in milliseconds. Results that tools return
   * within the grace period are kept. If `graceMs` is 0, only results that are available
   * immediately are kept.
   *
   * @default {250}
   */
  readonly graceMs?: number;
  /**
   * Maximum number of retries per model call. Only retryable errors are retried. 0 disables
   * retries.
   *
   * @default {2}
   */
  readonly modelRetries?: number;
  /**
   * Maximum delay before the first retry, in milliseconds. The maximum delay doubles with each
   * retry, up to `maxRetryDelayMs`, and the actual delay is a random value below this maximum. If
   * the provider requests a delay, the run waits for the requested delay.
   *
   * @default {500}
   */
  readonly retryDelayMs?: number;
  /**
   * Maximum delay before a retry, in milliseconds. If the provider requests a delay above this
   * maximum, the call is not retried and fails with an error whose `retryAfterMs` property is the
   * requested delay.
   *
   * @default {60_000}
   */
  readonly maxRetryDelayMs?: number;
  /**
   * Returns a random number between 0 and 1, used to compute retry delays. If omitted,
   * `Math.random` is used.
   */
  readonly random?: () => number;
  /** Called with every event of a run. If no listener is set, no events are created. */
  readonly onEvent?: LoopEventSink;
  /**
   * Wraps every run, model call and tool execution. The runs of sub-agents that receive a tool's
   * context are also wrapped. `around` must call `next` exactly once and return the outcome of that
   * call; otherwise, the run fails with code `core`. If omitted, no step is wrapped.
   */
  readonly around?: Around;
  /**
   * Returns the current time for events and `ToolContext.sleep`, in milliseconds since the Unix
   * epoch. If a tool sleeps while the result is not a finite number, the run rejects. Timeouts do
   * not use `now`. If omitted, `Date.now` is used.
   */
  readonly now?: () => number;
  /**
   * Called with errors that do not reject a promise, because the run continues: exceptions from
   * tools, from schemas, from the approval handler and from `repairToolCall`, results that are not
   * JSON values, unused decisions, event streams that are not read, and exceptions from a listener
   * for `run_failed`. A `ToolError` is not reported, because its content is a message to the model.
   * The reported error is an `AgentError`; its `cause` is the exception. If omitted, each distinct
   * error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options for a single run. */
export interface RunOptions {
  /**
   * Signal that aborts the run, including its model and tool calls. `onAbort` determines the
   * result.
   */
  readonly signal?: AbortSignal;
  /**
   * Conversation to continue, for example the `messages` from an earlier output. A leading system
   * message is dropped, because `systemPrompt` provides the system message. The content of a user
   * or assistant message may be a string. If omitted, a new conversation starts. To resume a run,
   * pass the same messages again.
   */
  readonly messages?: readonly ModelMessage[] | readonly MessageInput[];
  /**
   * View of `messages` that the model receives, for example the `history` from an earlier output.
   * `from` is an index into `messages`. If omitted, the model receives all messages. To resume a
   * run, pass the history view of the interrupted run again.
   */
  readonly history?: HistoryView;
  /** Id of the run, required to resume the run. If omitted, a random UUID is used. */
  readonly runId?: string;
  /**
   * Wraps every model call, tool call, repair and approval, for example to record the result. If
   * omitted, nothing is recorded and the run cannot be resumed.
   */
  readonly stepRunner?: StepRunner;
  /**
   * Decisions on deferred approvals, keyed by `PendingApproval.key`. A key contains the id of the
   * run that requested the approval, so `runId` must be that id. A decision applies only to the
   * call that its key identifies, and takes precedence over the approval handler. If `decisions` is
   * set and there is no approval handler, calls without a decision are deferred; to approve them,
   * set `approvalHandler` to `autoApprove`. Without a `stepRunner`, a decision can be used again.
   */
  readonly decisions?: Readonly<Record<string, ApprovalDecision>>;
  /**
   * Values of the signals that tools wait for with `ToolContext.wait`, keyed by signal key. A tool
   * that waits for a signal with no value in `signals` ends the run with stop reason `waiting`. If
   * omitted, the run has no signals.
   */
  readonly signals?: Readonly<Record<string, JsonValue>>;
  /**
   * Budget for this run and its sub-agents, in addition to the budget in the configuration. A
   * replayed step is charged again, and is never prevented. If omitted, only the configured budget
   * applies.
   */
  readonly budget?: Budget | BudgetLimits;
  /**
   * Clock for this run, used for events and `ToolContext.sleep`. If omitted, the configured clock
   * is used.
   */
  readonly now?: () => number;
  /** Called with every event of this run, in addition to the configured listener. */
  readonly onEvent?: LoopEventSink;
  /**
   * Wraps this run, its model calls and its tool executions, inside the `around` function from the
   * agent's configuration.
   */
  readonly around?: Around;
}

/**
 * Configuration for {@linkcode runToolLoop}.
 *
 * @typeParam S Type of the `output` schema.
 */
export interface ToolLoopConfig<S extends Schema = Schema> extends LoopOptions<S>, RunOptions {
  /** Language model to call. */
  readonly model: LanguageModel;
  /** Registry of the available tools. */
  readonly registry: ToolRegistry;
  /** Counters for model calls, tool executions and errors. If omitted, nothing is counted. */
  readonly healthProfile?: HealthProfile;
  /**
   * Name of the agent, passed to tools and handlers and included in events.
   *
   * @default {"agent"}
   */
  readonly agentName?: string;
  /** DID of the agent, passed to tools and handlers and included in events. */
  readonly agentDid?: string;
}

/** Names of the options of the loop that have a default. */
export type LoopDefault =
  | "maxIterations"
  | "outputMode"
  | "outputRetries"
  | "onAbort"
  | "onBudgetExceeded"
  | "onUnknownTool"
  | "onToolError"
  | "onUnknownOutcome"
  | "toolConcurrency"
  | "maxToolCallsPerIteration"
  | "toolTimeoutMs"
  | "maxToolOutputChars"
  | "maxToolFileChars"
  | "modelTimeoutMs"
  | "graceMs"
  | "modelRetries"
  | "retryDelayMs"
  | "maxRetryDelayMs"
  | "random"
  | "now";

/** Settings of a run. */
export type ToolLoopSettings = Settings<ToolLoopConfig, LoopDefault | "agentName">;

/** Settings that all runs of an agent have in common. */
export type CommonSettings = Omit<
  ToolLoopSettings,
  Exclude<keyof RunOptions, keyof LoopOptions>
>;
