/**
 * A model request as the AI SDK's models take it, in the versions 2, 3 and 4 of their interface.
 *
 * @see https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 * @module
 */

import { isRecord } from "../shared/json.ts";
import type {
  FileData,
  FilePart,
  GenerationOptions,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolDefinition,
  ToolResult,
  ToolResultOutput,
} from "../shared/model.ts";
import { toBase64 } from "./base64.ts";
import { type WireObject, withoutAbsent } from "./response_fields.ts";
import { toWireName, wireNamesOf } from "./tool_names.ts";

/** The versions of the model interface that are understood. */
export const AI_SDK_VERSIONS = ["v2", "v3", "v4"] as const;

/** One of the versions. */
export type AiSdkVersion = typeof AI_SDK_VERSIONS[number];

/** Under which provider name a reasoning part keeps a part that has no form of its own here, to go back as it came. */
export const AI_SDK = "aiSdk";

type Part = TextPart | ReasoningPart | FilePart | ToolCall | ToolResult;

/** Tools as the AI SDK has them. */
interface WireTools {
  readonly definitions: readonly WireObject[];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Translates requests for one model. What has been translated once is remembered for as long as its message lives, so that
 * a growing conversation costs only its new messages; most of them are passed on as they are.
 */
export class AiSdkRequests {
  readonly #version: AiSdkVersion;
  readonly #messages = new WeakMap<ModelMessage, object>();
  readonly #tools = new WeakMap<readonly ToolDefinition[], WireTools>();

  /** Begins without memories. */
  constructor(version: AiSdkVersion) {
    this.#version = version;
  }

  /** The options of a call. */
  toOptions({ messages, tools, options, signal }: ModelRequest): WireObject {
    const { toolChoice, reasoning, ...settings } = options;
    return withoutAbsent({
      ...settings,
      prompt: messages.map((message) => this.#toMessage(message)),
      ...tools.length === 0 ? {} : {
        tools: this.#toTools(tools).definitions,
        toolChoice: toToolChoice(toolChoice),
      },
      reasoning: this.#version === "v4" ? reasoning : undefined,
      abortSignal: signal,
    });
  }

  /** The tools' own names, where the wire has another. */
  namesOf(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
    return this.#toTools(tools).names;
  }

  /** What the model's version does not know of these settings. */
  unknownSettings({ reasoning }: GenerationOptions): string[] {
    if (reasoning === undefined || this.#version === "v4") return [];
    return ["not sent, because the model's interface does not know it: reasoning"];
  }

  #toTools(tools: readonly ToolDefinition[]): WireTools {
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const definitions = tools.map(({ name, description, inputSchema }) =>
      withoutAbsent({ type: "function", name: toWireName(name), description, inputSchema })
    );
    const translated = { definitions, names: wireNamesOf(tools) };
    this.#tools.set(tools, translated);
    return translated;
  }

  #toMessage(message: ModelMessage): object {
    const known = this.#messages.get(message);
    if (known !== undefined) return known;
    const translated = this.#translate(message);
    this.#messages.set(message, translated);
    return translated;
  }

  #translate(message: ModelMessage): object {
    if (message.role === "system") return message;
    const parts: readonly Part[] = message.content;
    const content = parts.map((part) => this.#toPart(part));
    return content.every((part, index) => part === parts[index])
      ? message
      : { ...message, content };
  }

  #toPart(part: Part): object {
    switch (part.type) {
      case "text":
        return part;
      case "reasoning":
        return restore(part) ?? part;
      case "file":
        return this.#version === "v4" ? part : { ...part, data: untag(part.data) };
      case "tool-call":
        return toCall(part);
      case "tool-result":
        return this.#toResult(part);
      default:
        return part satisfies never;
    }
  }

  #toResult(part: ToolResult): object {
    const output = this.#toOutput(part.output);
    const toolName = toWireName(part.toolName);
    const isSame = output === part.output && toolName === part.toolName;
    return isSame ? part : { ...part, toolName, output };
  }

  #toOutput(output: ToolResultOutput): object {
    if (this.#version === "v4") return output;
    if (output.type === "content") {
      return { type: "content", value: output.value.map((part) => this.#toOutputPart(part)) };
    }
    if (output.type !== "execution-denied" || this.#version !== "v2") return output;
    return { type: "error-text", value: output.reason ?? "The call was not approved" };
  }

  #toOutputPart(part: TextPart | FilePart): object {
    if (part.type === "text") return part;
    const { data, mediaType } = part;
    if (this.#version === "v2") {
      return data.type === "data"
        ? { type: "media", data: toBase64(data.data), mediaType }
        : { type: "text", text: data.url.href };
    }
    return data.type === "data"
      ? { type: "file-data", data: toBase64(data.data), mediaType }
      : { type: "file-url", url: data.url.href, mediaType };
  }
}

function toToolChoice(choice: GenerationOptions["toolChoice"] = "auto"): WireObject {
  return typeof choice === "string"
    ? { type: choice }
    : { type: "tool", toolName: toWireName(choice.toolName) };
}

/** Input that is no JSON is shown to the model as it wrote it. */
function toCall(part: ToolCall): object {
  const toolName = toWireName(part.toolName);
  if (part.rawInput !== undefined) return { ...part, toolName, input: { rawInput: part.rawInput } };
  return toolName === part.toolName ? part : { ...part, toolName };
}

function restore({ providerOptions }: ReasoningPart): object | undefined {
  const part = providerOptions?.[AI_SDK]?.part;
  return isRecord(part) ? part : undefined;
}

/** Before version 4 the data stands there bare. */
function untag(data: FileData): unknown {
  return data.type === "url" ? data.url : data.data;
}
