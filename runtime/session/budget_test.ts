import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { Budget } from "../budget/budget.ts";
import { scriptedModel } from "../testing.ts";
import { AgentSession } from "./agent_session.ts";
import { memorySessions } from "./store.ts";

Deno.test("the turns of a session share a budget", async () => {
  const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
  const model = scriptedModel([{ text: "One", usage }, { text: "Two", usage }]);
  const agent = new ToolLoopAgent({ name: "clerk", model });
  const session = new AgentSession(agent, { id: "s", store: memorySessions() });
  const budget = new Budget({ maxTokens: 200 });
  const reasons: string[] = [];
  for (const message of ["a", "b", "c"]) {
    reasons.push((await session.run(message, { budget })).stopReason);
  }
  assertEquals(reasons, ["model_stop", "model_stop", "budget_exceeded"]);
  // The message of the third turn is part of the conversation, so the user can continue it.
  const roles = (await session.messages()).map(({ role }) => role);
  assertEquals(roles, ["user", "assistant", "user", "assistant", "user"]);
});
