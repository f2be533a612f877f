/**
 * Encodes a stored conversation as session updates, for an editor that loads a session.
 *
 * @see
 * {@link https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions Loading sessions}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { AssistantMessage, ModelMessage } from "../shared/model.ts";
import type { AcpToolKind } from "./acp_session.ts";
import { describeCall, toBlock, toChunk, toResultUpdate, toTextBlock } from "./session_update.ts";

/** Returns the updates for a message. */
export function replayMessage(
  message: ModelMessage,
  kindOf: (toolName: string) => AcpToolKind,
): readonly JsonObject[] {
  const messageId = crypto.randomUUID();
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return message.content.map((part) => toChunk("user_message_chunk", toBlock(part), messageId));
    case "assistant":
      return message.content.map((part) => replayPart(part, messageId, kindOf));
    case "tool":
      return message.content.map((result) => toResultUpdate(result.toolCallId, result));
    default:
      return message satisfies never;
  }
}

function replayPart(
  part: AssistantMessage["content"][number],
  messageId: string,
  kindOf: (toolName: string) => AcpToolKind,
): JsonObject {
  switch (part.type) {
    case "text":
    case "file":
      return toChunk("agent_message_chunk", toBlock(part), messageId);
    case "reasoning":
      return toChunk("agent_thought_chunk", toTextBlock(part.text), messageId);
    case "tool-call":
      return { sessionUpdate: "tool_call", ...describeCall(part, kindOf), status: "pending" };
    default:
      return part satisfies never;
  }
}
