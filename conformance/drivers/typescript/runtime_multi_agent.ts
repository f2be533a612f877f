/**
 * `runtime` operations on several agents: sub-agents, workflows, channels and messages.
 *
 * @module
 */

import {
  AgentChannel,
  type AgentMessage,
  createAgentMessage,
  createSubAgent,
  createTypedMessage,
  type JsonValue,
  type MessageType,
  ParallelWorkflow,
  type ParallelWorkflowOptions,
  RouterWorkflow,
  type RouterWorkflowOptions,
  runSubAgentTask,
  SequentialWorkflow,
  type SubAgentConfig,
  ToolLoopAgent,
  type UserTurn,
} from "@parley/runtime";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  type OpCall,
  type Operation,
  textOf,
} from "./operation.ts";
import { agentOf } from "./runtime.ts";
import { toSubAgentConfig } from "./runtime_config.ts";
import { reviveFiles } from "./runtime_data.ts";
import { toRunOptions } from "./runtime_journal.ts";

type Workflow = SequentialWorkflow | ParallelWorkflow | RouterWorkflow;

/** Implementations of the operations, keyed by operation name. */
export const MULTI_AGENT_OPS: Readonly<Record<string, Operation>> = {
  "runtime.subagent.create": (call) => {
    const agent = createSubAgent(agentOf(call), subAgentConfigOf(call));
    return { handle: call.handles.add(agent, () => agent.terminate()) };
  },
  "runtime.subagent.run": async (call) => {
    const { signal } = call;
    const input = textOf(call.args, "input");
    return await runSubAgentTask(agentOf(call), subAgentConfigOf(call), input, { signal });
  },
  "runtime.workflow.new": (call) => ({ handle: call.handles.add(toWorkflow(call)) }),
  "runtime.workflow.run": async (call) => {
    const { on, args, signal } = call;
    // The library validates the input.
    const input = reviveFiles(args.input) as UserTurn;
    return await workflowOf(on).run(input, { ...toRunOptions(call), signal });
  },
  "runtime.channel.new": ({ args: { capacity }, handles }) => {
    const channel = capacity === undefined
      ? new AgentChannel()
      : new AgentChannel(capacity as number);
    return { handle: handles.add(channel) };
  },
  // The message is passed unvalidated, because channels do not validate messages.
  "runtime.channel.send": async (call) => {
    const { args, signal } = call;
    if (args.wait !== true) return channelOf(call).send(messageOf(args));
    await channelOf(call).sendAsync(messageOf(args), { signal });
  },
  "runtime.channel.trySend": (call) => ({ sent: channelOf(call).trySend(messageOf(call.args)) }),
  "runtime.channel.receive": async (call) => {
    const { args, signal } = call;
    const channel = channelOf(call);
    const message = args.wait === true ? await channel.receiveAsync({ signal }) : channel.receive();
    return { message: message ?? null };
  },
  "runtime.channel.peek": (call) => {
    const channel = channelOf(call);
    return { message: channel.peek() ?? null, isClosed: channel.isClosed };
  },
  "runtime.channel.collect": async (call) => ({ messages: await Array.fromAsync(channelOf(call)) }),
  "runtime.channel.drain": (call) => ({ messages: channelOf(call).drain() }),
  "runtime.channel.close": async (call) => {
    if (call.args.dispose === true) await channelOf(call)[Symbol.asyncDispose]();
    else channelOf(call).close();
  },
  "runtime.channel.state": (call) => {
    const { size, isEmpty, capacity } = channelOf(call);
    return { size, isEmpty, capacity };
  },
  "runtime.message.create": ({ args }) => {
    const { senderDid, recipientDid, payload } = args;
    return {
      message: createAgentMessage(
        senderDid as string,
        recipientDid as string,
        payload as JsonValue,
      ),
    };
  },
  "runtime.message.createTyped": ({ args }) => {
    const { senderDid, recipientDid, payload, messageType, correlationId } = args;
    return {
      message: createTypedMessage(
        senderDid as string,
        recipientDid as string,
        payload as JsonValue,
        messageType as MessageType,
        ...(correlationId === undefined ? [] : [correlationId as string]),
      ),
    };
  },
};

function subAgentConfigOf(call: OpCall): SubAgentConfig {
  return toSubAgentConfig(fieldsOf(call.args, "config"), call);
}

function toWorkflow({ args, handles, host }: OpCall): Workflow {
  const { agents } = args;
  if (!Array.isArray(agents)) throw new BadArgs('"agents" must be an array');
  const crew = agents.map((handle) => toAgent(handles.get(handle)));
  const id = textOf(args, "workflowId");
  switch (args.type) {
    case "sequential":
      return new SequentialWorkflow(id, crew);
    case "parallel":
      return new ParallelWorkflow(id, crew, toParallelOptions(args, host));
    case "router": {
      const router = textOf(args, "router");
      return new RouterWorkflow(id, crew, async (message, choice) => {
        const names = choice.map(({ name }) => name);
        // The index is passed unvalidated, because cases test invalid indexes.
        return await host.call("router.route", { router, message, agents: names }) as number;
      }, toRouterOptions(args, crew, host));
    }
    default:
      throw new BadArgs(`unknown workflow type ${JSON.stringify(args.type)}`);
  }
}

function toRouterOptions(
  { onError: router }: Fields,
  crew: readonly ToolLoopAgent[],
  host: HostClient,
): RouterWorkflowOptions {
  if (typeof router !== "string") return {};
  return {
    onError: async ({ message }, tried) => {
      const names = tried.map((index) => crew[index]?.name);
      const index = await host.call("router.route", { router, message, agents: names });
      return index === null ? undefined : index as number;
    },
  };
}

function toParallelOptions(
  { failFast, onFailure, reduce: router }: Fields,
  host: HostClient,
): ParallelWorkflowOptions {
  return {
    ...(failFast === true ? { failFast } : {}),
    ...(onFailure === "collect" ? { onFailure } : {}),
    ...(typeof router === "string"
      ? {
        reduce: async (steps) => {
          const agents = steps.map(({ agentName }) => agentName);
          const texts = steps.map(({ output }) => output.finalText);
          return await host.call("router.route", { router, agents, texts }) as string;
        },
      }
      : {}),
  };
}

function toAgent(object: unknown): ToolLoopAgent {
  if (object instanceof ToolLoopAgent) return object;
  throw new BadArgs("the handle must refer to an agent");
}

function workflowOf(on: unknown): Workflow {
  if (
    on instanceof SequentialWorkflow || on instanceof ParallelWorkflow ||
    on instanceof RouterWorkflow
  ) return on;
  throw new BadArgs('"on" must be the handle of a workflow');
}

function channelOf({ on }: OpCall): AgentChannel {
  if (on instanceof AgentChannel) return on;
  throw new BadArgs('"on" must be the handle of a channel');
}

function messageOf(args: Fields): AgentMessage {
  return args.message as AgentMessage;
}
