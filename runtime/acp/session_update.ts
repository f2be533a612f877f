/**
 * The parts of session updates that events and stored messages have in common.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/prompt-turn Prompt turn}
 * @module
 */

import { encodeBase64 } from "@parley/internal/base64";
import { defined, isRecord } from "@parley/internal/json";
import { escapeText } from "@parley/internal/escape-text";
import { isJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import type { FilePart, TextPart, ToolResult, ToolResultOutput } from "../shared/model.ts";
import type { AcpToolKind } from "./acp_session.ts";

/** Status of a tool call in the editor. */
export type AcpToolStatus = "pending" | "in_progress" | "completed" | "failed";

/** A tool call to display. */
export interface DisplayedCall {
  /** Id of the call, unique in the session of the editor. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Names of the tools that `acpTools` creates. */
export const AcpToolName = {
  Read: "read_text_file",
  Write: "write_text_file",
  Run: "run_command",
} as const;

/** Kinds of these tools. */
const KINDS: ReadonlyMap<string, AcpToolKind> = new Map([
  [AcpToolName.Read, "read"],
  [AcpToolName.Write, "edit"],
  [AcpToolName.Run, "execute"],
]);

/** Returns the kind of a tool that `acpTools` has created. */
export function kindOfEditorTool(toolName: string): AcpToolKind | undefined {
  return KINDS.get(toolName);
}

/** Returns the members that describe a tool call. */
export function describeCall(
  { input, toolCallId, toolName }: DisplayedCall,
  kindOf: (toolName: string) => AcpToolKind,
): JsonObject {
  const path = isRecord(input) && KINDS.has(toolName) ? input.path : undefined;
  return defined({
    toolCallId,
    title: escapeText(titleOf(toolName, input)),
    name: toolName,
    kind: kindOf(toolName),
    rawInput: isJsonValue(input) ? input : undefined,
    locations: typeof path === "string" ? [{ path }] : undefined,
  });
}

/**
 * Returns the title of a tool call. The title of a command is the whole command, because the user
 * decides on it.
 */
function titleOf(toolName: string, input: unknown): string {
  const { args, command, path } = isRecord(input) ? input : {};
  if (toolName === AcpToolName.Run && typeof command === "string") {
    const words = Array.isArray(args) ? args : [];
    return [command, ...words.map((word) => quote(String(word)))].join(" ");
  }
  if (KINDS.has(toolName) && typeof path === "string") return `${toolName}: ${path}`;
  return toolName;
}

/** Quotes an argument that a shell would split. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

/** Returns the update for the result of a tool call. */
export function toResultUpdate(toolCallId: string, { isError, output }: ToolResult): JsonObject {
  const status: AcpToolStatus = isError ? "failed" : "completed";
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status,
    content: toBlocks(output).map(toToolContent),
  };
}

/** Returns a content block as the content of a tool call. */
export function toToolContent(content: JsonObject): JsonObject {
  return { type: "content", content };
}

/** Returns a text block. */
export function toTextBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** Returns the content block for a part of a message. */
export function toBlock(part: TextPart | FilePart): JsonObject {
  if (part.type === "text") return toTextBlock(part.text);
  const { data, filename, mediaType } = part;
  if (data.type === "url") {
    const uri = data.url.href;
    return { type: "resource_link", name: filename ?? uri, uri, mimeType: mediaType };
  }
  if (mediaType.startsWith("image/")) {
    const base64 = typeof data.data === "string" ? data.data : encodeBase64(data.data);
    return { type: "image", data: base64, mimeType: mediaType };
  }
  return toTextBlock(`[${filename ?? "file"} (${mediaType})]`);
}

/** Returns the update for a part of a message. */
export function toChunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  content: JsonObject,
  messageId: string,
): JsonObject {
  return { sessionUpdate, content, messageId };
}

function toBlocks(output: ToolResultOutput): readonly JsonObject[] {
  switch (output.type) {
    case "text":
    case "error-text":
      return [toTextBlock(output.value)];
    case "json":
    case "error-json":
      return [toTextBlock(formatJson(output.value))];
    case "execution-denied":
      return [toTextBlock(output.reason ?? "The call was denied")];
    case "content":
      return output.value.map(toBlock);
    default:
      return output satisfies never;
  }
}

/** Formats a value for display: a string without quotes, other values as JSON. */
export function formatJson(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
