/**
 * Reads requests for responses.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @module
 */

import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import type { TextMessage, UserTurn } from "../shared/model.ts";
import { invalid, unsupported } from "./api_error.ts";
import { type ChatReaderSettings, roleOf } from "./chat_request.ts";
import { type PartTypes, readText, readUserTurn } from "./content.ts";
import { MAX_RESPONSE_ID_CHARS } from "./response_id.ts";
import { checkTextFormat, checkTools, readFlag, readObject, readString } from "./request_body.ts";

/** A decision of the caller on a tool call. */
export interface ApprovalResponse {
  /** Id of the item that requested the decision. */
  readonly requestId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
}

/** The input of a response: a message, or decisions on tool calls. */
export type ResponseInput =
  | {
    /** The conversation so far, of a response that continues none. */
    readonly messages: readonly TextMessage[];
    /** The message that the agent responds to. */
    readonly turn: UserTurn;
  }
  | { readonly approvals: readonly ApprovalResponse[] };

/** A request for a response. */
export interface ResponseRequest {
  readonly input: ResponseInput;
  readonly isBackground: boolean;
  readonly isStored: boolean;
  readonly isStream: boolean;
  /** Data of the caller about the response. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Response that the request continues. */
  readonly previousId?: string;
  /** Conversation that the request continues. */
  readonly conversationId?: string;
}

const MAX_CONVERSATION_CHARS = 512;
const MAX_REASON_CHARS = 10_000;
const MAX_METADATA = 16;
const MAX_KEY_CHARS = 64;
const MAX_VALUE_CHARS = 512;

const PARTS: PartTypes = {
  texts: new Map([["input_text", "text"], ["output_text", "text"], ["refusal", "refusal"]]),
  image: "input_image",
  imageUrl: ({ image_url: url }) => url,
};

/**
 * Types of items that are never used: a caller could forge results of the agent's tools. The server
 * stores the items of the conversations that it continues.
 */
const IGNORED: ReadonlySet<unknown> = new Set([
  "custom_tool_call",
  "custom_tool_call_output",
  "function_call",
  "function_call_output",
  "item_reference",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "reasoning",
]);

/**
 * Reads the body of a request. Parameters that only influence the model, such as `temperature`, are
 * ignored, because the agent determines them.
 *
 * @throws {ApiError} If the body is not valid or requires what an agent cannot do.
 */
export function readResponseRequest(
  body: UnknownRecord,
  settings: ChatReaderSettings,
): ResponseRequest {
  checkTools(body, settings.callerTools, ["tools"]);
  checkTextFormat(
    readObject(readObject(body, "text") ?? {}, "format", "text.format"),
    "text.format",
  );
  if ((body.prompt ?? undefined) !== undefined) {
    throw unsupported("prompt", "an agent has its own instructions");
  }
  const previousId = readString(body, "previous_response_id", MAX_RESPONSE_ID_CHARS);
  const conversationId = readConversationId(body);
  if (previousId !== undefined && conversationId !== undefined) {
    throw invalid("conversation", 'omitted with "previous_response_id"');
  }
  const isContinued = previousId !== undefined || conversationId !== undefined;
  const isStored = readFlag(body, "store") ?? true;
  const isBackground = readFlag(body, "background") ?? false;
  if (isBackground && !isStored) throw invalid("background", 'false if "store" is false');
  if (isContinued && !isStored) {
    throw unsupported("store", "a response of a stored conversation is stored");
  }
  return defined({
    input: readInput(body, settings, isContinued),
    isBackground,
    isStored,
    isStream: readFlag(body, "stream") ?? false,
    metadata: readMetadata(readObject(body, "metadata") ?? {}),
    previousId,
    conversationId,
  });
}

function readConversationId(body: UnknownRecord): string | undefined {
  const { conversation } = body;
  if (!isRecord(conversation)) return readString(body, "conversation", MAX_CONVERSATION_CHARS);
  const { id } = conversation;
  if (typeof id !== "string") throw invalid("conversation.id", "a string");
  return readString({ conversation: id }, "conversation", MAX_CONVERSATION_CHARS);
}

function readMetadata(metadata: UnknownRecord): Readonly<Record<string, string>> {
  const entries = Object.entries(metadata);
  const isValid = entries.length <= MAX_METADATA &&
    entries.every(([key, value]) =>
      key !== "__proto__" && key.length <= MAX_KEY_CHARS && typeof value === "string" &&
      value.length <= MAX_VALUE_CHARS
    );
  if (!isValid) {
    throw invalid(
      "metadata",
      `an object of at most ${MAX_METADATA} strings of at most ${MAX_VALUE_CHARS} characters`,
    );
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, `${value}`]));
}

/** An item of the input. */
type InputItem =
  | { readonly role: "user" | "assistant"; readonly content: unknown; readonly at: string }
  | { readonly approval: ApprovalResponse; readonly at: string };

function readInput(
  { input, instructions }: UnknownRecord,
  { callerInstructions, maxMessages }: ChatReaderSettings,
  isContinued: boolean,
): ResponseInput {
  const preface = readInstructions(instructions, callerInstructions);
  if (typeof input === "string") {
    return { messages: [], turn: withPreface(preface, readUserTurn(input, "input", PARTS)) };
  }
  if (!Array.isArray(input) || input.length === 0 || input.length > maxMessages) {
    throw invalid("input", `a string or an array of 1 to ${maxMessages} items`);
  }
  const items = input.flatMap((item, index) =>
    readItem(item, `input[${index}]`, callerInstructions)
  );
  const approvals = items.flatMap((item) => "approval" in item ? [item.approval] : []);
  if (approvals.length > 0) return toApprovals(approvals, items, isContinued);
  const last = items.at(-1);
  if (last === undefined || "approval" in last || last.role !== "user") {
    throw invalid("input", "an array that ends with a message of the user");
  }
  if (isContinued && items.length > 1) {
    throw invalid("input", "one message, because the server stores the conversation");
  }
  const messages = items.slice(0, -1).flatMap((item): readonly TextMessage[] => {
    if ("approval" in item) return [];
    const content = readText(item.content, item.at, PARTS);
    return content === "" ? [] : [{ role: item.role, content }];
  });
  return { messages, turn: withPreface(preface, readUserTurn(last.content, last.at, PARTS)) };
}

function toApprovals(
  approvals: readonly ApprovalResponse[],
  items: readonly InputItem[],
  isContinued: boolean,
): ResponseInput {
  if (approvals.length < items.length) {
    throw invalid("input", "either a message or responses to approval requests");
  }
  if (!isContinued) {
    throw invalid("previous_response_id", "the response that contains the approval requests");
  }
  if (new Set(approvals.map(({ requestId }) => requestId)).size < approvals.length) {
    throw invalid("input", "one response to each approval request");
  }
  return { approvals };
}

function readInstructions(
  value: unknown,
  callerInstructions: "ignore" | "user",
): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalid("instructions", "a string");
  return callerInstructions === "user" && value !== "" ? value : undefined;
}

/** Returns a message with instructions of the caller in front of it. */
function withPreface(preface: string | undefined, turn: UserTurn): UserTurn {
  if (preface === undefined) return turn;
  const parts = typeof turn === "string" ? [{ type: "text" as const, text: turn }] : turn;
  return [{ type: "text", text: preface }, ...parts];
}

function readItem(
  item: unknown,
  at: string,
  callerInstructions: "ignore" | "user",
): readonly InputItem[] {
  if (!isRecord(item)) throw invalid(at, "an object");
  const { type = "message" } = item;
  if (type === "mcp_approval_response") return [{ approval: readApproval(item, at), at }];
  if (IGNORED.has(type)) return [];
  if (type !== "message") throw unsupported(`${at}.type`, "the input consists of messages");
  const role = roleOf(item.role, callerInstructions, `${at}.role`);
  if (role === undefined) return [];
  return [{ role, content: item.content, at: `${at}.content` }];
}

function readApproval(
  { approval_request_id: requestId, approve, reason }: UnknownRecord,
  at: string,
): ApprovalResponse {
  if (typeof requestId !== "string") throw invalid(`${at}.approval_request_id`, "a string");
  if (typeof approve !== "boolean") throw invalid(`${at}.approve`, "a boolean");
  if (reason === undefined || reason === null) return { requestId, isApproved: approve };
  if (typeof reason === "string" && reason.length <= MAX_REASON_CHARS) {
    return { requestId, isApproved: approve, reason };
  }
  throw invalid(`${at}.reason`, `a string of at most ${MAX_REASON_CHARS} characters`);
}
