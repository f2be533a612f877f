/**
 * A workflow in which a model with a typed output selects the agent for each message. If the
 * selected agent fails, another agent handles the message.
 *
 *     deno run examples/workflow_router/main.ts
 *
 * @module
 */

import { requireValue, RouterWorkflow, ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const TEAMS = ["sales", "support"] as const;

await using classifier = new ToolLoopAgent({
  name: "classifier",
  systemPrompt: "Select the team that handles the message.",
  model: scriptedModel(
    ["sales", "support", "support"].map((team) => ({
      calls: [{ toolName: "final_answer", input: { team } }],
    })),
  ),
  output: z.object({ team: z.enum(TEAMS) }),
});

await using sales = new ToolLoopAgent({
  name: "sales",
  model: scriptedModel([
    { text: "The large kettle costs 60 euros." },
    { text: "A colleague will call you back." },
  ]),
});

await using support = new ToolLoopAgent({
  name: "support",
  modelRetries: 0,
  model: scriptedModel([
    { text: "Press the red button for 5 seconds." },
    { error: new Error("The model is overloaded") },
  ]),
});

const desk = new RouterWorkflow("desk", [sales, support], async (message) => {
  const { team } = requireValue(await classifier.run(message));
  return TEAMS.indexOf(team);
}, {
  // The sales team handles the messages that the support team cannot handle.
  onError: (_error, tried) => tried.includes(0) ? undefined : 0,
});

for (const message of ["What does a kettle cost?", "It is broken", "It is broken again"]) {
  const { finalText, steps, failures = [] } = await desk.run(message);
  const failed = failures.map(({ agentName, reason }) => ` (${agentName} failed: ${reason})`).join(
    "",
  );
  console.log(`${message} > ${steps[0]?.agentName}${failed}: ${finalText}`);
}
