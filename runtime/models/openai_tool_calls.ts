/**
 * Assembles tool calls from the chunks of a streamed OpenAI Chat Completions response. Servers
 * differ in how they identify the tool call to which a chunk belongs.
 *
 * @module
 */

import { isJsonValue, type JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
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
  /** Id of the tool call, either from the server or generated. */
  readonly id: string;
  /** Id sent by the server, if any. */
  readonly wireId: string | undefined;
  readonly extras: JsonObject;
  name: string;
  input: string;
}

/**
 * Tool call fields that are converted. All other fields of a tool call are stored so that they can
 * be sent back.
 */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function", "index"]);

/** Assembles the tool calls in one response. */
export class ToolCallBuilder {
  readonly #provider: string;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #toolCalls: PartialToolCall[] = [];
  readonly #byIndex = new Map<number, PartialToolCall>();
  readonly #byId = new Map<string, PartialToolCall>();

  /**
   * Creates a builder that contains no tool calls yet.
   *
   * @param provider Key for the provider's data in `providerOptions`.
   * @param toolNames Original tool names, keyed by encoded name, for tools whose encoded name
   * differs.
   */
  constructor(provider: string, toolNames: ReadonlyMap<string, string>) {
    this.#provider = provider;
    this.#toolNames = toolNames;
  }

  /** Number of tool calls so far. */
  get size(): number {
    return this.#toolCalls.length;
  }

  /**
   * Adds the tool calls in a message or a chunk. Returns the deltas of the tool calls' inputs.
   *
   * @throws {AgentError} With code `model_error` if the tool calls are malformed.
   */
  add({ tool_calls, function_call }: WireObject): ModelDelta[] {
    const pieces = expectList(tool_calls, '"tool_calls"').map((piece) =>
      expectRecord(piece, "a tool call")
    );
    // `function_call` is deprecated, but some servers still send it.
    if (pieces.length === 0 && isRecord(function_call)) {
      return this.#addPiece({ index: 0, function: function_call });
    }
    return pieces.flatMap((piece) => this.#addPiece(piece));
  }

  /**
   * Returns the tool calls added so far.
   *
   * @throws {AgentError} With code `model_error` if a tool call has no name.
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

  /**
   * Returns the tool call that a chunk continues, or `undefined` if the chunk starts a new call.
   */
  #find(piece: WireObject, name: string | undefined): PartialToolCall | undefined {
    const id = readText(piece.id);
    const index = readIndex(piece);
    if (index !== undefined) {
      const last = this.#byIndex.get(index);
      // Some servers use index 0 for all calls, and others use a new id in each chunk. Therefore, a
      // chunk starts a new call only if it has both a new id and a name.
      const isOther = id !== undefined && name !== undefined && last?.wireId !== undefined &&
        last.wireId !== id;
      return isOther ? undefined : last;
    }
    const named = id === undefined ? undefined : this.#byId.get(id);
    if (named !== undefined) return named;
    const last = this.#toolCalls.at(-1);
    if (name === undefined || last === undefined) return last;
    // A chunk with a name starts a new call. A chunk with a name but no id continues the previous
    // call until the input of that call is complete, because some servers repeat the name in each
    // chunk.
    return id === undefined && !isComplete(last) ? last : undefined;
  }
}

function isComplete({ input }: PartialToolCall): boolean {
  return input.endsWith("}") && readToolInput(input).rawInput === undefined;
}

function readIndex({ index }: WireObject): number | undefined {
  return typeof index === "number" ? index : undefined;
}

/** Returns the input as JSON text. Some servers send an object instead of a string. */
function readInputText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isJsonEntry(entry: [string, unknown]): entry is [string, JsonObject[string]] {
  return isJsonValue(entry[1]);
}
