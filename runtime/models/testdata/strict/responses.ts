/**
 * A strict server of the OpenAI Responses API that stores nothing.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @module
 */

import {
  IMAGE,
  must,
  mustBeDataUrl,
  mustBeTool,
  mustHaveOnly,
  mustMatch,
  type Wire,
} from "./checks.ts";
import type { Answer } from "./random.ts";
import type { Signatures, StrictApi } from "./server.ts";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** A model of the strict server. */
export interface ResponsesRules {
  /** Name of the model, which its ids contain. */
  readonly name: string;
  /** Whether the model sends and accepts reasoning. */
  readonly hasReasoning: boolean;
  /** Signatures of the server, which its models share. */
  readonly signatures: Signatures;
}

/** A model of a strict server of the API. */
export class StrictResponses implements StrictApi {
  readonly #rules: ResponsesRules;
  #count = 0;

  /** Creates a model. */
  constructor(rules: ResponsesRules) {
    this.#rules = rules;
  }

  check({ input, tools = [], store, include = [] }: Wire): void {
    must(store === false, "store must be false");
    must(this.#rules.hasReasoning || include.length === 0, "encrypted content is not supported");
    must(Array.isArray(input) && input.length > 0, "no input");
    for (const tool of tools) {
      must(tool.type === "function" && tool.strict === false, "a tool", tool);
      mustBeTool(tool.name, tool.parameters, /^[a-zA-Z0-9_-]{1,64}$/);
    }
    const ids = (type: string): unknown[] =>
      input.filter((item: Wire) => item.type === type).map((item: Wire) => item.call_id);
    mustMatch(ids("function_call"), ids("function_call_output"));
    for (const [index, item] of input.entries()) {
      // Only an image needs its id.
      const hasId = "id" in item && item.type !== "image_generation_call";
      must(!hasId, "an item with an id, which the server cannot find", item);
      this.#checkItem(item, input[index + 1]);
    }
  }

  #checkItem(item: Wire, next: Wire): void {
    switch (item.type) {
      case undefined:
        mustHaveOnly(item, ["role", "content"], "a message");
        must(item.content.length > 0, "a message without content", item);
        checkContent(item.content);
        break;
      case "reasoning":
        must(this.#rules.hasReasoning, "reasoning is not supported", item);
        must(
          this.#rules.signatures.has(item.encrypted_content),
          "reasoning of another server",
          item,
        );
        must(next !== undefined && next.role !== "user", "reasoning without a following item");
        break;
      case "function_call":
        must(/^[!-~]{1,64}$/.test(item.call_id), "id of a call", item.call_id);
        must(/^[a-zA-Z0-9_-]{1,64}$/.test(item.name), "name of a call", item.name);
        must(typeof item.arguments === "string", "arguments of a call", item);
        break;
      case "image_generation_call":
        must(item.result === IMAGE && item.id.startsWith("ig_"), "image of another server", item);
        break;
      case "function_call_output":
        checkContent(item.output);
        break;
      default:
        must(false, "unknown item", item);
    }
  }

  answer({ reasoning, text, calls, image }: Answer): object {
    const { name, hasReasoning, signatures } = this.#rules;
    const number = `${name}_${this.#count++}`;
    return {
      id: `resp_${number}`,
      status: "completed",
      output: [
        ...reasoning && hasReasoning
          ? [{
            type: "reasoning",
            id: `rs_${number}`,
            summary: [],
            encrypted_content: signatures.create(),
          }]
          : [],
        // A response without items would be empty.
        ...text === "" && hasReasoning
          ? []
          : [{ type: "message", id: `msg_${number}`, content: [{ type: "output_text", text }] }],
        ...image === true
          ? [{
            type: "image_generation_call",
            id: `ig_${number}`,
            status: "completed",
            result: IMAGE,
          }]
          : [],
        ...calls.map(({ name, input }, index) => ({
          type: "function_call",
          id: `fc_${number}_${index}`,
          call_id: `call_${number}_${index}`,
          name,
          arguments: input,
        })),
      ],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  }
}

function checkContent(content: Wire): void {
  if (typeof content === "string") return;
  must(Array.isArray(content), "content", content);
  for (const part of content) {
    switch (part.type) {
      case "input_text":
        must(typeof part.text === "string", "a text", part);
        break;
      case "input_image":
        mustBeDataUrl(part.image_url, IMAGES);
        break;
      case "input_file":
        must(typeof part.filename === "string", "a file without a name", part);
        mustBeDataUrl(part.file_data, ["application/pdf"]);
        break;
      default:
        must(false, "unknown part", part);
    }
  }
}
