/**
 * Converts the events of a run to AG-UI events.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import { defined } from "@parley/internal/json";
import type { AssistantMessage, ToolCall } from "../shared/model.ts";
import type { PendingApproval, ToolLoopOutput } from "../shared/output.ts";
import type { AgUiEvent, AgUiEventBody, AgUiInterrupt, AgUiOutcome } from "./ag_ui_events.ts";
import { ShownMessages } from "./ag_ui_messages.ts";
import { inputTextOf, metadataOf, toContent, toOutcome, toUsages } from "./ag_ui_parts.ts";
import { type ActiveRun, idOf, joinTexts, toShownMessage } from "./ag_ui_run.ts";
import { type UiErrors, visibleOutput } from "./front_end.ts";

/** Identifies a run to the client. */
export interface AgUiRun {
  readonly threadId: string;
  readonly runId?: string;
  readonly clientMessages?: readonly JsonObject[];
}

/** Event with the given type. */
type EventOf<Type extends LoopEvent["type"]> = LoopEvent & { readonly type: Type };

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
  /** Active runs, keyed by run id: the outermost run and the runs of sub-agents. */
  readonly #runs = new Map<string, ActiveRun>();
  /** Run ids of sub-agents, keyed by approval key, for their pending approvals. */
  readonly #suspended = new Map<string, string>();
  #outerRunId: string | undefined;
  /** Whether the client may already display messages of the run that is sent. */
  #isReplay = false;
  #out: AgUiEvent[] = [];

  constructor(target: AgUiRun, errors: UiErrors) {
    this.#target = target;
    this.#errors = errors;
    this.#shown = new ShownMessages(target.clientMessages);
  }

  /**
   * Starts the run before its first event, and sends the messages before the run to a client that
   * does not display them.
   *
   * @param runId Id of the agent's run.
   */
  open(runId: string): readonly AgUiEvent[] {
    this.#out = [];
    this.#isReplay = true;
    this.#openRun(runId);
    this.#emitSnapshot({});
    return this.#out;
  }

  /** Converts one event. */
  encode(event: LoopEvent): readonly AgUiEvent[] {
    this.#out = [];
    // Sub-agents may emit events after the outermost run has ended.
    const run = this.#runs.get(event.runId);
    if (event.type === "run_started") this.#startRun(event);
    else if (run) this.#encode(run, event);
    else if (event.type === "run_finished" && this.#outerRunId === undefined) {
      // The run was cancelled before its start.
      this.#finishRun(this.#addRun(event.runId, undefined), event);
    } else if (event.type === "run_failed" && this.#isOuter(event.runId)) {
      this.#emit(undefined, this.#toRunError(event.error));
    }
    return this.#out;
  }

  #encode(run: ActiveRun, event: LoopEvent): void {
    switch (event.type) {
      case "iteration_started":
        this.#startStep(run, event.iteration);
        break;
      case "text_delta":
      case "reasoning_delta":
      case "tool_input_delta":
        this.#addDelta(run, event);
        break;
      case "model_retry":
        this.#discardResponse(run, event);
        break;
      case "model_finished":
        this.#finishResponse(run, event.message);
        break;
      case "approval_requested":
      case "tool_started":
        this.#showCall(run, event.toolCall);
        break;
      case "tool_progress": {
        const { progress, toolCallId, toolName } = event;
        const value = { toolCallId: idOf(run, toolCallId), toolName, progress };
        this.#emit(run, { type: "CUSTOM", name: "tool_progress", value });
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

  #emit(run: ActiveRun | undefined, body: AgUiEventBody): void {
    const subagentRunId = run?.subagentRunId;
    this.#out.push(subagentRunId === undefined ? body : { ...body, subagentRunId });
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
    this.#emit(undefined, {
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
    this.#emit(run, defined({ type, name: agentName, parentSubagentRunId }));
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
    this.#emit(run, { type: "STEP_STARTED", stepName: run.stepName });
    this.#startResponse(run, `${run.runId}/i${iteration}`);
  }

  #finishStep(run: ActiveRun): void {
    this.#closeResponse(run);
    const { stepName } = run;
    if (stepName === undefined) return;
    this.#emit(run, { type: "STEP_FINISHED", stepName });
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
      this.#emit(run, {
        type: "SUBAGENT_FINISHED",
        outcome: output.pending ? { type: "suspended", interruptIds } : { type: "success" },
      });
      return;
    }
    this.#closeSubagents();
    const { threadId, runId = run.runId } = this.#target;
    this.#emit(run, {
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
      this.#emit(run, { type: "SUBAGENT_ERROR", message: this.#errors.mask(error) });
      return;
    }
    this.#closeSubagents();
    this.#emit(run, this.#toRunError(error));
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
      this.#emit(run, { type: "SUBAGENT_ERROR", message: "The run ended before the sub-agent" });
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

  // Model responses

  #startResponse(run: ActiveRun, messageId: string): void {
    run.messageId = messageId;
    run.hasText = false;
    run.reasoningIds = [];
  }

  #addDelta(
    run: ActiveRun,
    event: EventOf<"text_delta" | "reasoning_delta" | "tool_input_delta">,
  ): void {
    if (!run.hasText && run.openCalls.size === 0) this.#removePartialMessage(run);
    switch (event.type) {
      case "text_delta":
        if (event.text !== "") this.#addText(run, event.text);
        break;
      case "reasoning_delta":
        if (event.reasoning !== "") this.#addReasoning(run, event.reasoning);
        break;
      case "tool_input_delta":
        this.#addToolInput(run, event);
        break;
    }
  }

  /**
   * Removes the incomplete message that an interrupted run sent to the client.
   */
  #removePartialMessage(run: ActiveRun): void {
    if (this.#shown.removeOfClient(run.messageId)) this.#emitSnapshot(run);
  }

  #addText(run: ActiveRun, delta: string): void {
    const { messageId } = run;
    this.#closeReasoning(run);
    if (!run.isTextOpen) {
      this.#emit(run, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    }
    run.isTextOpen = true;
    run.hasText = true;
    this.#emit(run, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  }

  #addReasoning(run: ActiveRun, delta: string): void {
    this.#closeText(run);
    if (run.reasoning === undefined) {
      const messageId = this.#reasoningIdOf(run);
      run.reasoning = { id: messageId, text: "" };
      run.reasoningIds.push(messageId);
      this.#clearReasoning(run, messageId);
      this.#emit(run, { type: "REASONING_START", messageId });
      this.#emit(run, { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" });
    }
    run.reasoning.text += delta;
    this.#emit(run, { type: "REASONING_MESSAGE_CONTENT", messageId: run.reasoning.id, delta });
  }

  /**
   * Removes the reasoning that a client displays which reconnects without being reloaded. A
   * snapshot contains complete messages only, so none is sent while a response is streamed.
   */
  #clearReasoning(run: ActiveRun, id: string): void {
    if (!this.#isReplay) return;
    this.#isReplay = false;
    const runs = [...this.#runs.values()];
    if (!runs.some((one) => one.hasText || one.openCalls.size > 0)) this.#emitSnapshot(run, id);
  }

  /** Returns an unused id for a reasoning message. */
  #reasoningIdOf(run: ActiveRun): string {
    for (;;) {
      const id = `${run.messageId}/reasoning/${run.reasoningCount++}`;
      if (!this.#shown.has(id)) return id;
    }
  }

  #addToolInput(
    run: ActiveRun,
    { inputText: delta, toolCallId: id, toolName }: EventOf<"tool_input_delta">,
  ): void {
    const toolCallId = idOf(run, id);
    this.#closeReasoning(run);
    this.#closeText(run);
    if (!run.openCalls.has(toolCallId)) {
      // If a tool call has the same id as an earlier call, the loop replaces the id when the
      // response is complete.
      if (id === "" || this.#shown.hasCall(toolCallId)) return;
      this.#startCall(run, toolCallId, toolName);
      run.openCalls.add(toolCallId);
    }
    if (delta !== "") this.#emit(run, { type: "TOOL_CALL_ARGS", toolCallId, delta });
  }

  #startCall(run: ActiveRun, toolCallId: string, toolCallName: string): void {
    const { messageId: parentMessageId } = run;
    this.#shown.addCall(toolCallId, parentMessageId);
    this.#emit(run, { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId });
  }

  /** Sends a tool call whose input has not been streamed to the client. */
  #showCall(run: ActiveRun, { toolCallId: id, ...call }: ToolCall): void {
    const toolCallId = idOf(run, id);
    if (id === "" || this.#shown.hasCall(toolCallId)) return;
    this.#startCall(run, toolCallId, call.toolName);
    const delta = inputTextOf(call);
    if (delta !== "") this.#emit(run, { type: "TOOL_CALL_ARGS", toolCallId, delta });
    this.#emit(run, { type: "TOOL_CALL_END", toolCallId });
  }

  /** Removes the partial response of a failed model call. */
  #discardResponse(run: ActiveRun, { attempt, iteration }: EventOf<"model_retry">): void {
    const { messageId, reasoningIds } = run;
    const isPartial = run.hasText || reasoningIds.length > 0 || run.openCalls.size > 0;
    this.#closeResponse(run);
    this.#shown.removeCallsOf(messageId);
    const base = `${run.runId}/i${iteration}`;
    // Without the client's messages, the partial message cannot be removed, so the next attempt's
    // message needs a different id.
    this.#startResponse(run, this.#shown.isComplete ? base : `${base}.${attempt}`);
    if (!this.#shown.isComplete) return;
    for (const id of reasoningIds) this.#shown.remove(id);
    run.reasoningCount -= reasoningIds.length;
    if (isPartial) this.#emitSnapshot(run, reasoningIds[0]);
  }

  /**
   * Sends the complete messages. A client removes other messages, but removes reasoning only if the
   * snapshot contains reasoning.
   *
   * @param reasoningId Id of a reasoning message to empty if no reasoning can be removed.
   */
  #emitSnapshot({ subagentRunId }: Partial<ActiveRun>, reasoningId?: string): void {
    if (!this.#shown.isComplete) return;
    const messages = this.#shown.toArray();
    if (reasoningId !== undefined && messages.every(({ role }) => role !== "reasoning")) {
      messages.push(defined({ id: reasoningId, role: "reasoning", content: "", subagentRunId }));
    }
    // A snapshot contains the messages of all agents, so the event has no `subagentRunId`.
    this.#emit(undefined, { type: "MESSAGES_SNAPSHOT", messages });
  }

  /**
   * Sends the parts of a complete response that were not streamed. Messages that the client already
   * has are not repeated.
   */
  #finishResponse(run: ActiveRun, { content }: AssistantMessage): void {
    const { messageId } = run;
    const calls = content.filter((part) => part.type === "tool-call");
    const text = joinTexts(content, "text");
    if (!this.#shown.has(messageId)) {
      const reasoning = joinTexts(content, "reasoning");
      if (run.reasoningIds.length === 0 && reasoning !== "") this.#addReasoning(run, reasoning);
      if (!run.hasText && text !== "") this.#addText(run, text);
      for (const call of calls) this.#showCall(run, call);
      if (text !== "" || calls.length > 0) this.#shown.add(toShownMessage(run, text, calls));
    }
    this.#closeResponse(run);
  }

  #closeResponse(run: ActiveRun): void {
    this.#closeReasoning(run);
    this.#closeText(run);
    for (const toolCallId of run.openCalls) this.#emit(run, { type: "TOOL_CALL_END", toolCallId });
    run.openCalls.clear();
  }

  #closeText(run: ActiveRun): void {
    if (!run.isTextOpen) return;
    this.#emit(run, { type: "TEXT_MESSAGE_END", messageId: run.messageId });
    run.isTextOpen = false;
  }

  #closeReasoning(run: ActiveRun): void {
    const { reasoning, subagentRunId } = run;
    if (reasoning === undefined) return;
    const { id: messageId, text: content } = reasoning;
    this.#emit(run, { type: "REASONING_MESSAGE_END", messageId });
    this.#emit(run, { type: "REASONING_END", messageId });
    // A snapshot with other reasoning would remove the message from the client.
    this.#shown.add(defined({ id: messageId, role: "reasoning", content, subagentRunId }));
    delete run.reasoning;
  }

  // Tool results

  #showResult(run: ActiveRun, event: EventOf<"tool_finished">): void {
    const { toolCallId: id, toolName } = event.toolResult;
    const toolCallId = idOf(run, id);
    if (this.#shown.hasResult(toolCallId)) return;
    this.#showCall(run, { type: "tool-call", toolCallId: id, toolName, input: {} });
    const messageId = `${run.runId}/i${event.iteration}/${id}`;
    const content = toContent(visibleOutput(event, this.#errors));
    const metadata = metadataOf(event.toolResult);
    this.#emit(
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
