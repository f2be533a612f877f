/**
 * Converts the model responses of a run to AG-UI events: text, reasoning and tool calls.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import type { AssistantMessage, ToolCall } from "../shared/model.ts";
import type { ShownMessages } from "./ag_ui_messages.ts";
import type { AgUiOutput, EventOf } from "./ag_ui_output.ts";
import { inputTextOf } from "./ag_ui_parts.ts";
import { type ActiveRun, idOf, joinTexts, toShownMessage } from "./ag_ui_run.ts";

/** What a response belongs to. */
export interface AgUiResponsesOptions {
  readonly output: AgUiOutput;
  /** Messages that the client displays. */
  readonly shown: ShownMessages;
  /** Active runs, keyed by run id: the outermost run and the runs of sub-agents. */
  readonly runs: ReadonlyMap<string, ActiveRun>;
}

/** Converts the model responses of the runs, in order. */
export class AgUiResponses {
  readonly #output: AgUiOutput;
  readonly #shown: ShownMessages;
  readonly #runs: ReadonlyMap<string, ActiveRun>;
  /** Whether the client may already display messages of the run that is sent. */
  isReplay = false;

  constructor({ output, runs, shown }: AgUiResponsesOptions) {
    this.#output = output;
    this.#shown = shown;
    this.#runs = runs;
  }

  /** Starts a response, whose parts belong to the message with the given id. */
  start(run: ActiveRun, messageId: string): void {
    run.messageId = messageId;
    run.hasText = false;
    run.reasoningIds = [];
  }

  /** Sends a part of a streamed response. */
  addDelta(
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
    if (this.#shown.removeOfClient(run.messageId)) this.sendSnapshot(run);
  }

  #addText(run: ActiveRun, delta: string): void {
    const { messageId } = run;
    this.#closeReasoning(run);
    if (!run.isTextOpen) {
      this.#output.emit(run, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    }
    run.isTextOpen = true;
    run.hasText = true;
    this.#output.emit(run, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  }

  #addReasoning(run: ActiveRun, delta: string): void {
    this.#closeText(run);
    if (run.reasoning === undefined) {
      const messageId = this.#reasoningIdOf(run);
      run.reasoning = { id: messageId, text: "" };
      run.reasoningIds.push(messageId);
      this.#clearReasoning(run, messageId);
      this.#output.emit(run, { type: "REASONING_START", messageId });
      this.#output.emit(run, { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" });
    }
    run.reasoning.text += delta;
    this.#output.emit(run, {
      type: "REASONING_MESSAGE_CONTENT",
      messageId: run.reasoning.id,
      delta,
    });
  }

  /**
   * Removes the reasoning that a client displays which reconnects without being reloaded. A
   * snapshot contains complete messages only, so none is sent while a response is streamed.
   */
  #clearReasoning(run: ActiveRun, id: string): void {
    if (!this.isReplay) return;
    this.isReplay = false;
    const runs = [...this.#runs.values()];
    if (!runs.some((one) => one.hasText || one.openCalls.size > 0)) this.sendSnapshot(run, id);
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
    if (delta !== "") this.#output.emit(run, { type: "TOOL_CALL_ARGS", toolCallId, delta });
  }

  #startCall(run: ActiveRun, toolCallId: string, toolCallName: string): void {
    const { messageId: parentMessageId } = run;
    this.#shown.addCall(toolCallId, parentMessageId);
    this.#output.emit(run, { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId });
  }

  /** Sends a tool call whose input has not been streamed to the client. */
  showCall(run: ActiveRun, { toolCallId: id, ...call }: ToolCall): void {
    const toolCallId = idOf(run, id);
    if (id === "" || this.#shown.hasCall(toolCallId)) return;
    this.#startCall(run, toolCallId, call.toolName);
    const delta = inputTextOf(call);
    if (delta !== "") this.#output.emit(run, { type: "TOOL_CALL_ARGS", toolCallId, delta });
    this.#output.emit(run, { type: "TOOL_CALL_END", toolCallId });
  }

  /** Removes the partial response of a failed model call. */
  discard(run: ActiveRun, { attempt, iteration }: EventOf<"model_retry">): void {
    const { messageId, reasoningIds } = run;
    const isPartial = run.hasText || reasoningIds.length > 0 || run.openCalls.size > 0;
    this.close(run);
    this.#shown.removeCallsOf(messageId);
    const base = `${run.runId}/i${iteration}`;
    // Without the client's messages, the partial message cannot be removed, so the next attempt's
    // message needs a different id.
    this.start(run, this.#shown.isComplete ? base : `${base}.${attempt}`);
    if (!this.#shown.isComplete) return;
    for (const id of reasoningIds) this.#shown.remove(id);
    run.reasoningCount -= reasoningIds.length;
    if (isPartial) this.sendSnapshot(run, reasoningIds[0]);
  }

  /**
   * Sends the complete messages. A client removes other messages, but removes reasoning only if the
   * snapshot contains reasoning.
   *
   * @param reasoningId Id of a reasoning message to empty if no reasoning can be removed.
   */
  sendSnapshot({ subagentRunId }: Partial<ActiveRun>, reasoningId?: string): void {
    if (!this.#shown.isComplete) return;
    const messages = this.#shown.toArray();
    if (reasoningId !== undefined && messages.every(({ role }) => role !== "reasoning")) {
      messages.push(defined({ id: reasoningId, role: "reasoning", content: "", subagentRunId }));
    }
    // A snapshot contains the messages of all agents, so the event has no `subagentRunId`.
    this.#output.emit(undefined, { type: "MESSAGES_SNAPSHOT", messages });
  }

  /**
   * Sends the parts of a complete response that were not streamed. Messages that the client already
   * has are not repeated.
   */
  finish(run: ActiveRun, { content }: AssistantMessage): void {
    const { messageId } = run;
    const calls = content.filter((part) => part.type === "tool-call");
    const text = joinTexts(content, "text");
    if (!this.#shown.has(messageId)) {
      const reasoning = joinTexts(content, "reasoning");
      if (run.reasoningIds.length === 0 && reasoning !== "") this.#addReasoning(run, reasoning);
      if (!run.hasText && text !== "") this.#addText(run, text);
      for (const call of calls) this.showCall(run, call);
      if (text !== "" || calls.length > 0) this.#shown.add(toShownMessage(run, text, calls));
    }
    this.close(run);
  }

  /** Ends the text, the reasoning and the tool calls that are being sent. */
  close(run: ActiveRun): void {
    this.#closeReasoning(run);
    this.#closeText(run);
    for (const toolCallId of run.openCalls) {
      this.#output.emit(run, { type: "TOOL_CALL_END", toolCallId });
    }
    run.openCalls.clear();
  }

  #closeText(run: ActiveRun): void {
    if (!run.isTextOpen) return;
    this.#output.emit(run, { type: "TEXT_MESSAGE_END", messageId: run.messageId });
    run.isTextOpen = false;
  }

  #closeReasoning(run: ActiveRun): void {
    const { reasoning, subagentRunId } = run;
    if (reasoning === undefined) return;
    const { id: messageId, text: content } = reasoning;
    this.#output.emit(run, { type: "REASONING_MESSAGE_END", messageId });
    this.#output.emit(run, { type: "REASONING_END", messageId });
    // A snapshot with other reasoning would remove the message from the client.
    this.#shown.add(defined({ id: messageId, role: "reasoning", content, subagentRunId }));
    delete run.reasoning;
  }
}
