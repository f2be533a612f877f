/**
 * Converts model requests to versions 2, 3 and 4 of the AI SDK's model interface.
 *
 * @see https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { GenerationOptions, ProviderTool } from "../shared/generation_options.ts";
import type {
  FileData,
  FilePart,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolDefinition,
  ToolResult,
  ToolResultOutput,
} from "../shared/model.ts";
import { toBase64 } from "./file_data.ts";
import { type WireObject, withoutAbsent } from "./response_fields.ts";
import { toWireName, wireNamesOf } from "./tool_names.ts";

/** Supported versions of the model interface. */
export const AI_SDK_VERSIONS = ["v2", "v3", "v4"] as const;

/** One of the values of {@linkcode AI_SDK_VERSIONS}. */
export type AiSdkVersion = typeof AI_SDK_VERSIONS[number];

/**
 * Provider name in the options of a reasoning part that stores an AI SDK part of an unsupported
 * type. The stored part is sent back to the model unchanged.
 */
export const AI_SDK = "aiSdk";

type Part = TextPart | ReasoningPart | FilePart | ToolCall | ToolResult;

/** Tool definitions in the AI SDK's format. */
interface WireTools {
  readonly definitions: readonly WireObject[];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Converts requests for one model. Caches converted messages so that only the new messages in a
 * growing conversation are converted. Most messages are sent without conversion.
 */
export class AiSdkRequests {
  readonly #version: AiSdkVersion;
  readonly #messages = new WeakMap<ModelMessage, object>();
  readonly #tools = new WeakMap<readonly ToolDefinition[], WireTools>();

  /** Creates a converter with an empty cache. */
  constructor(version: AiSdkVersion) {
    this.#version = version;
  }

  /** Returns the options for a call. */
  toOptions({ messages, tools, options, signal }: ModelRequest): WireObject {
    const { toolChoice, reasoning, providerTools = [], ...settings } = options;
    return withoutAbsent({
      ...settings,
      prompt: messages.map((message) => this.#toMessage(message)),
      ...tools.length + providerTools.length === 0 ? {} : {
        tools: [
          ...this.#toTools(tools).definitions,
          ...providerTools.map((tool) => this.#toProviderTool(tool)),
        ],
        toolChoice: toToolChoice(toolChoice),
      },
      reasoning: this.#version === "v4" ? reasoning : undefined,
      abortSignal: signal,
    });
  }

  /** Returns a map from encoded to original tool names, for tools whose encoded name differs. */
  namesOf(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
    return this.#toTools(tools).names;
  }

  /**
   * Returns a warning for each requested setting that this version of the AI SDK model interface
   * does not support.
   */
  unknownSettings({ reasoning }: GenerationOptions): string[] {
    if (reasoning === undefined || this.#version === "v4") return [];
    return ["unsupported setting, not sent: reasoning"];
  }

  #toTools(tools: readonly ToolDefinition[]): WireTools {
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const definitions = tools.map(({ name, description, inputSchema, providerOptions }) =>
      withoutAbsent({
        type: "function",
        name: toWireName(name),
        description,
        inputSchema,
        providerOptions,
      })
    );
    const translated = { definitions, names: wireNamesOf(tools) };
    this.#tools.set(tools, translated);
    return translated;
  }

  #toProviderTool({ id, name, args }: ProviderTool): WireObject {
    return { type: this.#version === "v2" ? "provider-defined" : "provider", id, name, args };
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

/** Converts a tool call. Input that is not valid JSON is sent back to the model unchanged. */
function toCall(part: ToolCall): object {
  const toolName = toWireName(part.toolName);
  if (part.rawInput !== undefined) return { ...part, toolName, input: { rawInput: part.rawInput } };
  return toolName === part.toolName ? part : { ...part, toolName };
}

function restore({ providerOptions }: ReasoningPart): object | undefined {
  const part = providerOptions?.[AI_SDK]?.part;
  return isRecord(part) ? part : undefined;
}

/**
 * Converts file data, which versions 2 and 3 of the AI SDK model interface do not wrap in an object
 * with a type.
 */
function untag(data: FileData): unknown {
  return data.type === "url" ? data.url : data.data;
}
