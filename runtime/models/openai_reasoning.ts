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
import { readContent } from "./openai_content.ts";
import { expectList, readRecord, readText, type WireObject } from "./response_fields.ts";

/** Possible names of the reasoning field, which depend on the server. */
const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** Fields of an entry of a list of reasoning that are streamed in pieces. */
const DETAIL_TEXTS: ReadonlySet<string> = new Set([
  "data",
  "signature",
  "summary",
  "text",
  "thinking",
]);

/**
 * Fields of a message that some servers require in later requests: the signature of a text
 * (Gemini), encrypted reasoning (GitHub Copilot) and the blocks of Claude (LiteLLM).
 */
const KEPT_FIELDS = ["extra_content", "reasoning_opaque"] as const;
const BLOCKS = "thinking_blocks";

/** Collects the reasoning of one response. */
export class ReasoningBuilder {
  readonly #server: string;
  readonly #details: JsonObject[] = [];
  readonly #blocks: JsonObject[] = [];
  #text = "";
  #field: string | undefined;
  #extra: JsonObject = {};

  /** Creates a builder without reasoning. `server` is the key for the data of the server. */
  constructor(server: string) {
    this.#server = server;
  }

  /**
   * Adds the reasoning in a message or a chunk. Returns the added text.
   *
   * @param delta The message or the chunk.
   * @param isWhole Whether the lists in it are complete, so that their entries are not joined.
   */
  add(delta: WireObject, isWhole: boolean): string {
    const field = fieldOf(delta);
    this.#field = field ?? this.#field ??
      REASONING_FIELDS.find((name) => typeof delta[name] === "string");
    for (const detail of expectList(delta.reasoning_details, '"reasoning_details"')) {
      addEntry(this.#details, detail, isWhole ? () => undefined : findDetail);
    }
    const blocks = delta[BLOCKS];
    for (const block of Array.isArray(blocks) ? blocks : []) {
      addEntry(this.#blocks, block, isWhole ? () => undefined : findBlock);
    }
    for (const name of KEPT_FIELDS) {
      const value = delta[name];
      if (isJsonValue(value)) this.#extra = mergeFields(this.#extra, { [name]: value });
    }
    const text = thoughtOf(delta);
    this.#text += text;
    return text;
  }

  /** Returns true if a message repeats the reasoning that was added so far. */
  has(message: WireObject): boolean {
    return this.#text !== "" && thoughtOf(message) === this.#text;
  }

  /**
   * Returns the reasoning as a part, unless there is nothing to keep. After tool calls, some
   * servers require the reasoning field even if the reasoning is empty.
   */
  finish(hasCalls: boolean): readonly ReasoningPart[] {
    const extra = {
      ...this.#extra,
      ...this.#blocks.length === 0 ? {} : { [BLOCKS]: this.#blocks },
    };
    const data: JsonObject = {
      ...this.#field === undefined ? {} : { [REASONING_FIELD]: this.#field },
      ...this.#details.length === 0 ? {} : { [REASONING_DETAILS]: this.#details },
      ...Object.keys(extra).length === 0 ? {} : { [MESSAGE_FIELDS]: extra },
    };
    const isKept = this.#text !== "" || (this.#field !== undefined && hasCalls) ||
      REASONING_DETAILS in data || MESSAGE_FIELDS in data;
    if (!isKept) return [];
    const options = Object.keys(data).length === 0
      ? {}
      : { providerOptions: { [this.#server]: data } };
    return [{ type: "reasoning", text: this.#text, ...options }];
  }
}

function fieldOf(delta: WireObject): string | undefined {
  return REASONING_FIELDS.find((name) => readText(delta[name]) !== undefined);
}

function thoughtOf(delta: WireObject): string {
  const field = fieldOf(delta);
  return readText(field && delta[field]) ?? readThoughts(delta.content);
}

/** Finds the entry that a streamed entry continues. */
type FindEntry = (entries: readonly JsonObject[], piece: JsonObject) => JsonObject | undefined;

/** Adds an entry to a list of reasoning. A streamed entry can continue an earlier entry. */
function addEntry(entries: JsonObject[], piece: unknown, find: FindEntry): void {
  if (!isRecord(piece) || !isJsonValue(piece)) return;
  const earlier = find(entries, piece);
  if (earlier === undefined) {
    entries.push({ ...piece });
    return;
  }
  const fields = Object.entries(piece).filter(([, value]) => value !== null).map((
    [name, value],
  ) => [name, DETAIL_TEXTS.has(name) ? joinText(earlier[name], value) : value]);
  entries.splice(entries.indexOf(earlier), 1, { ...earlier, ...Object.fromEntries(fields) });
}

/** An entry of `reasoning_details` continues the last one with its type, index and id. */
function findDetail(details: readonly JsonObject[], { type, index, id }: JsonObject) {
  if (index === undefined) return undefined;
  return details.findLast((each) =>
    each.type === type && each.index === index &&
    (!isText(id) || !isText(each.id) || each.id === id)
  );
}

/** A thinking block continues the last one, which ends with its signature. */
function findBlock(blocks: readonly JsonObject[], { type }: JsonObject): JsonObject | undefined {
  const last = blocks.at(-1);
  return type === "thinking" && last?.type === type && !isText(last.signature) ? last : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function joinText(first: unknown, second: unknown): unknown {
  return typeof first === "string" && typeof second === "string" ? first + second : second;
}

/** Returns the reasoning in a list of content parts. */
function readThoughts(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map(readRecord).flatMap((part) =>
    part.type === "thinking" ? [readContent(part.thinking).text] : []
  ).join("");
}
