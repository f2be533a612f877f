/**
 * Limits a run's cost and repeated tool calls. When a limit is reached, the model is called once
 * more, without tools, and summarizes its results so far.
 *
 *     deno run examples/budget/main.ts
 *
 * @module
 */

import {
  type AgentStopCondition,
  defineTool,
  maxCost,
  type ModelRequest,
  repeatedToolCalls,
  type TokenUsage,
  ToolLoopAgent,
} from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const USAGE: TokenUsage = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 };

/**
 * Cost in dollars, at 2 dollars per million input tokens and 10 dollars per million output tokens.
 */
function priceOf({ inputTokens, outputTokens }: TokenUsage): number {
  return inputTokens * 2e-6 + outputTokens * 10e-6;
}

const search = defineTool({
  name: "search",
  description: "Searches the web",
  inputSchema: z.object({ query: z.string() }),
  execute: ({ query }) => `Nothing found for "${query}"`,
});

/** Creates a model that searches as long as it has a tool. */
function createModel(queryOf: (turn: number) => string) {
  const turn = ({ messages, tools }: ModelRequest) => {
    const query = queryOf(messages.filter(({ role }) => role === "tool").length);
    return tools.length === 0
      ? { text: "I found nothing about the inventor.", usage: USAGE }
      : { calls: [{ toolName: "search", input: { query } }], usage: USAGE };
  };
  return scriptedModel(Array.from({ length: 20 }, () => turn));
}

async function research(limit: AgentStopCondition, queryOf: (turn: number) => string) {
  await using agent = new ToolLoopAgent({
    name: "researcher",
    model: createModel(queryOf),
    tools: [search],
    stopConditions: [{ ...limit, finalize: true }],
    // Limits runs that no stop condition ends.
    maxIterations: 20,
  });
  const { finalText, iterations, stopReason, totalUsage } = await agent.run("Who invented tea?");
  console.log(`${limit.name}: ${stopReason} after ${iterations.length} model calls`);
  console.log(`  ${priceOf(totalUsage).toFixed(3)} dollars: ${finalText}`);
}

// A model that sends a new query each time is stopped at 1 cent. The final model call exceeds the
// limit of 1 cent.
await research(maxCost(0.01, priceOf), (turn) => `tea, page ${turn}`);
// A model that repeats its query is stopped after 3 identical tool calls.
await research(repeatedToolCalls(3), () => "tea");
