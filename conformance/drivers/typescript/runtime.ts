/**
 * `runtime` operations, implemented with `@parley/runtime`.
 *
 * @module
 */

import {
  AgentError,
  type AgentStopReason,
  evaluateStopConditions,
  type LoopContext,
  requireValue,
  resultsOf,
  type RunOptions,
  runSubAgentTask,
  runToolLoop,
  type SchemaIssue,
  ToolLoopAgent,
  type ToolLoopOutput,
  type UserTurn,
} from "@parley/runtime";
import { repairTranscript } from "@parley/runtime/context";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type OpCall,
  type Operation,
  textOf,
} from "./operation.ts";
import {
  type Delegate,
  identityOf,
  isHidden,
  toAgentTools,
  toLoopOptions,
  toRegistry,
  toSubAgentConfig,
  toTool,
} from "./runtime_config.ts";
import { toModel } from "./runtime_model.ts";
import { toConditions } from "./runtime_conditions.ts";
import { toRunOptions } from "./runtime_journal.ts";
import { describeEvent, observerOf } from "./runtime_observer.ts";
import { DATA_OPS, reviveFiles, toSchema } from "./runtime_data.ts";
import { A2A_OPS } from "./runtime_a2a.ts";
import { OPENAI_OPS } from "./runtime_openai.ts";
import { A2A_CLIENT_OPS } from "./runtime_a2a_client.ts";
import { SERVE_OPS } from "./runtime_serve.ts";
import { TASK_OPS } from "./runtime_tasks.ts";

/** Supported `runtime` features. */
export const RUNTIME_FEATURES: Readonly<Record<string, boolean>> = {
  "runtime.a2a": true,
  "runtime.openai": true,
  "runtime.a2aClient": true,
  "runtime.abortOutput": true,
  "runtime.activeSpans": true,
  "runtime.agentToolPrompt": true,
  "runtime.agentTools": true,
  "runtime.budgets": true,
  "runtime.captureContent": true,
  "runtime.channel.wait": true,
  "runtime.collect": true,
  "runtime.conditionContext": true,
  "runtime.deltaKinds": true,
  "runtime.estimateUsage": true,
  "runtime.eventData": true,
  "runtime.events": true,
  "runtime.eventTimes": true,
  "runtime.failFast": true,
  "runtime.fallbackModels": true,
  "runtime.hiddenTools": true,
  "runtime.journalLines": true,
  "runtime.lateSteps": true,
  "runtime.limits": true,
  "runtime.liveValues": true,
  "runtime.malformed": true,
  "runtime.maxToolOutputChars": true,
  "runtime.mcpTools": true,
  "runtime.messageOptions": true,
  "runtime.messages": true,
  "runtime.metrics": true,
  "runtime.modelAdapters": true,
  "runtime.observers": true,
  "runtime.onInitialize": true,
  "runtime.onTerminate": true,
  "runtime.output": true,
  "runtime.prepareIteration": true,
  "runtime.progress": true,
  "runtime.providerTools": true,
  "runtime.reduce": true,
  "runtime.remoteAgents": true,
  "runtime.repairToolCall": true,
  "runtime.repairTranscript": true,
  "runtime.responseDetails": true,
  "runtime.retryAfterMs": true,
  "runtime.routerOnError": true,
  "runtime.runInitializes": true,
  "runtime.runOutput": true,
  "runtime.serve": true,
  "runtime.standardSchema": true,
  "runtime.streams": true,
  "runtime.subAgentLists": true,
  "runtime.subAgentTools": true,
  "runtime.systemPromptOptions": true,
  "runtime.tasks": true,
  "runtime.tellModel": true,
  "runtime.toolContext": true,
  "runtime.toolOutput": true,
  "runtime.turnParts": true,
  "runtime.usageByModel": true,
  "runtime.waits": true,
  "runtime.workflowPending": true,
};

/** Implementations of the operations, keyed by operation name. */
export const RUNTIME_OPS: Readonly<Record<string, Operation>> = {
  "runtime.loop.run": async (call) => {
    const { args, host } = call;
    const config = fieldsOf(args, "config");
    const { name, agentDid } = config;
    return await withEvents(args, (onEvent) =>
      runToolLoop({
        ...toLoopOptions(config, call),
        ...toRunOptions(call),
        ...onEvent,
        model: toModel(config, host),
        registry: toRegistry(config, call),
        ...(typeof name === "string" ? { agentName: name } : {}),
        ...(typeof agentDid === "string" ? { agentDid } : {}),
      }, turnOf(args)));
  },
  "runtime.agent.new": (call) => {
    const { args, host, handles } = call;
    const config = fieldsOf(args, "config");
    const { observer, onInitialize: initializer, onTerminate: terminator } = config;
    const delegate: Delegate = async (child, task, context) => {
      const output = await runSubAgentTask(agent, toSubAgentConfig(child, call), task, { context });
      return output.finalText;
    };
    const tools = toAgentTools(config, call);
    const agent: ToolLoopAgent = new ToolLoopAgent({
      ...toLoopOptions(config, call),
      ...identityOf(config),
      model: toModel(config, host),
      registry: toRegistry(config, call, delegate),
      tools,
      ...(initializer === undefined ? {} : {
        onInitialize: async () => void await host.call("agent.initialize", { initializer }),
      }),
      ...(terminator === undefined ? {} : {
        onTerminate: async () =>
          void await host.call("agent.initialize", { initializer: terminator }),
      }),
    });
    if (observer !== undefined) observerOf(handles.get(observer)).follow(agent);
    return { handle: handles.add(agent, () => agent.terminate()) };
  },
  "runtime.agent.initialize": async (call) => await agentOf(call).initialize(),
  "runtime.agent.pause": async (call) => await agentOf(call).pause(),
  "runtime.agent.resume": async (call) => await agentOf(call).resume(),
  "runtime.agent.terminate": async (call) => {
    if (call.args.dispose === true) await agentOf(call)[Symbol.asyncDispose]();
    else await agentOf(call).terminate();
  },
  "runtime.agent.run": async (call) => {
    const { args } = call;
    return await withEvents(args, (onEvent) => {
      const options = { ...toRunOptions(call), ...onEvent };
      const { output, validateOutput } = args;
      return output === undefined
        ? agentOf(call).run(turnOf(args), options)
        : agentOf(call).run(turnOf(args), { ...options, output: toSchema(output, validateOutput) });
    });
  },
  "runtime.agent.state": (call) => {
    const { name, agentDid, isRunning, isTerminated, lifecycle } = agentOf(call);
    const { hasActiveRun, history, isPauseRequested, state } = lifecycle;
    const can = OPERATIONS.filter((operation) => lifecycle.can(operation));
    const moves = { transitions: history, can, hasActiveRun, isPauseRequested };
    return { name, agentDid: agentDid ?? null, isRunning, isTerminated, state, ...moves };
  },
  "runtime.agent.health": (call) => {
    const { healthProfile } = agentOf(call);
    const snapshot = healthProfile.snapshot();
    if (call.args.reset === true) healthProfile.reset();
    const { inferenceCalls, toolInvocations, errors, usage, delegatedUsage } = healthProfile;
    const counts = { inferenceCalls, toolInvocations, errors };
    return call.args.reset === undefined ? counts : { ...counts, usage, delegatedUsage, snapshot };
  },
  "runtime.registry.register": (call) => {
    const { args: { replace, tool }, host } = call;
    const options = { hidden: isHidden(tool), replace: replace === true };
    agentOf(call).registry.register(toTool(tool, host), options);
  },
  "runtime.registry.unregister": (call) => {
    return { removed: agentOf(call).registry.unregister(textOf(call.args, "name")) };
  },
  "runtime.registry.names": (call) => {
    const { registry } = agentOf(call);
    const { size } = registry;
    const listed = [...registry].map(({ name }) => name);
    return { names: [...registry.names()], size, listed, definitions: registry.definitions() };
  },
  "runtime.registry.find": (call) => {
    const { registry } = agentOf(call);
    const name = textOf(call.args, "name");
    const { description } = registry.resolve(name);
    const isFound = registry.has(name) && registry.get(name)?.name === name;
    return { description, isFound, isHidden: registry.isHidden(name) };
  },
  "runtime.stop.evaluate": ({ args, host }) => {
    const conditions = toConditions(args.conditions, host);
    const stop = evaluateStopConditions(toContext(fieldsOf(args, "context")), conditions);
    return { stop: stop ?? null };
  },
  "runtime.transcript.repair": ({ args }) => ({
    // The cast is unchecked, because the library validates the messages.
    messages: repairTranscript(args.messages as Parameters<typeof repairTranscript>[0]),
  }),
  "runtime.error.make": ({ args }) => describeError(makeError(args)),
  ...DATA_OPS,
  ...A2A_OPS,
  ...OPENAI_OPS,
  ...A2A_CLIENT_OPS,
  ...SERVE_OPS,
  ...TASK_OPS,
};

/** A tool that identifies results by its name. */
const NO_TOOL = { inputSchema: {}, execute: () => {} };

/** Operations that change the state of an agent. */
const OPERATIONS = ["initialize", "run", "pause", "resume", "terminate"] as const;

/**
 * Functions that create the library's kinds of errors. Each function accepts the constructor's
 * arguments as an array.
 */
const CONSTRUCTORS: Readonly<Record<string, (args: readonly unknown[]) => AgentError>> = {
  maxIterationsExceeded: ([max, names]) =>
    AgentError.maxIterationsExceeded(Number(max), texts(names)),
  toolNotFound: ([name, available]) => AgentError.toolNotFound(String(name), texts(available)),
  toolExecutionFailed: ([name, reason]) =>
    AgentError.toolExecutionFailed(String(name), String(reason)),
  modelError: ([reason]) => AgentError.modelError(String(reason)),
  workflowFailed: ([id, index, reason]) =>
    AgentError.workflowFailed(String(id), Number(index), String(reason)),
  delegationFailed: ([did, reason]) => AgentError.delegationFailed(String(did), String(reason)),
  invalidState: ([current, required, operation]) =>
    AgentError.invalidState(String(current), String(required), String(operation)),
  channelError: ([reason]) => AgentError.channelError(String(reason)),
  core: ([cause]) => AgentError.core(String(cause)),
  // The arguments are passed without validation, because the library stores them unchanged.
  outputInvalid: ([stopReason, issues]) =>
    AgentError.outputInvalid(stopReason as AgentStopReason, issues as readonly SchemaIssue[]),
  sessionConflict: ([id, length]) => AgentError.sessionConflict(String(id), Number(length)),
};

function makeError(args: Fields): AgentError {
  const make = CONSTRUCTORS[textOf(args, "constructor")];
  if (make === undefined || !Array.isArray(args.args)) {
    throw new BadArgs('"constructor" must be a known name and "args" an array');
  }
  return make(args.args);
}

function describeError(error: AgentError): Fields {
  return {
    code: error.code,
    message: error.message,
    details: error.details,
    json: error.toJSON(),
    isRetryable: error.retryable,
    is: {
      isMaxIterationsExceeded: error.isMaxIterationsExceeded(),
      isToolNotFound: error.isToolNotFound(),
      isWorkflowFailed: error.isWorkflowFailed(),
      isDelegationFailed: error.isDelegationFailed(),
    },
  };
}

/**
 * Runs an agent or a loop. With the argument `events`, the output also contains the events of the
 * run. The argument `failAt` names the type of the event at which the listener throws an exception.
 * With `times`, the output also contains the times of the events.
 */
async function withEvents(
  { events: isListening, failAt, requireValue: isRequired, resultsOf: toolName, times: isTimed }:
    Fields,
  act: (listener: Pick<RunOptions, "onEvent">) => Promise<ToolLoopOutput>,
): Promise<Fields> {
  const events: Fields[] = [];
  const times: number[] = [];
  const listener: Pick<RunOptions, "onEvent"> = {
    onEvent: (event) => {
      const described = describeEvent(event);
      events.push(described);
      times.push(event.at);
      if (described.type === failAt) throw new Error("the listener failed");
    },
  };
  const output = await act(isListening === true ? listener : {});
  if (isRequired === true) requireValue(output);
  const results = typeof toolName === "string"
    ? { results: resultsOf(output, { ...NO_TOOL, name: toolName }) }
    : {};
  const recorded = isListening === true ? { events, ...isTimed === true ? { times } : {} } : {};
  return { ...output, ...recorded, ...results };
}

/** Returns the agent that a call refers to. */
export function agentOf({ on }: OpCall): ToolLoopAgent {
  if (on instanceof ToolLoopAgent) return on;
  throw new BadArgs('"on" must be the handle of an agent');
}

/**
 * Returns the context that a case defines. A case defines all members that an agent loop would
 * provide.
 */
function toContext(fields: Fields): LoopContext {
  return fields as unknown as LoopContext;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Returns the user's turn, which the library validates. */
function turnOf({ input }: Fields): UserTurn | undefined {
  return reviveFiles(input) as UserTurn | undefined;
}
