/**
 * A strict server of the OpenAI Chat Completions API.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @module
 */

import {
  must,
  mustBeDataUrl,
  mustBeFile,
  mustBeTool,
  mustHaveOnly,
  mustMatch,
  type Wire,
} from "./checks.ts";
import type { Answer } from "./random.ts";
import { Signatures, type StrictApi } from "./server.ts";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Rules that differ between servers of the API. */
export interface ChatRules {
  /** Ids of tool calls that the server accepts. */
  readonly ids: RegExp;
  /** Whether the server sends reasoning, and accepts only its own reasoning. */
  readonly hasReasoning: boolean;
}

/** A strict server of the API. */
export class StrictChat implements StrictApi {
  readonly #rules: ChatRules;
  readonly #signatures: Signatures;
  #count = 0;

  /** Creates a server with a name, which its ids contain. */
  constructor(name: string, rules: ChatRules) {
    this.#rules = rules;
    this.#signatures = new Signatures(name);
  }

  check({ messages, tools = [], stream }: Wire): void {
    must(stream === false, '"stream" must be false');
    must(Array.isArray(messages) && messages.length > 0, "no messages");
    for (const tool of tools) {
      must(tool.type === "function", "type of a tool", tool);
      mustBeTool(tool.function.name, tool.function.parameters, /^[a-zA-Z0-9_-]{1,64}$/);
    }
    for (let index = 0; index < messages.length;) {
      index = this.#checkMessage(messages, index);
    }
  }

  /** Checks a message, with the results of its calls. Returns the index of the next message. */
  #checkMessage(messages: Wire[], index: number): number {
    const message = messages[index];
    switch (message.role) {
      case "system":
        must(typeof message.content === "string", "content of a system message", message);
        return index + 1;
      case "user":
        checkContent(message.content);
        return index + 1;
      case "assistant":
        return this.#checkAssistant(messages, index);
      default:
        must(false, "a result without a call, or an unknown role", message);
    }
  }

  #checkAssistant(messages: Wire[], index: number): number {
    const { content, tool_calls: calls = [], ...rest } = messages[index];
    const own = this.#rules.hasReasoning ? ["reasoning", "reasoning_details"] : [];
    mustHaveOnly(rest, ["role", ...own], "an assistant message");
    for (const { data } of rest.reasoning_details ?? []) {
      must(this.#signatures.has(data), "reasoning of another server", data);
    }
    must(content === null ? calls.length > 0 : content !== "", "an empty message");
    for (const call of calls) {
      mustHaveOnly(call, ["id", "type", "function"], "a call");
      must(this.#rules.ids.test(call.id), "id of a call", call.id);
      must(/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name), "name of a call", call);
      must(typeof call.function.arguments === "string", "arguments of a call", call);
    }
    const next = messages.slice(index + 1).findIndex(({ role }) => role !== "tool");
    const results = messages.slice(index + 1, next === -1 ? undefined : index + 1 + next);
    for (const { content } of results) must(typeof content === "string", "content of a result");
    mustMatch(calls.map(({ id }: Wire) => id), results.map((each) => each.tool_call_id));
    return index + 1 + results.length;
  }

  answer({ reasoning, text, calls }: Answer): object {
    const number = this.#count++;
    const message = {
      role: "assistant",
      content: text === "" ? null : text,
      ...reasoning && this.#rules.hasReasoning
        ? {
          reasoning: "Let me see",
          reasoning_details: [{ type: "reasoning.encrypted", data: this.#signatures.create() }],
        }
        : {},
      ...calls.length === 0 ? {} : {
        tool_calls: calls.map(({ name, input, hasId }, index) => ({
          ...hasId ? { id: `functions.${name}:${index}` } : {},
          type: "function",
          function: { name, arguments: input },
        })),
      },
    };
    return {
      id: `chat-${number}`,
      choices: [{ message, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  }
}

function checkContent(content: Wire): void {
  if (typeof content === "string") return;
  must(Array.isArray(content) && content.length > 0, "content of a user message", content);
  for (const part of content) {
    switch (part.type) {
      case "text":
        must(typeof part.text === "string", "a text", part);
        break;
      case "image_url":
        mustBeDataUrl(part.image_url.url, IMAGES);
        break;
      case "input_audio":
        must(["wav", "mp3"].includes(part.input_audio.format), "format of an audio", part);
        mustBeFile("audio", part.input_audio.data, ["audio"]);
        break;
      case "file":
        mustBeDataUrl(part.file.file_data, ["application/pdf"]);
        break;
      default:
        must(false, "unknown part", part);
    }
  }
}
