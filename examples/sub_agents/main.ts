/**
 * A lead agent delegates to two sub-agents, which work at the same time. Each sub-agent has its own
 * instructions, and access to a subset of the tools.
 *
 *     deno run examples/sub_agents/main.ts
 *
 * @module
 */

import { asTool, defineTool, ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const flights = defineTool({
  name: "flights",
  description: "Returns the flights to a city",
  inputSchema: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  execute: ({ city }) => `${city}: 09:30, 180 euros`,
});

const hotels = defineTool({
  name: "hotels",
  description: "Returns the hotels in a city",
  inputSchema: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  execute: ({ city }) => `${city}: Hotel Fjord, 120 euros`,
});

/** Creates an agent with one tool, and returns the agent as a tool. */
function createExpert(name: string, toolName: string, answer: string) {
  return asTool({
    name,
    description: `Plans the ${toolName} of a journey`,
    systemPrompt: `Use the tool ${toolName} and recommend one option.`,
    model: scriptedModel([
      { calls: [{ toolName, input: { city: "Bergen" } }] },
      { text: answer },
    ]),
    allowedTools: [toolName],
  });
}

await using lead = new ToolLoopAgent({
  name: "lead",
  model: scriptedModel([
    {
      calls: [
        { toolName: "pilot", input: { task: "Find a flight to Bergen" } },
        { toolName: "host", input: { task: "Find a hotel in Bergen" } },
      ],
    },
    { text: "Fly at 09:30 and stay at Hotel Fjord, for 300 euros." },
  ]),
  tools: [
    createExpert("pilot", "flights", "Take the flight at 09:30."),
    createExpert("host", "hotels", "Stay at Hotel Fjord."),
  ],
});
// The tools of the sub-agents are hidden from the lead's model.
lead.registry.register(flights, { hidden: true });
lead.registry.register(hotels, { hidden: true });

const { finalText, iterations, usageByAgent = {} } = await lead.run("Plan a weekend in Bergen");
for (const { toolName, output } of iterations[0]?.toolResults ?? []) {
  console.log(`${toolName}: ${"value" in output ? output.value : output.type}`);
}
console.log(finalText);
for (const [name, { totalTokens }] of Object.entries(usageByAgent)) {
  console.log(`${name}: ${totalTokens} tokens`);
}
