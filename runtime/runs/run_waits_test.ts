import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns } from "../runs.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import type { ToolContext } from "../tools/tool.ts";

const inputSchema = { type: "object" } as const;

Deno.test("each wait of a run contains the id of the tool call that waits", async () => {
  const clock = createManualClock();
  const due = new Date(clock.now() + 1000);
  const tools = [
    { name: "pay", inputSchema, execute: (_: unknown, { wait }: ToolContext) => wait("paid") },
    {
      name: "nap",
      inputSchema,
      execute: (_: unknown, { sleep }: ToolContext) => sleep("nap", due),
    },
    { name: "ask", inputSchema, execute: () => "ok" },
  ];
  const calls = ["pay", "nap"].map((toolName) => ({ toolName, toolCallId: `call-${toolName}` }));
  const asking = { calls: [{ toolName: "ask", toolCallId: "call-ask" }] };
  const runs = openRuns(memoryRuns({ clock }), {
    waiter: {
      version: "1",
      make: () => new ToolLoopAgent({ name: "waiter", model: scriptedModel([{ calls }]), tools }),
    },
    asker: {
      version: "1",
      make: () =>
        new ToolLoopAgent({
          name: "asker",
          model: scriptedModel([asking]),
          tools,
          approvalHandler: () => ({ decision: "defer" }),
        }),
    },
  }, { clock });
  const working = runs.work();
  const waits = [];
  for (const agent of ["waiter", "asker"]) {
    await runs.start({ runId: agent, agent, input: "Go" });
    const { waitingFor } = await runs.result(agent, { until: "waiting" });
    waits.push(...waitingFor.map(({ kind, toolCallId, toolName }) => [kind, toolName, toolCallId]));
  }
  assertEquals(waits, [
    ["signal", "pay", "call-pay"],
    ["time", "nap", "call-nap"],
    ["approval", "ask", "call-ask"],
  ]);
  await runs.close();
  await working;
});
