/** Conversations that move between models of all APIs, with tools that return anything. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { addTools, holdConversation, modelsFor, OUTPUTS } from "./testdata/strict/conversations.ts";

Deno.test("conversations move between the models of all APIs in the middle of tool use", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), (seed) => holdConversation(seed)),
    propertyRuns(60),
  );
});

Deno.test("a conversation continues for ten turns after results that providers reject", async () => {
  const turns = OUTPUTS.slice(0, 10);
  for (let index = 0; index < 7; index++) {
    const call = { name: "look", input: "{}", hasId: true };
    let turn = 0;
    let isAnswer = true;
    const [first, ...others] = modelsFor(() => {
      isAnswer = !isAnswer;
      const calls = isAnswer ? [] : [call];
      return { reasoning: true, text: isAnswer ? "Done." : "", calls };
    });
    const model = [first, ...others][index] ?? first;
    await using agent = new ToolLoopAgent({
      name: "a",
      model,
      modelRetries: 0,
      onError: () => {},
    });
    await addTools(agent, () => turns[turn] ?? OUTPUTS[0]);
    let { messages } = await agent.run("go");
    for (turn = 1; turn < turns.length; turn++) {
      const output = await agent.run("go on", { messages });
      assertEquals(output.finalText, "Done.");
      messages = output.messages;
    }
  }
});
