/**
 * Driver for the AI SDK's packages for model providers.
 *
 *     deno run -A --config lab/drivers/third_party/deno.json lab/drivers/third_party/model_ai_sdk.ts
 *
 * The driver calls the packages through the model interface of the AI SDK, which does not repeat
 * failed calls.
 *
 * @module
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, type LanguageModel } from "ai";
import { serveDriver } from "../../../conformance/drivers/typescript/serve_driver.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type Handles,
  isFields,
  type OpCall,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import workspace from "./deno.json" with { type: "json" };

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type Request = Parameters<Model["doGenerate"]>[0];
type Message = Request["prompt"][number];
type Response = Awaited<ReturnType<Model["doGenerate"]>>;
type Content = Response["content"][number];
type StreamPart = Awaited<ReturnType<Model["doStream"]>>["stream"] extends
  ReadableStream<infer Part> ? Part : never;

/** The parts of a response that the next request contains. */
type AssistantContent = Extract<Message, { readonly role: "assistant" }>["content"];

const OPS = {
  "model.open": ({ args, handles }: OpCall) => ({ handle: handles.add(openModel(args)) }),
  "model.generate": async (call: OpCall) => {
    const { model, request } = toRequest(call);
    const response = await model.doGenerate(request);
    return describe(response, request.prompt, call.handles);
  },
  "model.stream": async (call: OpCall) => {
    const { model, request } = toRequest(call);
    const { stream } = await model.doStream(request);
    const { response, streamedText } = await collect(stream);
    return { ...describe(response, request.prompt, call.handles), streamedText };
  },
};

function openModel(args: Fields): Model {
  const settings = { baseURL: textOf(args, "baseUrl"), apiKey: textOf(args, "apiKey") };
  const name = textOf(args, "model");
  switch (args.api) {
    case "openai-chat":
      return createOpenAI(settings).chat(name);
    case "openai-responses":
      return createOpenAI(settings).responses(name);
    case "anthropic":
      return createAnthropic(settings)(name);
    case "gemini":
      return createGoogle(settings)(name);
    default:
      throw new Unsupported(`no package for the API ${JSON.stringify(args.api)}`);
  }
}

function toRequest({ on, args, handles, signal }: OpCall): {
  readonly model: Model;
  readonly request: Request;
} {
  const { continues, messages = [], results, toolChoice, tools = [] } = args;
  if (!Array.isArray(messages) || !Array.isArray(tools)) {
    throw new BadArgs('"messages" and "tools" must be arrays');
  }
  // The handle was created by an earlier call.
  const earlier = (continues === undefined ? [] : handles.get(continues)) as readonly Message[];
  const prompt: Message[] = [
    ...earlier,
    ...(Array.isArray(results) ? [toResults(results, earlier)] : []),
    ...messages.filter(isFields).map(toMessage),
  ];
  const definitions = tools.filter(isFields).map((each) => ({
    type: "function" as const,
    name: textOf(each, "name"),
    description: textOf(each, "description"),
    inputSchema: fieldsOf(each, "inputSchema"),
  }));
  const choice = toChoice(toolChoice);
  return {
    // The object was created by `model.open`.
    model: on as Model,
    request: {
      // The settings have the same names as in the AI SDK.
      ...fieldsOf(args, "options"),
      prompt,
      abortSignal: signal,
      ...(definitions.length === 0 ? {} : { tools: definitions }),
      ...(choice === undefined ? {} : { toolChoice: choice }),
      // Applications on a server that store no data at the provider set this option.
      providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    },
  };
}

function toChoice(choice: unknown): Request["toolChoice"] {
  if (isFields(choice)) return { type: "tool", toolName: textOf(choice, "tool") };
  return choice === "auto" || choice === "none" || choice === "required"
    ? { type: choice }
    : undefined;
}

function toMessage(message: Fields): Message {
  const { role, content = [{ type: "text", text: message.text }] } = message;
  if (role === "system") return { role, content: textOf(message, "text") };
  if (!Array.isArray(content)) throw new BadArgs('"content" must be an array');
  const parts = content.filter(isFields).map((part) =>
    part.type === "text" ? { type: "text" as const, text: textOf(part, "text") } : {
      type: "file" as const,
      mediaType: textOf(part, "mediaType"),
      data: { type: "data" as const, data: textOf(part, "base64") },
    }
  );
  return role === "user" ? { role, content: parts } : { role: "assistant", content: parts };
}

function toResults(results: readonly unknown[], earlier: readonly Message[]): Message {
  const last = earlier.at(-1);
  const calls = last?.role === "assistant"
    ? last.content.filter((part) => part.type === "tool-call")
    : [];
  return {
    role: "tool",
    content: results.filter(isFields).map(({ id, text, isError }) => ({
      type: "tool-result",
      toolCallId: String(id),
      toolName: calls.find((call) => call.toolCallId === id)?.toolName ?? "",
      output: { type: isError === true ? "error-text" : "text", value: String(text) },
    })),
  };
}

/** Reads a stream as the AI SDK does: an error part fails the call. */
async function collect(
  stream: ReadableStream<StreamPart>,
): Promise<
  {
    readonly response: Pick<Response, "content" | "finishReason" | "usage">;
    readonly streamedText: string;
  }
> {
  const texts = new Map<string, { type: "text" | "reasoning"; text: string }>();
  const content: Content[] = [];
  let streamedText = "";
  let end: Extract<StreamPart, { readonly type: "finish" }> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" as const : "reasoning" as const;
        const metadata = part.providerMetadata;
        const item = { type, text: "", ...(metadata && { providerMetadata: metadata }) };
        texts.set(`${type} ${part.id}`, item);
        content.push(item);
        break;
      }
      case "text-delta":
      case "reasoning-delta":
      case "text-end":
      case "reasoning-end": {
        const item = texts.get(`${part.type.split("-")[0]} ${part.id}`);
        if (item === undefined) break;
        if ("delta" in part) item.text += part.delta;
        if (part.type === "text-delta") streamedText += part.delta;
        if (part.providerMetadata) Object.assign(item, { providerMetadata: part.providerMetadata });
        break;
      }
      case "tool-call":
        content.push(part);
        break;
      case "error":
        throw part.error;
      case "finish":
        end = part;
        break;
    }
  }
  if (end === undefined) throw new Error("the stream ended without a finish part");
  const { finishReason, usage } = end;
  return { response: { content, finishReason, usage }, streamedText };
}

function describe(
  { content, finishReason, usage }: Pick<Response, "content" | "finishReason" | "usage">,
  prompt: readonly Message[],
  handles: Handles,
): Fields {
  const input = usage.inputTokens.total;
  const output = usage.outputTokens.total;
  const message: Message = { role: "assistant", content: content.flatMap(toSentBack) };
  return {
    text: joinTexts(content, "text"),
    reasoning: joinTexts(content, "reasoning"),
    calls: content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, name: part.toolName, inputText: part.input }]
        : []
    ),
    finish: finishReason.unified,
    ...(finishReason.raw === undefined ? {} : { rawFinish: finishReason.raw }),
    ...(input === undefined || output === undefined ? {} : { usage: { input, output } }),
    continued: handles.add([...prompt, message]),
  };
}

function joinTexts(content: readonly Content[], type: "text" | "reasoning"): string {
  return content.flatMap((part) => part.type === type ? [part.text] : []).join("");
}

/** Returns a part as the AI SDK adds it to the messages of the next call. */
function toSentBack(part: Content): AssistantContent {
  const options = "providerMetadata" in part && part.providerMetadata !== undefined
    ? { providerOptions: part.providerMetadata }
    : {};
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text, ...options }];
    case "tool-call": {
      const { toolCallId, toolName } = part;
      return [{
        type: "tool-call",
        toolCallId,
        toolName,
        input: readInput(part.input),
        ...options,
      }];
    }
    default:
      return [];
  }
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    // The AI SDK sends invalid input back as text.
    return text;
  }
}

function toErrorOutcome(error: unknown): Fields {
  const message = error instanceof Error ? error.message : JSON.stringify(error);
  if (error instanceof BadArgs) return { fault: { message } };
  if (!APICallError.isInstance(error)) return { error: { code: "model_error", message } };
  const { isRetryable: retryable, statusCode: status } = error;
  const data = { retryable, ...(status === undefined ? {} : { status }) };
  return { error: { code: "model_error", message, data } };
}

if (import.meta.main) {
  const [, version = ""] = /^npm:@ai-sdk\/openai@(.+)$/.exec(workspace.imports["@ai-sdk/openai"]) ??
    [];
  await serveDriver({
    implementation: { name: "ai-sdk-providers", version, language: "typescript" },
    ops: OPS,
    features: { "model.retryable": true },
    toErrorOutcome,
  });
}
