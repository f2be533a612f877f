/**
 * Reads the responses of the kit as a provider, from their bodies or events.
 *
 * @module
 */

import type { JsonValue } from "../../kit/json.ts";
import { isObject, readJson } from "../../kit/json.ts";
import type { ProviderReply } from "../../kit/provider_turn.ts";
import { type Fields, objectIn, objectsIn, textIn } from "./fields.ts";

/** Highest status code of a successful response. */
const LAST_SUCCESS = 299;

/** Returns the values that a complete, successful response consists of: its body, or its events. */
export function valuesOf(reply: ProviderReply | undefined): readonly Fields[] {
  if (reply === undefined || (reply.status ?? 200) > LAST_SUCCESS || reply.cut === true) return [];
  if (reply.events !== undefined) {
    return reply.events.map(({ data }) => parseData(data)).filter(isObject);
  }
  return isObject(reply.json) ? [reply.json] : [];
}

/** A tool call of a Chat Completions response. */
export interface ChatCall {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The JSON text of the arguments. */
  readonly arguments: string;
}

/** Returns the tool calls of a Chat Completions response. */
export function chatCalls(reply: ProviderReply | undefined): readonly ChatCall[] {
  const calls = new Map<string, ChatCall>();
  valuesOf(reply).forEach((value) => {
    const [choice = {}] = objectsIn(value.choices);
    const whole = objectsIn(objectIn(choice, "message").tool_calls);
    const parts = objectsIn(objectIn(choice, "delta").tool_calls);
    [...whole, ...parts].forEach((part, position) => {
      const key = String(part.index ?? position);
      const { id = "", name = "", arguments: text = "" } = calls.get(key) ?? {};
      const called = objectIn(part, "function");
      calls.set(key, {
        id: textIn(part, "id") || id,
        name: textIn(called, "name") || name,
        arguments: text + textIn(called, "arguments"),
      });
    });
  });
  return [...calls.values()];
}

/** Returns the output items of a Responses API response. */
export function outputItems(reply: ProviderReply | undefined): readonly Fields[] {
  return valuesOf(reply).flatMap((value) =>
    value.type === "response.output_item.done"
      ? [objectIn(value, "item")]
      : value.type === undefined
      ? objectsIn(value.output)
      : []
  );
}

/** Returns the content blocks of a Messages API response. */
export function contentBlocks(reply: ProviderReply | undefined): readonly Fields[] {
  const blocks = new Map<number, BlockParts>();
  const whole = valuesOf(reply).flatMap((value) => {
    if (typeof value.index === "number") addBlockEvent(blocks, value.index, value);
    return value.type === "message" ? objectsIn(value.content) : [];
  });
  return [...whole, ...[...blocks.values()].map(joinBlock)];
}

/** Returns the stop reason of a Messages API response. */
export function stopReason(reply: ProviderReply | undefined): string {
  const reasons = valuesOf(reply).flatMap((value) => [
    textIn(value, "stop_reason"),
    textIn(objectIn(value, "delta"), "stop_reason"),
  ]);
  return reasons.find((reason) => reason !== "") ?? "";
}

/** Returns the parts of a Gemini response. The parts of a stream stay apart. */
export function geminiParts(reply: ProviderReply | undefined): readonly Fields[] {
  return valuesOf(reply).flatMap((value) => {
    const [candidate = {}] = objectsIn(value.candidates);
    return objectsIn(objectIn(candidate, "content").parts);
  });
}

/** A content block of a stream: the block at its start, and what the deltas add. */
interface BlockParts {
  block: Fields;
  readonly json: string[];
  readonly added: Record<string, string>;
}

/** Names of the members that a delta adds to. */
const DELTA_MEMBERS = ["text", "thinking", "signature"] as const;

function addBlockEvent(blocks: Map<number, BlockParts>, index: number, value: Fields): void {
  const parts = blocks.get(index) ?? { block: {}, json: [], added: {} };
  blocks.set(index, parts);
  if (value.type === "content_block_start") parts.block = objectIn(value, "content_block");
  const delta = objectIn(value, "delta");
  for (const name of DELTA_MEMBERS) {
    if (typeof delta[name] === "string") {
      parts.added[name] = (parts.added[name] ?? "") + delta[name];
    }
  }
  if (typeof delta.partial_json === "string") parts.json.push(delta.partial_json);
}

function joinBlock({ block, json, added }: BlockParts): Fields {
  const text = json.join("");
  const input = text === "" ? undefined : readJson(text)?.value;
  return { ...block, ...added, ...(input === undefined ? {} : { input }) };
}

function parseData(data: JsonValue | undefined): unknown {
  return typeof data === "string" ? readJson(data)?.value : data;
}
