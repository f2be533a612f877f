/**
 * Limits the cost of a run, and ends a run that repeats its tool calls. When a limit is reached,
 * the model is called once more, without tools, and summarizes its results so far.
 *
 *     deno run examples/budget/main.ts
 *
 * @module
 */

import {
  type AgentConfig,
  costOf,
  defineTool,
  type ModelRequest,
  type PriceTable,
  repeatedToolCalls,
  type TokenUsage,
  ToolLoopAgent,
} from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const USAGE: TokenUsage = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 };

/** Prices in dollars per million tokens. */
const PRICES: PriceTable = { "*": { input: 2, output: 10 } };

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

async function research(limits: Partial<AgentConfig>, queryOf: (turn: number) => string) {
  await using agent = new ToolLoopAgent({
    name: "researcher",
    model: createModel(queryOf),
    tools: [search],
    ...limits,
    // Limits runs that no other limit ends.
    maxIterations: 20,
  });
  const output = await agent.run("Who invented tea?");
  const { finalText, iterations, stopConditionName, stopReason, usageByModel } = output;
  console.log(`${stopConditionName}: ${stopReason} after ${iterations.length} model calls`);
  console.log(`  ${costOf(usageByModel, PRICES).toFixed(3)} dollars: ${finalText}`);
}

// A model that sends a new query each time is stopped at 1 cent. The final model call exceeds the
// limit of 1 cent.
const budget = { maxCost: 0.01, prices: PRICES };
await research({ budget, onBudgetExceeded: "finalize" }, (turn) => `tea, page ${turn}`);
// A model that repeats its query is stopped after 3 identical tool calls.
const repeated = { ...repeatedToolCalls(3), finalize: true };
await research({ stopConditions: [repeated] }, () => "tea");
