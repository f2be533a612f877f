/**
 * `runtime` operations on agents that handle requests from other agents.
 *
 * @module
 */

import { type JsonValue, ToolLoopAgent } from "@parley/runtime";
import { type AgentService, agentService } from "@parley/runtime/bridge";
import { memoryRuns, openRuns } from "@parley/runtime/runs";
import { type ServedAgent, serveRuns } from "@parley/runtime/serve";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";
import { toAgentTools, toLoopOptions, toRegistry } from "./runtime_config.ts";
import { toModel } from "./runtime_model.ts";

/** Implementations of the operations, keyed by operation name. */
export const TASK_OPS: Readonly<Record<string, Operation>> = {
  "runtime.tasks.serve": async (call) => {
    const { args, host } = call;
    const { maxContentChars, onCancel, updateMs } = args;
    const options = {
      ...(typeof maxContentChars === "number" ? { maxContentChars } : {}),
      ...(typeof updateMs === "number" ? { updateMs } : {}),
      // The library validates the value.
      ...(onCancel === undefined ? {} : { onCancel: onCancel as "cancel" | "continue" }),
    };
    const config = fieldsOf(args, "config");
    const make = (): ToolLoopAgent =>
      new ToolLoopAgent({
        ...toLoopOptions(config, call),
        name: textOf(config, "name"),
        model: toModel(config, host),
        registry: toRegistry(config, call),
        tools: toAgentTools(config, call),
      });
    const agents = { agent: { version: "1", make } };
    const runs = openRuns(memoryRuns(), agents, { maxAttempts: 1, onError: () => {} });
    const working = runs.work();
    const served = serveRuns(runs, { agent: "agent" });
    const responses: JsonValue[] = [];
    const updates: JsonValue[] = [];
    try {
      if (!Array.isArray(args.steps)) throw new BadArgs('"steps" must be an array');
      for (const step of args.steps) {
        const { decide } = isFields(step) ? step : {};
        if (isFields(decide)) await decideFirst(served, decide);
        else {
          const service = agentService(served, options);
          responses.push(await handle(service, step, call.signal, updates));
        }
      }
    } finally {
      await runs.close();
      await working;
    }
    return { responses, updates };
  },
};

/** Handles a request with a new service, as if the serving program had been restarted. */
async function handle(
  service: AgentService,
  request: unknown,
  cancelled: AbortSignal,
  updates: JsonValue[],
): Promise<JsonValue> {
  if (!isFields(request)) throw new BadArgs("a step must be an object");
  const { cancels, payload } = request;
  const signal = cancels === true ? cancelled : new AbortController().signal;
  let hasEnded = false;
  const update = (payload: JsonValue): Promise<void> => {
    updates.push(hasEnded ? { late: payload } : payload);
    return Promise.resolve();
  };
  try {
    return await service({ sender: textOf(request, "sender"), payload }, { signal, update });
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    hasEnded = true;
  }
}

/** Sends a decision on the first approval that a task waits for. */
async function decideFirst(served: ServedAgent, decide: Fields): Promise<void> {
  const taskId = textOf(decide, "taskId");
  const { runs } = await served.list({ subject: textOf(decide, "sender") });
  const run = runs.find(({ metadata }) => metadata.taskId === taskId);
  const [wait] = run?.state.waitingFor ?? [];
  if (wait === undefined) throw new BadArgs(`the task "${taskId}" is not waiting for a decision`);
  await run?.input(
    wait.key,
    // The value of a signal was parsed from JSON.
    wait.kind === "signal" ? decide.value as JsonValue : {
      decision: decide.decision === "approve" ? "approve" : "deny",
    },
  );
}
