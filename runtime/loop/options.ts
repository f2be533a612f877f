/**
 * What a tool loop can be told, and what it does when it is told nothing.
 *
 * @module
 */

import type { StepRunner } from "../journal/step_runner.ts";
import type { HealthProfile } from "../lifecycle/health.ts";
import type { LifecycleManager } from "../lifecycle/lifecycle.ts";
import { assertLimit } from "../shared/limits.ts";
import type {
  AssistantMessage,
  GenerationOptions,
  LanguageModel,
  ModelMessage,
} from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ApprovalDecision, ApprovalHandler } from "./approval.ts";
import type { LoopEventSink } from "./events.ts";
import type { AgentStopCondition } from "./stop_conditions.ts";
import type { ToolCallRepair } from "./tool_call_repair.ts";

/** How a loop behaves; the same for `runToolLoop`, agents and sub-agents. */
export interface LoopOptions {
  /** Put before every conversation. Default: nothing. */
  readonly systemPrompt?: string;
  /** How many iterations at most; a positive integer. Default: 10. */
  readonly maxIterations?: number;
  /** Settings of every model call. Default: none. */
  readonly generateOptions?: GenerationOptions;
  /** Decides on tool calls. Default: every call is approved. */
  readonly approvalHandler?: ApprovalHandler;
  /** Mends inputs that are no JSON or break the tool's schema, once for a call. Default: nobody; the model is told. */
  readonly repairToolCall?: ToolCallRepair;
  /**
   * Says what a model call has probably used when the model did not say. Its counts are marked as `estimated`. What it
   * throws fails the run: a budget would be blind. Default: such calls count as nothing.
   */
  readonly estimateUsage?: (
    messages: readonly ModelMessage[],
    answer: AssistantMessage,
  ) => TokenUsage;
  /** Evaluated after each iteration. Default: none. */
  readonly stopConditions?: readonly AgentStopCondition[];
  /**
   * What happens at the iteration limit: `"return"` resolves with stop reason `max_iterations`; `"throw"` rejects with
   * code `max_iterations_exceeded`; `"finalize"` asks the model once more, without tools, for a final answer, and then
   * resolves with that stop reason. Default: `"return"`.
   */
  readonly onMaxIterations?: "return" | "throw" | "finalize";
  /**
   * What happens when the signal is aborted: `"return"` resolves with stop reason `aborted` and everything so far;
   * `"throw"` rejects with the signal's reason, to which, if it is an object, `partialOutput` is added. Default: `"return"`.
   */
  readonly onAbort?: "return" | "throw";
  /** What happens when the model names an unknown tool: the model is told, or the run rejects with code `tool_not_found`. Default: `"continue"`. */
  readonly onUnknownTool?: "continue" | "throw";
  /** What happens when a tool fails: the model is told, or the run rejects with code `tool_execution_failed`. Default: `"continue"`. */
  readonly onToolError?: "continue" | "throw";
  /** How many tools of one batch run at a time; a positive integer. Default: 8. */
  readonly toolConcurrency?: number;
  /** How many tool calls of one model answer are executed; the others are answered with an error. Default: 128. */
  readonly maxToolCallsPerIteration?: number;
  /** How long a tool may take, in milliseconds; 0 means for ever. Default: 120000. */
  readonly toolTimeoutMs?: number;
  /** How long a model call may take, in milliseconds; 0 means for ever. Default: 600000. */
  readonly modelTimeoutMs?: number;
  /**
   * How long tools may take to finish after an abort, in milliseconds; with 0, what they return without waiting for
   * anything still counts. Default: 250.
   */
  readonly graceMs?: number;
  /** How often a retryable model failure is tried again. Default: 2. */
  readonly modelRetries?: number;
  /**
   * The longest wait before the first retry, in milliseconds; it doubles with each retry up to a minute, and the real
   * wait is random below it, unless the provider names one. Default: 500.
   */
  readonly retryDelayMs?: number;
  /** A random number from 0 to 1, for the waits between retries. Default: `Math.random`. */
  readonly random?: () => number;
  /** Listens to what happens. Default: nobody, and then no events are made. */
  readonly onEvent?: LoopEventSink;
}

/** What one run is told. */
export interface RunOptions {
  /** Ends the run early: models and tools are told, and the run resolves with stop reason `aborted`. */
  readonly signal?: AbortSignal;
  /**
   * The conversation to go on from, for example the `messages` of an earlier output. A system message at its beginning is
   * dropped: it comes from `systemPrompt` alone. Default: none.
   */
  readonly messages?: readonly ModelMessage[];
  /** The run's id; needed to resume it. Default: a random UUID. */
  readonly runId?: string;
  /** Stands around every step. Default: steps are called directly, and a deferred approval cannot be resumed. */
  readonly stepRunner?: StepRunner;
  /** Decisions on deferred approvals, by `PendingApproval.key`; they go before the approval handler. */
  readonly decisions?: Readonly<Record<string, ApprovalDecision>>;
  /** Listens to this run, beside the listener in the configuration. */
  readonly onEvent?: LoopEventSink;
}

/** What {@linkcode runToolLoop} is told. */
export interface ToolLoopConfig extends LoopOptions, RunOptions {
  /** The model. */
  readonly model: LanguageModel;
  /** The tools. */
  readonly registry: ToolRegistry;
  /** Counts model calls, tool executions and errors. Default: nobody counts. */
  readonly healthProfile?: HealthProfile;
  /** The agent's name, for tools, handlers and events. Default: `"agent"`. */
  readonly agentName?: string;
  /** The agent's DID, for tools, handlers and events. */
  readonly agentDid?: string;
}

/** How an agent, or the reader of a stream, holds on to a loop it has started. */
export interface LoopControl {
  /** Agent names from the outermost agent to this one. */
  readonly path?: readonly string[];
  /** The agent's state. A run waits at the next boundary while a pause is requested. */
  readonly lifecycle?: LifecycleManager;
  /** Who listens. Default: the configuration's listener. */
  readonly sinks?: readonly (LoopEventSink | undefined)[];
  /** Whether the run is to wait at the next boundary for another reason. */
  readonly shouldPause?: () => boolean;
  /** Resolves when the run may go on. Called when it has come to a boundary. */
  readonly wait?: () => Promise<void>;
}

/** The options that are numbers, and their defaults. */
const DEFAULTS = {
  maxIterations: 10,
  toolConcurrency: 8,
  maxToolCallsPerIteration: 128,
  modelRetries: 2,
  toolTimeoutMs: 120_000,
  modelTimeoutMs: 600_000,
  graceMs: 250,
  retryDelayMs: 500,
};

/** Every option of a loop that is a number. */
export type Limits = Readonly<typeof DEFAULTS>;

/**
 * Checks the limits and fills in the defaults.
 *
 * @throws {RangeError} a limit is no number, negative, or not an integer where it has to be one
 */
export function readLimits(options: LoopOptions): Limits {
  const limits: Record<string, number> & Limits = { ...DEFAULTS };
  for (const [name, fallback] of Object.entries(DEFAULTS)) {
    const value: unknown = Reflect.get(options, name) ?? fallback;
    // Times may be fractions and nothing; all else is counted.
    assertLimit(name, value, name.endsWith("Ms") ? undefined : name === "modelRetries" ? 0 : 1);
    limits[name] = Number(value);
  }
  return limits;
}
