/**
 * Types for the `prepareIteration` option, which prepares an iteration.
 *
 * @module
 */

import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  LanguageModel,
  ModelMessage,
  SystemPrompt,
  ToolDefinition,
  UserTurn,
} from "../shared/model.ts";
import type { HistoryView } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** The state of a run before a model call. */
export interface IterationContext {
  /** Name of the agent. */
  readonly agentName: string;
  /** Agent names, from the outermost agent to this agent. */
  readonly path: readonly string[];
  /** Id of the run. */
  readonly runId: string;
  /** Index of the iteration, starting at 0. */
  readonly iteration: number;
  /** A copy of the whole transcript, including the system message. */
  readonly messages: readonly ModelMessage[];
  /**
   * The messages that are sent to the model if the plan does not change them: the system message,
   * the head of the current history view, and the rest of the transcript.
   */
  readonly view: readonly ModelMessage[];
  /** Current history view of the run. `undefined` if the whole transcript is sent. */
  readonly history: HistoryView | undefined;
  /** Definitions of all tools in the registry. */
  readonly tools: readonly ToolDefinition[];
  /** Model that is called unless the plan selects a different model. */
  readonly model: LanguageModel;
  /** Token usage of the run so far, including its sub-agents. */
  readonly totalUsage: TokenUsage;
  /** Token usage of the last model call in this run. `undefined` before the first model call. */
  readonly lastUsage: TokenUsage | undefined;
  /** Signal that is aborted when the run is aborted or `prepareIteration` times out. */
  readonly signal: AbortSignal;
  /** Passes an error that does not end the run to the run's `onError` option. */
  readonly reportError: (error: unknown) => void;
}

/**
 * Changes to an iteration. An omitted member changes nothing. `history` and `append` also apply to
 * later iterations; all other members of a plan apply to one iteration only.
 */
export interface IterationPlan {
  /**
   * Model to call. The `nativeOutput` of this model determines how the final answer of a run with
   * an `output` schema is requested.
   */
  readonly model?: LanguageModel;
  /**
   * System prompt to send in place of the run's system prompt. The transcript keeps the system
   * prompt of the run.
   */
  readonly systemPrompt?: string | SystemPrompt;
  /**
   * Names of the tools that the model may call. Each name must be the name of a tool in the
   * registry. A call to a tool that is not listed, or that has been replaced since, receives the
   * same error result as a call to an unknown tool. A tool can only grant these tools and hidden
   * tools to a sub-agent that it starts with its context.
   */
  readonly tools?: readonly string[];
  /**
   * Settings for the model call. Each member replaces the corresponding member of the run's
   * `generateOptions`.
   */
  readonly generateOptions?: GenerationOptions;
  /**
   * View of the transcript that is sent in this iteration and all later ones, until a later plan
   * sets a view.
   */
  readonly history?: HistoryView;
  /**
   * Messages to send instead of the view, in this iteration only. The transcript does not change. A
   * leading system message is dropped, because `systemPrompt` provides the system message.
   */
  readonly messages?: readonly ModelMessage[];
  /**
   * New user message, as text or parts. The message is appended to the transcript and to the
   * messages to send.
   */
  readonly append?: UserTurn | undefined;
  /**
   * Ends the run before the model is called, with stop reason `custom_condition` and this value as
   * `stopConditionName`.
   */
  readonly stop?: string;
  /**
   * Tokens used by `prepareIteration` itself, for example to write a summary, and added to the
   * usage of the run.
   */
  readonly usage?: TokenUsage;
  /** Id of the model that used these tokens, for `usageByModel`. */
  readonly usageModelId?: string;
}

/**
 * Prepares an iteration. Called once per iteration, before the model call. A retry of the model
 * call does not prepare the iteration again.
 *
 * `prepareIteration` and the model call are one step. If the journal of a resumed run contains this
 * step, `prepareIteration` is not called, and the recorded `history`, `append`, `tools`, `stop` and
 * `usage` apply. If the model call fails, its step is not recorded, and a resumed run calls
 * `prepareIteration` again. `prepareIteration` must settle within `modelTimeoutMs`. In the final
 * model call of `onMaxIterations: "finalize"`, `tools` has no effect, because the final call
 * includes no tools.
 *
 * If `prepareIteration` throws, times out or returns an invalid plan, the run fails with code
 * `core`. The messages to send must form a valid conversation, with exactly one result for each
 * tool call.
 *
 * @param context State of the run.
 * @returns Changes to the iteration, or `undefined` for no changes.
 */
export type PrepareIteration = (
  context: IterationContext,
) => IterationPlan | undefined | Promise<IterationPlan | undefined>;
