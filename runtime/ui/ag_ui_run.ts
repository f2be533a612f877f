/**
 * The state of a run whose events are converted to AG-UI events.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import type { AssistantMessage, ToolCall } from "../shared/model.ts";
import type { AgUiMessage } from "./ag_ui_events.ts";
import { inputTextOf } from "./ag_ui_parts.ts";

/** State of one agent's run, including its current model call. */
export interface ActiveRun {
  readonly runId: string;
  /** Run id of the sub-agent. Absent for the outermost agent. */
  readonly subagentRunId?: string;
  readonly provider?: string;
  stepName?: string;
  /** Id of the message that the current model call produces. */
  messageId: string;
  isTextOpen: boolean;
  /** Whether text from the current model call has been streamed. */
  hasText: boolean;
  /** The reasoning message that has not ended. */
  reasoning?: { readonly id: string; text: string };
  /** Number of reasoning messages in this run. */
  reasoningCount: number;
  /** Ids of the reasoning messages that the current model call has produced. */
  reasoningIds: string[];
  /** Ids of the tool calls whose input is being streamed. */
  readonly openCalls: Set<string>;
}

/** Joins the parts of a response that have the given type. */
export function joinTexts(
  content: AssistantMessage["content"],
  type: "text" | "reasoning",
): string {
  return content.map((part) => part.type === type ? part.text : "").join("");
}

/**
 * Returns the id of a tool call for the client. A sub-agent's tool call ids are unique only in the
 * sub-agent's own conversation.
 */
export function idOf(
  { subagentRunId }: Pick<ActiveRun, "subagentRunId">,
  toolCallId: string,
): string {
  return subagentRunId === undefined ? toolCallId : `${subagentRunId}/${toolCallId}`;
}

/** Converts a complete response. */
export function toShownMessage(
  run: ActiveRun,
  text: string,
  calls: readonly ToolCall[],
): AgUiMessage {
  const toolCalls = calls.map((call) => ({
    id: idOf(run, call.toolCallId),
    type: "function",
    function: { name: call.toolName, arguments: inputTextOf(call) },
  }));
  return defined({
    id: run.messageId,
    role: "assistant",
    content: text,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    subagentRunId: run.subagentRunId,
  });
}
