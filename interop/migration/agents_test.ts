/**
 * Runs the programs in docs/migration-from-ai-sdk.md and docs/migration-from-openai-agents.md that
 * use third-party packages.
 */

import { type Model, Usage } from "@openai/agents";
import { assertEquals } from "@std/assert";
import { MockLanguageModelV4 } from "ai/test";
import { askWeather as askWithAiSdk } from "./ai_sdk.ts";
import { askWeather as askWithOpenAiAgents } from "./openai_agents.ts";

const INPUT = JSON.stringify({ city: "Oslo" });
const ANSWER = "It is raining in Oslo.";

type Content = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>["content"];

Deno.test("the migration program of the AI SDK calls the tool and returns the final text", async () => {
  const turns: Content[] = [
    [{ type: "tool-call", toolCallId: "1", toolName: "weather", input: INPUT }],
    [{ type: "text", text: ANSWER }],
  ];
  const model = new MockLanguageModelV4({
    doGenerate: () => {
      const content = turns.shift() ?? [];
      return Promise.resolve({
        content,
        finishReason: { unified: turns.length > 0 ? "tool-calls" : "stop", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      });
    },
  });
  assertEquals(await askWithAiSdk(model), ANSWER);
});

Deno.test("the migration program of OpenAI Agents calls the tool and returns the final text", async () => {
  let turn = 0;
  const model: Model = {
    getResponse: () =>
      Promise.resolve({
        usage: new Usage(),
        output: turn++ === 0
          ? [{ type: "function_call", callId: "1", name: "weather", arguments: INPUT }]
          : [{
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: ANSWER }],
          }],
      }),
    getStreamedResponse: () => {
      throw new Error("The program does not stream");
    },
  };
  assertEquals(await askWithOpenAiAgents(model), ANSWER);
});
