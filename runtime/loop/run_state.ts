/**
 * State of a run, shared by the loop and its tool calls.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { RunBudget } from "../budget/run_budget.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { reportRejection } from "@parley/internal/report-rejection";
import {
  type ModelMessage,
  type SystemMessage,
  ToolResultCode,
  type UserTurn,
} from "../shared/model.ts";
import { AgentStopReason, type HistoryView, type PendingBatch } from "../shared/output.ts";
import { createRunId, monotonicNow } from "../shared/platform.ts";
import { type Around, combineAround } from "./around.ts";
import {
  assertValidView,
  messagesInView,
  readHistoryView,
  toSystemMessage,
  toUserMessage,
  withoutSystemMessage,
} from "./conversation.ts";
import { DeadlineScheduler } from "./deadlines.ts";
import type { AllowedTools } from "./allowed_tools.ts";
import { Decisions } from "./decisions.ts";
import { byPriority } from "./evaluate_stop_conditions.ts";
import type { LoopEvent, LoopEventBody, LoopEventSink } from "./events.ts";
import { compileAnswerSchema, FinalAnswer } from "./final_answer.ts";
import { type Conversation, readConversation, RunCallIds } from "./known_conversation.ts";
import type { LoopControl, SharedLimits } from "./loop_control.ts";
import type { ToolLoopSettings } from "./options.ts";
import type { CallIds } from "./response.ts";
import type { ToolStep } from "./tool_result.ts";
import {
  type DelegatedUsage,
  type UsageOfResponse,
  usagesOf,
  UsageTotals,
} from "./usage_totals.ts";

/** Stop reason of a run, with the stop condition that triggered or the pending approvals. */
export interface RunEnd {
  readonly reason: AgentStopReason;
  readonly conditionName?: string | undefined;
  readonly pending?: PendingBatch;
  readonly finalize?: true;
}

/** The state of a run. */
export class RunState {
  /** Settings of the run. */
  readonly config: ToolLoopSettings;
  /** Hooks that can pause the run. */
  readonly control: LoopControl;
  /** Name of the agent. */
  readonly agentName: string;
  /** Agent names from the outermost agent to this agent. */
  readonly path: readonly string[];
  /** Transcript of the run. The array is append-only and is also part of the output. */
  readonly messages: ModelMessage[];
  /** The conversation that the run continues. */
  readonly conversation: Conversation;
  /** Ids of all tool calls in the transcript. */
  readonly callIds: CallIds;
  /**
   * View of the transcript that is sent to the model. `undefined` if the whole transcript is sent.
   */
  history: HistoryView | undefined;
  /**
   * Tools that the model may call in the current iteration. `undefined` if the model may call any
   * tool.
   */
  allowedTools: AllowedTools | undefined;
  /** Deadlines for model, tool and handler calls. */
  readonly deadlines: DeadlineScheduler;
  /** Emits an event. `undefined` if no listener is registered, to avoid creating event objects. */
  readonly emit: ((body: LoopEventBody) => void) | undefined;
  /** State of the final answer. `undefined` if the run has no `output` schema. */
  readonly answer: FinalAnswer | undefined;
  /**
   * The function that wraps the run, its model calls and its tool executions. `undefined` if no
   * function wraps the run.
   */
  readonly around: Around | undefined;
  /**
   * Budgets of the run and of the runs whose tools have started it. `undefined` if there are none.
   */
  readonly budget: RunBudget | undefined;
  /** Decisions that were passed to the run. */
  readonly decisions: Decisions | undefined;
  /**
   * Error from an event listener or from `around`. If set, the run fails with this error before its
   * next step.
   */
  failure: AgentError | undefined;
  /** Whether a limit on tokens has no effect, and this was reported. */
  isUsageMissing = false;
  /** Whether a tool has called `context.stop()`. */
  stopRequested = false;
  /** Token usage of the run, by agent and by model. */
  readonly usage: UsageTotals = new UsageTotals();
  /** Limits of the run that include sub-agents. `undefined` if there are none. */
  readonly sharedLimits: SharedLimits | undefined;
  /** Start time of the run, shifted by the duration of its pauses. */
  #startedAt = monotonicNow();
  readonly #listeners: Set<LoopEventSink> = new Set();
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  #runId: string | undefined;
  #report: ((error: unknown) => void) | undefined;

  constructor(
    config: ToolLoopSettings,
    turn: UserTurn | undefined,
    control: LoopControl,
    budget?: RunBudget,
  ) {
    const { agentName, decisions, runId, signal } = config;
    const { arounds, path, sinks } = control;
    this.config = config;
    this.control = control;
    this.budget = budget;
    this.agentName = agentName;
    this.path = Object.freeze(path);
    this.conversation = readConversation(config.messages ?? []);
    this.callIds = new RunCallIds(this.conversation);
    this.messages = startTranscript(config, this.conversation.messages);
    this.history = startHistory(config, this.messages);
    if (turn !== undefined) this.messages.push(toUserMessage(turn));
    for (const sink of sinks) if (sink) this.#listeners.add(sink);
    this.emit = this.#listeners.size > 0 ? (body) => this.#notify(body) : undefined;
    this.now = config.now;
    this.around = combineAround(arounds);
    this.sharedLimits = toSharedLimits(config);
    this.decisions = decisions && new Decisions(decisions);
    this.#runId = runId;
    const { output, outputMode: mode, registry } = config;
    const schema = output === undefined
      ? undefined
      : control.answerSchema ?? compileAnswerSchema(output, registry.validator);
    // The scheduler listens to the signal until the run ends, so nothing after this line may throw.
    this.deadlines = new DeadlineScheduler(signal);
    if (schema === undefined) return;
    this.answer = new FinalAnswer({
      schema,
      mode,
      retries: config.outputRetries,
      timeoutMs: config.toolTimeoutMs,
      registry,
      deadlines: this.deadlines,
      report: (error) => this.report(error),
    });
  }

  /**
   * Id of the run. If the caller did not set a run id, a random UUID is created on first access.
   */
  get runId(): string {
    return this.#runId ??= createRunId();
  }

  /** System message of the transcript. */
  get systemMessage(): SystemMessage | undefined {
    const [first] = this.messages;
    return first?.role === "system" ? first : undefined;
  }

  /**
   * The messages that are sent to the model: the whole transcript, unless a history view is set.
   */
  get view(): readonly ModelMessage[] {
    if (this.history === undefined) return this.messages;
    const { systemMessage } = this;
    const body = messagesInView(this.messages, this.history);
    return systemMessage === undefined ? body : [systemMessage, ...body];
  }

  /** Time since the start of the run, excluding pauses, in milliseconds. */
  get elapsedMs(): number {
    return monotonicNow() - this.#startedAt;
  }

  /** Whether the run is aborted. */
  get isAborted(): boolean {
    return this.deadlines.isAborted;
  }

  /** Whether the run must end before its next step, because it is aborted or has failed. */
  get mustEnd(): boolean {
    return this.failure !== undefined || this.isAborted;
  }

  /**
   * End of a run that is aborted: `terminated` if the agent is being terminated, `budget_exceeded`
   * if the time of a budget is used up, and otherwise `aborted`.
   */
  get abortEnd(): RunEnd {
    if (this.control.lifecycle?.state === "terminating") {
      return { reason: AgentStopReason.Terminated };
    }
    const timeout = this.budget?.findTimeout(this.config.signal?.reason);
    return timeout === undefined
      ? { reason: AgentStopReason.Aborted }
      : { reason: AgentStopReason.BudgetExceeded, conditionName: timeout.name };
  }

  /** End of a run that is aborted, as the predicate of a sentence. */
  get abortText(): string {
    const { conditionName, reason } = this.abortEnd;
    return conditionName === undefined ? `was ${reason}` : `has used up "${conditionName}"`;
  }

  /** Whether the run must wait before its next step. */
  get shouldPause(): boolean {
    const { lifecycle, queue } = this.control;
    return lifecycle?.isPauseRequested === true || queue?.isFull() === true;
  }

  /** Waits while the event queue is full. Returns immediately if the run is aborted. */
  async waitForReader(): Promise<void> {
    const { queue } = this.control;
    if (!queue?.isFull() || this.isAborted) return;
    // Aborting the run ends the wait, so callers check `isAborted` afterwards.
    await this.deadlines.wait(queue.waitForReader()).catch(() => {});
  }

  /**
   * Waits while the event queue is full or the run is paused. Returns immediately if the run is
   * aborted.
   */
  async waitUntilResumed(): Promise<void> {
    await this.waitForReader();
    const { lifecycle, wait } = this.control;
    if (!wait || !lifecycle?.isPauseRequested || this.isAborted) return;
    const pausedAt = monotonicNow();
    this.emit?.({ type: "run_paused" });
    this.budget?.leave();
    await this.deadlines.wait(wait()).catch(() => {});
    this.budget?.enter();
    this.#startedAt += monotonicNow() - pausedAt;
    this.emit?.({ type: "run_resumed" });
  }

  /**
   * Adds the token usage of sub-agents.
   *
   * @param isReplayed Whether the usage was read from a journal, so the sub-agents have not run.
   */
  addDelegated(delegated: DelegatedUsage | ToolStep, isReplayed: boolean): void {
    this.usage.addDelegated(delegated);
    if (!isReplayed) return;
    for (const [modelId, usage] of Object.entries(usagesOf(delegated))) {
      this.count({ usage }, modelId);
    }
    if ("result" in delegated) this.#chargeReplayed(delegated);
  }

  /** Charges the budgets for a tool call that was read from a journal. */
  #chargeReplayed(step: ToolStep): void {
    const { budget } = this;
    if (budget === undefined) return;
    // A call that was not started did not count when it was recorded.
    if (step.result.code !== ToolResultCode.NotStarted) budget.countToolCall();
    // A run without a budget records only the usage of its sub-agents.
    const recorded = { modelCalls: 0, toolCalls: 0, usageByModel: usagesOf(step) };
    budget.replayDelegation(step.budgetUse ?? recorded);
  }

  /** Counts the usage of a model call in this run and in the runs whose tools have started it. */
  count(response: UsageOfResponse, calledModelId: string): void {
    this.sharedLimits?.usage.addOwn(response, calledModelId);
    this.control.caller?.count(response, calledModelId);
  }

  /** Reports an error that does not end the run. */
  report(error: unknown): void {
    this.#report ??= createErrorReporter(`Agent "${this.agentName}"`, this.config.onError);
    this.#report(error);
  }

  /** Fails the run before its next step, because `around` violated its contract. */
  readonly onAroundViolation = (error: AgentError): void => {
    this.failure ??= error;
  };

  #notify(body: LoopEventBody): void {
    this.deliver({ runId: this.runId, path: this.path, at: this.now(), ...body });
  }

  /**
   * Calls the event listeners. If a listener throws, the run fails before its next step. A listener
   * that has thrown receives no further events. Listeners that have not thrown still receive
   * events, so that, for example, telemetry can end its spans. If the promise of an async listener
   * rejects, the error is reported, and the run continues.
   *
   * @param event Event of this run or of a sub-agent.
   * @param except Listener that is not called, because it receives the event through another run.
   */
  deliver(event: LoopEvent, except?: LoopEventSink): void {
    for (const listener of this.#listeners) {
      if (listener === except) continue;
      try {
        const returned: unknown = listener(event);
        reportRejection(returned, (cause) => this.report(undelivered(event, cause)));
      } catch (cause) {
        this.#listeners.delete(listener);
        this.failure ??= undelivered(event, cause);
      }
    }
  }
}

function undelivered({ type }: LoopEvent, cause: unknown): AgentError {
  return AgentError.core(`Cannot deliver event "${type}": ${errorMessageOf(cause)}`, { cause });
}

function toSharedLimits({ stopConditions = [] }: ToolLoopSettings): SharedLimits | undefined {
  const shared = stopConditions.filter((each) => each.includesSubAgents);
  if (shared.length === 0) return undefined;
  return { conditions: byPriority(shared), usage: new UsageTotals() };
}

function startTranscript(
  { systemPrompt }: ToolLoopSettings,
  messages: readonly ModelMessage[],
): ModelMessage[] {
  const earlier = withoutSystemMessage(messages);
  if (systemPrompt === undefined) return earlier.slice();
  const first: ModelMessage[] = [Object.freeze(toSystemMessage(systemPrompt))];
  return first.concat(earlier);
}

/**
 * Validates the history view that the run starts with. Converts `from`, an index into the caller's
 * messages, to an index into the transcript, whose system message may have been added or dropped.
 *
 * @throws {TypeError} If the view is not a valid conversation.
 */
function startHistory(
  { history, messages = [] }: ToolLoopSettings,
  transcript: readonly ModelMessage[],
): HistoryView | undefined {
  if (history === undefined) return undefined;
  const { head, from } = readHistoryView(history, messages.length);
  const moved = Math.max(from + transcript.length - messages.length, 0);
  const view = Object.freeze({ head, from: moved });
  assertValidView(transcript, view);
  return view;
}
