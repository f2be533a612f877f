import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderAnswer, ProviderApi, ProviderReply } from "../../kit/provider_turn.ts";
import {
  chatCalls,
  contentBlocks,
  geminiParts,
  outputItems,
  stopReason,
} from "../contracts/answer.ts";
import { renderReply } from "./render_reply.ts";

const ANSWER: ProviderAnswer = {
  text: "I add",
  reasoning: { text: "why", signature: "sig" },
  calls: [{ id: "c1", name: "add", input: '{"a":1}' }, { id: "c2", name: "sub", input: "{}" }],
};

function render(
  api: ProviderApi,
  { answer = ANSWER, path = "/", json = {} }: {
    readonly answer?: ProviderAnswer;
    readonly path?: string;
    readonly json?: JsonObject;
  } = {},
): ProviderReply {
  const request = { method: "POST", path, headers: {}, bodyText: "", json };
  return renderReply({ answer }, { api, request, index: 0 });
}

const STREAM = { json: { stream: true } };

Deno.test("a response has the form of Chat Completions, whole and as a stream", () => {
  for (const request of [{}, STREAM]) {
    assertEquals(chatCalls(render("openai-chat", request)), [
      { id: "c1", name: "add", arguments: '{"a":1}' },
      { id: "c2", name: "sub", arguments: "{}" },
    ]);
  }
  assertEquals(render("openai-chat", { answer: { text: "hi" } }).json, {
    id: "chatcmpl-0",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "hi", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  const last = render("openai-chat", STREAM).events?.at(-1);
  assertEquals(last, { data: "[DONE]" });
});

Deno.test("a response has the form of Responses, whole and as a stream", () => {
  for (const request of [{}, STREAM]) {
    const items = outputItems(render("openai-responses", request));
    assertEquals(items.map(({ type }) => type), [
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    assertEquals(items[2], {
      type: "function_call",
      id: "fc_c1",
      call_id: "c1",
      name: "add",
      arguments: '{"a":1}',
      status: "completed",
    });
  }
  const [first] = render("openai-responses", STREAM).events ?? [];
  assertEquals(first?.event, "response.created");
});

Deno.test("a response has the form of Messages, whole and as a stream", () => {
  for (const request of [{}, STREAM]) {
    const reply = render("anthropic", { ...request, answer: { ...ANSWER, redacted: "r" } });
    assertEquals(contentBlocks(reply), [
      { type: "thinking", thinking: "why", signature: "sig" },
      { type: "redacted_thinking", data: "r" },
      { type: "text", text: "I add" },
      { type: "tool_use", id: "c1", name: "add", input: { a: 1 } },
      { type: "tool_use", id: "c2", name: "sub", input: {} },
    ]);
    assertEquals(stopReason(reply), "tool_use");
  }
  assertEquals(stopReason(render("anthropic", { answer: { isCut: true } })), "max_tokens");
});

Deno.test("a response has the form of Gemini, whole and as a stream", () => {
  for (const request of [{}, { path: "/v1beta/models/m:streamGenerateContent?alt=sse" }]) {
    assertEquals(geminiParts(render("gemini", request)), [
      { text: "why", thought: true },
      { text: "I add" },
      { functionCall: { id: "c1", name: "add", args: { a: 1 } }, thoughtSignature: "sig" },
      { functionCall: { id: "c2", name: "sub", args: {} } },
    ]);
  }
});

Deno.test("a reply without a neutral response stays as it is", () => {
  const reply = { status: 500, json: {} };
  const request = { method: "POST", path: "/", headers: {}, bodyText: "" };
  assertEquals(renderReply(reply, { api: "gemini", request, index: 0 }), reply);
});
