/**
 * Converts the output of a run to a chat completion, or to the chunks of a stream.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 * @module
 */

import type { RunWait } from "../runs/run_record.ts";
import type { AgentStopReason } from "../shared/output.ts";
import { type TokenUsage, UNKNOWN_USAGE } from "../shared/usage.ts";
import type { UiErrors } from "../ui/front_end.ts";
import { runCancelled, runFailed } from "./api_error.ts";
import type { OutputPart, RunEnd, RunOutput } from "./run_output.ts";
import { formatChatUsage } from "./usage.ts";

/** Text between the texts of two model calls. */
const SEPARATOR = "\n\n";

/** Reason why a completion has ended. */
export type ChatFinishReason = "stop" | "length" | "content_filter";

/** Finish reasons of runs that did not end with a response of the model. */
const FINISH_REASONS: ReadonlyMap<AgentStopReason, ChatFinishReason> = new Map([
  ["max_iterations", "length"],
  ["max_total_tokens", "length"],
  ["budget_exceeded", "length"],
  ["repeated_tool_calls", "length"],
  ["output_truncated", "length"],
  ["content_filtered", "content_filter"],
]);

/** A part of the message. */
export interface ChatDelta {
  readonly content?: string;
  readonly reasoning_content?: string;
}

/** The end of a message. */
export interface ChatEnd {
  /** Whether the run has ended. Otherwise, it waits for input. */
  readonly isFinal: boolean;
  readonly finishReason: ChatFinishReason;
  readonly usage: TokenUsage;
}

/** Returns the finish reason of a run that has ended. */
export function finishReasonOf(stopReason: AgentStopReason): ChatFinishReason {
  return FINISH_REASONS.get(stopReason) ?? "stop";
}

/** Converts the output of a run to the parts of one message, and the end of the run. */
export class ChatMessage {
  readonly #output: RunOutput;
  readonly #sendReasoning: boolean;
  readonly #errors: Pick<UiErrors, "mask">;
  #end: ChatEnd | undefined;

  constructor(
    output: RunOutput,
    { errors, sendReasoning }: {
      readonly errors: Pick<UiErrors, "mask">;
      readonly sendReasoning: boolean;
    },
  ) {
    this.#output = output;
    this.#errors = errors;
    this.#sendReasoning = sendReasoning;
  }

  /** The end of the run. `undefined` until the parts have been read. */
  get end(): ChatEnd | undefined {
    return this.#end;
  }

  /**
   * Yields the message. The texts of two model calls are separated by an empty line.
   *
   * @throws {ApiError} If the run fails or is cancelled.
   */
  async *deltas(): AsyncGenerator<ChatDelta, void> {
    let hasText = false;
    for await (const part of this.#output.parts()) {
      const delta = this.#toDelta(part, hasText);
      if (delta === undefined) continue;
      hasText ||= delta.content !== undefined;
      yield delta;
    }
    const { end } = this.#output;
    if (end === undefined) return;
    if (end.status === "waiting") {
      yield { content: `${hasText ? SEPARATOR : ""}${describeWait(end.waits)}` };
    }
    this.#end = this.#toEnd(end);
  }

  #toDelta(part: OutputPart, hasText: boolean): ChatDelta | undefined {
    switch (part.type) {
      case "text":
        return { content: part.isFirst && hasText ? `${SEPARATOR}${part.text}` : part.text };
      case "reasoning":
        return this.#sendReasoning ? { reasoning_content: part.text } : undefined;
      case "tool":
        return this.#sendReasoning
          ? { reasoning_content: `\nCalling ${part.toolName}\n` }
          : undefined;
      case "text_end":
        return undefined;
    }
  }

  #toEnd(end: RunEnd): ChatEnd {
    switch (end.status) {
      case "done":
        return {
          isFinal: true,
          finishReason: finishReasonOf(end.stopReason),
          usage: end.usage,
        };
      case "waiting":
        return { isFinal: false, finishReason: "stop", usage: end.usage ?? UNKNOWN_USAGE };
      case "failed":
        throw runFailed(this.#errors.mask(end.error));
      case "cancelled":
        throw runCancelled();
    }
  }
}

/** Returns true if a run waits for input, and not only for a time. */
export function waitsForInput(waits: readonly RunWait[]): boolean {
  return waits.some(({ kind }) => kind !== "time");
}

/** Describes what a run waits for. The names of the tools of sub-agents are not part of it. */
function describeWait(waits: readonly RunWait[]): string {
  const approvals = waits.filter(({ kind }) => kind === "approval");
  const own = approvals.find(({ path }) => path.length <= 1);
  if (own !== undefined) {
    return `The tool "${own.toolName}" needs an approval, which cannot be given here.`;
  }
  return approvals.length > 0
    ? "A tool needs an approval, which cannot be given here."
    : "A tool waits for input, which cannot be given here.";
}

/** Data that a completion and its chunks have in common. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Reads the whole message and returns the completion. */
export async function toCompletion(message: ChatMessage, head: ChatHead): Promise<object> {
  let content = "";
  let reasoning = "";
  for await (const delta of message.deltas()) {
    content += delta.content ?? "";
    reasoning += delta.reasoning_content ?? "";
  }
  const { end } = message;
  return {
    ...head,
    object: "chat.completion",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content,
        refusal: null,
        ...reasoning !== "" && { reasoning_content: reasoning },
      },
      logprobs: null,
      finish_reason: end?.finishReason ?? "stop",
    }],
    ...end && { usage: formatChatUsage(end.usage) },
  };
}

/** Last data of a stream that ended without an error. */
export const DONE = "[DONE]";

/**
 * Yields the chunks of a stream. If `hasUsage` is set, the last chunk contains the token usage, and
 * the others have the usage `null`.
 *
 * @throws {ApiError} If the run fails or is cancelled.
 */
export async function* toChunks(
  message: ChatMessage,
  head: ChatHead,
  hasUsage: boolean,
): AsyncGenerator<object | typeof DONE, void> {
  const toChunk = (delta: object, finishReason: ChatFinishReason | null = null): object => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...hasUsage && { usage: null },
  });
  yield toChunk({ role: "assistant", content: "" });
  for await (const delta of message.deltas()) yield toChunk(delta);
  const { end } = message;
  yield toChunk({}, end?.finishReason ?? "stop");
  if (hasUsage && end !== undefined) {
    const usage = formatChatUsage(end.usage);
    yield { ...head, object: "chat.completion.chunk", choices: [], usage };
  }
  yield DONE;
}
