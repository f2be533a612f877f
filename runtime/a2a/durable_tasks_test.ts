import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns } from "../runs.ts";
import { serveRuns } from "../serve.ts";
import type { ModelRequest } from "../shared/model.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { ToolContext } from "../tools/tool.ts";
import { a2aHandler } from "./a2a_handler.ts";
import { ask, idOf, pick, readStream, rpc, stateOf } from "./testdata/served_clerk.ts";

const ASK = {
  name: "ask",
  inputSchema: { type: "object" },
  execute: (_: unknown, { wait }: ToolContext) => wait("Which one?"),
} as const;

function respond({ messages }: ModelRequest): object {
  return messages.at(-1)?.role === "tool" ? { text: "Done" } : { calls: [{ toolName: "ask" }] };
}

Deno.test("a durable run that continues is a task that works, and then is completed", async () => {
  const runs = openRuns(memoryRuns(), {
    clerk: {
      version: "1",
      make: () =>
        new ToolLoopAgent({
          name: "clerk",
          model: scriptedModel([respond, respond]),
          tools: [ASK],
        }),
    },
  }, { storeEvents: true });
  const working = runs.work();
  const handler = a2aHandler(serveRuns(runs, { agent: "clerk" }));
  const task = await ask({ handler }, "go", { rest: { contextId: "c1" } });
  assertEquals([stateOf(task), pick(task, "contextId")], ["INPUT_REQUIRED", "c1"]);
  const subscription = readStream(await rpc({ handler }, "SubscribeToTask", { id: idOf(task) }));
  await subscription.next();
  const answered = await ask({ handler }, "left", { rest: { taskId: idOf(task) } });
  assertEquals(stateOf(answered), "COMPLETED");
  assertEquals(pick(answered, "artifacts", 0, "parts"), [{ text: "Done" }]);
  const updates = await Array.fromAsync(
    subscription,
    (update) => pick(update, "result", "statusUpdate"),
  );
  const states = updates.flatMap((status) => status === undefined ? [] : [stateOf(status)]);
  assertEquals(states, ["WORKING", "COMPLETED"]);
  await runs.close();
  await working;
});
