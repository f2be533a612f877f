import { assert, assertEquals } from "@std/assert";
import type { ModelMessage, ModelResponse, ToolResult } from "../shared/model.ts";
import { openAiChat } from "./openai_chat.ts";
import { callsOf } from "./testdata/ask.ts";
import { bodyOf, functionCall, message, read, reasoning } from "./testdata/responses.ts";

/** Returns the items that a later request contains for a response. */
async function echoOf(response: ModelResponse, options: object = {}): Promise<unknown> {
  const results = callsOf(response).map(({ toolCallId, toolName }): ToolResult => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "text", value: "ok" },
    isError: false,
    durationMs: 1,
  }));
  const messages: ModelMessage[] = [
    response.message,
    ...results.length === 0 ? [] : [{ role: "tool" as const, content: results }],
  ];
  return (await bodyOf({ messages }, options)).input;
}

Deno.test("openAiResponses() sends reasoning, hosted calls and texts back without their ids", async () => {
  const search = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "x" },
  };
  const items = [
    reasoning([], { content: [], status: "completed" }),
    search,
    message("Look", { phase: "commentary", end_turn: null }),
    functionCall("f", "{}", { namespace: "n", caller: null }),
  ];
  assertEquals(await echoOf(await read(items)), [
    { type: "reasoning", summary: [], encrypted_content: "c2VjcmV0" },
    { type: "web_search_call", status: "completed", action: { type: "search", query: "x" } },
    { phase: "commentary", role: "assistant", content: "Look" },
    { namespace: "n", type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "ok" },
  ]);
});

Deno.test("openAiResponses() sends no encrypted reasoning to a model that accepts none", async () => {
  const response = await read([reasoning(["hm"]), functionCall("f", "{}"), message("A")]);
  const sent = [
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { role: "assistant", content: "A" },
    { type: "function_call_output", call_id: "call_1", output: "ok" },
  ];
  assertEquals(await echoOf(response, { model: "gpt-4.1" }), sent);
  assertEquals(await echoOf(response, { encryptedReasoning: false }), sent);
  assertEquals(await echoOf(response, { model: "gpt-4.1", encryptedReasoning: true }), [
    {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "c2VjcmV0",
    },
    ...sent,
  ]);
});

Deno.test("openAiResponses() sends items back unchanged if the API requires their id", async () => {
  const items = [
    { type: "code_interpreter_call", id: "ci_1", code: "1", container_id: "c", outputs: null },
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] },
    { type: "something_new", id: "x_1", data: { a: [1] } },
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["x"], results: null },
    { type: "mcp_call", id: "mcp_1", server_label: "s", name: "f", arguments: "{}", output: "1" },
  ];
  const echo = await echoOf(await read([...items, message("Done")]));
  assertEquals(echo, [...items, { role: "assistant", content: "Done" }]);
});

Deno.test("openAiResponses() sends readable reasoning back, and no reasoning without content", async () => {
  const readable = {
    type: "reasoning",
    id: "rs_1",
    status: "completed",
    encrypted_content: null,
    content: [{ type: "reasoning_text", text: "hm" }],
  };
  const stored = { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "a" }] };
  const response = await read([readable, stored, message("Done")]);
  assertEquals(await echoOf(response), [
    { type: "reasoning", summary: [], content: readable.content },
    { role: "assistant", content: "Done" },
  ]);
});

Deno.test("openAiResponses() sends no reasoning that is not followed by another item", async () => {
  const response = await read([message("A"), reasoning(["hm"])], {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  });
  assertEquals(await echoOf(response), [{ role: "assistant", content: "A" }]);
});

Deno.test("openAiResponses() sends no calls back that have not been executed", async () => {
  const call = { id: "x_1", call_id: "call_9", status: "completed" };
  const unexecuted = [
    { ...call, type: "local_shell_call", action: {} },
    { ...call, type: "apply_patch_call", operation: {} },
    { ...call, type: "computer_call", action: {} },
    { ...call, type: "shell_call", action: {}, environment: { type: "local" } },
    { ...call, type: "tool_search_call", execution: "client", arguments: {} },
  ];
  for (const item of unexecuted) {
    const response = await read([reasoning([]), item]);
    assertEquals(response.warnings, [`unsupported item, not executed: ${item.type}`]);
    assertEquals(await echoOf(response), []);
  }
});

Deno.test("openAiResponses() sends calls back that the provider has executed", async () => {
  const environment = { type: "container_reference", container_id: "cntr_1" };
  const shell = { type: "shell_call", id: "sh_1", call_id: "c", action: {}, environment };
  const output = { type: "shell_call_output", id: "sho_1", call_id: "c", output: [] };
  const response = await read([shell, output, message("Done")]);
  assertEquals(response.warnings, undefined);
  assertEquals(await echoOf(response), [shell, output, { role: "assistant", content: "Done" }]);
});

Deno.test("openAiResponses() sends the results of custom tools and of programs in their own form", async () => {
  const caller = { type: "program", caller_id: "call_0" };
  const response = await read([
    { type: "program", id: "cm_1", call_id: "call_0", code: "f()", fingerprint: "x" },
    functionCall("f", "{}", { caller }),
    { type: "custom_tool_call", id: "ct_1", call_id: "call_2", name: "sql", input: "SELECT 1" },
  ]);
  assertEquals(callsOf(response).map(({ input }) => input), [{}, "SELECT 1"]);
  assertEquals(await echoOf(response), [
    { type: "program", call_id: "call_0", code: "f()", fingerprint: "x" },
    { caller, type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "custom_tool_call", call_id: "call_2", name: "sql", input: "SELECT 1" },
    { type: "function_call_output", call_id: "call_1", output: "ok", caller },
    { type: "custom_tool_call_output", call_id: "call_2", output: "ok" },
  ]);
});

Deno.test("openAiResponses() sends the results of programs and tool searches back without their ids", async () => {
  const tools = [{ type: "function", name: "f", parameters: { type: "object" } }];
  const items = [
    { type: "tool_search_call", id: "ts_1", execution: "server", arguments: { paths: ["f"] } },
    { type: "tool_search_output", id: "to_1", execution: "server", status: "completed", tools },
    { type: "program", id: "cm_1", call_id: "call_0", code: "f()", fingerprint: "x" },
    { type: "program_output", id: "co_1", call_id: "call_0", result: "1", status: "completed" },
  ];
  const echo = await echoOf(await read([...items, message("Done")]));
  const expected = items.map(({ id: _, ...item }) => item);
  assertEquals(echo, [...expected, { role: "assistant", content: "Done" }]);
});

Deno.test("openAiResponses() sends a generated image back with its item", async () => {
  const image = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    output_format: "webp",
    result: "AQID",
  };
  const response = await read([image]);
  const [part] = response.message.content;
  assert(part?.type === "file");
  assertEquals([part.mediaType, part.data], ["image/webp", { type: "data", data: "AQID" }]);
  assert(!JSON.stringify(part.providerOptions).includes("AQID"));
  assertEquals(await echoOf(response), [image]);
});

Deno.test("openAiResponses() sends no items of another server", async () => {
  const response = await read([
    reasoning(["hm"]),
    message("A", { phase: "final_answer" }),
    functionCall("f", "{}", { namespace: "n" }),
  ]);
  const expected = [
    { role: "assistant", content: "A" },
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "ok" },
  ];
  assertEquals(await echoOf(response, { baseUrl: "http://127.0.0.1:9/v1" }), expected);
  assertEquals(await echoOf(response, { provider: "other" }), expected);
});

Deno.test("openAiResponses() and openAiChat() with the same provider name ignore each other's data", async () => {
  const response = await read([reasoning(["hm"]), message("A", { phase: "final_answer" })]);
  let sent: unknown;
  const chat = openAiChat({
    baseUrl: "http://127.0.0.1/v1",
    model: "m",
    fetch: (_, { body }) => {
      sent = JSON.parse(String(body)).messages;
      return Promise.resolve(Response.json({
        choices: [{ message: { content: "B", reasoning_content: "ho" }, finish_reason: "stop" }],
      }));
    },
  });
  const { message: reply } = await chat.generate({
    messages: [response.message],
    tools: [],
    options: {},
  });
  assertEquals(sent, [{ role: "assistant", content: "A" }]);
  assertEquals((await bodyOf({ messages: [reply] })).input, [{ role: "assistant", content: "B" }]);
});

Deno.test("openAiResponses() ignores the data of a generated image in a message of the user", async () => {
  const { message } = await read([{ type: "image_generation_call", id: "ig_1", result: "AQID" }]);
  const content = message.content.filter((part) => part.type === "file");
  const { input } = await bodyOf({ messages: [{ role: "user", content }] });
  assertEquals(input, [{
    role: "user",
    content: [{ type: "input_image", detail: "auto", image_url: "data:image/png;base64,AQID" }],
  }]);
});
