/**
 * `runtime` operations on agents that are served to callers.
 *
 * @module
 */

import { type JsonObject, type JsonValue, ToolLoopAgent, type UserTurn } from "@parley/runtime";
import { memoryRuns, openRuns } from "@parley/runtime/runs";
import {
  type Caller,
  type ServedAgent,
  type ServedRun,
  type ServedRunState,
  serveRuns,
  serveSessions,
} from "@parley/runtime/serve";
import { memoryStorage } from "@parley/runtime/session";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type OpCall,
  type Operation,
  textOf,
} from "./operation.ts";
import { toAgentTools, toLoopOptions, toRegistry } from "./runtime_config.ts";
import { toModel } from "./runtime_model.ts";

/** Implementations of the operations, keyed by operation name. */
export const SERVE_OPS: Readonly<Record<string, Operation>> = {
  "runtime.serve.new": (call) => {
    const { args, handles } = call;
    const served = args.durable === true ? toDurable(call) : toSessions(call);
    return { handle: handles.add(served, () => served[Symbol.asyncDispose]()) };
  },
  "runtime.serve.start": async ({ args, handles, on }) => {
    const { ifBusy, metadata, requestId, sessionId } = args;
    const run = await servedOf(on).start(callerOf(args), {
      // The library validates the values.
      turn: args.turn as UserTurn,
      ...(sessionId === undefined ? {} : { sessionId: sessionId as string }),
      ...(requestId === undefined ? {} : { requestId: requestId as string }),
      ...(metadata === undefined ? {} : { metadata: metadata as JsonObject }),
      ...(ifBusy === undefined ? {} : { ifBusy: ifBusy as "queue" | "reject" }),
    });
    return { handle: handles.add(run), id: run.id, sessionId: run.sessionId };
  },
  "runtime.serve.get": async ({ args, handles, on }) => {
    const run = await servedOf(on).get(callerOf(args), textOf(args, "id"));
    if (run === undefined) return { isFound: false };
    return {
      isFound: true,
      handle: handles.add(run),
      metadata: run.metadata,
      ...describe(run.state),
    };
  },
  "runtime.serve.list": async ({ args, on }) => {
    const { sessionId } = args;
    const filter = sessionId === undefined ? {} : { sessionId: textOf(args, "sessionId") };
    const { runs } = await servedOf(on).list(callerOf(args), filter);
    return { ids: runs.map(({ id }) => id) };
  },
  "runtime.serve.messages": async ({ args, on }) => {
    const messages = await servedOf(on).messages(callerOf(args), textOf(args, "sessionId"));
    return { roles: messages.map(({ role }) => role) };
  },
  "runtime.serve.events": async ({ args, on }) => {
    const { after, leaveAfter = Infinity, until } = args;
    const options = {
      ...(after === undefined ? {} : { after: textOf(args, "after") }),
      // The library validates the value.
      ...(until === undefined ? {} : { until: until as "ended" | "waiting" }),
    };
    const events: Fields[] = [];
    for await (const { cursor, event } of runOf(on).events(options)) {
      const { type } = event;
      events.push(type === "run_state" ? { cursor, type, state: event.state } : { cursor, type });
      if (events.length === leaveAfter) break;
    }
    return { events };
  },
  "runtime.serve.settled": async ({ args, on }) => {
    const { until } = args;
    // The library validates the value.
    const options = until === undefined ? {} : { until: until as "ended" | "waiting" };
    return describe(await runOf(on).settled(options));
  },
  "runtime.serve.input": async ({ args, on }) => {
    // The library validates the value, which was parsed from JSON.
    const isAccepted = await runOf(on).input(textOf(args, "key"), args.value as JsonValue);
    return { isAccepted };
  },
  "runtime.serve.cancel": async ({ on }) => ({ isCancelled: await runOf(on).cancel() }),
};

function callerOf({ caller }: Fields): Caller {
  // The library validates the value. Without a caller, the operation is anonymous.
  return caller === undefined ? undefined : caller as Caller;
}

/** Returns the served agent that an operation is called on. */
export function servedOf(on: unknown): ServedAgent {
  if (typeof on === "object" && on !== null && "start" in on) return on as ServedAgent;
  throw new BadArgs("the operation must be called on a served agent");
}

function runOf(on: unknown): ServedRun {
  if (typeof on === "object" && on !== null && "settled" in on) return on as ServedRun;
  throw new BadArgs("the operation must be called on a run");
}

/** Returns a function that creates the agent of a run. */
function makerOf(call: OpCall): () => ToolLoopAgent {
  const config = fieldsOf(call.args, "config");
  return () =>
    new ToolLoopAgent({
      ...toLoopOptions(config, call),
      name: textOf(config, "name"),
      model: toModel(config, call.host),
      registry: toRegistry(config, call),
      tools: toAgentTools(config, call),
    });
}

function toSessions(call: OpCall): ServedAgent & AsyncDisposable {
  const { maxOpenRunsPerCaller, maxQueuedStarts } = call.args;
  return serveSessions({
    storage: memoryStorage(),
    make: makerOf(call),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    ...(typeof maxOpenRunsPerCaller === "number" ? { maxOpenRunsPerCaller } : {}),
    ...(typeof maxQueuedStarts === "number" ? { maxQueuedStarts } : {}),
  });
}

function toDurable(call: OpCall): ServedAgent & AsyncDisposable {
  const agents = { agent: { version: "1", make: makerOf(call) } };
  const options = { storeEvents: true, flushMs: 0, maxAttempts: 1, onError: () => {} };
  const runs = openRuns(memoryRuns(), agents, options);
  const working = runs.work();
  const served = serveRuns(runs, { agent: "agent" });
  return {
    start: (caller, start) => served.start(caller, start),
    get: (caller, runId) => served.get(caller, runId),
    list: (caller, filter) => served.list(caller, filter),
    messages: (caller, sessionId) => served.messages(caller, sessionId),
    [Symbol.asyncDispose]: async () => {
      await runs.close();
      await working;
    },
  };
}

function describe({ error, result, status, waitingFor }: ServedRunState): Fields {
  return {
    status,
    waitingFor: waitingFor.map(({ key, kind, toolName }) => ({ kind, key, toolName })),
    ...(result === undefined ? {} : { text: result.finalText, stopReason: result.stopReason }),
    ...(error === undefined ? {} : { code: error.code }),
  };
}
