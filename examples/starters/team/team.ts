import { asTool, jsonSchema, type LanguageModel, ToolLoopAgent } from "@parley/runtime";

/** The model of each agent. */
export interface TeamModels {
  readonly writer: LanguageModel;
  readonly checker: LanguageModel;
}

/** Creates a writer with a sub-agent: the checker, which can use only the tool `count_words`. */
export function createTeam({ writer, checker }: TeamModels): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "writer",
    model: writer,
    systemPrompt: "Write a short text. Have the checker check your draft before you respond.",
    tools: [asTool({
      name: "checker",
      description: "Checks that a draft is short",
      model: checker,
      systemPrompt: "Accept a draft if it has at most ten words.",
      allowedTools: ["count_words"],
    })],
  });
  // The writer's model does not see a hidden tool.
  agent.registry.register({
    name: "count_words",
    description: "Counts the words in a text",
    inputSchema: jsonSchema<{ text: string }>({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    }),
    execute: ({ text }) => text.split(/\s+/).filter((word) => word !== "").length,
  }, { hidden: true });
  return agent;
}
