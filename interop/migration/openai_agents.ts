import { Agent, type Model, Runner, tool } from "@openai/agents";
import { z } from "zod";

export async function askWeather(model: Model): Promise<string> {
  const weather = tool({
    name: "weather",
    description: "Returns the weather in a city",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => `Rain in ${city}`,
  });
  const agent = new Agent({ name: "clerk", instructions: "Be brief.", model, tools: [weather] });
  const runner = new Runner({ tracingDisabled: true });
  const { finalOutput } = await runner.run(agent, "What is the weather in Oslo?", { maxTurns: 10 });
  return finalOutput ?? "";
}
