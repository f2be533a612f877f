/**
 * Opens durable runs.
 *
 * @module
 */

import type { AgentVersions } from "./agent_versions.ts";
import type { RunEngine } from "./contracts.ts";
import type { OpenRunsOptions } from "./run_options.ts";
import { Runs } from "./runs.ts";

/**
 * Opens durable runs: agent runs that an engine stores and delivers, and that another worker
 * continues after a crash.
 *
 * @param engine Engine that stores and delivers the runs.
 * @param agents Agents that execute the runs, keyed by name.
 * @param options Limits, clock and error listener.
 * @throws {TypeError} If the engine, an agent or an option has the wrong type.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Wait for an approval, and continue after the decision
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
 * const runs = openRuns(memoryRuns(), {
 *   clerk: {
 *     version: "1",
 *     make: () =>
 *       new ToolLoopAgent({
 *         name: "clerk",
 *         model,
 *         tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" }],
 *         approvalHandler: () => ({ decision: "defer" }),
 *       }),
 *   },
 * });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "Pay the bill" });
 * let run = await runs.get("r1");
 * while (run?.status !== "waiting") {
 *   await new Promise((resolve) => setTimeout(resolve, 10));
 *   run = await runs.get("r1");
 * }
 * await runs.signal("r1", run.waitingFor[0]?.key ?? "", { decision: "approve" });
 * assertEquals((await runs.result("r1")).status, "done");
 * await runs.close();
 * await working;
 * ```
 */
export function openRuns(
  engine: RunEngine | Promise<RunEngine>,
  agents: AgentVersions,
  options: OpenRunsOptions = {},
): Runs {
  return new Runs(engine, agents, options);
}
