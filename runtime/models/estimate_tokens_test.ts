import { assertEquals } from "@std/assert";
import type { ModelMessage, ToolResult, ToolResultOutput } from "../shared/model.ts";
import { estimateTokens } from "./estimate_tokens.ts";

function estimate(...messages: ModelMessage[]): number {
  return estimateTokens({ messages, tools: [], options: {} });
}

function resultOf(output: ToolResultOutput): ToolResult {
  return {
    type: "tool-result",
    toolCallId: "c1",
    toolName: "read",
    output,
    isError: false,
    durationMs: 0,
  };
}

Deno.test("estimateTokens() returns a quarter of the characters of all messages, rounded up", () => {
  assertEquals(estimate(), 0);
  assertEquals(estimate({ role: "system", content: "12345678" }), 2);
  assertEquals(
    estimate(
      { role: "system", content: "123" },
      { role: "user", content: [{ type: "text", text: "123" }] },
      { role: "assistant", content: [{ type: "reasoning", text: "123" }] },
    ),
    3,
  );
});

Deno.test("estimateTokens() counts the input of tool calls as JSON, and invalid input as text", () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "read" } as const;
  assertEquals(estimate({ role: "assistant", content: [{ ...call, input: { a: "1" } }] }), 3);
  assertEquals(
    estimate({ role: "assistant", content: [{ ...call, input: {}, rawInput: '{"a":"12345' }] }),
    3,
  );
  assertEquals(estimate({ role: "assistant", content: [{ ...call, input: undefined }] }), 0);
});

Deno.test("estimateTokens() counts the text of tool results, and no files", () => {
  const image = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: "AAAA" },
  } as const;
  const rows: readonly [output: ToolResultOutput, tokens: number][] = [
    [{ type: "text", value: "12345678" }, 2],
    [{ type: "error-text", value: "12345678" }, 2],
    [{ type: "json", value: { a: 12 } }, 2],
    [{ type: "error-json", value: [1, 2, 3, 4] }, 3],
    [{ type: "execution-denied", reason: "1234" }, 1],
    [{ type: "execution-denied" }, 0],
    [{ type: "content", value: [{ type: "text", text: "1234" }, image] }, 1],
  ];
  for (const [output, tokens] of rows) {
    assertEquals(estimate({ role: "tool", content: [resultOf(output)] }), tokens, output.type);
  }
  assertEquals(estimate({ role: "user", content: [image] }), 0);
});
