/**
 * A process with a worker that has no run to execute, for a test of how long the process lives. The
 * process prints `waiting` when a run waits for a signal, and `stopped` when a timer that does not
 * keep the process alive has stopped the worker.
 *
 *     deno run idle_worker.ts memory|sqlite
 *
 * @module
 */

import process from "node:process";
import { setTimeout } from "node:timers";
import { ToolLoopAgent } from "../../mod.ts";
import { memoryRuns, openRuns } from "../../runs.ts";
import { sqliteRuns } from "../../sqlite.ts";
import { scriptedModel } from "../../testing.ts";

const engine = process.argv[2] === "sqlite" ? sqliteRuns(":memory:") : memoryRuns();
const runs = openRuns(engine, {
  clerk: {
    version: "1",
    make: () =>
      new ToolLoopAgent({
        name: "clerk",
        model: scriptedModel([{ calls: [{ toolName: "wait" }] }]),
        tools: [{
          name: "wait",
          inputSchema: { type: "object" },
          execute: (_, { wait }) => wait("payment"),
        }],
      }),
  },
});
const stopped = new AbortController();
await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
const working = runs.work({ signal: stopped.signal });
await runs.result("r1", { until: "waiting" });
console.log("waiting");
setTimeout(() => stopped.abort(), 10).unref();
await working;
console.log("stopped");
await runs.close();
