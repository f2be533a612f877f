/**
 * `runtime` operations on agents that handle requests from other agents.
 *
 * @module
 */

import { type JsonValue, ToolLoopAgent } from "@parley/runtime";
import { agentService } from "@parley/runtime/bridge";
import { memoryRuns, openRuns, type Runs } from "@parley/runtime/runs";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";
import { toLoopOptions, toModel, toRegistry } from "./runtime_config.ts";

/** Implementations of the operations, keyed by operation name. */
export const TASK_OPS: Readonly<Record<string, Operation>> = {
  "runtime.tasks.serve": async (call) => {
    const { args, host } = call;
    const config = fieldsOf(args, "config");
    const make = (): ToolLoopAgent =>
      new ToolLoopAgent({
        ...toLoopOptions(config, call),
        name: textOf(config, "name"),
        model: toModel(config, host),
        registry: toRegistry(config, call),
      });
    const agents = { agent: { version: "1", make } };
    const runs = openRuns(memoryRuns(), agents, { maxAttempts: 1, onError: () => {} });
    const working = runs.work();
    const responses: JsonValue[] = [];
    try {
      if (!Array.isArray(args.steps)) throw new BadArgs('"steps" must be an array');
      for (const step of args.steps) {
        const { decide } = isFields(step) ? step : {};
        if (isFields(decide)) await decideFirst(runs, decide);
        else responses.push(await handle(runs, step));
      }
    } finally {
      await runs.close();
      await working;
    }
    return { responses };
  },
};

/** Handles a request with a new service, as if the serving program had been restarted. */
async function handle(runs: Runs, request: unknown): Promise<JsonValue> {
  if (!isFields(request)) throw new BadArgs("a step must be an object");
  const { signal } = new AbortController();
  return await agentService(runs, { agent: "agent" })(
    { sender: textOf(request, "sender"), payload: request.payload },
    { signal, update: () => Promise.resolve() },
  );
}

/** Sends a decision on the first approval that a task waits for. */
async function decideFirst(runs: Runs, decide: Fields): Promise<void> {
  const runId = `${textOf(decide, "sender")}/${textOf(decide, "taskId")}`;
  const [wait] = (await runs.get(runId))?.waitingFor ?? [];
  if (wait === undefined) throw new BadArgs(`the task "${runId}" is not waiting for a decision`);
  await runs.signal(runId, wait.key, {
    decision: decide.decision === "approve" ? "approve" : "deny",
  });
}
