import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { scriptedModel } from "@parley/runtime/testing";
import { createAgent } from "./agent.ts";

test("the agent calls the tool and responds with its result", async () => {
  const model = scriptedModel([
    { calls: [{ toolName: "weekday", input: { date: "2026-07-28" } }] },
    { text: "It is a Tuesday." },
  ]);
  const agent = createAgent(model);
  try {
    const { finalText, iterations } = await agent.run("Which day of the week is 2026-07-28?");
    deepStrictEqual(finalText, "It is a Tuesday.");
    deepStrictEqual(iterations[0]?.toolResults[0]?.output, { type: "text", value: "Tuesday" });
  } finally {
    await agent.terminate();
  }
});
