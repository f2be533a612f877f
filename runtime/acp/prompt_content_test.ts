import { assertEquals, assertThrows } from "@std/assert";
import { readPrompt } from "./prompt_content.ts";
import { RpcError } from "./rpc_error.ts";

Deno.test("readPrompt() converts the blocks of a prompt", () => {
  const prompt = [
    { type: "text", text: "Explain " },
    { type: "resource_link", name: "a.ts", uri: "file:///w/a.ts" },
    { type: "resource", resource: { uri: "file:///w/b.ts", text: "let b;" } },
    { type: "image", data: "iVBORw==", mimeType: "image/png" },
  ];
  assertEquals(readPrompt({ prompt }, { image: true }), [
    { type: "text", text: "Explain " },
    { type: "text", text: "[a.ts](file:///w/a.ts)" },
    { type: "text", text: '<resource uri="file:///w/b.ts">\nlet b;\n</resource>' },
    { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw==" } },
  ]);
});

Deno.test("readPrompt() rejects blocks that are invalid or not supported", () => {
  const image = { type: "image", data: "iVBORw==", mimeType: "image/png" };
  const invalid: readonly (readonly [unknown, string])[] = [
    [undefined, '"prompt" must be an array of 1 to 1000 content blocks'],
    [[], '"prompt" must be an array of 1 to 1000 content blocks'],
    [Array(1001).fill({ type: "text", text: "" }), '"prompt" must be an array'],
    [["Hi"], '"prompt[0].type" must be "text", "resource_link" or "resource"'],
    [[{ type: "text" }], '"prompt[0].text" must be a string'],
    [[{ type: "resource_link", uri: "a:b" }], '"prompt[0].name" must be a string'],
    [[{ type: "resource", resource: { uri: "a:b" } }], '"prompt[0].resource.text" must be'],
    [[{ type: "resource", resource: { uri: "a:b", blob: "aa" } }], "must contain text, not binary"],
    [[image], '"prompt[0].type" must be "text"'],
    [[{ type: "audio", data: "", mimeType: "audio/wav" }], '"prompt[0].type" must be "text"'],
  ];
  for (const [prompt, text] of invalid) {
    const error = assertThrows(() => readPrompt({ prompt }, { image: false }), RpcError, text);
    assertEquals(error.code, -32602);
  }
  for (const part of [{ data: "?" }, { data: "" }, { mimeType: "text/html" }, { mimeType: 1 }]) {
    const prompt = [{ ...image, ...part }];
    assertEquals(
      assertThrows(() => readPrompt({ prompt }, { image: true }), RpcError).code,
      -32602,
    );
  }
});
