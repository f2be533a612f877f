/**
 * A strict server of the Anthropic Messages API.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @module
 */

import { must, mustBeFile, mustBeTool, mustMatch, type Wire } from "./checks.ts";
import type { Answer } from "./random.ts";
import { Signatures, type StrictApi } from "./server.ts";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** A strict server of the API. */
export class StrictMessages implements StrictApi {
  readonly #signatures = new Signatures("claude");
  #count = 0;

  check({ messages, tools = [], max_tokens, system = [] }: Wire): void {
    must(Number.isInteger(max_tokens), "max_tokens");
    for (const { text } of system) must(text.trim() !== "", "empty system prompt");
    must(messages[0]?.role === "user", "the first message must be of the user");
    must(messages.at(-1).role === "user", "the last message must be of the user");
    for (const { name, input_schema } of tools) {
      mustBeTool(name, input_schema, /^[a-zA-Z0-9_-]{1,64}$/);
    }
    let calls: readonly unknown[] = [];
    for (const [index, { role, content }] of messages.entries()) {
      must(role !== messages[index - 1]?.role, "roles must alternate");
      must(Array.isArray(content) && content.length > 0, "a message without content");
      const results = content.filter(({ type }: Wire) => type === "tool_result");
      const isFirst = content.slice(0, results.length).every(({ type }: Wire) =>
        type === "tool_result"
      );
      must(isFirst, "results must come first", content);
      mustMatch(calls, results.map((each: Wire) => each.tool_use_id));
      for (const block of content) this.#checkBlock(block, role);
      calls = content.filter(({ type }: Wire) => type === "tool_use").map(({ id }: Wire) => id);
    }
    must(calls.length === 0, "a call without a result");
  }

  #checkBlock(block: Wire, role: string): void {
    switch (block.type) {
      case "text":
        must(block.text.trim() !== "", "a blank text", block);
        break;
      case "thinking":
        must(role === "assistant" && this.#signatures.has(block.signature), "signature", block);
        break;
      case "tool_use":
        must(role === "assistant", "a call of the user");
        must(/^[a-zA-Z0-9_-]+$/.test(block.id), "id of a call", block.id);
        must(/^[a-zA-Z0-9_-]{1,64}$/.test(block.name), "name of a call", block.name);
        must(isObject(block.input), "the input of a call must be an object", block);
        break;
      case "tool_result":
        must(role === "user", "a result of the assistant");
        this.#checkResult(block);
        break;
      case "image":
        must(role === "user", "an image of the assistant", block);
        mustBeFile(block.source.media_type, block.source.data, IMAGES);
        break;
      case "document":
        must(role === "user", "a document of the assistant", block);
        if (block.source.type === "base64") {
          mustBeFile(block.source.media_type, block.source.data, ["application/pdf"]);
        } else must(block.source.media_type === "text/plain", "type of a document", block);
        break;
      default:
        must(false, "unknown block", block);
    }
  }

  #checkResult({ content, is_error }: Wire): void {
    if (is_error === true) must(content.length > 0, "an error without content");
    if (typeof content === "string") return;
    for (const block of content) {
      must(["text", "image", "document"].includes(block.type), "content of a result", block);
      this.#checkBlock(block, "user");
    }
  }

  answer({ reasoning, text, calls }: Answer): object {
    const number = this.#count++;
    return {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      content: [
        ...reasoning
          ? [{ type: "thinking", thinking: "Let me see", signature: this.#signatures.create() }]
          : [],
        ...text === "" ? [] : [{ type: "text", text }],
        ...calls.map(({ name, input }, index) => ({
          type: "tool_use",
          id: `toolu_${number}_${index}`,
          name,
          input: readInput(input),
        })),
      ],
      stop_reason: calls.length === 0 ? "end_turn" : "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the input, which the API sends as an object. */
export function readInput(text: string): object {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : { value };
  } catch {
    // The model has written invalid JSON.
    return {};
  }
}
