/**
 * Tool calls of OpenAI's chat completions, put together from pieces that not every server labels as it should.
 *
 * @module
 */

import { isJsonValue, isRecord, type JsonObject } from "../shared/json.ts";
import { type ModelDelta, readToolInput, type ToolCall } from "../shared/model.ts";
import { CALL_FIELDS } from "./openai_request.ts";
import {
  expectList,
  expectRecord,
  malformed,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

interface PartialToolCall {
  /** The id in the transcript: the server's, or one made here. */
  readonly id: string;
  /** The id that the server gave, if it did. */
  readonly wireId: string | undefined;
  readonly extras: JsonObject;
  name: string;
  input: string;
}

/** Fields of a call that have a meaning here; all others are kept for the server. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function", "index"]);

/** The calls of one answer. */
export class ToolCallBuilder {
  readonly #provider: string;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #toolCalls: PartialToolCall[] = [];
  readonly #byIndex = new Map<number, PartialToolCall>();
  readonly #byId = new Map<string, PartialToolCall>();

  /**
   * Begins without calls.
   *
   * @param provider under which name a call's own data goes into `providerOptions`
   * @param toolNames the tools' own names, where the wire has another
   */
  constructor(provider: string, toolNames: ReadonlyMap<string, string>) {
    this.#provider = provider;
    this.#toolNames = toolNames;
  }

  /** How many calls there are so far. */
  get size(): number {
    return this.#toolCalls.length;
  }

  /**
   * Takes the calls in a message or in a piece of one.
   *
   * @returns what is new in their inputs
   */
  add({ tool_calls, function_call }: WireObject): ModelDelta[] {
    const pieces = expectList(tool_calls, "tool_calls").map((piece) =>
      expectRecord(piece, "a tool call")
    );
    // The form before tool calls, which some servers still send.
    if (pieces.length === 0 && isRecord(function_call)) {
      return this.#addPiece({ index: 0, function: function_call });
    }
    return pieces.flatMap((piece) => this.#addPiece(piece));
  }

  /**
   * The calls as they are now.
   *
   * @throws {AgentError} `model_error` if one has no name
   */
  finish(): ToolCall[] {
    return this.#toolCalls.map(({ id, name, input, extras }) => {
      if (name === "") throw malformed("a tool call has no name");
      return {
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        ...readToolInput(input),
        ...Object.keys(extras).length === 0
          ? {}
          : { providerOptions: { [this.#provider]: { [CALL_FIELDS]: extras } } },
      };
    });
  }

  #addPiece(piece: WireObject): ModelDelta[] {
    const body = readRecord(piece.function);
    const name = readText(body.name);
    const call = this.#find(piece, name) ?? this.#begin(piece);
    if (call.name === "" && name !== undefined) call.name = this.#toolNames.get(name) ?? name;
    const delta = readInputText(body.arguments);
    if (delta === "") return [];
    call.input += delta;
    return [{ type: "tool-input-delta", toolCallId: call.id, toolName: call.name, delta }];
  }

  #begin(piece: WireObject): PartialToolCall {
    const wireId = readText(piece.id);
    const index = readIndex(piece);
    const extras = Object.entries(piece).filter(([key]) => !KNOWN_FIELDS.has(key));
    const call: PartialToolCall = {
      id: wireId ?? `call_${this.#toolCalls.length}`,
      wireId,
      extras: Object.fromEntries(extras.filter(isJsonEntry)),
      name: "",
      input: "",
    };
    this.#toolCalls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    if (wireId !== undefined) this.#byId.set(wireId, call);
    return call;
  }

  /** The call that a piece goes on with, or undefined when it begins one. */
  #find(piece: WireObject, name: string | undefined): PartialToolCall | undefined {
    const id = readText(piece.id);
    const index = readIndex(piece);
    if (index !== undefined) {
      const last = this.#byIndex.get(index);
      // One server numbers all calls 0, another gives each piece a fresh id: only a new id with a name begins a call.
      const isOther = id !== undefined && name !== undefined && last?.wireId !== undefined &&
        last.wireId !== id;
      return isOther ? undefined : last;
    }
    const named = id === undefined ? undefined : this.#byId.get(id);
    if (named !== undefined) return named;
    const last = this.#toolCalls.at(-1);
    if (name === undefined || last === undefined) return last;
    // A name begins a call, but servers that repeat it with each piece number nothing either.
    return id === undefined && !isComplete(last) ? last : undefined;
  }
}

function isComplete({ input }: PartialToolCall): boolean {
  return input.endsWith("}") && readToolInput(input).rawInput === undefined;
}

function readIndex({ index }: WireObject): number | undefined {
  return typeof index === "number" ? index : undefined;
}

/** The input as text; some servers send the object itself. */
function readInputText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isJsonEntry(entry: [string, unknown]): entry is [string, JsonObject[string]] {
  return isJsonValue(entry[1]);
}
