/**
 * Runs an agent with a budget in PostgreSQL until the budget is used up. Each model call uses
 * 60 tokens, for which the process prints a line, and reserves 100.
 *
 * Arguments: URL of the database, limit, number of the call in which the process kills itself, or
 * 0.
 *
 * @module
 */

import { type LanguageModel, storedBudget, ToolLoopAgent } from "@parley/runtime";
import { postgresBudgetStore } from "@parley/runtime/postgres";
import pg from "pg";

const [connectionString = "", limit, killAt] = Deno.args;
const pool = new pg.Pool({ connectionString, max: 2 });
const store = postgresBudgetStore(pool);
await store.createTables();
let calls = 0;

const model: LanguageModel = {
  modelId: "m",
  generate: () => {
    Deno.stdout.writeSync(new TextEncoder().encode("60\n"));
    calls++;
    if (calls === Number(killAt)) Deno.kill(Deno.pid, "SIGKILL");
    return Promise.resolve({
      message: { role: "assistant", content: [{ type: "text", text: "Done" }] },
      finishReason: "stop",
      usage: { inputTokens: 50, outputTokens: 10, totalTokens: 60 },
    });
  },
};

const budget = storedBudget(store, {
  key: "user:1",
  maxTokens: Number(limit),
  estimate: () => ({ inputTokens: 90, outputTokens: 10 }),
});
const agent = new ToolLoopAgent({ name: "clerk", model });
while ((await agent.run("go", { budget })).stopReason === "model_stop");
await pool.end();
