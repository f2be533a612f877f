/**
 * Converts model requests to Gemini API requests.
 *
 * @see https://ai.google.dev/api/generate-content
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { ModelMessage, ModelRequest } from "../shared/model.ts";
import { type GoogleDialect, toContents } from "./google_contents.ts";
import { canReason, toThinkingConfig } from "./google_models.ts";
import { readRecord, readText, type WireObject, withoutAbsent } from "./response_fields.ts";
import { GOOGLE_NAMES, toProviderType, toWireName } from "./tool_names.ts";
import type { WireTool, WireTools } from "./wire_tools.ts";

/**
 * Returns the request body.
 *
 * @param request Conversation, tools and settings.
 * @param tools The tools of the request.
 * @param dialect Model and provider name.
 * @throws {AgentError} With code `model_error` if the request is not serializable as JSON.
 */
export function toGoogleBody(
  request: ModelRequest,
  tools: WireTools,
  dialect: GoogleDialect,
): WireObject {
  const { messages, options } = request;
  const own = ownFieldsOf(options, dialect);
  return {
    ...own,
    contents: toContents(messages, dialect),
    ...notEmpty("generationConfig", toGenerationConfig(options, own, dialect)),
    ...isCached(own) ? {} : { ...toSystem(messages), ...toToolFields(tools, options, own) },
  };
}

/** Returns a warning for each part of a request that is not sent. */
export function unsentSettings(
  { messages, options }: ModelRequest,
  tools: WireTools,
  dialect: GoogleDialect,
): string[] {
  const hasReasoning = options.reasoning !== undefined && options.reasoning !== "none";
  const warnings = hasReasoning && !canReason(dialect.model)
    ? [...tools.warnings, "unsupported setting, not sent: reasoning"]
    : [...tools.warnings];
  const fields = { ...toSystem(messages), ...toToolFields(tools, options, {}) };
  return !isCached(ownFieldsOf(options, dialect))
    ? warnings
    : [...warnings, ...Object.keys(fields).map((name) => `not sent with cachedContent: ${name}`)];
}

function ownFieldsOf(
  { providerOptions }: GenerationOptions,
  { provider }: GoogleDialect,
): JsonObject {
  return providerOptions?.[provider] ?? {};
}

/**
 * Returns true if the request refers to cached content, which includes the system instruction and
 * the tools. The API rejects a request that contains both.
 *
 * @see https://ai.google.dev/gemini-api/docs/caching
 */
function isCached({ cachedContent }: JsonObject): boolean {
  return readText(cachedContent) !== undefined;
}

function toSystem(messages: readonly ModelMessage[]): WireObject {
  const parts = messages.flatMap((message) =>
    message.role === "system" && message.content.trim() !== "" ? [{ text: message.content }] : []
  );
  return parts.length === 0 ? {} : { systemInstruction: { parts } };
}

function toGenerationConfig(
  options: GenerationOptions,
  own: JsonObject,
  { model }: GoogleDialect,
): WireObject {
  const { reasoning, responseFormat } = options;
  const isJson = responseFormat?.type === "json";
  const config = withoutAbsent({
    temperature: options.temperature,
    topP: options.topP,
    topK: options.topK,
    maxOutputTokens: options.maxOutputTokens,
    stopSequences: options.stopSequences,
    seed: options.seed,
    presencePenalty: options.presencePenalty,
    frequencyPenalty: options.frequencyPenalty,
    thinkingConfig: reasoning !== undefined && canReason(model)
      ? toThinkingConfig(reasoning, model)
      : undefined,
    responseMimeType: isJson ? "application/json" : undefined,
    // Unlike `responseSchema`, the field accepts JSON Schema.
    responseJsonSchema: isJson ? responseFormat.schema : undefined,
  });
  return { ...config, ...readRecord(own.generationConfig) };
}

/**
 * Returns the fields for the registered tools, the provider-executed tools, and the tools in
 * `providerOptions`.
 */
function toToolFields(
  { definitions }: WireTools,
  { toolChoice, providerTools = [] }: GenerationOptions,
  own: JsonObject,
): WireObject {
  const hasTools = definitions.length > 0;
  const all = [
    ...hasTools ? [{ functionDeclarations: definitions.map(toDeclaration) }] : [],
    ...providerTools.map(({ id, args }) => ({ [toProviderType(id)]: args })),
    ...Array.isArray(own.tools) ? own.tools : [],
  ];
  // The API rejects a mode in a request without functions.
  const calling = toolChoice === undefined || !hasTools ? {} : toCallingConfig(toolChoice);
  const toolConfig = {
    ...notEmpty("functionCallingConfig", calling),
    ...readRecord(own.toolConfig),
  };
  return {
    ...all.length === 0 ? {} : { tools: all },
    ...notEmpty("toolConfig", toolConfig),
  };
}

function toDeclaration({ name, description, inputSchema, options }: WireTool): WireObject {
  // Unlike `parameters`, the field accepts JSON Schema.
  const fields = { name, description, parametersJsonSchema: inputSchema };
  return withoutAbsent({ ...options, ...fields });
}

function toCallingConfig(choice: NonNullable<GenerationOptions["toolChoice"]>): WireObject {
  if (typeof choice === "object") {
    return { mode: "ANY", allowedFunctionNames: [toWireName(choice.toolName, GOOGLE_NAMES)] };
  }
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
}

function notEmpty(name: string, fields: WireObject): WireObject {
  return Object.keys(fields).length === 0 ? {} : { [name]: fields };
}
