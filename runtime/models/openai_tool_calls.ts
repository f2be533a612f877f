/**
 * Assembles tool calls from the chunks of a streamed OpenAI Chat Completions response. Servers
 * differ in how they identify the tool call to which a chunk belongs.
 *
 * @module
 */

import { isJsonValue, type JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { ModelDelta, ToolCall } from "../shared/model.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import { CALL_FIELDS } from "./openai_request.ts";
import type { WireTools } from "./wire_tools.ts";
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
  extras: JsonObject;
  name: string;
  input: string;
  /** The piece of the input that was added last. */
  lastInput: string;
}

/**
 * Tool call fields that are converted. All other fields of a tool call are stored so that they can
 * be sent back.
 */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function", "index"]);

/** Assembles the tool calls in one response. */
export class ToolCallBuilder {
  readonly #server: string;
  readonly #tools: WireTools;
  readonly #toolCalls: PartialToolCall[] = [];
  readonly #byIndex = new Map<number, PartialToolCall>();
  readonly #byId = new Map<string, PartialToolCall>();

  /**
   * Creates a builder that contains no tool calls yet.
   *
   * @param server Key in `providerOptions` for the data that the server sends.
   * @param tools The tools of the request.
   */
  constructor(server: string, tools: WireTools) {
    this.#server = server;
    this.#tools = tools;
  }

  /** Number of tool calls so far. */
  get size(): number {
    return this.#toolCalls.length;
  }

  /**
   * Adds the tool calls in a chunk. Returns the deltas of the tool calls' inputs.
   *
   * @throws {AgentError} With code `model_error` if the tool calls are malformed.
   */
  add(delta: WireObject): ModelDelta[] {
    return piecesOf(delta).flatMap((piece) => this.#addPiece(piece));
  }

  /**
   * Adds the tool calls in a whole message. A call that was added in pieces before is repeated in
   * the message, without its id or with another id, and must not be executed twice.
   *
   * @throws {AgentError} With code `model_error` if the tool calls are malformed.
   */
  addMessage(message: WireObject): ModelDelta[] {
    const others = new Set(this.#toolCalls);
    return piecesOf(message).flatMap((piece) => {
      const earlier = [...others].find((call) => call.wireId === (readText(piece.id) ?? "")) ??
        [...others].find((call) => isRepeated(call, piece));
      if (earlier === undefined) return this.#addPiece(piece);
      others.delete(earlier);
      return this.#addRest(earlier, piece);
    });
  }

  /**
   * Returns the tool calls added so far.
   *
   * @throws {AgentError} With code `model_error` if a tool call has no name.
   */
  finish(): ToolCall[] {
    return this.#toolCalls.map((call) => {
      const { id, name, extras } = call;
      if (name === "") throw malformed("a tool call has no name");
      const toolName = this.#tools.nameOf(name);
      const read = readInput(call);
      return {
        type: "tool-call",
        toolCallId: id,
        toolName,
        ...read,
        input: this.#tools.inputOf(toolName, read.input),
        ...Object.keys(extras).length === 0
          ? {}
          : { providerOptions: { [this.#server]: { [CALL_FIELDS]: extras } } },
      };
    });
  }

  #addPiece(piece: WireObject): ModelDelta[] {
    const { name, input } = readPiece(piece);
    const call = this.#find(piece, { name, delta: input }) ?? this.#begin(piece);
    // Some servers repeat the whole input in the last chunk.
    const delta = isComplete(call) && isSame(call.input, input) ? "" : input;
    return this.#addTo(call, { ...piece, function: { name, arguments: delta } });
  }

  /** Adds the data of a repeated call that is missing so far. */
  #addRest(call: PartialToolCall, piece: WireObject): ModelDelta[] {
    const { name, input } = readPiece(piece);
    const isLonger = !isComplete(call) && input.startsWith(call.input);
    const rest = isLonger ? input.slice(call.input.length) : "";
    return this.#addTo(call, {
      ...piece,
      function: { name: call.name === "" ? name : undefined, arguments: rest },
    });
  }

  #addTo(call: PartialToolCall, piece: WireObject): ModelDelta[] {
    const { name, input: delta } = readPiece(piece);
    call.extras = mergeFields(call.extras, extrasOf(piece));
    const isNamed = call.name !== "";
    if (name !== undefined && (!isNamed || call.input === "")) {
      call.name = joinName(call.name, name);
    }
    call.input += delta;
    if (delta !== "") call.lastInput = delta;
    // The name may follow the input.
    const added = isNamed ? delta : call.input;
    if (call.name === "" || added === "") return [];
    const toolName = this.#tools.nameOf(call.name);
    return [{ type: "tool-input-delta", toolCallId: call.id, toolName, delta: added }];
  }

  #begin(piece: WireObject): PartialToolCall {
    const wireId = readText(piece.id);
    const index = readIndex(piece);
    const call: PartialToolCall = {
      id: wireId ?? `call_${this.#toolCalls.length}`,
      wireId,
      extras: {},
      name: "",
      input: "",
      lastInput: "",
    };
    this.#toolCalls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    if (wireId !== undefined) this.#byId.set(wireId, call);
    return call;
  }

  /**
   * Returns the tool call that a chunk continues, or `undefined` if the chunk starts a new call.
   */
  #find(
    piece: WireObject,
    { name, delta }: { readonly name: string | undefined; readonly delta: string },
  ): PartialToolCall | undefined {
    const id = readText(piece.id);
    const index = readIndex(piece);
    if (index !== undefined) {
      const last = this.#byIndex.get(index);
      if (name === undefined || last === undefined) return last;
      // Some servers use index 0 for all calls, and others use a new id in each chunk. Therefore, a
      // chunk with a name starts a new call only if it has a new id, or no id and the input of the
      // last call is complete.
      const isOther = id === undefined
        ? last.name !== "" && isComplete(last) && (delta !== "" || name !== last.name)
        : last.wireId !== undefined && last.wireId !== id;
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

/** Returns the calls, or the pieces of calls, in a message or a chunk. */
function piecesOf({ tool_calls, function_call }: WireObject): readonly WireObject[] {
  const pieces = expectList(tool_calls, '"tool_calls"').filter((piece) => piece !== null)
    .map((piece) => expectRecord(piece, "a tool call"));
  // `function_call` is deprecated, but some servers still send it, also as an empty placeholder.
  const isOld = pieces.length === 0 && isRecord(function_call) && isCall(function_call);
  return isOld ? [{ index: 0, function: function_call }] : pieces;
}

function readPiece(
  piece: WireObject,
): { readonly name: string | undefined; readonly input: string } {
  const body = readRecord(piece.function);
  return { name: readText(body.name), input: readInputText(body.arguments) };
}

/** Returns true if a call in a message is the call that was added in pieces. */
function isRepeated(call: PartialToolCall, piece: WireObject): boolean {
  const { name, input } = readPiece(piece);
  return name === call.name && (input.startsWith(call.input) || isSame(call.input, input));
}

/** Returns true if two inputs are the same JSON value. */
function isSame(first: string, second: string): boolean {
  if (first === second) return true;
  const [one, other] = [first, second].map(readToolInput);
  return one?.rawInput === undefined && other?.rawInput === undefined &&
    JSON.stringify(one?.input) === JSON.stringify(other?.input);
}

/** Returns `false` for an object that stands for the absence of a call. */
function isCall({ name, arguments: input }: WireObject): boolean {
  return readText(name) !== undefined || readInputText(input) !== "";
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

/** Joins the pieces of a name. Some servers repeat the name, or its beginning, in each chunk. */
function joinName(first: string, second: string): string {
  return second.startsWith(first) ? second : first + second;
}

/**
 * Returns the input. If the pieces together are not valid JSON, but the last piece is, the server
 * has sent the whole input again in the last piece. Other servers send an empty input before the
 * pieces.
 */
function readInput({ input, lastInput }: PartialToolCall): ReturnType<typeof readToolInput> {
  const whole = readToolInput(input);
  if (whole.rawInput === undefined) return whole;
  const others = [lastInput, input.replace(/^\s*\{\s*\}/, "")].map(readToolInput);
  return others.find((each) => each.rawInput === undefined && isRecord(each.input)) ?? whole;
}

function extrasOf(piece: WireObject): JsonObject {
  const extras = Object.entries(piece).filter(([key]) => !KNOWN_FIELDS.has(key));
  return Object.fromEntries(extras.filter(isJsonEntry));
}

/** Merges fields that arrive in several chunks. A later value replaces an earlier one. */
export function mergeFields(first: JsonObject, second: JsonObject): JsonObject {
  const merged = Object.entries(second).filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const old = first[name];
      return [name, isRecord(old) && isRecord(value) ? mergeFields(old, value) : value] as const;
    });
  return { ...first, ...Object.fromEntries(merged) };
}

function isJsonEntry(entry: [string, unknown]): entry is [string, JsonObject[string]] {
  return isJsonValue(entry[1]);
}
