/** Uses agents as models with OpenAI's own package. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
} from "openai";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type {
  Response as OpenAiResponse,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { type Endpoint, openEndpoint } from "./served_clerk.ts";

const MODEL = { model: "clerk" };

function say(content: string): Pick<ChatCompletionCreateParams, "messages" | "model"> {
  return { ...MODEL, messages: [{ role: "user", content }] };
}

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

Deno.test("models are listed and retrieved", async () => {
  await using endpoint = openEndpoint();
  const { models } = endpoint.client;
  assertEquals((await collect(await models.list())).map(({ id }) => id), ["clerk"]);
  assertEquals((await models.retrieve("clerk")).id, "clerk");
  await assertRejects(() => models.retrieve("other"), NotFoundError);
});

Deno.test("a completion has a message, a finish reason and the usage", async () => {
  await using endpoint = openEndpoint();
  const { choices, usage } = await endpoint.client.chat.completions.create(say("Hi"));
  assertEquals(choices[0]?.message.content, "1: Hi");
  assertEquals(choices[0]?.finish_reason, "stop");
  assertEquals(usage?.total_tokens, 10);
  const filtered = await endpoint.client.chat.completions.create(say("filter"));
  assertEquals(filtered.choices[0]?.finish_reason, "content_filter");
});

Deno.test("the conversation is that of the request", async () => {
  await using endpoint = openEndpoint();
  const { choices } = await endpoint.client.chat.completions.create({
    ...MODEL,
    messages: [
      { role: "system", content: "Be rude." },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: [{ type: "text", text: "c" }] },
    ],
  });
  assertEquals(choices[0]?.message.content, "3: a | b | c");
});

Deno.test("a stream has the text, the finish reason and the usage", async () => {
  await using endpoint = openEndpoint();
  const chunks = await collect(
    await endpoint.client.chat.completions.create({
      ...say("tool"),
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  assertEquals(text, "Let me calculate.\n\nIt is 42.");
  assertEquals(chunks.at(-2)?.choices[0]?.finish_reason, "stop");
  assertEquals(chunks.at(-1)?.usage?.total_tokens, 4);
});

Deno.test("the stream helper collects the completion", async () => {
  await using endpoint = openEndpoint();
  const stream = endpoint.client.chat.completions.stream(say("Hi"));
  assertEquals((await stream.finalChatCompletion()).choices[0]?.message.content, "1: Hi");
});

Deno.test("a failure is an error with and without streaming, and is not repeated", async () => {
  await using endpoint = openEndpoint();
  const { client } = endpoint;
  const patient = client.withOptions({ maxRetries: 2 });
  const failed = await assertRejects(() => patient.chat.completions.create(say("fail")), APIError);
  assertEquals([failed.status, failed.code, failed.message], [
    500,
    "server_error",
    "500 An error occurred",
  ]);
  assertEquals(endpoint.runs.length, 1);
  const stream = await patient.chat.completions.create({ ...say("fail"), stream: true });
  const cut = await assertRejects(() => collect(stream), APIError);
  assertEquals(cut.message, "An error occurred");
  assertEquals(endpoint.runs.length, 2);
});

Deno.test("requests that an agent cannot follow are errors", async () => {
  await using endpoint = openEndpoint();
  const { baseURL, client } = endpoint;
  const unknown = client.chat.completions.create({ ...say("Hi"), model: "other" });
  const missing = await assertRejects(() => unknown, NotFoundError);
  assertEquals([missing.code, missing.param], ["model_not_found", "model"]);
  const tools = [{ type: "function" as const, function: { name: "f" } }];
  const rejected = await assertRejects(
    () => client.chat.completions.create({ ...say("Hi"), tools }),
    APIError,
  );
  assertEquals([rejected.code, rejected.param], ["unsupported_parameter", "tools"]);
  const stranger = new OpenAI({ baseURL, apiKey: "wrong", maxRetries: 0 });
  const denied = await assertRejects(() => collect(stranger.models.list()), AuthenticationError);
  assertEquals(denied.code, "invalid_api_key");
  assertEquals(endpoint.runs.length, 0);
});

Deno.test("an aborted request cancels its run", async () => {
  await using endpoint = openEndpoint();
  const { client, gate, runs } = endpoint;
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = client.chat.completions.create(say("slow"), { signal });
  await gate.reached;
  controller.abort();
  await assertRejects(() => waiting, APIUserAbortError);
  assertEquals((await runs[0]?.settled())?.status, "cancelled");
  const stream = await client.chat.completions.create({ ...say("slow"), stream: true });
  for await (const _ of stream) break;
  assertEquals((await runs[1]?.settled())?.status, "cancelled");
});

Deno.test("a response is created, retrieved and continued", async () => {
  await using endpoint = openEndpoint();
  const { responses } = endpoint.client;
  const first = await responses.create({ ...MODEL, input: "a", metadata: { order: "7" } });
  assertEquals([first.status, first.output_text], ["completed", "1: a"]);
  const retrieved = await responses.retrieve(first.id);
  assertEquals(retrieved.output, first.output);
  assertEquals(retrieved.metadata, { order: "7" });
  const next = { ...MODEL, input: "b", previous_response_id: first.id };
  assertEquals((await responses.create(next)).output_text, "3: a | 1: a | b");
  const conversation = "c/1";
  const other = await responses.create({ ...MODEL, input: "x", conversation });
  assertEquals((await responses.retrieve(other.id)).conversation, { id: conversation });
});

Deno.test("a streamed response is collected by the package", async () => {
  await using endpoint = openEndpoint();
  const { responses } = endpoint.client;
  const stream = responses.stream({ ...MODEL, input: "tool" });
  const texts: string[] = [];
  stream.on("response.output_text.delta", ({ delta }) => void texts.push(delta));
  const response = await stream.finalResponse();
  assertEquals(texts.join(""), "Let me calculate.It is 42.");
  assertEquals(response.output_text, "Let me calculate.It is 42.");
  assertEquals(response.usage?.total_tokens, 4);
});

/** Waits for a response in the background. */
async function waitFor({ client }: Endpoint, id: string): Promise<OpenAiResponse> {
  const events = await collect(await client.responses.retrieve(id, { stream: true }));
  assert(events.at(-1)?.type.startsWith("response."));
  return await client.responses.retrieve(id);
}

Deno.test("a response in the background is polled, and its stream is resumed", async () => {
  await using endpoint = openEndpoint();
  const { client: { responses }, gate } = endpoint;
  const polled = await responses.create({ ...MODEL, input: "slow", background: true });
  assertEquals(polled.status, "in_progress");
  assertEquals((await responses.retrieve(polled.id)).status, "in_progress");
  const streamed = await responses.create({
    ...MODEL,
    input: "slow",
    background: true,
    stream: true,
  });
  const seen: ResponseStreamEvent[] = [];
  for await (const event of streamed) {
    seen.push(event);
    if (seen.length === 2) break;
  }
  const [created] = seen;
  assert(created?.type === "response.created");
  gate.release();
  const options = { stream: true as const, starting_after: 1 };
  const rest = await collect(await responses.retrieve(created.response.id, options));
  assertEquals(rest[0]?.sequence_number, 2);
  const last = rest.at(-1);
  assert(last?.type === "response.completed");
  assertEquals((await waitFor(endpoint, polled.id)).output_text, "Done.");
});

Deno.test("a response in the background is cancelled", async () => {
  await using endpoint = openEndpoint();
  const { client: { responses }, gate } = endpoint;
  const { id } = await responses.create({ ...MODEL, input: "slow", background: true });
  await gate.reached;
  assertEquals((await responses.cancel(id)).status, "cancelled");
  assertEquals((await responses.retrieve(id)).status, "cancelled");
});

Deno.test("tool calls are approved and denied", async () => {
  await using endpoint = openEndpoint();
  const { responses } = endpoint.client;
  const asked = await responses.create({ ...MODEL, input: "pay" });
  const calls = asked.output.flatMap((item) => item.type === "mcp_approval_request" ? [item] : []);
  assertEquals(calls.map(({ arguments: input, name }) => [name, input]), [
    ["pay", '{"amount":5}'],
    ["pay", '{"amount":6}'],
  ]);
  const input = calls.map(({ id }, index) => ({
    type: "mcp_approval_response" as const,
    approval_request_id: id,
    approve: index === 0,
  }));
  const decided = { ...MODEL, input, previous_response_id: asked.id };
  assertEquals((await responses.create(decided)).output_text, "It is 42.");
});

Deno.test("the helpers that parse a response return its text", async () => {
  await using endpoint = openEndpoint();
  const { client: { chat, responses } } = endpoint;
  assertEquals((await responses.parse({ ...MODEL, input: "Hi" })).output_text, "1: Hi");
  assertEquals((await chat.completions.parse(say("Hi"))).choices[0]?.message.content, "1: Hi");
});

Deno.test("the stream helper resumes a response after an event", async () => {
  await using endpoint = openEndpoint();
  const { responses } = endpoint.client;
  const { id } = await responses.create({ ...MODEL, input: "Hi", background: true });
  await endpoint.runs[0]?.settled();
  const stream = responses.stream({ response_id: id, starting_after: 3 });
  const numbers: number[] = [];
  stream.on("event", ({ sequence_number: number }) => void numbers.push(number));
  assertEquals((await stream.finalResponse()).output_text, "1: Hi");
  assertEquals(numbers, [4, 5, 6, 7, 8]);
});

Deno.test("a response that is not stored does not wait for a decision", async () => {
  await using endpoint = openEndpoint();
  const { client: { responses }, runs } = endpoint;
  const request = { ...MODEL, input: "pay", store: false };
  await assertRejects(() => responses.create(request), BadRequestError, "needs an approval");
  assertEquals((await runs[0]?.settled())?.status, "cancelled");
});
