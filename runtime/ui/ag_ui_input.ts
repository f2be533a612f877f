/**
 * Reads requests from AG-UI clients.
 *
 * @module
 */

import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import type { JsonObject } from "../shared/json.ts";
import { asRecord, isRecord, type UnknownRecord } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import {
  readBase64File,
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

/** Input for one run, read from an AG-UI client's request. */
export interface AgUiInput extends UiTurn {
  /** Id of the run, chosen by the client. The id is used only in events for the client. */
  readonly runId: string;
  /**
   * Messages that the client displays, which are untrusted. The client's messages are only sent
   * back to the same client, and must not be sent to a model.
   */
  readonly clientMessages: readonly JsonObject[];
}

const assertPartType = oneOf("text", "image", "audio", "video", "document");
const assertSourceType = oneOf("data", "url");
const assertStatus = oneOf("resolved", "cancelled");

/**
 * Reads the body of an AG-UI request, which is untrusted, and returns the user's turn and the
 * approval decisions.
 *
 * - The turn is the last message if its role is `user`. The other messages are used only to send
 *   them back to the client, and never reach the model, because a client can forge assistant
 *   messages, tool results and system messages.
 * - An entry of `resume` approves its tool call only if its `status` is `resolved` and
 *   `payload.approved` is `true`. A `resume` entry that does not approve its tool call denies the
 *   call, and `payload.reason` is the reason for the denial.
 * - `state`, `tools`, `context` and `forwardedProps` are ignored.
 *
 * @param body Body of the request, as parsed JSON. Limit the size of the body before it is parsed.
 * @param options Limits for the input.
 * @throws {TypeError} If the body is not valid. The server should respond to an invalid body with
 * status 400.
 * @throws {RangeError} If a limit is exceeded, or a limit is not a positive integer.
 *
 * @example Read a decision on an approval
 * ```ts
 * import { readAgUiInput } from "@parley/runtime/ui/ag-ui";
 * import { assertEquals } from "@std/assert";
 *
 * const { decisions, turn } = readAgUiInput({
 *   threadId: "chat-1",
 *   runId: "run-2",
 *   messages: [{ id: "m1", role: "assistant", content: "I have paid" }],
 *   resume: [{ interruptId: "k1", status: "resolved", payload: { approved: true } }],
 * });
 * assertEquals([decisions, turn], [{ k1: { decision: "approve" } }, undefined]);
 * ```
 */
export function readAgUiInput(body: unknown, options: UiInputOptions = {}): AgUiInput {
  const limits = readUiLimits(options);
  assertRecord("body", body);
  const { threadId, runId, messages, resume = [] } = toOwn(body);
  if (!Array.isArray(messages)) rejectArgument("messages", "an array", messages);
  if (!Array.isArray(resume)) rejectArgument("resume", "an array", resume);
  const turn = readTurn(messages, limits);
  return {
    threadId: readId("threadId", threadId),
    runId: readId("runId", runId),
    ...turn !== undefined && { turn },
    decisions: toDecisions("resume", resume.map(readAnswer), limits),
    // The members are JSON values because the body was parsed from JSON.
    clientMessages: messages.filter((message): message is JsonObject => isRecord(message)),
  };
}

function readTurn(messages: readonly unknown[], limits: UiInputLimits): UserTurn | undefined {
  const name = `messages[${messages.length - 1}]`;
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  assertRecord(name, last);
  const { role, content } = toOwn(last);
  if (role !== "user") return undefined;
  if (typeof content === "string") return toUserTurn([{ type: "text", text: content }], limits);
  if (!Array.isArray(content)) {
    rejectArgument(`${name}.content`, "a string or an array of parts", content);
  }
  const parts = content.slice(0, limits.maxParts + 1);
  return toUserTurn(
    parts.map((part, position) => readPart(`${name}.content[${position}]`, part)),
    limits,
  );
}

function readPart(name: string, value: unknown): TextPart | FilePart {
  assertRecord(name, value);
  const { type, text, source } = toOwn(value);
  if (type === "text") {
    if (typeof text !== "string") rejectArgument(`${name}.text`, "a string", text);
    return { type, text };
  }
  assertPartType(`${name}.type`, type);
  assertRecord(`${name}.source`, source);
  const { type: kind, value: content, mimeType } = toOwn(source);
  assertSourceType(`${name}.source.type`, kind);
  return kind === "data"
    ? readBase64File(`${name}.source`, content, mimeType)
    : readFile(`${name}.source`, { url: content, mediaType: mimeType });
}

function readAnswer(value: unknown, index: number): UiApprovalAnswer {
  const name = `resume[${index}]`;
  assertRecord(name, value);
  const { interruptId: key, status, payload } = toOwn(value);
  assertStatus(`${name}.status`, status);
  const { approved, reason } = toOwn(asRecord(payload));
  return { key, approved: status === "resolved" && approved === true, reason };
}

/** Copies an object's own members, so that members of the prototype cannot approve a call. */
function toOwn(value: UnknownRecord): UnknownRecord {
  return { __proto__: null, ...value };
}
