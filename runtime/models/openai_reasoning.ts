/**
 * Collects the reasoning in the chunks of an OpenAI Chat Completions response, for which servers
 * use different fields.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { ReasoningPart } from "../shared/model.ts";
import { MESSAGE_FIELDS, REASONING_DETAILS, REASONING_FIELD } from "./openai_request.ts";
import { mergeFields } from "./openai_tool_calls.ts";
import { expectList, readRecord, readText, type WireObject } from "./response_fields.ts";

/** Possible names of the reasoning field, which depend on the server. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

/** Fields of an entry of `reasoning_details` that are streamed in pieces. */
const DETAIL_TEXTS: ReadonlySet<string> = new Set(["data", "signature", "summary", "text"]);

/** Collects the reasoning of one response. */
export class ReasoningBuilder {
  readonly #server: string;
  readonly #details: JsonObject[] = [];
  #text = "";
  #field: string | undefined;
  #extra: JsonObject = {};

  /** Creates a builder without reasoning. `server` is the key for the data of the server. */
  constructor(server: string) {
    this.#server = server;
  }

  /** Adds the reasoning in a message or a chunk. Returns the added text. */
  add(delta: WireObject): string {
    const field = REASONING_FIELDS.find((name) => readText(delta[name]) !== undefined);
    this.#field = field ?? this.#field ??
      REASONING_FIELDS.find((name) => typeof delta[name] === "string");
    for (const detail of expectList(delta.reasoning_details, '"reasoning_details"')) {
      this.#addDetail(detail);
    }
    // Gemini's compatible endpoint sends the signature of a text in this field.
    const { extra_content } = delta;
    if (isRecord(extra_content) && isJsonValue(extra_content)) {
      this.#extra = mergeFields(this.#extra, { extra_content });
    }
    const text = readText(field && delta[field]) ?? readThoughts(delta.content);
    this.#text += text;
    return text;
  }

  /**
   * Returns the reasoning as a part, unless there is nothing to keep. After tool calls, some
   * servers require the reasoning field even if the reasoning is empty.
   */
  finish(hasCalls: boolean): readonly ReasoningPart[] {
    const data: JsonObject = {
      ...this.#field === undefined ? {} : { [REASONING_FIELD]: this.#field },
      ...this.#details.length === 0 ? {} : { [REASONING_DETAILS]: this.#details },
      ...Object.keys(this.#extra).length === 0 ? {} : { [MESSAGE_FIELDS]: this.#extra },
    };
    const isKept = this.#text !== "" || (this.#field !== undefined && hasCalls) ||
      REASONING_DETAILS in data || MESSAGE_FIELDS in data;
    if (!isKept) return [];
    const options = Object.keys(data).length === 0
      ? {}
      : { providerOptions: { [this.#server]: data } };
    return [{ type: "reasoning", text: this.#text, ...options }];
  }

  /**
   * Adds an entry of `reasoning_details`. A streamed entry continues the last entry if both have
   * the same type and index.
   */
  #addDetail(detail: unknown): void {
    if (!isRecord(detail) || !isJsonValue(detail)) return;
    const last = this.#details.at(-1);
    const continues = detail.index !== undefined && last?.index === detail.index &&
      last?.type === detail.type;
    if (last === undefined || !continues) {
      this.#details.push({ ...detail });
      return;
    }
    const fields = Object.entries(detail).filter(([, value]) => value !== null)
      .map(([name, value]) => [name, DETAIL_TEXTS.has(name) ? joinText(last[name], value) : value]);
    this.#details[this.#details.length - 1] = { ...last, ...Object.fromEntries(fields) };
  }
}

function joinText(first: unknown, second: unknown): unknown {
  return typeof first === "string" && typeof second === "string" ? first + second : second;
}

/** Returns the text in a string or in a list of content parts. */
export function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  return expectList(content, '"content"').flatMap((part) =>
    readRecord(part).type === "text" ? [readText(readRecord(part).text) ?? ""] : []
  ).join("");
}

/** Returns the reasoning in a list of content parts. */
function readThoughts(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map(readRecord).flatMap((part) =>
    part.type === "thinking" ? [readContent(part.thinking)] : []
  ).join("");
}
