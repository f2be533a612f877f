/**
 * `model` operations and `agent.run`, implemented with the model adapters of `@parley/runtime`.
 *
 * @module
 */

import {
  type AssistantMessage,
  type GenerationOptions,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ToolDefinition,
  ToolLoopAgent,
  type ToolMessage,
  type UserMessage,
} from "@parley/runtime";
import {
  anthropicMessages,
  googleGenerateContent,
  openAiChat,
  openAiResponses,
} from "@parley/runtime/models";
import type { LibraryPart } from "./assemble_program.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type OpCall,
  textOf,
  Unsupported,
} from "./operation.ts";

/** Operations and features of the driver for adapters of model providers. */
export const MODEL_PART: LibraryPart = {
  ops: {
    "model.open": ({ args, handles }) => ({ handle: handles.add(openModel(args)) }),
    "model.generate": async (call) => {
      const { model, request } = toRequest(call);
      const response = await model.generate(request).catch(throwModelError);
      return describe(response, request);
    },
    "model.stream": async (call) => {
      const { model, request } = toRequest(call);
      return await readStream(model, request).catch(throwModelError);
    },
    "agent.run": runAgent,
  },
  features: { "agent.stream": true, "model.retryable": true, "model.retryAfterMs": true },
};

function openModel(args: Fields): LanguageModel {
  const options = {
    model: textOf(args, "model"),
    apiKey: textOf(args, "apiKey"),
    baseUrl: textOf(args, "baseUrl"),
  };
  switch (args.api) {
    case "openai-chat":
      return openAiChat(options);
    case "openai-responses":
      return openAiResponses(options);
    case "anthropic":
      // The adapter appends the version to the base URL.
      return anthropicMessages({ ...options, baseUrl: options.baseUrl.replace(/\/v1$/, "") });
    case "gemini":
      return googleGenerateContent(options);
    default:
      throw new Unsupported(`no adapter for the API ${JSON.stringify(args.api)}`);
  }
}

function toRequest({ on, args, signal }: OpCall): {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
} {
  const { continues, messages = [], results, tools = [] } = args;
  if (!Array.isArray(messages)) throw new BadArgs('"messages" must be an array');
  // The value is the conversation that an earlier operation returned.
  const earlier = (continues ?? []) as readonly ModelMessage[];
  const request = {
    messages: [
      ...earlier,
      ...Array.isArray(results) ? [toResults(results, earlier)] : [],
      ...messages.filter(isFields).map(toMessage),
    ],
    tools: tools as readonly ToolDefinition[],
    options: toOptions(args),
    signal,
  };
  // The object was created by `model.open`.
  return { model: on as LanguageModel, request };
}

function toOptions(args: Fields): GenerationOptions {
  const { toolChoice } = args;
  const choice = isFields(toolChoice) ? { toolName: textOf(toolChoice, "tool") } : toolChoice;
  // The case contains only settings that the library has.
  return {
    ...fieldsOf(args, "options"),
    ...(choice === undefined ? {} : { toolChoice: choice }),
  } as GenerationOptions;
}

function toMessage(message: Fields): ModelMessage {
  const { role, content = [{ type: "text", text: message.text }] } = message;
  if (role === "system") return { role, content: textOf(message, "text") };
  if (!Array.isArray(content)) throw new BadArgs('"content" must be an array');
  const parts = content.filter(isFields).map(toUserPart);
  if (role === "user") return { role, content: parts };
  return { role: "assistant", content: parts };
}

function toUserPart(part: Fields): UserMessage["content"][number] {
  if (part.type === "text") return { type: "text", text: textOf(part, "text") };
  const data = { type: "data" as const, data: textOf(part, "base64") };
  return { type: "file", mediaType: textOf(part, "mediaType"), data };
}

function toResults(results: readonly unknown[], earlier: readonly ModelMessage[]): ToolMessage {
  const calls = callsOf(earlier.at(-1));
  return {
    role: "tool",
    content: results.filter(isFields).map(({ id, text, isError = false }) => ({
      type: "tool-result",
      toolCallId: String(id),
      toolName: calls.find((call) => call.toolCallId === id)?.toolName ?? "",
      output: { type: isError === true ? "error-text" : "text", value: String(text) },
      isError: isError === true,
      durationMs: 0,
    })),
  };
}

function callsOf(message: ModelMessage | undefined) {
  return message?.role === "assistant"
    ? message.content.filter((part) => part.type === "tool-call")
    : [];
}

async function readStream(model: LanguageModel, request: ModelRequest): Promise<Fields> {
  if (model.stream === undefined) throw new Unsupported("the adapter does not stream");
  let streamedText = "";
  for await (const event of model.stream(request)) {
    if (event.type === "text-delta") streamedText += event.delta;
    if (event.type === "finish") return { ...describe(event.response, request), streamedText };
  }
  throw new Error("the stream ended without a response");
}

function describe(
  { message, finishReason, rawFinishReason, usage }: ModelResponse,
  { messages }: ModelRequest,
): Fields {
  return {
    text: joinTexts(message, "text"),
    reasoning: joinTexts(message, "reasoning"),
    calls: callsOf(message).map(({ toolCallId, toolName, input, rawInput }) => ({
      id: toolCallId,
      name: toolName,
      inputText: rawInput ?? JSON.stringify(input),
    })),
    files: message.content.flatMap((part) =>
      part.type === "file" ? [{ mediaType: part.mediaType }] : []
    ),
    finish: finishReason,
    ...(rawFinishReason === undefined ? {} : { rawFinish: rawFinishReason }),
    ...(usage === undefined
      ? {}
      : { usage: { input: usage.inputTokens, output: usage.outputTokens } }),
    continued: [...messages, message],
  };
}

function joinTexts({ content }: AssistantMessage, type: "text" | "reasoning"): string {
  return content.flatMap((part) => part.type === type ? [part.text] : []).join("");
}

/** Adds `retryable` to the details of a model error, also if it is false. */
function throwModelError(error: unknown): never {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "model_error") throw error;
  const { code } = error;
  const details = "details" in error && isFields(error.details) ? error.details : {};
  const retryable = "retryable" in error && error.retryable === true;
  const advice = "retryAfterMs" in error ? { retryAfterMs: error.retryAfterMs } : {};
  throw Object.assign(new Error(error.message), {
    code,
    details: { ...details, retryable },
    ...advice,
  });
}

async function runAgent({ args, signal, host }: OpCall): Promise<Fields> {
  const { maxIterations, stream, system, tools = [] } = args;
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  const agent = new ToolLoopAgent({
    name: "agent",
    model: openModel(args),
    ...(typeof system === "string" ? { systemPrompt: system } : {}),
    ...(maxIterations === undefined ? {} : { maxIterations: Number(maxIterations) }),
    tools: tools.filter(isFields).map((tool) => ({
      name: textOf(tool, "name"),
      description: textOf(tool, "description"),
      inputSchema: jsonSchema(fieldsOf(tool, "inputSchema")),
      execute: (input: unknown, { toolCallId, signal }) =>
        host.call("tool.execute", { name: tool.name, input, toolCallId }, signal),
    })),
  });
  const onEvent = stream === true ? { onEvent: () => {} } : {};
  const { finalText } = await agent.run(textOf(args, "prompt"), { signal, ...onEvent });
  return { text: finalText };
}
