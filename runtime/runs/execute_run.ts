/**
 * Execution of a durable run by a worker.
 *
 * @module
 */

import type { RunContext } from "../shared/run_context.ts";
import { sizeOfJson } from "../shared/json_size.ts";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { type ApprovalDecision, readApprovalDecision } from "../loop/approval.ts";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined } from "@parley/internal/json";
import type { ToolLoopOutput } from "../shared/output.ts";
import { toFailure } from "../shared/run_failure.ts";
import { toStoredResult } from "../loop/run_result.ts";
import { type AgentVersion, checkAgent } from "./agent_versions.ts";
import { readRunInput } from "./run_input.ts";
import { isSignalKey } from "./run_options.ts";
import type { OpenRun, RunDelivery, RunEnd, RunJournal } from "./contracts.ts";
import type { RunRecord, RunWait } from "./run_record.ts";
import { waitsIn } from "./run_waits.ts";
import { type AgentLimits, endAgent, makeAgent } from "../agent/make_agent.ts";
import { decisionPrefixOf } from "./memory_journal.ts";
import { type RecorderOptions, StepRecorder } from "./step_recorder.ts";

/** Journal, agent and limits for the execution of a run. */
export interface Execution {
  readonly journal: RunJournal;
  readonly open: OpenRun;
  readonly agent: AgentVersion;
  readonly delivery: RunDelivery;
  readonly options: Omit<RecorderOptions, "signal">;
  /** Number of attempts after which a run fails. */
  readonly maxAttempts: number;
  /** Limits for creating and terminating the agent. */
  readonly limits: AgentLimits;
  /** Called with the events of the run. */
  readonly onEvent?: ((event: LoopEvent) => void) | undefined;
}

/** Result of executing a run. */
export interface ExecutionEnd {
  /**
   * Value for `RunJournal.close`. `undefined` if another worker has opened the run or the run was
   * cancelled.
   */
  readonly end?: RunEnd;
  /** Error that the delivery fails with, so that the queue delivers the run again. */
  readonly retry?: { readonly error: unknown };
}

/** Returns true if a signal key is reserved for approval decisions in a run. */
export function isApprovalKey(runId: string, key: string): boolean {
  return key.startsWith(decisionPrefixOf(runId));
}

/** Executes an open run until it ends, waits, or cannot continue. */
export async function executeRun(execution: Execution): Promise<ExecutionEnd> {
  const { agent: version, delivery, journal, limits, open, options } = execution;
  const recorder = new StepRecorder(journal, open, { ...options, signal: delivery.signal });
  let agent: ToolLoopAgent | undefined;
  let output: ToolLoopOutput;
  try {
    const context = toContext(open.run);
    const maker = { name: `${open.run.agent}.make`, make: () => version.make(context) };
    agent = await makeAgent(maker, limits, delivery.signal);
    await checkAgent(open.run.runId, agent, version.version, recorder);
    output = await runAgent(agent, execution, recorder);
  } catch (error) {
    return endOfFailure(execution, recorder, error);
  } finally {
    // An agent whose `onTerminate` fails is terminated anyway, and the outcome of the run is known,
    // so the run must not be executed again.
    await endAgent(agent, limits);
  }
  if (recorder.failure !== undefined) return endOfFailure(execution, recorder, recorder.failure);
  if (output.stopReason === "aborted") {
    return { end: { status: "queued" }, retry: { error: delivery.signal.reason } };
  }
  return { end: endOf(output, execution) };
}

function toContext({ metadata = {}, party, runId }: RunRecord): RunContext {
  return { runId, metadata, ...defined({ party }) };
}

async function runAgent(
  agent: ToolLoopAgent,
  { delivery, onEvent, open: { run: { input, runId }, signals }, options }: Execution,
  recorder: StepRecorder,
): Promise<ToolLoopOutput> {
  const { budget, messages, turn } = readRunInput(input);
  const decisions = decisionsIn(runId, signals);
  const { clock } = options;
  return await agent.run(turn, {
    runId,
    stepRunner: recorder,
    signals: Object.fromEntries([...signals].filter(([key]) => !isApprovalKey(runId, key))),
    now: () => clock.now(),
    signal: AbortSignal.any([delivery.signal, recorder.signal]),
    ...defined({ budget, decisions, messages, onEvent }),
  });
}

/** Returns the decisions among the signals. Returns `undefined` if no signal is a decision. */
function decisionsIn(
  runId: string,
  signals: ReadonlyMap<string, JsonValue>,
): Readonly<Record<string, ApprovalDecision>> | undefined {
  const entries = [...signals].flatMap(([key, value]) => {
    const decision = isApprovalKey(runId, key) ? readApprovalDecision(value) : undefined;
    return decision === undefined ? [] : [[key, decision] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function endOf(output: ToolLoopOutput, { open: { run }, options }: Execution): RunEnd {
  const { pending } = output;
  if (pending !== undefined) {
    const waitingFor = waitsIn(pending);
    const unusable = waitingFor.find(({ key }) => !isSignalKey(key));
    if (unusable !== undefined) {
      return { status: "failed", error: toFailure(unusableKey(run, unusable)) };
    }
    const [due] = waitingFor.flatMap((wait) => wait.kind === "time" ? [wait.due] : []).sort();
    return { status: "waiting", waitingFor, ...defined({ due }) };
  }
  const result = toStoredResult(output, options.maxValueBytes);
  const bytes = sizeOfJson(result);
  if (bytes <= options.maxValueBytes) return { status: "done", result };
  const reason = `the result has ${bytes} bytes, more than ${options.maxValueBytes}`;
  const error = AgentError.run("run_limit", "finish", { runId: run.runId, reason });
  return { status: "failed", error: toFailure(error) };
}

/** Returns the error for a wait whose key no signal can have, or that a database cannot store. */
function unusableKey({ runId }: RunRecord, { key, toolName }: RunWait): AgentError {
  const reason = `tool "${toolName}" waits for ${formatValue(key)}, which is not a valid key`;
  return AgentError.run("run_limit", "wait for a signal of", { runId, reason });
}

function endOfFailure(
  { delivery, maxAttempts }: Execution,
  recorder: StepRecorder,
  error: unknown,
): ExecutionEnd {
  const cause = recorder.failure ?? error;
  const isAgentError = AgentError.isAgentError(cause);
  if (isAgentError && cause.is("run_fenced")) return {};
  const failure = toFailure(cause);
  if (isAgentError && cause.is("run_agent_changed")) {
    return { end: { status: "queued", error: failure }, retry: { error: cause } };
  }
  const isTemporary = delivery.signal.aborted || recorder.failure !== undefined && !isAgentError;
  const mayRetry = !isAgentError || cause.retryable;
  if (isTemporary || mayRetry && delivery.attempt < maxAttempts) {
    return { end: { status: "queued", error: failure }, retry: { error: cause } };
  }
  return { end: { status: "failed", error: failure } };
}
