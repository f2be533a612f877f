/**
 * The agent with which served agents are tested. The user's message selects its actions.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { ToolLoopAgent } from "../../agent/agent.ts";
import type { LanguageModel, ModelMessage, ModelRequest } from "../../shared/model.ts";
import { AgentError } from "../../shared/error.ts";
import type { Gate } from "../../testing/gate.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { ServedRunContext } from "../serve_sessions_options.ts";

const inputSchema = { type: "object" } as const;
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** Returns the text of a message. */
export function textOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Calls that the model requests for a message. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  pay: ["pay"],
  both: ["pay", "ship"],
  ask: ["ask", "confirm"],
};

/**
 * Responds with `<caller>: <message>`, with the number of messages of the conversation and the
 * types of the results of its tool calls. The message `slow` waits at the gate, `fail` fails, and
 * others call tools that wait for a decision or a signal.
 */
function checkModel({ caller }: ServedRunContext, gate: Gate): LanguageModel {
  return {
    modelId: "check",
    generate: async ({ messages, signal }: ModelRequest) => {
      const turn = messages.findLast(({ role }) => role === "user");
      const text = turn === undefined ? "" : textOf(turn);
      const last = messages.at(-1);
      const results = last?.role === "tool" ? last.content.map(({ output }) => output.type) : [];
      const calls = last?.role === "tool" ? [] : CALLS[text] ?? [];
      if (text === "slow") await abortable(gate.wait(), signal);
      if (text === "fail") throw AgentError.modelError("out of order");
      const parts = calls.map((toolName) => {
        return { type: "tool-call", toolCallId: `call-${toolName}`, toolName, input: {} } as const;
      });
      const spoken = messages.filter(({ role }) => role !== "system").length;
      const words = [`${caller?.subject ?? "-"}:`, text, spoken, ...results];
      const answer = { type: "text", text: words.join(" ") } as const;
      return {
        message: { role: "assistant", content: calls.length > 0 ? parts : [answer] },
        finishReason: calls.length > 0 ? "tool-calls" : "stop",
        usage,
      };
    },
  };
}

/** Creates the agent of a run. */
export function createCheckAgent(run: ServedRunContext, gate: Gate): ToolLoopAgent {
  const tools: Tool[] = [
    { name: "pay", inputSchema, execute: () => "paid" },
    { name: "ship", inputSchema, execute: () => "shipped" },
    { name: "ask", inputSchema, execute: (_: unknown, { wait }: ToolContext) => wait("answer") },
    { name: "confirm", inputSchema, execute: (_: unknown, { wait }: ToolContext) => wait("sure") },
  ];
  return new ToolLoopAgent({
    name: "check",
    model: checkModel(run, gate),
    tools,
    approvalHandler: ({ toolCall }) =>
      ["pay", "ship"].includes(toolCall.toolName) ? { decision: "defer" } : { decision: "approve" },
  });
}
