/**
 * Workflows that run an agent. The workflows are bundled and run in Temporal's workflow sandbox.
 *
 * @module
 */

import {
  ApplicationFailure,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import { type ApprovalDecision, asTool, autoApprove, ToolLoopAgent } from "@parley/runtime";
import { activityModel, activityTools } from "@parley/runtime/temporal";
import type * as activities from "./activities.ts";

const proxies = proxyActivities<typeof activities>({ startToCloseTimeout: "1 minute" });

/** Signal that approves or denies the tool call with the given id. */
const decide = defineSignal<[toolCallId: string, decision: ApprovalDecision]>("decide");

const DEFINITIONS = ["look", "pay"].map((name) => ({ name, inputSchema: { type: "object" } }));
const WITHOUT_TIMERS = { modelTimeoutMs: 0, toolTimeoutMs: 0 };

/** An agent with parallel tools, a tool that needs an approval, and a sub-agent. */
export async function clerk(task: string): Promise<{ finalText: string; errors: string[] }> {
  const errors: string[] = [];
  const decisions = new Map<string, ApprovalDecision>();
  setHandler(decide, (toolCallId, decision) => void decisions.set(toolCallId, decision));
  const agent = new ToolLoopAgent({
    name: "clerk",
    model: activityModel(proxies.callClerk, { modelId: "scripted" }),
    tools: [
      ...activityTools(proxies, DEFINITIONS),
      asTool({
        name: "helper",
        description: "Looks something up",
        model: activityModel(proxies.callHelper, { modelId: "scripted" }),
        allowedTools: ["look"],
        approvalHandler: autoApprove,
        ...WITHOUT_TIMERS,
      }),
    ],
    approvalHandler: async ({ toolCall: { toolName, toolCallId } }) => {
      if (toolName !== "pay") return true;
      await condition(() => decisions.has(toolCallId));
      return decisions.get(toolCallId) ?? false;
    },
    onError: (error) => errors.push(String(error)),
    ...WITHOUT_TIMERS,
  });
  const { finalText } = await agent.run(task, { runId: workflowInfo().workflowId });
  await agent.terminate();
  return { finalText, errors };
}

/** An agent with an `output` schema, whose events are collected through a stream. */
export async function counter(task: string): Promise<{ value: unknown; types: string[] }> {
  const agent = new ToolLoopAgent({
    name: "counter",
    model: activityModel(proxies.callCounter, { modelId: "scripted", nativeOutput: "with-tools" }),
    output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    ...WITHOUT_TIMERS,
  });
  const stream = agent.stream(task, { runId: workflowInfo().workflowId });
  const types: string[] = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { value: value?.value, types };
    types.push(value.type);
  }
}

/** An agent whose model fails. */
export async function broken(task: string): Promise<string> {
  const agent = new ToolLoopAgent({
    name: "broken",
    model: activityModel(proxies.callBroken, { modelId: "scripted" }),
    ...WITHOUT_TIMERS,
  });
  try {
    return (await agent.run(task, { runId: workflowInfo().workflowId })).finalText;
  } catch (error) {
    throw ApplicationFailure.nonRetryable(String(error));
  }
}

/** An agent without a run id. */
export async function withoutRunId(task: string): Promise<string> {
  const model = activityModel(proxies.callClerk, { modelId: "scripted" });
  const agent = new ToolLoopAgent({ name: "clerk", model, onEvent: () => {}, ...WITHOUT_TIMERS });
  return await agent.run(task).then(({ finalText }) => finalText, String);
}

/** Returns the names of globals that the sandbox does not provide. */
export function missingGlobals(names: readonly string[]): Promise<readonly string[]> {
  return Promise.resolve(names.filter((name) => Reflect.get(globalThis, name) === undefined));
}
