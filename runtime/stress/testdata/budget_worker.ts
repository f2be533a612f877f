/**
 * Runs an agent with a stored budget until the budget is used up. Each model call uses 60
 * tokens, of which a line in a log is the proof, and reserves 100.
 *
 * Arguments: `work`, a folder, the limit, and the number of the call in which the process kills
 * itself, or 0; or `read`, `locked` or `remove`, and a folder.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { type LanguageModel, storedBudget, ToolLoopAgent } from "../../mod.ts";
import { sqliteBudgetStore } from "../../sqlite.ts";

const KEY = "user:1";
const [command, folder = "", limit, killAt] = Deno.args;
let calls = 0;

const model: LanguageModel = {
  modelId: "m",
  generate: () => {
    Deno.writeTextFileSync(`${folder}/log`, "60\n", { append: true });
    calls++;
    if (calls === Number(killAt)) Deno.kill(Deno.pid, "SIGKILL");
    return Promise.resolve({
      message: { role: "assistant", content: [{ type: "text", text: "Done" }] },
      finishReason: "stop",
      usage: { inputTokens: 50, outputTokens: 10, totalTokens: 60 },
    });
  },
};

async function work(): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await using store = sqliteBudgetStore(`${folder}/budgets.db`);
  const budget = storedBudget(store, {
    key: KEY,
    maxTokens: Number(limit),
    estimate: () => ({ inputTokens: 90, outputTokens: 10 }),
  });
  const agent = new ToolLoopAgent({ name: "clerk", model });
  while ((await agent.run("go", { budget })).stopReason === "model_stop");
}

/** Prints the counted tokens, and the tokens that the model calls have used. */
async function read(): Promise<void> {
  await using store = sqliteBudgetStore(`${folder}/budgets.db`);
  const { reserved, used } = await store.read(KEY);
  const log = await Deno.readTextFile(`${folder}/log`);
  console.log(JSON.stringify([used + reserved, 60 * (log.split("\n").length - 1)]));
}

/** Prints the errors of a store whose file another connection has locked, and what it counts. */
async function locked(): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const file = `${folder}/budgets.db`;
  const settings = { busyTimeoutMs: 20 };
  await using store = sqliteBudgetStore(file, settings);
  const other = new DatabaseSync(file);
  other.exec("begin immediate");
  const reserve = () => store.reserve(KEY, 5, { limit: 10, ttlMs: 60_000 });
  const reserveError = await reserve().catch(({ message }) => message);
  let openError = "";
  try {
    sqliteBudgetStore(file, settings);
  } catch (error) {
    openError = Object(error).message;
  }
  other.exec("rollback");
  other.close();
  await reserve();
  console.log(JSON.stringify({ openError, reserveError, state: await store.read(KEY) }));
}

if (command === "work") await work();
if (command === "locked") await locked();
if (command === "read") await read();
if (command === "remove") await Deno.remove(folder, { recursive: true });
