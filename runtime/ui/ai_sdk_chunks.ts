/**
 * Converts the events of a run to the chunks of the AI SDK's UI message stream.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import { encodeBase64 } from "@parley/internal/base64";
import { defined } from "@parley/internal/json";
import type {
  AssistantMessage,
  FilePart,
  TextPart,
  ToolCall,
  ToolResultOutput,
} from "../shared/model.ts";
import { AgentStopReason, type PendingBatch, type ToolLoopOutput } from "../shared/output.ts";
import type { UiMessageChunk } from "./ai_sdk_chunk_types.ts";
import { StreamedParts } from "./streamed_parts.ts";
import { type UiErrors, visibleOutput } from "./front_end.ts";

/**
 * AI SDK finish reasons, keyed by stop reason. A stop reason that is not listed maps to `other`.
 */
const FINISH_REASON: Readonly<
  Partial<Record<AgentStopReason, "stop" | "length" | "content-filter" | "tool-calls">>
> = {
  [AgentStopReason.ModelStop]: "stop",
  [AgentStopReason.OutputTruncated]: "length",
  [AgentStopReason.ContentFiltered]: "content-filter",
  [AgentStopReason.ApprovalPending]: "tool-calls",
  [AgentStopReason.Waiting]: "tool-calls",
  [AgentStopReason.MaxIterations]: "tool-calls",
  [AgentStopReason.ToolStop]: "tool-calls",
};

/** A sub-agent's tool call that a resumed run executes after its approval. */
interface DecidedCall {
  readonly toolCall: ToolCall;
  /**
   * Whether the decision takes effect during this stream, which means that the browser does not
   * have the call's result yet.
   */
  readonly isNew: boolean;
}

/** Converts the events of a run and of its sub-agents. */
export class UiMessageEncoder {
  readonly #errors: UiErrors;
  readonly #sendRecorded: boolean;
  readonly #messageId: string | undefined;
  #mainRunId: string | undefined;
  /** Encoders of the runs that have not ended. */
  readonly #runs = new Map<string, RunEncoder>();
  /**
   * Sub-agents' tool calls that were decided in a recorded iteration, keyed by the id of their
   * part.
   */
  readonly #decided = new Map<string, DecidedCall>();

  /** @param messageId Id of the page's message. If omitted, the page chooses the id. */
  constructor(errors: UiErrors, sendRecorded: boolean, messageId?: string) {
    this.#errors = errors;
    this.#sendRecorded = sendRecorded;
    this.#messageId = messageId;
  }

  /** Returns the chunks for an event. */
  encode(event: LoopEvent): readonly UiMessageChunk[] {
    const { runId, path, type } = event;
    this.#mainRunId ??= runId;
    const run = this.#runs.get(runId) ?? new RunEncoder(runId, this.#errors, this.#sendRecorded);
    const chunks = run.encode(event);
    if (type === "run_finished" || type === "run_failed") this.#runs.delete(runId);
    else this.#runs.set(runId, run);
    if (runId === this.#mainRunId) return chunks.map((chunk) => this.#withId(chunk));
    const nested = chunks.map((chunk): UiMessageChunk => ({
      type: "data-agent",
      data: { runId, path, chunk },
      transient: true,
    }));
    return run.isRecorded ? [...nested, ...this.#completeApproval(event, run.lastShown)] : nested;
  }

  #withId(chunk: UiMessageChunk): UiMessageChunk {
    if (chunk.type !== "start" || this.#messageId === undefined) return chunk;
    return { ...chunk, messageId: this.#messageId };
  }

  /**
   * Returns the result of a sub-agent's tool call. The browser was asked to approve the call;
   * without its result, the browser would send the decision again.
   *
   * @param lastShown Index of the sub-agent's last iteration that the browser displays.
   */
  #completeApproval(event: LoopEvent, lastShown: number): readonly UiMessageChunk[] {
    switch (event.type) {
      case "approval_decided": {
        const { decision, iteration, toolCall } = event;
        const isNew = decision === "deny" || iteration === lastShown;
        const id = partIdOf(originOf(event), toolCall.toolCallId);
        if (decision !== "defer") this.#decided.set(id, { toolCall, isNew });
        return [];
      }
      case "tool_started": {
        const { toolCall } = event;
        const id = partIdOf(originOf(event), toolCall.toolCallId);
        if (this.#decided.has(id)) this.#decided.set(id, { toolCall, isNew: true });
        return [];
      }
      case "tool_finished": {
        const id = partIdOf(originOf(event), event.toolResult.toolCallId);
        const decided = this.#decided.get(id);
        this.#decided.delete(id);
        if (!decided?.isNew) return [];
        return [
          inputChunk(decided.toolCall, id),
          outputChunk(visibleOutput(event, this.#errors), id),
        ];
      }
      default:
        return [];
    }
  }
}

/** Converts the events of one run. */
class RunEncoder {
  readonly #runId: string;
  readonly #errors: UiErrors;
  #chunks: UiMessageChunk[] = [];
  /**
   * Index of the last iteration that the browser displays: the iteration whose tool calls the user
   * has decided on. Without decisions, the browser is assumed to show all recorded iterations, or
   * none if `sendRecorded` is set.
   */
  lastShown: number;
  /**
   * Chunks of the latest recorded iteration that the browser displays, sent only if the run
   * continues in this iteration or the next iteration is sent; otherwise, the browser already has
   * the results.
   */
  #held: UiMessageChunk[] | undefined;
  /**
   * Whether the current iteration's model response was read from the journal, which means that the
   * browser already has the response.
   */
  isRecorded = false;
  #isStepOpen = false;
  #iteration = 0;
  #isModelCalled = false;
  #streamed = new StreamedParts();
  /** Number of text and reasoning parts in the current iteration. */
  #partCount = 0;
  /**
   * Inputs of the current iteration's tool calls, as sent to the browser, keyed by tool call id.
   */
  readonly #inputs = new Map<string, unknown>();

  constructor(runId: string, errors: UiErrors, sendRecorded: boolean) {
    this.#runId = runId;
    this.#errors = errors;
    this.lastShown = sendRecorded ? -1 : Infinity;
  }

  encode(event: LoopEvent): readonly UiMessageChunk[] {
    this.#chunks = [];
    this.#handle(event);
    return this.#chunks;
  }

  #handle(event: LoopEvent): void {
    switch (event.type) {
      case "run_started":
        if (this.lastShown === Infinity) {
          this.lastShown = lastIterationOf(this.#runId, event.decisionKeys) ?? this.lastShown;
        }
        return this.#write({ type: "start" });
      case "iteration_started":
        this.#iteration = event.iteration;
        this.#isModelCalled = false;
        this.#partCount = 0;
        this.#inputs.clear();
        return;
      case "model_started":
        if (event.attempt === 0) this.#startStep();
        this.#isModelCalled = true;
        return;
      case "text_delta":
        return this.#writeDelta("text", event.text);
      case "reasoning_delta":
        return this.#writeDelta("reasoning", event.reasoning);
      case "tool_input_delta":
        return this.#writeInput(event);
      case "model_retry":
        return this.#resetStep();
      case "model_finished":
        return this.#finishMessage(event.message);
      case "tool_started":
        // The run executes a tool whose result is not recorded, so the iteration is incomplete.
        this.#release();
        return this.#writeCall(event.toolCall);
      case "tool_progress": {
        const { progress: output, toolCallId } = event;
        return this.#write({
          type: "tool-output-available",
          toolCallId,
          output,
          preliminary: true,
        });
      }
      case "tool_finished":
        return this.#writeResult(event.toolResult.toolCallId, visibleOutput(event, this.#errors));
      case "iteration_finished":
        return this.#finishStep();
      case "run_finished":
        return this.#finishRun(event.output);
      case "run_failed":
        this.#release();
        this.#endPart();
        return this.#write({ type: "error", errorText: this.#errors.mask(event.error) });
      default:
        return;
    }
  }

  #write(chunk: UiMessageChunk): void {
    (this.#held ?? this.#chunks).push(chunk);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#chunks.push(...held);
  }

  #startStep(): void {
    this.#release();
    this.isRecorded = false;
    this.#isStepOpen = true;
    this.#streamed = new StreamedParts();
    this.#write({ type: "start-step" });
  }

  #finishStep(): void {
    if (this.#isStepOpen) this.#write({ type: "finish-step" });
    this.#isStepOpen = false;
  }

  #resetStep(): void {
    if (!this.#streamed.isEmpty) this.#write({ type: "reset-step" });
    this.#streamed = new StreamedParts();
  }

  #writeDelta(kind: "text" | "reasoning", delta: string): void {
    this.#streamed[kind] += delta;
    this.#writeText(kind, delta);
  }

  #writeInput(
    { inputText: inputTextDelta, toolCallId, toolName }: LoopEvent & {
      readonly type: "tool_input_delta";
    },
  ): void {
    const { toolCallIds } = this.#streamed;
    this.#endPart();
    if (!toolCallIds.has(toolCallId)) {
      toolCallIds.add(toolCallId);
      this.#write({ type: "tool-input-start", toolCallId, toolName });
    }
    this.#write({ type: "tool-input-delta", toolCallId, inputTextDelta });
  }

  /** Writes text to the open part of the same kind, or to a new part. */
  #writeText(kind: "text" | "reasoning", delta: string): void {
    if (delta === "") return;
    if (this.#streamed.open?.kind !== kind) {
      this.#endPart();
      const id = `${this.#iteration}.${this.#partCount++}`;
      this.#streamed.open = { kind, id };
      this.#write({ type: `${kind}-start`, id });
    }
    const { id } = this.#streamed.open;
    this.#write({ type: `${kind}-delta`, id, delta });
  }

  #endPart(): void {
    const { open } = this.#streamed;
    if (open) this.#write({ type: `${open.kind}-end`, id: open.id });
    this.#streamed.open = undefined;
  }

  #finishMessage(message: AssistantMessage): void {
    if (!this.#isModelCalled) {
      if (this.#iteration <= this.lastShown) return this.#holdRecorded(message);
      this.#startStep();
    }
    // The complete response takes precedence over the streamed parts: the loop may have replaced
    // tool call ids, and some models stream no parts.
    const isStreamed = this.#streamed.matches(message);
    if (!isStreamed) this.#resetStep();
    for (const part of message.content) {
      switch (part.type) {
        case "text":
        case "reasoning":
          if (!isStreamed) this.#writeText(part.type, part.text);
          break;
        case "file":
          this.#endPart();
          this.#write({ type: "file", url: urlOf(part), mediaType: part.mediaType });
          break;
        case "tool-call":
          this.#endPart();
          this.#writeCall(part);
      }
    }
    this.#endPart();
  }

  #holdRecorded({ content }: AssistantMessage): void {
    this.#held = [];
    this.isRecorded = true;
    for (const part of content) if (part.type === "tool-call") this.#writeCall(part);
  }

  /** Writes a tool call, unless the call has already been written with the same input. */
  #writeCall(call: ToolCall): void {
    const { toolCallId } = call;
    const chunk = inputChunk(call, toolCallId);
    if (this.#inputs.get(toolCallId) === chunk.input && this.#inputs.has(toolCallId)) return;
    this.#inputs.set(toolCallId, chunk.input);
    this.#write(chunk);
  }

  #writeResult(toolCallId: string, output: ToolResultOutput): void {
    if (output.type === "execution-denied" && !this.isRecorded) {
      // In the AI SDK, a denied tool part must contain an approval.
      this.#decideAutomatically(toolCallId, false, output.reason);
    }
    this.#write(outputChunk(output, toolCallId));
  }

  #finishRun({ pending, stopReason, totalUsage: usage }: ToolLoopOutput): void {
    this.#release();
    this.#endPart();
    if (pending) this.#requestApprovals(pending);
    this.#finishStep();
    if (stopReason === AgentStopReason.Aborted || stopReason === AgentStopReason.Terminated) {
      return this.#write({ type: "abort" });
    }
    const finishReason = FINISH_REASON[stopReason] ?? "other";
    this.#write({ type: "finish", finishReason, messageMetadata: { stopReason, usage } });
  }

  #requestApprovals({ approvals, assistantMessage, iteration, toolResults }: PendingBatch): void {
    const ended = new Set(toolResults.map(({ toolCallId }) => toolCallId));
    for (const { key, reason, toolCall } of approvals) {
      const origin = originOfApproval(key);
      const isOwn = origin === `${this.#runId}/i${iteration}`;
      // A sub-agent's call becomes a part of this message, so that the user can approve it.
      const toolCallId = isOwn ? toolCall.toolCallId : partIdOf(origin, toolCall.toolCallId);
      ended.add(toolCallId);
      this.#write(inputChunk(toolCall, toolCallId));
      this.#write({
        type: "tool-approval-request",
        approvalId: key,
        toolCallId,
        ...reason === "approval" ? {} : { reason },
      });
    }
    // Tool calls that need no decision wait until the approvals are decided, but are marked as
    // approved, because the AI SDK sends the decisions only if all parts of the step that need no
    // decision have ended or are approved.
    for (const part of assistantMessage.content) {
      const isWaiting = part.type === "tool-call" && !ended.has(part.toolCallId);
      if (isWaiting) this.#decideAutomatically(part.toolCallId, true);
    }
  }

  /** Writes a decision that the agent has made without asking the user. */
  #decideAutomatically(toolCallId: string, approved: boolean, reason?: string): void {
    const approvalId = toolCallId;
    this.#write({ type: "tool-approval-request", approvalId, toolCallId, isAutomatic: true });
    this.#write(
      defined({ type: "tool-approval-response" as const, approvalId, approved, reason }),
    );
  }
}

/** Returns the index of the run's last iteration that one of the decisions belongs to. */
function lastIterationOf(runId: string, decisionKeys: readonly string[] = []): number | undefined {
  const prefix = `${runId}/i`;
  const iterations = decisionKeys.filter((key) => key.startsWith(prefix))
    .map((key) => Number.parseInt(key.slice(prefix.length), 10))
    .filter((iteration) => iteration >= 0);
  return iterations.length === 0 ? undefined : Math.max(...iterations);
}

/** Returns the journal key prefix for the event's iteration. */
function originOf({ runId, iteration }: LoopEvent & { readonly iteration: number }): string {
  return `${runId}/i${iteration}`;
}

/** Returns the journal key prefix for the iteration that requests an approval. */
export function originOfApproval(key: string): string {
  return key.slice(0, key.lastIndexOf("/approval/"));
}

/**
 * Returns the id of the part for a sub-agent's tool call. Tool call ids are unique only within one
 * run.
 *
 * @param origin Journal key prefix for the sub-agent's iteration.
 */
export function partIdOf(origin: string, toolCallId: string): string {
  return `${origin}/${toolCallId}`;
}

function inputChunk({ input, rawInput, toolName }: ToolCall, toolCallId: string): InputChunk {
  return { type: "tool-input-available", toolCallId, toolName, input: rawInput ?? input };
}

type InputChunk = UiMessageChunk & { readonly type: "tool-input-available" };

/** The end of a tool call. */
type OutputChunk = UiMessageChunk & {
  readonly type: "tool-output-available" | "tool-output-error" | "tool-output-denied";
};

/** Returns the chunk for the output of a tool call. */
export function outputChunk(output: ToolResultOutput, toolCallId: string): OutputChunk {
  switch (output.type) {
    case "text":
    case "json":
      return { type: "tool-output-available", toolCallId, output: output.value };
    case "content":
      return { type: "tool-output-available", toolCallId, output: output.value.map(toUiPart) };
    case "error-text":
      return { type: "tool-output-error", toolCallId, errorText: output.value };
    case "error-json":
      return { type: "tool-output-error", toolCallId, errorText: JSON.stringify(output.value) };
    case "execution-denied":
      return { type: "tool-output-denied", toolCallId };
  }
}

/** Text or a file, as a part of an AI SDK UI message. */
export type UiContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "file";
    readonly mediaType: string;
    readonly filename?: string;
    readonly url: string;
  };

/** Converts a part of a user's message or a tool's output to a part of an AI SDK UI message. */
export function toUiPart(part: TextPart | FilePart): UiContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { filename, mediaType } = part;
  return defined({ type: "file" as const, mediaType, filename, url: urlOf(part) });
}

/** Returns the URL of a file, or a `data:` URL with its content. */
function urlOf({ data: file, mediaType }: FilePart): string {
  if (file.type === "url") return file.url.href;
  const { data } = file;
  const base64 = typeof data === "string" ? data : encodeBase64(data);
  return `data:${mediaType};base64,${base64}`;
}
