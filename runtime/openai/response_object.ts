/**
 * Responses as clients receive them.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @module
 */

import { asRecord, isRecord } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { ApiErrorBody } from "./api_error.ts";
import { formatResponseUsage } from "./usage.ts";

/** Text of an output item. */
export interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
}

/** Item of the output: a message of the agent, or a request for a decision on a tool call. */
export type OutputItem =
  | {
    readonly type: "message";
    readonly id: string;
    readonly status: "in_progress" | "completed" | "incomplete";
    readonly role: "assistant";
    readonly content: readonly OutputText[];
  }
  | {
    readonly type: "mcp_approval_request";
    readonly id: string;
    /** Names of the agents, from the outermost agent to the agent that calls the tool. */
    readonly server_label: string;
    /** Name of the tool. */
    readonly name: string;
    /** Input of the tool call, as JSON text. */
    readonly arguments: string;
  };

/** Data about a response that is stored with its run. */
export interface StoredResponse {
  readonly model: string;
  readonly isBackground: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly previousId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** Returns the metadata of the run of a response. */
export function toRunMetadata(stored: StoredResponse): JsonObject {
  const { conversationId = null, isBackground, metadata, model, previousId = null } = stored;
  const response = { background: isBackground, metadata, previousId, conversationId };
  return { openai: { model, response } };
}

/** Reads the metadata of a run. Returns `undefined` if the run is not that of a response. */
export function readRunMetadata(metadata: JsonObject): StoredResponse | undefined {
  const { model, response } = asRecord(metadata.openai);
  if (typeof model !== "string" || !isRecord(response)) return undefined;
  const { background, conversationId, metadata: data, previousId } = response;
  const entries = Object.entries(asRecord(data)).map(([key, value]) => [key, `${value}`]);
  return {
    model,
    isBackground: background === true,
    metadata: Object.fromEntries(entries),
    previousId: typeof previousId === "string" ? previousId : undefined,
    conversationId: typeof conversationId === "string" ? conversationId : undefined,
  };
}

/** Status of a response. */
export type ResponseStatus =
  | "in_progress"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled";

/** State of a response. */
export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly OutputItem[];
  readonly error?: ApiErrorBody;
  readonly incompleteReason?: "max_output_tokens" | "content_filter";
  readonly usage?: TokenUsage;
}

/** A response whose state changes. */
export interface ResponseHead extends StoredResponse {
  readonly id: string;
  /** Time at which the run was started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly isStored: boolean;
}

/**
 * Formats a response. Settings that only the agent knows have the values of a response without
 * settings.
 */
export function formatResponse(head: ResponseHead, state: ResponseState): object {
  const { conversationId, id, isBackground, isStored, metadata, model, previousId } = head;
  const { error, incompleteReason, output, status, usage } = state;
  return {
    id,
    object: "response",
    created_at: Math.floor(head.startedAt / 1000),
    status,
    background: isBackground,
    error: error === undefined ? null : { code: "server_error", message: error.message },
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: previousId ?? null,
    conversation: conversationId === undefined ? null : { id: conversationId },
    store: isStored,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: usage === undefined ? null : formatResponseUsage(usage),
    metadata,
  };
}
