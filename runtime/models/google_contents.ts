/**
 * Converts conversations to the contents of Gemini API requests.
 *
 * @see https://ai.google.dev/api/caching#Content
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { AgentError } from "../shared/error.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import { isResultFile, toFilePart } from "./google_files.ts";
import { geminiVersion } from "./google_models.ts";
import { callerFieldsOf } from "./provider_data.ts";
import { toJsonText, type WireObject, withoutAbsent } from "./response_fields.ts";
import { GOOGLE_NAMES, toWireName } from "./tool_names.ts";
import { toResultText } from "./tool_result_text.ts";

/** Model and provider name of a request. */
export interface GoogleDialect {
  /** Id of the model. */
  readonly model: string;
  /** Key in `providerOptions` for the request fields that the caller sets. */
  readonly provider: string;
  /** Key in `providerOptions` for the data that the server has sent. */
  readonly server: string;
}

/** Key under which a part stores its thought signature. */
export const SIGNATURE = "thoughtSignature";

/** Key under which a part stores that it belongs to the reasoning. */
export const THOUGHT = "thought";

/**
 * Key under which a reasoning part stores a part of an unsupported type, so that it can be sent
 * back unchanged.
 */
export const PART = "part";

/**
 * Signature for a tool call that a model of another provider requested. It is the documented value
 * `skip_thought_signature_validator` in base64, because the field contains bytes.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const SKIP_VALIDATION = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

/** Adjacent messages with the same role. */
interface Turn {
  readonly role: "user" | "model";
  readonly parts: readonly WireObject[];
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
}

/**
 * Returns the contents of a request. The API requires that the conversation begins with a turn of
 * the user, that the turns alternate, and that the turn after tool calls begins with one response
 * per call. Omits empty parts and messages, which the API rejects.
 */
export function toContents(
  messages: readonly ModelMessage[],
  dialect: GoogleDialect,
): WireObject[] {
  const turns = toTurns(messages, dialect);
  const contents: WireObject[] = [];
  for (const [index, { role, parts, calls, results }] of turns.entries()) {
    const answers = role === "user"
      ? toAnswers(turns[index - 1]?.calls ?? [], results, dialect)
      : [];
    contents.push({ role, parts: [...answers, ...parts] });
    const isLast = index === turns.length - 1;
    if (calls.length > 0 && isLast) {
      contents.push({ role: "user", parts: toAnswers(calls, [], dialect) });
    }
  }
  const isStarted = contents[0]?.role === "user";
  return isStarted ? contents : [{ role: "user", parts: [{ text: " " }] }, ...contents];
}

function toTurns(messages: readonly ModelMessage[], dialect: GoogleDialect): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const next = toTurn(message, dialect);
    if (next.parts.length + next.results.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role !== next.role) turns.push(next);
    else turns.splice(-1, 1, join(last, next));
  }
  return turns;
}

function join(a: Turn, b: Turn): Turn {
  return {
    role: a.role,
    parts: [...a.parts, ...b.parts],
    calls: [...a.calls, ...b.calls],
    results: [...a.results, ...b.results],
  };
}

function toTurn(message: Exclude<ModelMessage, SystemMessage>, dialect: GoogleDialect): Turn {
  const none = { parts: [], calls: [], results: [] };
  switch (message.role) {
    case "user": {
      const parts = message.content.flatMap((part) => toInput(part, dialect));
      return { ...none, role: "user", parts };
    }
    case "assistant":
      return {
        ...none,
        role: "model",
        parts: toModelParts(message.content, dialect),
        calls: message.content.filter((part) => part.type === "tool-call"),
      };
    case "tool":
      return { ...none, role: "user", results: message.content };
    default:
      throw AgentError.modelError(`unknown message role "${String(message satisfies never)}"`);
  }
}

function toInput(part: TextPart | FilePart, { provider }: GoogleDialect): WireObject[] {
  if (part.type === "text" && part.text === "") return [];
  const converted = part.type === "text" ? { text: part.text } : toFilePart(part);
  return [{ ...callerFieldsOf(part, provider), ...converted }];
}

/**
 * Converts the parts of an assistant message. Models since Gemini 3 reject a message whose first
 * tool call has no signature.
 */
function toModelParts(
  content: AssistantMessage["content"],
  { model, server }: GoogleDialect,
): WireObject[] {
  const parts = content.flatMap((part) => toModelPart(part, server));
  const index = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const first = parts[index];
  if (first === undefined || SIGNATURE in first || geminiVersion(model) < 3) return parts;
  return parts.with(index, { ...first, [SIGNATURE]: SKIP_VALIDATION });
}

function toModelPart(part: AssistantMessage["content"][number], server: string): WireObject[] {
  const { [SIGNATURE]: signature, [THOUGHT]: thought, [PART]: opaque } =
    part.providerOptions?.[server] ?? {};
  const own = withoutAbsent({ [THOUGHT]: thought, [SIGNATURE]: signature });
  switch (part.type) {
    case "text":
      return part.text === "" && signature === undefined ? [] : [{ text: part.text, ...own }];
    case "reasoning":
      if (isRecord(opaque)) return [opaque];
      // The reasoning of another provider's model is not sent.
      return thought === true ? [{ text: part.text, ...own }] : [];
    case "tool-call":
      return [{ functionCall: toFunctionCall(part), ...own }];
    case "file":
      return [{ ...toFilePart(part), ...own }];
    default:
      throw AgentError.modelError(`unknown part type "${String(part satisfies never)}"`);
  }
}

/** The API accepts only objects as input. Other input is wrapped, so that the model receives it. */
function toFunctionCall({ toolCallId: id, toolName, input, rawInput }: ToolCall): WireObject {
  const isObject = rawInput === undefined && isRecord(input);
  const args = isObject ? input : { rawInput: rawInput ?? input };
  return { id, name: toWireName(toolName, GOOGLE_NAMES), args };
}

/**
 * Returns the parts that respond to tool calls: one response per call, in call order, then files
 * and results without a call.
 */
function toAnswers(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
  dialect: GoogleDialect,
): WireObject[] {
  const others = [...results];
  const responses: WireObject[] = [];
  const files: WireObject[] = [];
  for (const call of calls) {
    const index = others.findIndex(({ toolCallId }) => toolCallId === call.toolCallId);
    const [result] = index === -1 ? [] : others.splice(index, 1);
    const { response, extra } = toResponse(call, result, dialect);
    responses.push({ functionResponse: response });
    files.push(...extra);
  }
  return [...responses, ...files, ...others.flatMap(toOrphan)];
}

/** Response to a tool call, and the files that the response cannot contain. */
interface CallResponse {
  readonly response: WireObject;
  readonly extra: readonly WireObject[];
}

function toResponse(
  { toolCallId: id, toolName }: ToolCall,
  result: ToolResult | undefined,
  { model, provider }: GoogleDialect,
): CallResponse {
  const name = toWireName(toolName, GOOGLE_NAMES);
  if (result === undefined) {
    const error = "The call has no result.";
    return { response: { id, name, response: { error } }, extra: [] };
  }
  const files = filesOf(result).map(toFilePart);
  const inside = geminiVersion(model) < 3 ? [] : files.filter(isResultFile);
  const outside = files.filter((file) => file.text === undefined && !inside.includes(file));
  const texts = files.flatMap(({ text }) => typeof text === "string" ? [text] : []);
  const response = {
    ...callerFieldsOf(result, provider),
    id,
    name,
    response: { [result.isError ? "error" : "output"]: toOutput(result, texts) },
    ...inside.length === 0 ? {} : { parts: inside },
  };
  const label = { text: `Files from the result of tool call ${id}:` };
  return { response, extra: outside.length === 0 ? [] : [label, ...outside] };
}

function filesOf({ output }: ToolResult): FilePart[] {
  return output.type === "content" ? output.value.filter((part) => part.type === "file") : [];
}

function toOutput({ output }: ToolResult, fileTexts: readonly string[]): unknown {
  if (output.type === "content") {
    const texts = output.value.flatMap((part) => part.type === "text" ? [part.text] : []);
    return [...texts, ...fileTexts].join("\n");
  }
  const isJson = output.type === "json" || output.type === "error-json";
  return isJson ? output.value : toResultText(output);
}

/** Converts a result whose call is not in the conversation, for example after a compaction. */
function toOrphan(result: ToolResult): WireObject[] {
  const output = toOutput(result, []);
  const text = typeof output === "string" ? output : toJsonText(output);
  return [
    { text: `Result of an earlier call to the tool ${result.toolName}: ${text}` },
    ...filesOf(result).map(toFilePart),
  ];
}
