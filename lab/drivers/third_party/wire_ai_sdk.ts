/**
 * The operation `agent.run` for the AI SDK: an agent with the SDK's own packages for model
 * providers.
 *
 * @module
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { type LanguageModel, tool, ToolLoopAgent } from "ai";
import {
  type Fields,
  type OpCall,
  type Operation,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import { RunEnded, toZod, type WireTool, wireTools } from "./wire_tools.ts";

/** The operation of this module. */
export const WIRE_OPS: Readonly<Record<string, Operation>> = { "agent.run": runAiSdkOnWire };

/** Features of the operation. */
export const WIRE_FEATURES: Readonly<Record<string, boolean>> = { "agent.stream": true };

async function runAiSdkOnWire({ args, signal, host }: OpCall): Promise<Fields> {
  const agent = new ToolLoopAgent({
    model: openModel(args),
    maxRetries: 0,
    tools: Object.fromEntries(wireTools(args, host).map((each) => [each.name, toTool(each)])),
  });
  const prompt = textOf(args, "prompt");
  try {
    if (args.stream !== true) {
      const { text } = await agent.generate({ prompt, abortSignal: signal });
      return { text };
    }
    const result = await agent.stream({ prompt, abortSignal: signal });
    return { text: await result.text };
  } catch (error) {
    throw new RunEnded(error);
  }
}

function toTool({ description, inputSchema, execute }: WireTool) {
  return tool({
    description,
    inputSchema: toZod(inputSchema),
    execute: (input, { toolCallId, abortSignal }) => execute(input, toolCallId, abortSignal),
  });
}

function openModel(args: Fields): LanguageModel {
  const settings = { baseURL: textOf(args, "baseUrl"), apiKey: textOf(args, "apiKey") };
  const model = textOf(args, "model");
  switch (args.api) {
    case "openai-chat":
      return createOpenAI(settings).chat(model);
    case "openai-responses":
      return createOpenAI(settings).responses(model);
    case "anthropic":
      return createAnthropic(settings)(model);
    case "gemini":
      return createGoogle(settings)(model);
    default:
      throw new Unsupported(`no package for the API ${JSON.stringify(args.api)}`);
  }
}
