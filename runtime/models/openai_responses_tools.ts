/**
 * Converts tool definitions and the tool choice to fields of OpenAI Responses API requests.
 *
 * @see https://platform.openai.com/docs/guides/function-calling
 * @module
 */

import type { GenerationOptions, ProviderTool } from "../shared/generation_options.ts";
import { type WireObject, withoutAbsent } from "./response_fields.ts";
import { toProviderType, toWireName } from "./tool_names.ts";
import type { WireTool, WireTools } from "./wire_tools.ts";

/**
 * Returns the fields for the registered tools, the provider-executed tools, and the tools in
 * `providerOptions`.
 *
 * @param tools Registered tools.
 * @param options Settings of the call.
 * @param own Additional request fields of the call.
 */
export function toToolFields(
  { definitions }: WireTools,
  { toolChoice, providerTools = [] }: GenerationOptions,
  own: WireObject,
): WireObject {
  const others = Array.isArray(own.tools) ? own.tools : [];
  const all = [...definitions.map(toFunction), ...providerTools.map(toHostedTool), ...others];
  if (all.length === 0) return {};
  return withoutAbsent({
    tools: all,
    tool_choice: typeof toolChoice === "object"
      ? toNamedChoice(toolChoice.toolName, providerTools)
      : toolChoice ?? own.tool_choice,
  });
}

/**
 * Converts a tool definition. `strict` is always sent, because the API otherwise rewrites the
 * schema and makes optional properties required.
 */
function toFunction({ name, description, inputSchema, options }: WireTool): WireObject {
  return withoutAbsent({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: false,
    ...options,
  });
}

function toHostedTool({ id, args }: ProviderTool): WireObject {
  return { ...args, type: toProviderType(id) };
}

function toNamedChoice(toolName: string, providerTools: readonly ProviderTool[]): WireObject {
  const hosted = providerTools.find(({ name }) => name === toolName);
  return hosted === undefined
    ? { type: "function", name: toWireName(toolName) }
    : { type: toProviderType(hosted.id) };
}
