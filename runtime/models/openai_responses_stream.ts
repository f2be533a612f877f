/**
 * Assembles the output items of a streamed OpenAI Responses API response. Servers differ in the
 * events that they send for an item.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { ModelDelta } from "../shared/model.ts";
import {
  callOf,
  isToolCall,
  type OutputOptions,
  textOf,
  typeOf,
} from "./openai_responses_output.ts";
import { readText, type WireObject } from "./response_fields.ts";

/** An output item, and the text that was streamed for the item so far. */
interface Entry {
  item: WireObject;
  /** Text in all events of the item. */
  streamed: string;
  /** Text for which no delta was returned yet, because the name of the tool is missing. */
  unsent: string;
  /** Part of the item to which the last streamed text belongs, and the text of the part so far. */
  partIndex: unknown;
  partText: string;
  isDone: boolean;
}

/**
 * Events that contain text, each with the type of its item and the field that contains the text.
 */
const TEXT_EVENTS: ReadonlyMap<string, readonly [type: string, field: string]> = new Map([
  ["response.output_text.delta", ["message", "delta"]],
  ["response.output_text.done", ["message", "text"]],
  ["response.refusal.delta", ["message", "delta"]],
  ["response.refusal.done", ["message", "refusal"]],
  ["response.reasoning_summary_text.delta", ["reasoning", "delta"]],
  ["response.reasoning_summary_text.done", ["reasoning", "text"]],
  ["response.reasoning_text.delta", ["reasoning", "delta"]],
  ["response.reasoning_text.done", ["reasoning", "text"]],
  ["response.function_call_arguments.delta", ["function_call", "delta"]],
  ["response.function_call_arguments.done", ["function_call", "arguments"]],
  ["response.custom_tool_call_input.delta", ["custom_tool_call", "delta"]],
  ["response.custom_tool_call_input.done", ["custom_tool_call", "input"]],
]);

/** Assembles the output items of one response. */
export class OutputStream {
  readonly #options: OutputOptions;
  readonly #entries: Entry[] = [];
  /** Most recent entry for each index or id that events use. */
  readonly #byKey = new Map<unknown, Entry>();

  /** Creates a stream without items. */
  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Whether the stream contains items, and all tool calls among them are complete. */
  get isComplete(): boolean {
    return this.#entries.length > 0 &&
      this.#entries.every(({ item, isDone }) => isDone || !isToolCall(item));
  }

  /** Adds an event. Ignores events that repeat data or report the progress of a hosted tool. */
  add(type: string, event: WireObject): ModelDelta[] {
    if (type === "response.output_item.added") return this.#begin(event);
    if (type === "response.output_item.done") return this.#end(event);
    const [itemType, field] = TEXT_EVENTS.get(type) ?? [];
    const text = field === undefined ? undefined : readText(event[field]);
    if (itemType === undefined || text === undefined) return [];
    const last = this.#find(event);
    const isOpen = last?.isDone === false && typeOf(last.item) === itemType;
    if (field !== "delta") return isOpen ? this.#completePart(last, event, text) : [];
    // Some servers send no event for the beginning of an item.
    const entry = isOpen ? last : this.#create(event, { type: itemType });
    return this.#addPart(entry, event, text);
  }

  #addPart(entry: Entry, event: WireObject, text: string): ModelDelta[] {
    const separator = this.#separatorOf(entry, event);
    entry.partText += text;
    return this.#addText(entry, separator + text);
  }

  /** Adds the end of a part that the deltas so far did not contain. */
  #completePart(entry: Entry, event: WireObject, text: string): ModelDelta[] {
    const index = indexOf(event);
    const isCurrent = entry.streamed === "" || index === undefined || index === entry.partIndex;
    if (!isCurrent || !text.startsWith(entry.partText)) return [];
    const rest = text.slice(entry.partText.length);
    if (rest === "") return [];
    return index === undefined ? this.#addText(entry, rest) : this.#addPart(entry, event, rest);
  }

  /**
   * Returns the items of the response.
   *
   * The streamed items take precedence over the items in the last event, because some servers send
   * an empty list there, and some send other ids. An item that the server did not complete is
   * replaced with the item in the last event, or built from its deltas.
   *
   * @param whole Items in the last event, or of a complete response.
   */
  items(whole: readonly WireObject[]): readonly WireObject[] {
    const entries = this.#entries;
    if (whole.length > entries.length) {
      return whole.map((item, index) => withCallId(item, entries[index]));
    }
    return entries.map((entry, index) => {
      const last = whole[index];
      if (entry.isDone) return entry.item;
      const isSame = last !== undefined && typeOf(last) === typeOf(entry.item);
      return isSame ? withCallId(last, entry) : toPartialItem(entry);
    });
  }

  #begin(event: WireObject): ModelDelta[] {
    if (!isRecord(event.item)) return [];
    const last = this.#find(event);
    if (last === undefined || last.isDone || isOther(last.item, event.item)) {
      this.#create(event, event.item);
    } else last.item = event.item;
    return [];
  }

  /** Completes an item. Returns the deltas that were not returned yet. */
  #end(event: WireObject): ModelDelta[] {
    if (!isRecord(event.item)) return [];
    const last = this.#find(event);
    const isNew = last === undefined || (last.isDone && isOther(last.item, event.item));
    const entry = isNew ? this.#create(event, event.item) : last;
    const item = withCallId(event.item, isNew ? undefined : entry);
    const text = textOf(item);
    // Some servers omit the text that they have streamed.
    const isOmitted = text === "" && typeOf(item) !== "reasoning";
    entry.item = isOmitted ? toPartialItem({ ...entry, item }) : item;
    entry.isDone = true;
    const isLonger = text.startsWith(entry.streamed);
    return this.#addText(entry, isLonger ? text.slice(entry.streamed.length) : "");
  }

  /** Returns the entry to which an event belongs. */
  #find({ output_index, item_id, item }: WireObject): Entry | undefined {
    const id = item_id ?? (isRecord(item) ? item.id : undefined);
    if (output_index === undefined && id === undefined) return this.#entries.at(-1);
    return this.#byKey.get(output_index ?? id);
  }

  #create({ output_index, item_id }: WireObject, item: WireObject): Entry {
    const entry = {
      item,
      streamed: "",
      unsent: "",
      partIndex: undefined,
      partText: "",
      isDone: false,
    };
    this.#entries.push(entry);
    for (const key of [output_index, item_id ?? item.id]) {
      if (key !== undefined) this.#byKey.set(key, entry);
    }
    return entry;
  }

  /** Returns the separator between two parts of reasoning, as in the text of the complete item. */
  #separatorOf(entry: Entry, event: WireObject): string {
    const index = indexOf(event);
    const isOther = index !== entry.partIndex;
    const isNext = entry.streamed !== "" && isOther;
    if (isOther) entry.partText = "";
    entry.partIndex = index;
    return isNext && typeOf(entry.item) === "reasoning" ? "\n\n" : "";
  }

  #addText(entry: Entry, text: string): ModelDelta[] {
    entry.streamed += text;
    const delta = entry.unsent + text;
    entry.unsent = "";
    if (delta === "") return [];
    switch (typeOf(entry.item)) {
      case "message":
        return [{ type: "text-delta", delta }];
      case "reasoning":
        return [{ type: "reasoning-delta", delta }];
      case "function_call":
      case "custom_tool_call": {
        const call = callOf(entry.item, this.#options);
        if (call.toolName !== "" && call.toolCallId !== "") {
          return [{ type: "tool-input-delta", ...call, delta }];
        }
        entry.unsent = delta;
        return [];
      }
      default:
        return [];
    }
  }
}

/** Returns the index of the part of an item to which an event belongs. */
function indexOf({ summary_index, content_index }: WireObject): unknown {
  return summary_index ?? content_index;
}

/** Returns true if two items have ids, and the ids differ. */
function isOther(first: WireObject, second: WireObject): boolean {
  return readText(first.id) !== undefined && readText(second.id) !== undefined &&
    first.id !== second.id;
}

/** Returns a tool call with the call id that its deltas had, and other items unchanged. */
function withCallId(item: WireObject, entry: Entry | undefined): WireObject {
  const hasDeltas = entry !== undefined && entry.streamed !== "" && entry.unsent === "";
  if (!hasDeltas || !isToolCall(item) || !isToolCall(entry.item)) return item;
  return { ...item, call_id: readText(entry.item.call_id) ?? readText(entry.item.id) };
}

/** Creates an item from the deltas of an item that the server did not complete. */
function toPartialItem({ item, streamed }: Entry): WireObject {
  if (streamed === "" && item.type !== "reasoning") return item;
  switch (typeOf(item)) {
    case "message":
      return { ...item, content: [{ type: "output_text", text: streamed }] };
    case "reasoning": {
      // The encrypted content of incomplete reasoning is incomplete, too.
      const { encrypted_content: _, ...rest } = item;
      return { ...rest, summary: [{ type: "summary_text", text: streamed }] };
    }
    case "function_call":
      return { ...item, arguments: streamed };
    case "custom_tool_call":
      return { ...item, input: streamed };
    default:
      return item;
  }
}
