import { assert, assertEquals } from "@std/assert";
import { customStop } from "../loop/stop_conditions.ts";
import { createGate, scriptedModel } from "../testing.ts";
import { ToolLoopAgent } from "./agent.ts";

/** Time for which the agent is paused, in milliseconds. */
const PAUSE_MS = 30;

Deno.test("a stop condition receives the duration of the run without its pauses", async () => {
  const gate = createGate();
  const durations: number[] = [];
  await using agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "Done" }]),
    tools: [{ name: "work", inputSchema: { type: "object" }, execute: () => gate.wait() }],
    stopConditions: [
      customStop("time", ({ elapsedMs = -1 }) => {
        durations.push(elapsedMs);
        return false;
      }),
    ],
  });
  const startedAt = performance.now();
  const running = agent.run("go");
  await gate.reached;
  const pausing = agent.pause();
  gate.release();
  await pausing;
  const pausedAt = performance.now();
  while (performance.now() - pausedAt < PAUSE_MS);
  await agent.resume();
  await running;
  const totalMs = performance.now() - startedAt;
  assertEquals(durations.length, 2);
  assert(durations.every((ms) => ms >= 0 && ms <= totalMs - PAUSE_MS), `${durations}`);
});
