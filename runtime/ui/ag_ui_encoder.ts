/**
 * Converts the events of a run to AG-UI events.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import { defined } from "@parley/internal/json";
import type { PendingApproval, ToolLoopOutput } from "../shared/output.ts";
import type { AgUiEvent, AgUiEventBody, AgUiInterrupt, AgUiOutcome } from "./ag_ui_events.ts";
import { ShownMessages } from "./ag_ui_messages.ts";
import { AgUiOutput, type EventOf } from "./ag_ui_output.ts";
import { metadataOf, toContent, toOutcome, toUsages } from "./ag_ui_parts.ts";
import { AgUiResponses } from "./ag_ui_responses.ts";
import { type ActiveRun, idOf } from "./ag_ui_run.ts";
import { type UiErrors, visibleOutput } from "./front_end.ts";

/** Identifies a run to the client. */
export interface AgUiRun {
  readonly threadId: string;
  readonly runId?: string;
  readonly clientMessages?: readonly JsonObject[];
}

/** JSON Schema for a decision on an approval. */
const ANSWER_SCHEMA = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

/** Converts the events of one run, in order. */
export class AgUiEncoder {
  readonly #target: AgUiRun;
  readonly #errors: UiErrors;
  readonly #shown: ShownMessages;
  readonly #output = new AgUiOutput();
  readonly #responses: AgUiResponses;
  /** Active runs, keyed by run id: the outermost run and the runs of sub-agents. */
  readonly #runs = new Map<string, ActiveRun>();
  /** Run ids of sub-agents, keyed by approval key, for their pending approvals. */
  readonly #suspended = new Map<string, string>();
  #outerRunId: string | undefined;

  constructor(target: AgUiRun, errors: UiErrors) {
    this.#target = target;
    this.#errors = errors;
    this.#shown = new ShownMessages(target.clientMessages);
    const [output, runs, shown] = [this.#output, this.#runs, this.#shown];
    this.#responses = new AgUiResponses({ output, runs, shown });
  }

  /**
   * Starts the run before its first event, and sends the messages before the run to a client that
   * does not display them.
   *
   * @param runId Id of the agent's run.
   */
  open(runId: string): readonly AgUiEvent[] {
    this.#output.start();
    this.#responses.isReplay = true;
    this.#openRun(runId);
    this.#responses.sendSnapshot({});
    return this.#output.events;
  }

  /** Converts one event. */
  encode(event: LoopEvent): readonly AgUiEvent[] {
    this.#output.start();
    // Sub-agents may emit events after the outermost run has ended.
    const run = this.#runs.get(event.runId);
    if (event.type === "run_started") this.#startRun(event);
    else if (run) this.#encode(run, event);
    else if (event.type === "run_finished" && this.#outerRunId === undefined) {
      // The run was cancelled before its start.
      this.#finishRun(this.#addRun(event.runId, undefined), event);
    } else if (event.type === "run_failed" && this.#isOuter(event.runId)) {
      this.#output.emit(undefined, this.#toRunError(event.error));
    }
    return this.#output.events;
  }

  #encode(run: ActiveRun, event: LoopEvent): void {
    switch (event.type) {
      case "iteration_started":
        this.#startStep(run, event.iteration);
        break;
      case "text_delta":
      case "reasoning_delta":
      case "tool_input_delta":
        this.#responses.addDelta(run, event);
        break;
      case "model_retry":
        this.#responses.discard(run, event);
        break;
      case "model_finished":
        this.#responses.finish(run, event.message);
        break;
      case "approval_requested":
      case "tool_started":
        this.#responses.showCall(run, event.toolCall);
        break;
      case "tool_progress": {
        const { progress, toolCallId, toolName } = event;
        const value = { toolCallId: idOf(run, toolCallId), toolName, progress };
        this.#output.emit(run, { type: "CUSTOM", name: "tool_progress", value });
        break;
      }
      case "tool_finished":
        this.#showResult(run, event);
        break;
      case "iteration_finished":
        this.#finishStep(run);
        break;
      case "run_finished":
        this.#finishRun(run, event);
        break;
      case "run_failed":
        this.#failRun(run, event.error);
        break;
    }
  }

  // Runs and iterations

  /** The id is empty if the run has failed before its first event. */
  #isOuter(runId: string): boolean {
    return runId === "" || (this.#outerRunId ?? runId) === runId;
  }

  #openRun(runId: string): void {
    if (this.#outerRunId !== undefined) return;
    this.#outerRunId = runId;
    const { threadId } = this.#target;
    this.#output.emit(undefined, {
      type: "RUN_STARTED",
      threadId,
      runId: this.#target.runId ?? runId,
      protocolVersion: "1.0",
    });
  }

  #startRun({ agentName, provider, runId }: EventOf<"run_started">): void {
    const parentSubagentRunId = this.#findParent(runId);
    const run = this.#addRun(runId, provider);
    if (run.subagentRunId === undefined) return;
    const type = "SUBAGENT_STARTED" as const;
    this.#output.emit(run, defined({ type, name: agentName, parentSubagentRunId }));
  }

  #addRun(runId: string, provider: string | undefined): ActiveRun {
    const isOuter = this.#isOuter(runId);
    const run: ActiveRun = {
      runId,
      ...!isOuter && { subagentRunId: runId },
      ...defined({ provider }),
      messageId: runId,
      isTextOpen: false,
      hasText: false,
      reasoningCount: 0,
      reasoningIds: [],
      openCalls: new Set(),
    };
    if (isOuter) this.#openRun(runId);
    this.#runs.set(runId, run);
    return run;
  }

  /**
   * Finds the sub-agent that started another sub-agent: the sub-agent with the longest run id that
   * is a prefix of the given run id.
   */
  #findParent(runId: string): string | undefined {
    let parent: string | undefined;
    for (const { subagentRunId: one } of this.#runs.values()) {
      if (one === undefined || !runId.startsWith(`${one}/`)) continue;
      if (parent === undefined || one.length > parent.length) parent = one;
    }
    return parent;
  }

  #startStep(run: ActiveRun, iteration: number): void {
    this.#finishStep(run);
    run.stepName = `iteration ${iteration}`;
    this.#output.emit(run, { type: "STEP_STARTED", stepName: run.stepName });
    this.#responses.start(run, `${run.runId}/i${iteration}`);
  }

  #finishStep(run: ActiveRun): void {
    this.#responses.close(run);
    const { stepName } = run;
    if (stepName === undefined) return;
    this.#output.emit(run, { type: "STEP_FINISHED", stepName });
    delete run.stepName;
  }

  #finishRun(run: ActiveRun, { output, stopReason }: EventOf<"run_finished">): void {
    this.#closeRun(run);
    const approvals = output.pending?.approvals ?? [];
    if (run.subagentRunId !== undefined) {
      const interruptIds = approvals.map(({ key }) => key);
      for (const key of interruptIds) {
        if (!this.#suspended.has(key)) this.#suspended.set(key, run.subagentRunId);
      }
      this.#output.emit(run, {
        type: "SUBAGENT_FINISHED",
        outcome: output.pending ? { type: "suspended", interruptIds } : { type: "success" },
      });
      return;
    }
    this.#closeSubagents();
    const { threadId, runId = run.runId } = this.#target;
    this.#output.emit(run, {
      type: "RUN_FINISHED",
      threadId,
      runId,
      outcome: this.#toOutcome(output),
      result: { stopReason, ...isJsonValue(output.value) && { value: output.value } },
      usage: toUsages(run.provider, output),
    });
  }

  #failRun(run: ActiveRun, error: unknown): void {
    this.#closeRun(run);
    if (run.subagentRunId !== undefined) {
      this.#output.emit(run, { type: "SUBAGENT_ERROR", message: this.#errors.mask(error) });
      return;
    }
    this.#closeSubagents();
    this.#output.emit(run, this.#toRunError(error));
  }

  #closeRun(run: ActiveRun): void {
    this.#finishStep(run);
    this.#runs.delete(run.runId);
  }

  /**
   * Ends the sub-agents that are still active, innermost first, because no events may follow the
   * end of the run.
   */
  #closeSubagents(): void {
    for (const run of [...this.#runs.values()].reverse()) {
      this.#closeRun(run);
      this.#output.emit(run, {
        type: "SUBAGENT_ERROR",
        message: "The run ended before the sub-agent",
      });
    }
  }

  #toRunError(error: unknown): AgUiEventBody {
    const code = AgentError.isAgentError(error) ? error.code : undefined;
    return defined({ type: "RUN_ERROR" as const, message: this.#errors.mask(error), code });
  }

  #toOutcome({ pending, stopReason }: ToolLoopOutput): AgUiOutcome {
    if (pending !== undefined) {
      const interrupts = pending.approvals.map((approval) => this.#toInterrupt(approval));
      return { type: "interrupt", interrupts };
    }
    return toOutcome(stopReason);
  }

  #toInterrupt({ key, reason, toolCall }: PendingApproval): AgUiInterrupt {
    const { toolName } = toolCall;
    const subagentRunId = this.#suspended.get(key);
    return defined({
      id: key,
      reason: "tool_call" as const,
      message: reason === "approval"
        ? `Approve the call to tool "${toolName}"?`
        : `Tool "${toolName}" was interrupted. Execute the call again?`,
      toolCallId: idOf(defined({ subagentRunId }), toolCall.toolCallId),
      responseSchema: ANSWER_SCHEMA,
      subagentRunId,
      metadata: { parley: { reason } },
    });
  }

  // Tool results

  #showResult(run: ActiveRun, event: EventOf<"tool_finished">): void {
    const { toolCallId: id, toolName } = event.toolResult;
    const toolCallId = idOf(run, id);
    if (this.#shown.hasResult(toolCallId)) return;
    this.#responses.showCall(run, { type: "tool-call", toolCallId: id, toolName, input: {} });
    const messageId = `${run.runId}/i${event.iteration}/${id}`;
    const content = toContent(visibleOutput(event, this.#errors));
    const metadata = metadataOf(event.toolResult);
    this.#output.emit(
      run,
      defined({
        type: "TOOL_CALL_RESULT" as const,
        messageId,
        toolCallId,
        content,
        role: "tool" as const,
        metadata,
      }),
    );
    const { subagentRunId } = run;
    const message = defined({
      id: messageId,
      role: "tool",
      toolCallId,
      content,
      metadata,
      subagentRunId,
    });
    this.#shown.add(message);
  }
}
