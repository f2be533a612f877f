import { assertEquals } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import type { ToolResultOutput } from "../shared/model.ts";
import { describeCall, toBlock, toResultUpdate } from "./session_update.ts";

function describe(toolName: string, input: unknown): object {
  const { kind: _kind, name: _name, toolCallId: _id, ...rest } = describeCall(
    { toolCallId: "c1", toolName, input },
    () => "other",
  );
  return rest;
}

Deno.test("describeCall() shows the whole command of run_command", () => {
  const input = { command: "rm", args: ["-rf", "my file", "a\nb\u202e"] };
  assertEquals(describe("run_command", input), {
    title: String.raw`rm -rf "my file" "a\nb\u{202e}"`,
    rawInput: input,
  });
});

Deno.test("describeCall() shows the path of a file tool, with its location", () => {
  const input = { path: "/w/a.ts" };
  assertEquals(describe("read_text_file", input), {
    title: "read_text_file: /w/a.ts",
    rawInput: input,
    locations: [{ path: "/w/a.ts" }],
  });
});

Deno.test("describeCall() shows the name of other tools, and omits input that is not JSON", () => {
  assertEquals(describe("look", { path: "/w", command: "x" }), {
    title: "look",
    rawInput: { path: "/w", command: "x" },
  });
  assertEquals(describe("look", undefined), { title: "look" });
  assertEquals(describe("run_command", "ls"), { title: "run_command", rawInput: "ls" });
});

Deno.test("toResultUpdate() encodes each type of output", () => {
  const outputs: readonly (readonly [ToolResultOutput, JsonObject[]])[] = [
    [{ type: "text", value: "a" }, [{ type: "text", text: "a" }]],
    [{ type: "json", value: { a: 1 } }, [{ type: "text", text: '{\n  "a": 1\n}' }]],
    [{ type: "error-text", value: "no" }, [{ type: "text", text: "no" }]],
    [{ type: "error-json", value: ["no"] }, [{ type: "text", text: '[\n  "no"\n]' }]],
    [{ type: "execution-denied" }, [{ type: "text", text: "The call was denied" }]],
    [{ type: "execution-denied", reason: "later" }, [{ type: "text", text: "later" }]],
    [
      { type: "content", value: [{ type: "text", text: "a" }, { type: "text", text: "b" }] },
      [{ type: "text", text: "a" }, { type: "text", text: "b" }],
    ],
  ];
  for (const [output, blocks] of outputs) {
    const update = toResultUpdate("c1", {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "look",
      output,
      isError: false,
      durationMs: 1,
    });
    assertEquals(update, {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      content: blocks.map((content) => ({ type: "content", content })),
    });
  }
});

Deno.test("toBlock() encodes files", () => {
  const url = new URL("https://a.example/b.png");
  assertEquals(toBlock({ type: "file", mediaType: "image/png", data: { type: "url", url } }), {
    type: "resource_link",
    name: "https://a.example/b.png",
    uri: "https://a.example/b.png",
    mimeType: "image/png",
  });
  const data = { type: "data", data: "JVBERg==" } as const;
  assertEquals(toBlock({ type: "file", mediaType: "application/pdf", filename: "a.pdf", data }), {
    type: "text",
    text: "[a.pdf (application/pdf)]",
  });
});
