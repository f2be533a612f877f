/**
 * Requests approval before a tool call with an effect. The run ends while the approval is pending,
 * and another run continues with a person's decision.
 *
 *     deno run examples/tool_approval/main.ts
 *
 * @module
 */

import { type ApprovalDecision, defineTool, ToolLoopAgent } from "@parley/runtime";
import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
import { scriptedModel, type ScriptedTurn } from "@parley/runtime/testing";
import { z } from "zod";

const TASK = "The customer of order 7 wants a refund.";

const lookUp = defineTool({
  name: "look_up",
  description: "Returns an order",
  inputSchema: z.object({ orderId: z.number() }),
  annotations: { readOnly: true },
  execute: ({ orderId }) => {
    console.log(`Looked up order ${orderId}`);
    return { orderId, euros: 80 };
  },
});

const refund = defineTool({
  name: "refund",
  description: "Refunds an amount in euros",
  inputSchema: z.object({ orderId: z.number(), euros: z.number() }),
  execute: ({ orderId, euros }) => {
    console.log(`Refunded ${euros} euros for order ${orderId}`);
    return "refunded";
  },
});

/** Runs the agent. A real program would store the journal's text between the two runs. */
async function run(
  journal: MemoryJournal,
  turns: readonly ScriptedTurn[],
  decisions: Readonly<Record<string, ApprovalDecision>> = {},
) {
  await using agent = new ToolLoopAgent({
    name: "support",
    model: scriptedModel(turns),
    tools: [lookUp, refund],
    // Tools that only read need no approval. The decision about all other tools is deferred.
    approvalHandler: ({ tool }) => tool.annotations?.readOnly === true || { decision: "defer" },
  });
  return await agent.run(TASK, { runId: "order-7", stepRunner: recordSteps(journal), decisions });
}

const journal = new MemoryJournal();
const { stopReason, pending } = await run(journal, [
  { calls: [{ toolName: "look_up", input: { orderId: 7 } }] },
  { calls: [{ toolName: "refund", input: { orderId: 7, euros: 80 } }] },
]);
console.log(`Stop reason: ${stopReason}`);

const decisions: Record<string, ApprovalDecision> = {};
for (const { key, toolCall } of pending?.approvals ?? []) {
  console.log(`Approved: ${toolCall.toolName} ${JSON.stringify(toolCall.input)}`);
  decisions[key] = { decision: "approve" };
}

// The journal contains the model calls and the order, so the second run does not repeat them.
const copy = MemoryJournal.fromText(journal.toText());
const { finalText } = await run(copy, [{ text: "Your refund is on its way." }], decisions);
console.log(finalText);
