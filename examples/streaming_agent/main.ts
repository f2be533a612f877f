/**
 * Prints an agent's text and tool calls while the run is in progress, then the typed results of a
 * tool.
 *
 *     deno run examples/streaming_agent/main.ts
 *
 * @module
 */

import { defineTool, resultsOf, ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const TEMPERATURES: Readonly<Record<string, number>> = { Bergen: 7, Oslo: -3 };

const weather = defineTool({
  name: "weather",
  description: "Returns the temperature in a city, in degrees Celsius",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: TEMPERATURES[city] ?? null }),
});

// A scripted model needs neither an API key nor network access.
const model = scriptedModel([
  { calls: ["Oslo", "Bergen"].map((city) => ({ toolName: "weather", input: { city } })) },
  { text: "Oslo is colder than Bergen." },
]);

await using agent = new ToolLoopAgent({
  name: "clerk",
  model,
  tools: [weather],
  // The budget is one dollar, at a price of 2 dollars per million tokens.
  budget: { maxCost: 1, prices: { "*": { input: 2, output: 2 } } },
});

for await (const event of agent.stream("Is Oslo colder than Bergen?")) {
  switch (event.type) {
    case "tool_started":
      console.log(`Calls ${event.toolCall.toolName} with`, event.toolCall.input);
      break;
    case "text_delta":
      console.log(`Text: ${event.text}`);
      break;
    case "run_finished":
      console.log(resultsOf(event.output, weather).map(({ output }) => output.celsius));
  }
}
