/**
 * Agents for the chaos tests. Each run executes five rounds of two parallel tool calls. Out of
 * every ten runs, one needs an approval, one has a sub-agent, and one has a typed result.
 *
 * @module
 */

import {
  asTool,
  type LanguageModel,
  type ModelMessage,
  type StepInfo,
  type Tool,
  ToolLoopAgent,
} from "@parley/runtime";
import type { AgentVersions } from "@parley/runtime/runs";

/** Reports the start of a model call or a tool execution. */
export type OnBegin = (key: string) => void;

const ROUNDS = 5;
const CHILD_ROUNDS = 2;
const CALLS = [0, 1];

/** A run in the chaos tests: its agent and its message. */
export interface ChaosRun {
  readonly runId: string;
  readonly agent: "clerk" | "counter";
  readonly input: "approval" | "helper" | "plain" | "typed";
}

/** Returns the run with the given number. */
export function runOf(index: number): ChaosRun {
  const runId = `run-${index}`;
  const input = ({ 3: "approval", 5: "typed", 7: "helper" } as const)[index % 10] ?? "plain";
  return { runId, agent: input === "typed" ? "counter" : "clerk", input };
}

/** Returns the tool results that a run's final answer must list if no outcome is unknown. */
export function answerOf({ input }: ChaosRun): readonly string[] {
  return resultsOf(ROUNDS).map((result) =>
    input === "helper" && result === "r2.1" ? `[${resultsOf(CHILD_ROUNDS)}]` : result
  );
}

function resultsOf(rounds: number): readonly string[] {
  return Array.from({ length: rounds }, (_, round) => CALLS.map((call) => `r${round}.${call}`))
    .flat();
}

/**
 * Creates the agents. If `idempotent` is true, the tools declare that they may be executed again.
 */
export function chaosAgents(idempotent: boolean, onBegin: OnBegin): AgentVersions {
  const tool = (name: string): Tool<unknown, string> => ({
    name,
    inputSchema: { type: "object" },
    ...idempotent ? { annotations: { idempotent } } : {},
    execute(input, { idempotencyKey }) {
      onBegin(idempotencyKey);
      const { call, round } = Object(input);
      return `r${round}.${call}`;
    },
  });
  const around = <Outcome>(step: StepInfo, next: () => Promise<Outcome>): Promise<Outcome> => {
    if (step.kind === "model") onBegin(`${step.runId}/i${step.iteration}/model`);
    return next();
  };
  const helper = asTool({
    name: "helper",
    description: "Works on part of the task",
    model: modelOf(CHILD_ROUNDS),
    allowedTools: ["work"],
  });
  const common = { model: modelOf(ROUNDS), tools: [tool("work"), tool("pay"), helper], around };
  const output = {
    type: "object",
    properties: { results: { type: "array", items: { type: "string" } } },
    required: ["results"],
  } as const;
  return {
    clerk: {
      version: "1",
      make: () =>
        new ToolLoopAgent({
          name: "clerk",
          ...common,
          approvalHandler: ({ toolCall }) =>
            toolCall.toolName === "pay" ? { decision: "defer" } : true,
        }),
    },
    counter: {
      version: "1",
      make: () => new ToolLoopAgent({ name: "counter", ...common, output }),
    },
  };
}

function modelOf(rounds: number): LanguageModel {
  return {
    modelId: "rounds",
    provider: "test",
    nativeOutput: "with-tools",
    generate({ messages }) {
      const kind = textOf(messages.find(({ role }) => role === "user"));
      const round = messages.filter(({ role }) => role === "assistant").length;
      const calls = CALLS.map((call) => ({
        type: "tool-call" as const,
        toolCallId: `c${round}.${call}`,
        toolName: toolFor(kind, round, call),
        input: { round, call, task: "plain" },
      }));
      const results = messages.flatMap(outcomesIn);
      const text = kind === "typed" ? JSON.stringify({ results }) : results.join(",");
      const answer = rounds === CHILD_ROUNDS ? `[${text}]` : text;
      return Promise.resolve({
        message: {
          role: "assistant",
          content: round < rounds ? calls : [{ type: "text", text: answer }],
        },
        finishReason: round < rounds ? "tool-calls" : "stop",
      });
    },
  };
}

function toolFor(kind: string, round: number, call: number): string {
  if (kind === "approval" && round === 1 && call === 0) return "pay";
  return kind === "helper" && round === 2 && call === 1 ? "helper" : "work";
}

function textOf(message: ModelMessage | undefined): string {
  const content = message?.role === "user" ? message.content : [];
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Returns the results of tool calls, or `unknown` for a call whose outcome is unknown. */
function outcomesIn(message: ModelMessage): readonly string[] {
  if (message.role !== "tool") return [];
  return message.content.map(({ output }) => {
    if ("value" in output && typeof output.value === "string" && /^r|^\[/.test(output.value)) {
      return output.value;
    }
    const text = JSON.stringify(output);
    return text.includes("Outcome unknown") ? "unknown" : text;
  });
}
