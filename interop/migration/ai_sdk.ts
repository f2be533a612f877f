import { isStepCount, type LanguageModel, tool, ToolLoopAgent } from "ai";
import { z } from "zod";

export async function askWeather(model: LanguageModel): Promise<string> {
  const agent = new ToolLoopAgent({
    model,
    instructions: "Be brief.",
    stopWhen: isStepCount(10),
    tools: {
      weather: tool({
        description: "Returns the weather in a city",
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => `Rain in ${city}`,
      }),
    },
  });
  const { text } = await agent.generate({ prompt: "What is the weather in Oslo?" });
  return text;
}
