/**
 * Converts a stored conversation to the UI messages of the AI SDK.
 *
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message
 * @module
 */

import { withoutSystemMessage } from "../loop/conversation.ts";
import { readConversation } from "../loop/known_conversation.ts";
import { assertRecord } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import type { AssistantMessage, ModelMessage, ToolCall, ToolResult } from "../shared/model.ts";
import type { PendingApproval, PendingBatch } from "../shared/output.ts";
import { originOfApproval, outputChunk, partIdOf, toUiPart } from "./ai_sdk_chunks.ts";
import {
  createUiErrors,
  UI_RULES,
  type UiErrors,
  type UiOptions,
  visibleOutput,
} from "./front_end.ts";
import { optionsReader } from "@parley/internal/options";

/** State of a tool call in a {@linkcode UiMessage}. */
export type UiToolState =
  | {
    /** The call has succeeded. */
    readonly state: "output-available";
    /** Output of the call. */
    readonly output: unknown;
  }
  | {
    /** The call has failed. */
    readonly state: "output-error";
    /** Error text for the user. */
    readonly errorText: string;
  }
  | {
    /** The call was denied. */
    readonly state: "output-denied";
    /** The denial. */
    readonly approval: {
      /** Id of the approval: the id of the tool call. */
      readonly id: string;
      /** Always `false`. */
      readonly approved: false;
      /** Always `true`, because a stored conversation does not contain who denied the call. */
      readonly isAutomatic: true;
      /** Reason for the denial. */
      readonly reason?: string;
    };
  }
  | {
    /** The call needs a decision. */
    readonly state: "approval-requested";
    /** The pending approval. */
    readonly approval: {
      /** Key of the decision. */
      readonly id: string;
      /** `outcome_unknown` if an interrupted execution of the call may have had an effect. */
      readonly requestReason?: string;
    };
  }
  | {
    /** The call needs no decision and waits for the decisions on other calls. */
    readonly state: "approval-responded";
    /** The approval. */
    readonly approval: {
      /** Id of the approval: the id of the tool call. */
      readonly id: string;
      /** Always `true`. */
      readonly approved: true;
      /** Always `true`: the agent has approved the call without asking the user. */
      readonly isAutomatic: true;
    };
  };

/** A tool call in a {@linkcode UiMessage}. */
export type UiToolPart = UiToolState & {
  /** Type of the part: `tool-` and the name of the tool. */
  readonly type: `tool-${string}`;
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** Input of the call. A string if the model's input is not valid JSON. */
  readonly input: unknown;
};

/** A part of a {@linkcode UiMessage}. */
export type UiMessagePart =
  | {
    /** Start of an iteration. */
    readonly type: "step-start";
  }
  | {
    /** Text. */
    readonly type: "text";
    /** Text of the part. */
    readonly text: string;
    /** Present in messages from the assistant. */
    readonly state?: "done";
  }
  | {
    /** The model's reasoning. */
    readonly type: "reasoning";
    /** Id of the part. */
    readonly id: string;
    /** Text of the part. */
    readonly text: string;
    /** Always `done`. */
    readonly state: "done";
  }
  | {
    /** A file. */
    readonly type: "file";
    /** Media type of the file. */
    readonly mediaType: string;
    /** Name of the file. */
    readonly filename?: string;
    /** URL of the file: a `data:` URL for inline content. */
    readonly url: string;
  }
  | UiToolPart;

/** A message on a chat page. `UiMessage` is assignable to `UIMessage` from the `ai` package. */
export interface UiMessage {
  /** Id of the message, unique within the conversation. */
  readonly id: string;
  /** Author of the message. */
  readonly role: "user" | "assistant";
  /** Parts of the message, in order. */
  readonly parts: UiMessagePart[];
}

/** Options for {@linkcode toUiMessages}. */
export interface ToUiMessagesOptions extends UiOptions {
  /** Tool calls that are waiting for decisions: the `pending` property of a run's output. */
  readonly pending?: PendingBatch | undefined;
}

const readToUiMessagesOptions = optionsReader<ToUiMessagesOptions>("options")({
  ...UI_RULES,
  pending: assertRecord,
});

/**
 * Converts a stored conversation to UI messages, for the `messages` option of `useChat` after a
 * page is reloaded.
 *
 * All assistant messages between two user messages become one UI message, with one step for each
 * response of the model. System messages are left out. The parts are the parts that a page has
 * received from {@linkcode uiMessageChunks}, with the following differences, because a conversation
 * does not contain the information: the message has no metadata, a tool call that the user has
 * decided on does not contain the decision, a tool call has the input that the model wrote, a
 * reasoning part can have a different id after a retried model call, and the tool calls of
 * sub-agents are missing unless they are waiting for a decision.
 *
 * The ids of the UI messages depend only on their positions, so a message keeps its id while the
 * conversation grows. The text of an exception is replaced; see {@linkcode UiOptions.errorText},
 * which receives an `AgentError` with code `tool_execution_failed`, because a conversation does not
 * contain the exception.
 *
 * @param messages Conversation: the return value of `AgentSession.messages()` or the `messages` of
 * a run's output. The `messages` of an output with a `pending` property end before the waiting
 * calls.
 * @param options Waiting tool calls and error handling.
 * @throws {TypeError} If `messages` is not a valid conversation, or an option has the wrong type.
 *
 * @example Load a stored conversation
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { AgentSession, memorySessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { toUiMessages } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions() });
 * await session.run("Hi");
 * assertEquals(toUiMessages(await session.messages()), [
 *   { id: "message-0", role: "user", parts: [{ type: "text", text: "Hi" }] },
 *   {
 *     id: "message-1",
 *     role: "assistant",
 *     parts: [{ type: "step-start" }, { type: "text", text: "Hello", state: "done" }],
 *   },
 * ]);
 * ```
 */
export function toUiMessages(
  messages: readonly ModelMessage[],
  options: ToUiMessagesOptions = {},
): UiMessage[] {
  const { pending, ...settings } = readToUiMessagesOptions(options);
  const errors = createUiErrors("toUiMessages", settings);
  const transcript = [...withoutSystemMessage(readConversation(messages).messages)];
  if (pending !== undefined) transcript.push(pending.assistantMessage);
  const toolParts = new ToolParts(transcript, pending, errors);

  const uiMessages: UiMessage[] = [];
  let step = 0;
  for (const [index, message] of transcript.entries()) {
    const id = `message-${index}`;
    if (message.role === "user") {
      uiMessages.push({ id, role: "user", parts: message.content.map(toUiPart) });
    } else if (message.role === "assistant") {
      let last = uiMessages.at(-1);
      if (last?.role !== "assistant") {
        last = { id, role: "assistant", parts: [] };
        uiMessages.push(last);
        step = 0;
      }
      last.parts.push({ type: "step-start" }, ...toParts(message, step, toolParts));
      step++;
    }
  }
  uiMessages.at(-1)?.parts.push(...toolParts.ofSubAgents());
  return uiMessages;
}

/**
 * Converts a response of the model. Adjacent parts of the same type are joined, because a stream
 * does not show where one of them ends.
 *
 * @param step Index of the response in its UI message.
 */
function toParts(
  { content }: AssistantMessage,
  step: number,
  toolParts: ToolParts,
): readonly UiMessagePart[] {
  const parts: UiMessagePart[] = [];
  let count = 0;
  for (const part of content) {
    switch (part.type) {
      case "text":
      case "reasoning": {
        if (part.text === "") break;
        const last = parts.at(-1);
        if (last?.type === part.type) {
          parts[parts.length - 1] = { ...last, text: last.text + part.text };
          break;
        }
        const id = `${step}.${count++}`;
        const text = { text: part.text, state: "done" } as const;
        parts.push(
          part.type === "text" ? { type: "text", ...text } : { type: "reasoning", id, ...text },
        );
        break;
      }
      case "file":
        parts.push(toUiPart(part));
        break;
      case "tool-call":
        parts.push(toolParts.of(part));
    }
  }
  return parts;
}

/** The parts for the tool calls in a conversation. */
class ToolParts {
  readonly #errors: UiErrors;
  /** Results, keyed by tool call id. */
  readonly #results: ReadonlyMap<string, ToolResult>;
  /** Pending approvals of the run's own tool calls, keyed by tool call id. */
  readonly #approvals = new Map<string, PendingApproval>();
  readonly #approvalsOfSubAgents: PendingApproval[] = [];

  constructor(
    transcript: readonly ModelMessage[],
    pending: PendingBatch | undefined,
    errors: UiErrors,
  ) {
    this.#errors = errors;
    const results = transcript.flatMap(({ role, content }) => role === "tool" ? content : []);
    this.#results = new Map(
      [...results, ...pending?.toolResults ?? []].map((result) => [result.toolCallId, result]),
    );
    for (const approval of pending?.approvals ?? []) {
      if (isOfSubAgent(approval)) this.#approvalsOfSubAgents.push(approval);
      else this.#approvals.set(approval.toolCall.toolCallId, approval);
    }
  }

  /**
   * Returns the part for a tool call. A call that has neither a result nor an approval waits for
   * other decisions.
   */
  of(call: ToolCall): UiToolPart {
    const { toolCallId: id } = call;
    const result = this.#results.get(id);
    if (result !== undefined) return toToolPart(call, id, this.#stateOf(result));
    const approval = this.#approvals.get(id);
    if (approval !== undefined) return toToolPart(approval.toolCall, id, requestOf(approval));
    return toToolPart(call, id, {
      state: "approval-responded",
      approval: { id, approved: true, isAutomatic: true },
    });
  }

  /** Returns the parts for the tool calls of sub-agents that are waiting for a decision. */
  ofSubAgents(): readonly UiToolPart[] {
    return this.#approvalsOfSubAgents.map((approval) => {
      const { key, toolCall } = approval;
      const id = partIdOf(originOfApproval(key), toolCall.toolCallId);
      return toToolPart(toolCall, id, requestOf(approval));
    });
  }

  #stateOf(toolResult: ToolResult): UiToolState {
    const { toolCallId: id } = toolResult;
    const output = visibleOutput({ toolResult }, this.#errors);
    const chunk = outputChunk(output, id);
    switch (chunk.type) {
      case "tool-output-available":
        return { state: "output-available", output: chunk.output };
      case "tool-output-error":
        return { state: "output-error", errorText: chunk.errorText };
      case "tool-output-denied": {
        const reason = output.type === "execution-denied" ? output.reason : undefined;
        const approval = { id, approved: false, isAutomatic: true, reason } as const;
        return { state: "output-denied", approval: defined(approval) };
      }
    }
  }
}

function toToolPart(
  { input, rawInput, toolName }: ToolCall,
  toolCallId: string,
  state: UiToolState,
): UiToolPart {
  return { type: `tool-${toolName}`, toolCallId, input: rawInput ?? input, ...state };
}

function requestOf({ key, reason }: PendingApproval): UiToolState {
  const approval = reason === "approval" ? { id: key } : { id: key, requestReason: reason };
  return { state: "approval-requested", approval };
}

/**
 * Returns true if a sub-agent requests the approval. The run id of a sub-agent contains the key of
 * a tool call.
 */
function isOfSubAgent({ key }: PendingApproval): boolean {
  return /\/i\d+\/tool\/\d+\//.test(originOfApproval(key));
}
