/**
 * The operation `agent.run` for the OpenAI Agents SDK: an agent with the SDK's own models.
 *
 * @module
 */

import {
  Agent,
  type Model,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import {
  type Fields,
  type OpCall,
  type Operation,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import { RunEnded, toZod, type WireTool, wireTools } from "./wire_tools.ts";

/** The operation of this module. */
export const WIRE_OPS: Readonly<Record<string, Operation>> = { "agent.run": runOpenAiAgentsOnWire };

/** Features of the operation. */
export const WIRE_FEATURES: Readonly<Record<string, boolean>> = {
  "agent.stream": true,
  "api.openai-chat": true,
  "api.openai-responses": true,
};

async function runOpenAiAgentsOnWire({ args, signal, host }: OpCall): Promise<Fields> {
  const agent = new Agent({
    name: "agent",
    instructions: "Use the tools.",
    model: openModel(args),
    tools: wireTools(args, host).map(toTool),
  });
  const runner = new Runner({ tracingDisabled: true });
  const prompt = textOf(args, "prompt");
  try {
    if (args.stream !== true) {
      const { finalOutput } = await runner.run(agent, prompt, { signal });
      return { text: finalOutput ?? "" };
    }
    const result = await runner.run(agent, prompt, { signal, stream: true });
    await result.completed;
    return { text: String(result.finalOutput ?? "") };
  } catch (error) {
    throw new RunEnded(error);
  }
}

function toTool({ name, description, inputSchema, execute }: WireTool) {
  return tool({
    name,
    description,
    parameters: toZod(inputSchema),
    execute: (input, _context, details) =>
      execute(input, details?.toolCall?.callId, details?.signal),
  });
}

function openModel(args: Fields): Model {
  const client = new OpenAI({
    baseURL: textOf(args, "baseUrl"),
    apiKey: textOf(args, "apiKey"),
    maxRetries: 0,
  });
  const model = textOf(args, "model");
  if (args.api === "openai-chat") return new OpenAIChatCompletionsModel(client, model);
  if (args.api === "openai-responses") return new OpenAIResponsesModel(client, model);
  throw new Unsupported(`no model for the API ${JSON.stringify(args.api)}`);
}
