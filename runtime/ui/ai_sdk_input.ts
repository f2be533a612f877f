/**
 * Reads requests from pages with `useChat` from the AI SDK.
 *
 * @module
 */

import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import type { UnknownRecord } from "@parley/internal/json";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import {
  readFile,
  readId,
  readUiLimits,
  toDecisions,
  toUserTurn,
  type UiApprovalAnswer,
  type UiInputLimits,
  type UiInputOptions,
  type UiTurn,
} from "./read_turn.ts";

/**
 * Reads the request body that `useChat` sends with its default transport.
 *
 * Only the last message is read. If the last message is a user message, its text and file parts are
 * the turn. If the last message is an assistant message, its approvals contain the user's
 * decisions; only `approved: true` approves a call. All messages before the last one, tool results
 * and system messages are ignored, because a page can forge them. A page therefore needs to send
 * only the last message: the transport's `prepareSendMessagesRequest` can limit `messages` to it.
 *
 * @param body Parsed JSON body of the request.
 * @param options Limits for the turn and the decisions.
 * @returns Chat id, chosen by the client, and the user's turn or decisions.
 * @throws {TypeError} If the body is not valid. The response to an invalid body should have
 * status 400.
 * @throws {RangeError} If the body or an option exceeds a limit. If the body exceeds a limit, the
 * response should have status 413.
 *
 * @example Read a message and an approval
 * ```ts
 * import { readUiTurn } from "@parley/runtime/ui/ai-sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const user = { role: "user", parts: [{ type: "text", text: "Clean up" }] };
 * assertEquals(readUiTurn({ id: "chat-1", messages: [user] }), {
 *   threadId: "chat-1",
 *   turn: "Clean up",
 *   decisions: {},
 * });
 *
 * const approval = { id: "r1/i0/approval/0#digest", approved: true };
 * const part = { type: "tool-remove", toolCallId: "c1", state: "approval-responded", approval };
 * const { decisions } = readUiTurn({ id: "chat-1", messages: [user, { role: "assistant", parts: [part] }] });
 * assertEquals(decisions, { "r1/i0/approval/0#digest": { decision: "approve" } });
 * ```
 */
export function readUiTurn(body: unknown, options: UiInputOptions = {}): UiTurn {
  const limits = readUiLimits(options);
  const { id, messages } = readObject("body", body);
  const threadId = readId("id", id);
  if (!Array.isArray(messages) || messages.length === 0) {
    rejectArgument("messages", "a non-empty array", messages);
  }
  const name = `messages[${messages.length - 1}]`;
  const { role, parts } = readObject(name, messages.at(-1));
  if (!Array.isArray(parts)) rejectArgument(`${name}.parts`, "an array", parts);
  switch (role) {
    case "user":
      return { threadId, turn: readTurn(`${name}.parts`, parts, limits), decisions: {} };
    case "assistant":
      return { threadId, decisions: readDecisions(`${name}.parts`, parts, limits) };
    default:
      rejectArgument(`${name}.role`, '"user" or "assistant"', role);
  }
}

function readTurn(name: string, parts: readonly unknown[], limits: UiInputLimits): UserTurn {
  const content: (TextPart | FilePart)[] = [];
  for (const [position, value] of parts.entries()) {
    const path = `${name}[${position}]`;
    const { type, text, url, mediaType, filename } = readObject(path, value);
    if (type === "text") {
      if (typeof text !== "string") rejectArgument(`${path}.text`, "a string", text);
      content.push({ type, text });
    } else if (type === "file") {
      // If a browser does not know the media type of a file, it sends an empty string.
      content.push(readFile(path, { url, mediaType: mediaType || undefined, filename }));
    }
  }
  return toUserTurn(content, limits) ?? rejectArgument(name, "an array with text or files", parts);
}

function readDecisions(
  name: string,
  parts: readonly unknown[],
  limits: UiInputLimits,
): UiTurn["decisions"] {
  const answers: UiApprovalAnswer[] = [];
  for (const [position, value] of parts.entries()) {
    const path = `${name}[${position}]`;
    const { state, approval } = readObject(path, value);
    if (state !== "approval-responded") continue;
    const { id: key, approved, isAutomatic, reason } = readObject(`${path}.approval`, approval);
    if (isAutomatic !== true) answers.push({ key, approved, reason });
  }
  if (answers.length === 0) {
    rejectArgument(
      name,
      "an array that contains an answered approval, because the last message is from the assistant",
      parts,
      `to resume an interrupted run, send the user's message again ("regenerate()" of useChat)`,
    );
  }
  return toDecisions(name, answers, limits);
}

/**
 * Copies an object's own properties, so that properties inherited from a prototype cannot approve a
 * call.
 */
function readObject(name: string, value: unknown): UnknownRecord {
  assertRecord(name, value);
  return { __proto__: null, ...value };
}
