/**
 * Measures the memory of an idle agent with one tool. Prints the kilobytes of heap per agent.
 *
 *     agent_memory.ts
 *
 * @module
 */

import { type LanguageModel, type Tool, ToolLoopAgent } from "@parley/runtime";

const AGENTS = 4000;

const model: LanguageModel = {
  modelId: "instant",
  generate: () => Promise.reject(new Error("the model is not used")),
};

function createAgent(): ToolLoopAgent {
  const tool: Tool = { name: "work", inputSchema: { type: "object" }, execute: () => "done" };
  return new ToolLoopAgent({ name: "a", model, tools: [tool] });
}

function usedBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure memory: run with --expose-gc");
  for (let count = 0; count < 4; count++) gc();
  return Deno.memoryUsage().heapUsed;
}

const agents: ToolLoopAgent[] = Array.from({ length: 100 }, createAgent);
const before = usedBytes();
while (agents.length < 100 + AGENTS) agents.push(createAgent());
console.log((usedBytes() - before) / AGENTS / 1000);
// The agents are in use until the memory is measured.
if (agents.length === 0) throw new Error("Cannot measure memory: the list of agents is empty");
