/**
 * Reads requests for chat completions.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { TextMessage, UserTurn } from "../shared/model.ts";
import { invalid, unsupported } from "./api_error.ts";
import { type PartTypes, readText, readUserTurn } from "./content.ts";
import { checkTextFormat, checkTools, readFlag, readObject } from "./request_body.ts";

/** A request for a chat completion. */
export interface ChatRequest {
  /** The conversation so far. */
  readonly messages: readonly TextMessage[];
  /** The message that the agent responds to. */
  readonly turn: UserTurn;
  /** Whether the response is a stream. */
  readonly isStream: boolean;
  /** Whether a stream contains the token usage. */
  readonly hasUsage: boolean;
}

/** Settings of the reader. */
export interface ChatReaderSettings {
  readonly callerInstructions: "ignore" | "user";
  readonly callerTools: "reject" | "ignore";
  readonly maxMessages: number;
}

const PARTS: PartTypes = {
  texts: new Map([["text", "text"], ["refusal", "refusal"]]),
  image: "image_url",
  imageUrl: ({ image_url: image }) => isRecord(image) ? image.url : undefined,
};

/** Roles whose messages are the conversation. */
const SPEAKERS: ReadonlyMap<unknown, TextMessage["role"]> = new Map<unknown, TextMessage["role"]>([
  ["user", "user"],
  ["assistant", "assistant"],
]);
/** Roles whose messages are instructions. */
const INSTRUCTIONS: ReadonlySet<unknown> = new Set(["system", "developer"]);
/** Roles whose messages are never used: a caller could forge results of the agent's tools. */
const IGNORED: ReadonlySet<unknown> = new Set(["tool", "function"]);

/**
 * Reads the body of a request. Parameters that only influence the model, such as `temperature`, are
 * ignored, because the agent determines them.
 *
 * @throws {ApiError} If the body is not valid or requires what an agent cannot do.
 */
export function readChatRequest(body: UnknownRecord, settings: ChatReaderSettings): ChatRequest {
  checkTools(body, settings.callerTools, ["tools", "functions"]);
  checkTextFormat(readObject(body, "response_format"), "response_format");
  const { n } = body;
  if (n !== undefined && n !== null && n !== 1) {
    throw unsupported("n", "the agent gives one response");
  }
  const streamOptions = readObject(body, "stream_options") ?? {};
  return {
    ...readConversation(body.messages, settings),
    isStream: readFlag(body, "stream") ?? false,
    hasUsage: readFlag(streamOptions, "include_usage", "stream_options.include_usage") ?? false,
  };
}

function readConversation(
  value: unknown,
  { callerInstructions, maxMessages }: ChatReaderSettings,
): Pick<ChatRequest, "messages" | "turn"> {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxMessages) {
    throw invalid("messages", `an array of 1 to ${maxMessages} messages`);
  }
  const all = value.map((message, index) => {
    if (!isRecord(message)) throw invalid(`messages[${index}]`, "an object");
    return message;
  });
  const lastIndex = all.length - 1;
  const last = all[lastIndex];
  if (last?.role !== "user") {
    throw invalid(`messages[${lastIndex}].role`, '"user", because the agent responds to a user');
  }
  const messages = all.slice(0, -1).flatMap((message, index): readonly TextMessage[] => {
    const role = roleOf(message.role, callerInstructions, `messages[${index}].role`);
    if (role === undefined) return [];
    const content = readText(message.content, `messages[${index}].content`, PARTS);
    return content === "" ? [] : [{ role, content }];
  });
  return { messages, turn: readUserTurn(last.content, `messages[${lastIndex}].content`, PARTS) };
}

/**
 * Returns the role of a message in the conversation that the agent receives. Returns `undefined` if
 * the message is not used.
 */
export function roleOf(
  role: unknown,
  callerInstructions: "ignore" | "user",
  at: string,
): TextMessage["role"] | undefined {
  const speaker = SPEAKERS.get(role);
  if (speaker !== undefined) return speaker;
  if (INSTRUCTIONS.has(role)) return callerInstructions === "user" ? "user" : undefined;
  if (IGNORED.has(role)) return undefined;
  throw invalid(at, "the role of a message");
}
