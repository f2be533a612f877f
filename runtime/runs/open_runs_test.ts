import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { memoryRuns, openRuns } from "../runs.ts";
import { observe } from "./testdata/observe.ts";
import type { AgentVersion } from "./agent_versions.ts";

const PAY = {
  name: "pay",
  inputSchema: { type: "object" },
  execute: () => "paid",
};

function clerk(turns: readonly ScriptedTurn[], more: Partial<AgentVersion> = {}): AgentVersion {
  const model = scriptedModel(turns);
  return {
    version: "1",
    make: () =>
      new ToolLoopAgent({
        name: "clerk",
        model,
        tools: [PAY],
        approvalHandler: () => ({ decision: "defer" }),
      }),
    ...more,
  };
}

Deno.test("a run that defers an approval waits, and the decision continues the run", async () => {
  const engine = observe(memoryRuns());
  const runs = openRuns(engine, {
    clerk: clerk([{ calls: [{ toolName: "pay" }] }, { text: "Done" }]),
  });
  const working = runs.work();
  assert(await runs.start({ runId: "r1", agent: "clerk", input: "Pay" }));
  await engine.closed("r1", "waiting");
  const [wait] = (await runs.get("r1"))?.waitingFor ?? [];
  assert(wait?.kind === "approval");
  assertEquals([wait.toolName, wait.reason], ["pay", "approval"]);
  assertEquals(await runs.signal("r1", wait.key, true), "stored");
  assertEquals(await runs.signal("r1", wait.key, { decision: "approve" }) === "stored", false);
  const { result, status } = await runs.result("r1");
  assertEquals(status, "done");
  assertEquals((result as { finalText: string }).finalText, "Done");
  assertEquals(await runs.signal("r1", wait.key, false), "ended");
  await runs.close();
  await working;
});

Deno.test("starting a run with the id of a different run rejects with run_conflict", async () => {
  await using runs = openRuns(memoryRuns(), { clerk: clerk([]) });
  assert(await runs.start({ runId: "r1", agent: "clerk", input: "Pay" }));
  assertEquals(await runs.start({ runId: "r1", agent: "clerk", input: "Pay" }), false);
  const error = await assertRejects(
    () => runs.start({ runId: "r1", agent: "clerk", input: "Pay more" }),
    AgentError,
  );
  assertEquals(error.code, "run_conflict");
});
