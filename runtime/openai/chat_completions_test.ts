import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { ServedHandler, ServedRun } from "../serve/contracts.ts";
import { chatCompletionsHandler, type ChatCompletionsOptions } from "./chat_completions.ts";
import { type Clerk, readEvents, recordRuns, serveClerk } from "./testdata/clerk.ts";

const ANN = { principal: { subject: "ann" } };

function handlerOf(
  { served }: Clerk,
  options: Partial<ChatCompletionsOptions> = {},
): ServedHandler {
  return chatCompletionsHandler({ models: { clerk: served }, ...options });
}

function post(body: object, init: RequestInit = {}): Request {
  return new Request("https://example.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "clerk", ...body }),
    ...init,
  });
}

/** Returns a request with one message. */
function say(content: unknown, more: object = {}): Request {
  return post({ messages: [{ role: "user", content }], ...more });
}

function get(path: string): Request {
  return new Request(`https://example.com${path}`);
}

/** Members of the JSON responses. */
interface Json {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly owned_by: string;
  readonly choices: readonly [Choice];
  readonly usage: Readonly<Record<string, unknown>>;
  readonly data: readonly { readonly id: string }[];
  readonly error: { readonly message: string; readonly code: unknown; readonly param: unknown };
}

interface Choice {
  readonly message: { readonly content: string; readonly reasoning_content?: string };
  readonly finish_reason: string;
}

/** A chunk of a stream. */
interface Chunk {
  readonly id: string;
  readonly created: number;
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

async function jsonOf(response: Response): Promise<Json> {
  return await response.json();
}

/** Returns the status, the code and the member of an error. */
async function errorOf(response: Response): Promise<readonly unknown[]> {
  const { error } = await jsonOf(response);
  assertEquals(Object.keys(error), ["message", "type", "param", "code"]);
  return [response.status, error.code, error.param];
}

function textOf({ choices }: Chunk): string {
  return choices[0]?.delta.content ?? "";
}

/** Returns the text of the chunks of a stream. */
async function streamedText(response: Response): Promise<string> {
  const sent = readEvents(await response.text()).filter(({ data }) => data !== "[DONE]");
  return sent.map(({ data }) => textOf(JSON.parse(data))).join("");
}

Deno.test("a completion contains the response of the agent", async () => {
  await using clerk = serveClerk();
  const response = await handlerOf(clerk)(say("Hi"), ANN);
  const { created, id, ...rest } = await jsonOf(response);
  assertEquals(response.status, 200);
  assert(Number.isInteger(created));
  assert(/^chatcmpl-[\da-f-]{36}$/.test(id));
  assertEquals<object>(rest, {
    model: "clerk",
    object: "chat.completion",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "1: Hi", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: {
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
});

Deno.test("the conversation is that of the request, and nothing is stored", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const messages = [
    { role: "system", content: "Be rude." },
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "tool", tool_call_id: "c", content: "forged" },
    { role: "user", content: "c" },
  ];
  const { choices: [first] } = await jsonOf(await handler(post({ messages }), ANN));
  assertEquals(first.message.content, "3: a | b | c");
  const { choices: [second] } = await jsonOf(await handler(say("again"), ANN));
  assertEquals(second.message.content, "1: again");
  assertEquals((await clerk.served.list(ANN.principal)).runs, []);
});

Deno.test("a stream contains chunks, and the usage if it is requested", async () => {
  await using clerk = serveClerk();
  const request = say("Hi", { stream: true, stream_options: { include_usage: true } });
  const response = await handlerOf(clerk)(request, ANN);
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const sent = readEvents(await response.text());
  assertEquals(sent.at(-1)?.data, "[DONE]");
  const chunks = sent.slice(0, -1).map(({ data }): Chunk => JSON.parse(data));
  const [first] = chunks;
  const head = {
    id: first?.id,
    created: first?.created,
    model: "clerk",
    object: "chat.completion.chunk",
  };
  const choice = (delta: object, finishReason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
  });
  // Adjacent parts of the text can be joined.
  const texts = chunks.slice(1, -2);
  assertEquals(texts.map(textOf).join(""), "1: Hi");
  for (const chunk of texts) assertEquals<object>(chunk, choice({ content: textOf(chunk) }));
  assertEquals<readonly unknown[]>([first, ...chunks.slice(-2)], [
    choice({ role: "assistant", content: "" }),
    choice({}, "stop"),
    {
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    },
  ]);
  const plain = await (await handlerOf(clerk)(say("Hi", { stream: true }), ANN)).text();
  assert(!plain.includes("usage"));
});

for (const message of ["Hi", "tool", "think", "pay", "wait", "long"]) {
  Deno.test(`the text of "${message}" is the same with and without streaming`, async () => {
    await using clerk = serveClerk();
    const handler = handlerOf(clerk);
    const { choices: [choice] } = await jsonOf(await handler(say(message), ANN));
    const streamed = await streamedText(await handler(say(message, { stream: true }), ANN));
    assertEquals(streamed, choice.message.content);
    assert(streamed !== "");
  });
}

Deno.test("an empty line separates the texts of two model calls, and tools are not shown", async () => {
  await using clerk = serveClerk();
  const response = await handlerOf(clerk)(say("tool"), ANN);
  const text = await response.text();
  assertEquals(
    JSON.parse(text).choices[0].message.content,
    "Let me calculate.\n\nIt is 42.",
  );
  assert(!text.includes("secret") && !text.includes("add"));
});

Deno.test("the usage contains that of sub-agents, whose texts are not sent", async () => {
  await using clerk = serveClerk();
  const { choices: [choice], usage } = await jsonOf(
    await handlerOf(clerk)(say("ask the expert"), ANN),
  );
  assertEquals(choice.message.content, "It is 42.");
  // Two calls of the agent with one token each, and the call of the sub-agent.
  assertEquals([usage.prompt_tokens, usage.completion_tokens], [102, 52]);
});

Deno.test("reasoning and the names of tools are sent only on request", async () => {
  await using clerk = serveClerk();
  const { choices: [hidden] } = await jsonOf(await handlerOf(clerk)(say("think"), ANN));
  assertEquals("reasoning_content" in hidden.message, false);
  const handler = handlerOf(clerk, { sendReasoning: true });
  const { choices: [shown] } = await jsonOf(await handler(say("think"), ANN));
  assertEquals([shown.message.reasoning_content, shown.message.content], ["Hmm.", "Yes."]);
  const { choices: [tool] } = await jsonOf(await handler(say("tool"), ANN));
  assertEquals(tool.message.reasoning_content, "\nCalling add\n");
});

const FINISH_REASONS = { Hi: "stop", filter: "content_filter", long: "length", loop: "stop" };

for (const [message, finishReason] of Object.entries(FINISH_REASONS)) {
  Deno.test(`the finish reason of "${message}" is ${finishReason}`, async () => {
    await using clerk = serveClerk();
    const { choices: [choice] } = await jsonOf(await handlerOf(clerk)(say(message), ANN));
    assertEquals(choice.finish_reason, finishReason);
  });
}

Deno.test("a response contains the reason if a tool needs an approval, and the run is cancelled", async () => {
  await using clerk = serveClerk();
  const runs: ServedRun[] = [];
  const handler = chatCompletionsHandler({ models: { clerk: recordRuns(clerk.served, runs) } });
  const { choices: [choice] } = await jsonOf(await handler(say("pay"), ANN));
  assertEquals(choice.finish_reason, "stop");
  assertEquals(
    choice.message.content,
    'I will pay.\n\nThe tool "pay" needs an approval, which cannot be given here.',
  );
  const { choices: [waiting] } = await jsonOf(await handler(say("wait"), ANN));
  assertEquals(waiting.message.content, "A tool waits for input, which cannot be given here.");
  await (await handler(say("pay", { stream: true }), ANN)).text();
  const states = await Promise.all(runs.map((run) => run.settled()));
  assertEquals(states.map(({ status }) => status), ["cancelled", "cancelled", "cancelled"]);
});

Deno.test("a failure is masked, and the client must not repeat the request", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const failed = await handler(say("fail"), ANN);
  assertEquals(failed.headers.get("x-should-retry"), "false");
  assertEquals([failed.status, await jsonOf(failed)], [500, {
    error: {
      message: "An error occurred",
      type: "server_error",
      param: null,
      code: "server_error",
    },
  }]);
  const errorText = (error: unknown): string => `${error}`.includes("db.internal") ? "Later" : "";
  const shown = await handlerOf(clerk, { errorText })(say("fail"), ANN);
  assertEquals((await jsonOf(shown)).error.message, "Later");
});

Deno.test("a failure is the last event of a stream, which is not done", async () => {
  await using clerk = serveClerk();
  const response = await handlerOf(clerk)(say("fail", { stream: true }), ANN);
  const events = readEvents(await response.text());
  assertEquals(response.status, 200);
  assertEquals(JSON.parse(events.at(-1)?.data ?? "").error.message, "An error occurred");
});

Deno.test("a disconnected client cancels the run", async () => {
  await using clerk = serveClerk({ maxOpenRunsPerCaller: 1 });
  const handler = handlerOf(clerk);
  const controller = new AbortController();
  const { signal } = controller;
  const messages = [{ role: "user", content: "slow" }];
  const waiting = handler(post({ messages }, { signal }), ANN);
  await clerk.gate.reached;
  // The only run of the caller is in progress.
  assertEquals(await errorOf(await handler(say("Hi"), ANN)), [429, "rate_limit_exceeded", null]);
  controller.abort();
  assertEquals((await waiting).status, 499);
  assertEquals((await handler(say("Hi"), ANN)).status, 200);
});

Deno.test("a client that stops reading a stream cancels the run", async () => {
  await using clerk = serveClerk({ maxOpenRunsPerCaller: 1 });
  const handler = handlerOf(clerk);
  const response = await handler(say("slow", { stream: true }), ANN);
  const reader = response.body?.getReader();
  await reader?.read();
  await clerk.gate.reached;
  assertEquals((await handler(say("Hi"), ANN)).status, 429);
  await reader?.cancel();
  assertEquals((await handler(say("Hi"), ANN)).status, 200);
});

Deno.test("the requests of a caller are limited, and other callers are served", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { maxStreamsPerCaller: 2 });
  const open = [
    await handler(say("slow", { stream: true }), ANN),
    await handler(say("slow", { stream: true }), ANN),
  ];
  const refused = await handler(say("Hi"), ANN);
  assertEquals(refused.headers.get("retry-after"), "1");
  assertEquals(await errorOf(refused), [429, "rate_limit_exceeded", null]);
  assertEquals((await handler(say("Hi"), { principal: { subject: "bob" } })).status, 200);
  await open[0]?.body?.cancel();
  assertEquals((await handler(say("Hi"), ANN)).status, 200);
  assertEquals((await handler(say("Hi", { stream: true }), ANN)).status, 200);
  await open[1]?.body?.cancel();
});

Deno.test("a flood of requests ends with its last response", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { maxStreamsPerCaller: 5 });
  const responses = await Promise.all(
    Array.from({ length: 50 }, async () => (await handler(say("Hi"), ANN)).status),
  );
  assert(responses.every((status) => status === 200 || status === 429));
  assertEquals(responses.filter((status) => status === 200).length, 5);
  assertEquals((await handler(say("Hi"), ANN)).status, 200);
});

Deno.test("models are listed and found", async () => {
  await using clerk = serveClerk();
  const models = { clerk: clerk.served, "team/clerk": clerk.served };
  const handler = chatCompletionsHandler({ models, path: "/api/openai" });
  const { data, object } = await jsonOf(await handler(get("/api/openai/models"), ANN));
  assertEquals(object, "list");
  const ids = data.map(({ id }) => id);
  assertEquals(ids, ["clerk", "team/clerk"]);
  for (const path of ["team/clerk", "team%2Fclerk"]) {
    const model = await jsonOf(await handler(get(`/api/openai/models/${path}`), ANN));
    assertEquals([model.id, model.object, model.owned_by], ["team/clerk", "model", "parley"]);
  }
  for (const path of ["x", "__proto__", "%ff"]) {
    assertEquals((await handler(get(`/api/openai/models/${path}`), ANN)).status, 404);
  }
});

Deno.test("a model that does not exist is rejected", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  for (const model of ["x", "__proto__", "constructor", "toString"]) {
    const response = await handler(say("Hi", { model }), ANN);
    assertEquals(await errorOf(response), [404, "model_not_found", "model"]);
  }
  for (const model of [undefined, null, 7, "", ["clerk"], { id: "clerk" }]) {
    const response = await handler(say("Hi", { model }), ANN);
    assertEquals(await errorOf(response), [400, "invalid_value", "model"]);
  }
});

Deno.test("requests without a caller are rejected", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  for (const request of [say("Hi"), get("/v1/models"), get("/v1/x")]) {
    const response = await handler(request);
    assertEquals(response.headers.get("www-authenticate"), "Bearer");
    assertEquals(await errorOf(response), [401, "invalid_api_key", null]);
  }
  const open = handlerOf(clerk, { allowAnonymous: true, onError: () => {} });
  assertEquals((await open(say("Hi"))).status, 200);
  assertEquals((await open(say("Hi"), { isDenied: true })).status, 401);
  // A server in JavaScript can pass anything.
  const principal = null as unknown as undefined;
  for (const request of [say("Hi"), get("/v1/models")]) {
    const context = { principal } as unknown as Parameters<typeof open>[1];
    assertEquals((await open(request, context)).status, 500);
  }
});

Deno.test("requests that do not match a route are rejected", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const wrong = await handler(get("/v1/chat/completions"), ANN);
  assertEquals(wrong.headers.get("allow"), "POST");
  assertEquals(await errorOf(wrong), [405, "method_not_supported", null]);
  for (
    const path of ["/", "/v1", "/v1/modelsx", "/v1/chat", "/chat/completions", "/v1/embeddings"]
  ) {
    assertEquals(await errorOf(await handler(get(path), ANN)), [404, "unknown_url", null]);
  }
  const deeper = new Request("https://example.com/v1/chat/completions/x", { method: "POST" });
  assertEquals(await errorOf(await handler(deeper, ANN)), [404, "unknown_url", null]);
});

Deno.test("a body must be JSON of at most the maximum size", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { maxBodyBytes: 1000, maxMessages: 2 });
  const large = say("a".repeat(1000));
  assertEquals((await handler(large, ANN)).status, 413);
  const many = post({
    messages: Array.from({ length: 3 }, () => ({ role: "user", content: "a" })),
  });
  assertEquals(await errorOf(await handler(many, ANN)), [400, "invalid_value", "messages"]);
  const text = post({}, { headers: { "content-type": "text/plain" } });
  assertEquals((await handler(text, ANN)).status, 415);
});

Deno.test("keep-alive comments are sent while a run is silent", async () => {
  await using clerk = serveClerk();
  const response = await handlerOf(clerk, { keepAliveMs: 1 })(say("slow", { stream: true }), ANN);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(": keep-alive\n\n")) text += (await reader?.read())?.value ?? "";
  clerk.gate.release();
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
    text += step.value;
  }
  assertStringIncludes(text, "Done.");
});

Deno.test("a server that closes its sessions responds with status 503", async () => {
  const clerk = serveClerk();
  await clerk.served.close();
  const response = await handlerOf(clerk)(say("Hi"), ANN);
  assertEquals((await jsonOf(response)).error.message, "The server is shutting down");
  assertEquals(response.status, 503);
});

Deno.test("options that are not valid are rejected", async () => {
  await using clerk = serveClerk();
  const models = { clerk: clerk.served };
  const bad: readonly (readonly [object, string])[] = [
    [{}, '"models"'],
    [{ models: {} }, '"models"'],
    [{ models: { "": clerk.served } }, '"models"'],
    [{ models: { clerk: {} } }, '"models.clerk"'],
    [{ models, path: "v1" }, '"path"'],
    [{ models, allowAnonymous: "yes" }, '"allowAnonymous"'],
    [{ models, callerInstructions: "system" }, '"callerInstructions"'],
    [{ models, callerTools: "run" }, '"callerTools"'],
    [{ models, sendReasoning: 1 }, '"sendReasoning"'],
    [{ models, maxBodyBytes: 0 }, '"maxBodyBytes"'],
    [{ models, maxMessage: 1 }, 'did you mean "maxMessages"?'],
  ];
  for (const [options, text] of bad) {
    // The cast passes options that the compiler rejects.
    const create = (): unknown => chatCompletionsHandler(options as ChatCompletionsOptions);
    assertThrows(create, Error, text);
  }
});
