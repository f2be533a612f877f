import { jsonSchema, type LanguageModel, ToolLoopAgent } from "@parley/runtime";

/** Creates an agent with one tool. Add the tools for your task to `tools`. */
export function createAgent(model: LanguageModel): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "assistant",
    model,
    systemPrompt: "Respond in one sentence. Use the tools for facts.",
    tools: [{
      name: "weekday",
      description: "Returns the day of the week of a date",
      inputSchema: jsonSchema<{ date: string }>({
        type: "object",
        properties: { date: { type: "string", description: "A date, such as 2026-07-28" } },
        required: ["date"],
      }),
      execute: ({ date }) =>
        new Date(date).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
    }],
  });
}
