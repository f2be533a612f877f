/**
 * `runtime` operations, implemented with `@parley/runtime`.
 *
 * @module
 */

import {
  AgentError,
  evaluateStopConditions,
  type LoopContext,
  type LoopEvent,
  type RunOptions,
  runSubAgentTask,
  runToolLoop,
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
  toModel,
  toRegistry,
  toSubAgentConfig,
  toTool,
} from "./runtime_config.ts";
import { toConditions } from "./runtime_conditions.ts";
import { toRunOptions } from "./runtime_journal.ts";
import { TASK_OPS } from "./runtime_tasks.ts";

/** Supported `runtime` features. */
export const RUNTIME_FEATURES: Readonly<Record<string, boolean>> = {
  "runtime.activeSpans": true,
  "runtime.agentTools": true,
  "runtime.budgets": true,
  "runtime.captureContent": true,
  "runtime.channel.wait": true,
  "runtime.collect": true,
  "runtime.events": true,
  "runtime.hiddenTools": true,
  "runtime.liveValues": true,
  "runtime.malformed": true,
  "runtime.maxToolOutputChars": true,
  "runtime.messages": true,
  "runtime.onInitialize": true,
  "runtime.output": true,
  "runtime.prepareIteration": true,
  "runtime.providerTools": true,
  "runtime.reduce": true,
  "runtime.repairToolCall": true,
  "runtime.repairTranscript": true,
  "runtime.retryAfterMs": true,
  "runtime.routerOnError": true,
  "runtime.runInitializes": true,
  "runtime.streams": true,
  "runtime.subAgentTools": true,
  "runtime.systemPromptOptions": true,
  "runtime.tasks": true,
  "runtime.tellModel": true,
  "runtime.turnParts": true,
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
    const { onInitialize: initializer } = config;
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
    });
    return { handle: handles.add(agent, () => agent.terminate()) };
  },
  "runtime.agent.initialize": async (call) => await agentOf(call).initialize(),
  "runtime.agent.pause": async (call) => await agentOf(call).pause(),
  "runtime.agent.resume": async (call) => await agentOf(call).resume(),
  "runtime.agent.terminate": async (call) => await agentOf(call).terminate(),
  "runtime.agent.run": async (call) =>
    await withEvents(
      call.args,
      (onEvent) => agentOf(call).run(turnOf(call.args), { ...toRunOptions(call), ...onEvent }),
    ),
  "runtime.agent.state": (call) => {
    const { name, agentDid, isRunning, isTerminated, lifecycle } = agentOf(call);
    return { name, agentDid: agentDid ?? null, isRunning, isTerminated, state: lifecycle.state };
  },
  "runtime.agent.health": (call) => {
    const { inferenceCalls, toolInvocations, errors } = agentOf(call).healthProfile;
    return { inferenceCalls, toolInvocations, errors };
  },
  "runtime.registry.register": (call) => {
    const { args: { tool }, host } = call;
    agentOf(call).registry.register(toTool(tool, host), { hidden: isHidden(tool) });
  },
  "runtime.registry.unregister": (call) => {
    agentOf(call).registry.unregister(textOf(call.args, "name"));
  },
  "runtime.registry.names": (call) => ({ names: [...agentOf(call).registry.names()] }),
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
  ...TASK_OPS,
};

/**
 * Functions that create the library's nine kinds of errors. Each function accepts the constructor's arguments as an
 * array.
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
    is: {
      isMaxIterationsExceeded: error.isMaxIterationsExceeded(),
      isToolNotFound: error.isToolNotFound(),
      isWorkflowFailed: error.isWorkflowFailed(),
      isDelegationFailed: error.isDelegationFailed(),
    },
  };
}

/** Runs an agent or a loop. With the argument `events`, the output also contains the events of the run. */
async function withEvents(
  { events: isListening }: Fields,
  act: (listener: Pick<RunOptions, "onEvent">) => Promise<ToolLoopOutput>,
): Promise<Fields> {
  if (isListening !== true) return { ...await act({}) };
  const events: Fields[] = [];
  const output = await act({ onEvent: (event) => void events.push(describeEvent(event)) });
  return { ...output, events };
}

/** Returns the type of an event, and the text, tool call or keys that the event contains. */
function describeEvent(event: LoopEvent): Fields {
  const { type } = event;
  switch (type) {
    case "model_delta":
      return { type, delta: event.delta.delta };
    case "approval_requested":
    case "tool_started":
      return { type, toolCallId: event.toolCall.toolCallId };
    case "tool_finished":
      return { type, toolCallId: event.toolResult.toolCallId };
    case "decision_unused":
      return { type, keys: event.keys };
    default:
      return { type };
  }
}

/** Returns the agent that a call refers to. */
export function agentOf({ on }: OpCall): ToolLoopAgent {
  if (on instanceof ToolLoopAgent) return on;
  throw new BadArgs('"on" must be the handle of an agent');
}

/** Returns the context from a case, which contains all members that a loop would provide. */
function toContext(fields: Fields): LoopContext {
  return fields as unknown as LoopContext;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Returns the user's turn, which the library validates. */
function turnOf({ input }: Fields): UserTurn | undefined {
  return input as UserTurn | undefined;
}
