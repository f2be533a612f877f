/**
 * The conversation of a session as AG-UI messages.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import type { StoredSessionRun } from "../session/record.ts";
import type { AssistantMessage, ModelMessage, ToolMessage, UserTurn } from "../shared/model.ts";
import type { AgUiMessage } from "./ag_ui_events.ts";
import { inputTextOf, metadataOf, toContent, toContentPart } from "./ag_ui_parts.ts";
import { type UiErrors, visibleOutput } from "./front_end.ts";

/** A run whose messages are converted. */
export interface AgUiHistoryRun {
  readonly runId: string;
  readonly turnId?: string;
  readonly messages: readonly ModelMessage[];
}

/**
 * Converts the runs of a session to messages with the ids that the messages have in the events of
 * the runs. The id of a user's message is the id that the client gave it, unless an earlier message
 * has this id.
 */
export function toAgUiMessages(
  runs: readonly AgUiHistoryRun[],
  errors: UiErrors,
): readonly AgUiMessage[] {
  const history = new Map<string, AgUiMessage>();
  for (const run of runs) {
    for (const message of new RunMessages(run, errors, history).convert()) {
      if (typeof message.id === "string") history.set(message.id, message);
    }
  }
  return [...history.values()];
}

/** Returns the run in progress, up to the user's message. */
export function toHistoryRun(
  { runId, turn, turnId }: Pick<StoredSessionRun, "runId" | "turnId"> & {
    readonly turn: UserTurn | undefined;
  },
): AgUiHistoryRun {
  const content = typeof turn === "string" ? [{ type: "text", text: turn } as const] : turn;
  return defined({
    runId,
    turnId,
    messages: content === undefined ? [] : [{ role: "user" as const, content: [...content] }],
  });
}

/** Converts the messages of one run. */
class RunMessages {
  readonly #run: AgUiHistoryRun;
  readonly #errors: UiErrors;
  readonly #earlier: ReadonlyMap<string, unknown>;
  /** Index of the current response of the model, which is the index of its iteration. */
  #iteration = -1;
  #reasoningCount = 0;

  constructor(run: AgUiHistoryRun, errors: UiErrors, earlier: ReadonlyMap<string, unknown>) {
    this.#run = run;
    this.#errors = errors;
    this.#earlier = earlier;
  }

  convert(): readonly AgUiMessage[] {
    return this.#run.messages.flatMap((message, index) => {
      switch (message.role) {
        case "user":
          // The loop can add user messages, for example a correction, which no client displays.
          return index === 0 ? [this.#toUserMessage(message)] : [];
        case "assistant":
          this.#iteration++;
          return this.#toAssistantMessages(message);
        case "tool":
          return this.#toToolMessages(message);
        default:
          return [];
      }
    });
  }

  #toUserMessage({ content }: ModelMessage & { readonly role: "user" }): AgUiMessage {
    const { runId, turnId } = this.#run;
    const id = turnId === undefined || this.#earlier.has(turnId) ? `${runId}/user` : turnId;
    const [first, ...others] = content;
    const isText = first?.type === "text" && others.length === 0;
    return { id, role: "user", content: isText ? first.text : content.map(toContentPart) };
  }

  /**
   * Adjacent reasoning parts are joined, because a stream does not show where one of them ends. All
   * text and tool calls of a response are one message.
   */
  #toAssistantMessages({ content }: AssistantMessage): readonly AgUiMessage[] {
    const id = `${this.#run.runId}/i${this.#iteration}`;
    const texts = content.filter((part) => part.type === "text").map(({ text }) => text);
    const calls = content.filter((part) => part.type === "tool-call");
    const answer = defined({
      id,
      role: "assistant",
      content: texts.join("") || undefined,
      toolCalls: calls.length === 0 ? undefined : calls.map((call) => ({
        id: call.toolCallId,
        type: "function",
        function: { name: call.toolName, arguments: inputTextOf(call) },
      })),
    });
    const messages: AgUiMessage[] = [];
    let reasoning = "";
    const addReasoning = (): void => {
      if (reasoning === "") return;
      const number = this.#reasoningCount++;
      messages.push({ id: `${id}/reasoning/${number}`, role: "reasoning", content: reasoning });
      reasoning = "";
    };
    for (const part of content) {
      if (part.type === "reasoning") reasoning += part.text;
      else if (part.type === "tool-call" || part.type === "text" && part.text !== "") {
        addReasoning();
        if (!messages.includes(answer)) messages.push(answer);
      }
    }
    addReasoning();
    return messages;
  }

  #toToolMessages({ content }: ToolMessage): readonly AgUiMessage[] {
    return content.map((toolResult) => {
      const { toolCallId } = toolResult;
      return defined({
        id: `${this.#run.runId}/i${this.#iteration}/${toolCallId}`,
        role: "tool",
        toolCallId,
        content: toContent(visibleOutput({ toolResult }, this.#errors)),
        metadata: metadataOf(toolResult),
      });
    });
  }
}
