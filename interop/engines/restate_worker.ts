/**
 * Worker process for the Restate test: serves a workflow with tools, an approval and a sub-agent.
 * Prints one line for each effect; each line starts with the run's key. The command-line argument
 * is the port to listen on.
 *
 * @module
 */

import {
  createEndpointHandler,
  TerminalError,
  workflow,
  type WorkflowContext,
  type WorkflowSharedContext,
} from "@restatedev/restate-sdk";
import { createServer } from "node:http2";
import {
  type ApprovalDecision,
  asTool,
  autoApprove,
  isRetryable,
  type LanguageModel,
  ToolLoopAgent,
} from "@parley/runtime";
import { restateApprovals, restateSteps } from "@parley/runtime/restate";
import { scriptedModel, type ScriptedTurn } from "@parley/runtime/testing";

const CLERK: readonly ScriptedTurn[] = [
  {
    calls: [
      { toolName: "work", input: { at: "a" }, toolCallId: "work-a" },
      { toolName: "work", input: { at: "b" }, toolCallId: "work-b" },
    ],
  },
  { calls: [{ toolName: "pay", input: {}, toolCallId: "pay" }] },
  { calls: [{ toolName: "helper", input: { task: "Work at c" }, toolCallId: "help" }] },
  { text: "Paid" },
];
const HELPER: readonly ScriptedTurn[] = [
  { calls: [{ toolName: "work", input: { at: "c" }, toolCallId: "work-c" }] },
  { text: "Worked" },
];

/** A stateless scripted model, whose turn depends on the number of earlier responses. */
function modelOf(
  name: string,
  turns: readonly ScriptedTurn[],
  report: (effect: string) => Promise<void>,
): LanguageModel {
  return {
    modelId: name,
    async generate(request) {
      const count = request.messages.filter(({ role }) => role === "assistant").length;
      await report(`${name} ${count}`);
      const turn = turns[count];
      return await scriptedModel(turn === undefined ? [] : [turn]).generate(request);
    },
  };
}

/** Prints a line. The prefix distinguishes the line from the log of the Restate SDK. */
async function print(line: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`effect: ${line}\n`));
}

function createClerk(ctx: WorkflowContext): ToolLoopAgent {
  const decide = restateApprovals(ctx);
  const report = (effect: string): Promise<void> => print(`${ctx.key} ${effect}`);
  return new ToolLoopAgent({
    name: "clerk",
    model: modelOf("clerk", CLERK, report),
    tools: [
      {
        name: "work",
        inputSchema: { type: "object", properties: { at: { type: "string" } } },
        annotations: { idempotent: true },
        execute: async (input: unknown) => {
          await report(`work ${JSON.stringify(input)}`);
          return "worked";
        },
      },
      {
        name: "pay",
        inputSchema: { type: "object" },
        annotations: { idempotent: true },
        execute: async () => {
          await report("pay");
          return "paid";
        },
      },
      asTool({
        name: "helper",
        description: "Works elsewhere",
        model: modelOf("helper", HELPER, report),
        allowedTools: ["work"],
        approvalHandler: autoApprove,
      }),
    ],
    approvalHandler: (request) => request.toolCall.toolName === "pay" ? decide(request) : true,
    toolConcurrency: 1,
  });
}

const clerk = workflow({
  name: "clerk",
  options: { retryPolicy: { initialInterval: 50, maxInterval: 500, maxAttempts: 1000 } },
  handlers: {
    async run(ctx: WorkflowContext, task: string): Promise<string> {
      const stepRunner = restateSteps(ctx, { TerminalError });
      try {
        const { finalText } = await createClerk(ctx).run(task, { runId: ctx.key, stepRunner });
        return finalText;
      } catch (error) {
        if (isRetryable(error)) throw error;
        throw new TerminalError(String(error));
      }
    },
    async decide(
      ctx: WorkflowSharedContext,
      { name, decision }: { name: string; decision: ApprovalDecision },
    ): Promise<void> {
      await ctx.promise<ApprovalDecision>(name).resolve(decision);
    },
  },
});

const server = createServer(createEndpointHandler({ services: [clerk] }));
server.listen(Number(Deno.args[0]), "127.0.0.1", () => void print("ready"));
