/** Reasoning in the responses of different servers, and in the requests that continue them. */

import { assertEquals } from "@std/assert";
import type { ModelMessage, ModelResponse } from "../shared/model.ts";
import { openAiChat } from "./openai_chat.ts";
import { KEY, QUESTION, streamed } from "./testdata/ask.ts";
import { bodyOf, chunk, completion, modelOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";

/** Reads chunks as a stream. */
async function read(...chunks: readonly (object | string)[]): Promise<ModelResponse> {
  return await streamed(modelOf(() => eventStream([...chunks, "[DONE]"])));
}

/** Returns the assistant message that continues a conversation after a response. */
async function sentBack({ message }: ModelResponse): Promise<Record<string, unknown> | undefined> {
  const { messages } = await bodyOf({ messages: [...QUESTION.messages, message] }, {
    provider: "127.0.0.1",
  });
  return JSON.parse(JSON.stringify(messages))[1];
}

function callPiece(piece: object): object {
  return chunk({ tool_calls: [piece] });
}

Deno.test("openAiChat() sends back reasoning_details unchanged, whole and streamed", async () => {
  const details = [
    { type: "reasoning.text", text: "Let me see", signature: "c2ln", format: "x", index: 0 },
    { type: "reasoning.encrypted", data: "b3BhcXVl", id: "r1", index: 1 },
  ];
  const message = { content: "Hi", reasoning: "Let me see", reasoning_details: details };
  const whole = await modelOf(() => Response.json(completion(message))).generate(QUESTION);
  const pieces = await read(
    chunk({ reasoning_details: [{ type: "reasoning.text", text: "Let ", index: 0 }] }),
    chunk({
      reasoning: "Let me see",
      reasoning_details: [{ type: "reasoning.text", text: "me see", index: 0, format: "x" }],
    }),
    chunk({
      reasoning_details: [{ type: "reasoning.text", signature: "c2ln", text: null, index: 0 }],
    }),
    chunk({ content: "Hi", reasoning_details: [details[1]] }, "stop"),
  );
  for (const response of [whole, pieces]) {
    const sent = await sentBack(response);
    assertEquals([sent?.reasoning_details, sent?.reasoning], [details, "Let me see"]);
  }
});

Deno.test("openAiChat() joins only the pieces of one entry of reasoning_details", async () => {
  const text = { type: "reasoning.text", text: "1", index: 0 };
  const data = { type: "reasoning.encrypted", data: "YQ", id: "a", index: 0 };
  // The entries of a complete response, and entries without an index, are complete.
  const whole = [text, { ...text, text: "2" }, data, { ...data, data: "Yg" }];
  const message = { content: "Hi", reasoning_details: whole };
  const response = await modelOf(() => Response.json(completion(message))).generate(QUESTION);
  assertEquals((await sentBack(response))?.reasoning_details, whole);
  const apart = [{ type: "a", text: "1" }, { type: "a", text: "2" }];
  const rows: readonly (readonly [readonly object[], readonly object[]])[] = [
    [apart, apart],
    // The pieces of two entries alternate.
    [
      [text, { ...text, index: 1 }, { ...text, text: "2" }, { ...text, index: 1, signature: "s" }],
      [{ ...text, text: "12" }, { ...text, text: "11", index: 1, signature: "s" }],
    ],
    // The ids of tool calls distinguish entries with one index.
    [[data, { ...data, id: "b" }], [data, { ...data, id: "b" }]],
  ];
  for (const [pieces, expected] of rows) {
    const chunks = pieces.map((piece) => chunk({ reasoning_details: [piece] }));
    const sent = await sentBack(await read(...chunks, chunk({ content: "Hi" }, "stop")));
    assertEquals(sent?.reasoning_details, expected);
  }
});

Deno.test("openAiChat() sends back thinking blocks and encrypted reasoning of gateways", async () => {
  const thinking_blocks = [
    { type: "thinking", thinking: "Let me see", signature: "c2ln" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
    { type: "thinking", thinking: "Now", signature: "c2lnMg" },
  ];
  const message = { content: "Hi", reasoning_text: "Let me see", reasoning_opaque: "b3A" };
  const body = completion({ ...message, thinking_blocks });
  const whole = await modelOf(() => Response.json(body)).generate(QUESTION);
  const piece = (thinking: string, signature: string) =>
    chunk({ thinking_blocks: [{ type: "thinking", thinking, signature }] });
  const pieces = await read(
    chunk({ reasoning_text: "Let me " }),
    piece("Let ", ""),
    piece("me see", ""),
    piece("", "c2ln"),
    chunk({ reasoning_text: "see", thinking_blocks: [thinking_blocks[1]] }),
    piece("Now", "c2lnMg"),
    chunk({ content: "Hi", reasoning_opaque: "b3A" }, "stop"),
  );
  for (const response of [whole, pieces]) {
    const sent = await sentBack(response);
    assertEquals(sent, { role: "assistant", ...message, thinking_blocks });
    const [thought] = response.message.content;
    assertEquals(thought?.type === "reasoning" && thought.text, "Let me see");
  }
});

Deno.test("openAiChat() sends back fields of a call and a message from any chunk", async () => {
  const response = await read(
    callPiece({ index: 0, id: "c", extra_content: { google: { a: 1 } }, function: { name: "f" } }),
    callPiece({
      index: 0,
      function: { arguments: "{}" },
      extra_content: { google: { b: "c2ln" } },
    }),
    chunk({ extra_content: { google: { thought_signature: "dGV4dA" } } }, "tool_calls"),
  );
  const sent = await sentBack(response);
  assertEquals(sent?.extra_content, { google: { thought_signature: "dGV4dA" } });
  assertEquals(sent?.tool_calls, [{
    id: "c",
    type: "function",
    function: { name: "f", arguments: "{}" },
    extra_content: { google: { a: 1, b: "c2ln" } },
  }]);
});

Deno.test("openAiChat() does not send the data of one server to another", async () => {
  const reply = completion({ content: "Hi", reasoning_content: "Let me see" });
  const bodies: Record<string, unknown>[] = [];
  const modelAt = (baseUrl: string) =>
    openAiChat({
      baseUrl,
      model: "m",
      apiKey: KEY,
      fetch: (_, { body }) => {
        bodies.push(JSON.parse(String(body)));
        return Promise.resolve(Response.json(reply));
      },
    });
  const first = modelAt("https://one.example/v1");
  const { message } = await first.generate(QUESTION);
  const messages: ModelMessage[] = [...QUESTION.messages, message];
  const others = ["https://two.example/v1", "https://api.openai.com/v1", "https://one.example/v1"];
  for (const baseUrl of others) {
    await modelAt(baseUrl).generate({ ...QUESTION, messages });
  }
  const found = bodies.slice(1).map((body) => JSON.stringify(body).includes("reasoning_content"));
  assertEquals(found, [false, false, true]);
});
