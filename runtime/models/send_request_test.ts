import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { SseItem } from "@parley/internal/sse";
import { AgentError } from "../shared/error.ts";
import { openAiChat } from "./openai_chat.ts";
import { EndpointResponse } from "./send_request.ts";
import { collect, failureOf, KEY, QUESTION } from "./testdata/ask.ts";
import { chunk, completion, modelAt, modelOf } from "./testdata/chat.ts";
import {
  eventStream,
  FakeEndpoint,
  htmlPage,
  openStream,
  type Reply,
} from "./testdata/fake_endpoint.ts";

/** Statuses and headers, and the expected retry advice. */
const STATUSES: readonly (readonly [number, object, boolean, number?])[] = [
  [400, {}, false],
  [401, {}, false],
  [404, {}, false],
  [408, {}, true],
  [409, {}, true],
  [422, {}, false],
  [429, {}, true],
  [429, { "retry-after": "7" }, true, 7000],
  [429, { "retry-after": "1.5", "retry-after-ms": "250" }, true, 250],
  [429, { "retry-after": "soon" }, true],
  [429, { "retry-after": "-1" }, true],
  [429, { "retry-after": "2026-01-01" }, true],
  [429, { "retry-after": "0" }, true, 0],
  [429, { "retry-after": "5, 5" }, true],
  [429, { "retry-after": "1e3" }, true],
  [429, { "retry-after": "+5" }, true],
  [429, { "retry-after": "2", "retry-after-ms": "-5" }, true, 2000],
  [429, { "retry-after": "Wednesday, 21-Oct-15 07:28:00 GMT" }, true, 0],
  [502, { "retry-after": "Fri" }, true],
  [503, { "retry-after": "Wed Oct 21 07:28:00 2015" }, true, 0],
  [429, { "x-should-retry": "false" }, false],
  [400, { "x-should-retry": "true" }, true],
  [500, {}, true],
  [503, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, true, 0],
  [529, {}, true],
];

Deno.test("openAiChat() sets the retry advice for each status", async () => {
  for (const [status, headers, retryable, retryAfterMs] of STATUSES) {
    const reply = () =>
      Response.json({ error: { message: "No" } }, { status, headers: { ...headers } });
    const error = await failureOf(modelOf(reply).generate(QUESTION));
    assertEquals([error.retryable, error.retryAfterMs], [retryable, retryAfterMs], `${status}`);
    const { reason } = error.is("model_error") ? error.details : { reason: "" };
    assertEquals(reason.split(";")[0], `HTTP ${status}: No`);
  }
});

Deno.test("openAiChat() does not mark an exhausted quota as retryable", async () => {
  const body = {
    error: { message: "No money", type: "insufficient_quota", code: "insufficient_quota" },
  };
  const error = await failureOf(
    modelOf(() => Response.json(body, { status: 429 })).generate(QUESTION),
  );
  assertEquals(error.retryable, false);
});

Deno.test("openAiChat() extracts the error message from JSON, text and HTML error responses", async () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['{"error":{"message":"Wrong model"}}', "HTTP 400: Wrong model"],
    ['{"error":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"message":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"detail":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"error":{"code":3}}', 'HTTP 400: {"code":3}'],
    ['{"error":{"error":{"message":"Wrong model"}}}', "HTTP 400: Wrong model"],
    ['[{"error":{"message":"Wrong model"}}]', "HTTP 400: Wrong model"],
    ['{"errors":[{"message":"Wrong model"}]}', "HTTP 400: Wrong model"],
    ['{"detail":[{"loc":["body"],"msg":"Wrong model"}]}', "HTTP 400: Wrong model"],
    ['{"code":3,"error_msg":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"error":"bad_request","error_description":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"Message":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"title":"Bad Request","detail":"Wrong model"}', "HTTP 400: Wrong model"],
    [
      '{"error":{"message":"Refused","metadata":{"raw":"Wrong model"}}}',
      "HTTP 400: Refused: Wrong model",
    ],
    [
      '{"error":{"message":"Refused","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"Wrong model\\"}}"}}}',
      "HTTP 400: Refused: Wrong model",
    ],
    ["<html><style>a{}</style><h1>Wrong</h1>\n<p>model</p></html>", "HTTP 400: Wrong model"],
    ["Wrong\n\tmodel", "HTTP 400: Wrong model"],
    ["", "HTTP 400"],
  ];
  for (const [body, reason] of bodies) {
    const reply = () => new Response(body, { status: 400 });
    assertEquals((await failureOf(modelOf(reply).generate(QUESTION))).details, {
      reason,
      status: 400,
    });
  }
});

Deno.test("openAiChat() adds a hint to the errors for tools and encrypted reasoning", async () => {
  const hints: readonly (readonly [string, string])[] = [
    [
      "Function tools are not supported with reasoning. Use /v1/responses instead.",
      '; use openAiResponses(), or set the "reasoning" option to "none"',
    ],
    [
      "Encrypted content is not supported with this model.",
      '; set "encryptedReasoning" to false',
    ],
    ["Unknown path /v1/responses.", ""],
  ];
  for (const [message, hint] of hints) {
    const reply = () => Response.json({ error: { message } }, { status: 400 });
    const error = await failureOf(modelOf(reply).generate(QUESTION));
    assertEquals(error.details, { reason: `HTTP 400: ${message}${hint}`, status: 400 });
  }
});

Deno.test("openAiChat() truncates a long error page", async () => {
  const reply = () => htmlPage("x".repeat(5_000_000), 500);
  const error = await failureOf(modelOf(reply).generate(QUESTION));
  assert(error.message.length < 600);
});

Deno.test("openAiChat() redacts the key in every error", async () => {
  const echo = `Incorrect API key provided: ${KEY}`;
  const replies: readonly Reply[] = [
    () => Response.json({ error: { message: echo } }, { status: 401 }),
    () => new Response(echo, { status: 500 }),
    // The response text is so long that the error message truncates it in the middle of the key.
    () => new Response("x".repeat(490) + KEY, { status: 500 }),
    () => new Response(echo),
    () => eventStream([{ error: { message: echo } }]),
    () => eventStream([echo]),
  ];
  for (const reply of replies) {
    await using endpoint = new FakeEndpoint(reply);
    const errors = [
      await failureOf(modelAt(endpoint).generate(QUESTION)),
      await failureOf(collect(modelAt(endpoint))),
    ];
    for (const { message } of errors) assert(!message.includes(KEY.slice(0, 6)), message);
  }
  const throwing = openAiChat({
    baseUrl: `http://127.0.0.1/v1?key=${KEY}`,
    model: "m",
    headers: { "x-api-key": KEY },
    fetch: (url) =>
      Promise.reject(new TypeError(`fetch ${url} failed`, { cause: new Error(echo) })),
  });
  const error = await failureOf(throwing.generate(QUESTION));
  assertEquals(error.cause, undefined);
  assert(error.message.includes("[redacted]"));
});

Deno.test("openAiChat() rejects with a retryable error if the server is unreachable", async () => {
  const endpoint = new FakeEndpoint(() => new Response());
  const { origin } = endpoint;
  await endpoint[Symbol.asyncDispose]();
  const model = openAiChat({ baseUrl: origin, model: "m", apiKey: KEY });
  const error = await failureOf(model.generate(QUESTION));
  assertEquals(error.retryable, true);
  assert(error.message.includes(new URL(origin).host), error.message);
  assert(error.cause instanceof Error);
});

Deno.test("openAiChat() rejects if the connection fails during the response", async () => {
  const broken = () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  for (const work of [modelOf(broken).generate(QUESTION), collect(modelOf(broken))]) {
    const error = await failureOf(work);
    assertEquals(error.retryable, true);
    assert(error.message.includes("reset"));
  }
});

Deno.test("openAiChat() does not follow redirects", async () => {
  await using endpoint = new FakeEndpoint(() =>
    new Response(null, { status: 307, headers: { location: "https://elsewhere.example/v1" } })
  );
  const error = await failureOf(modelAt(endpoint).generate(QUESTION));
  assert(error.message.includes("https://elsewhere.example"), error.message);
  assertEquals([error.retryable, endpoint.seen.length], [false, 1]);
});

Deno.test("openAiChat() stops reading a response that is too large", async () => {
  const huge = completion({ content: "x".repeat(2000) });
  const options = { maxResponseBytes: 1000 };
  const whole = await failureOf(modelOf(() => Response.json(huge), options).generate(QUESTION));
  assert(whole.message.includes("maximum is 1000 bytes"));
  let isCancelled = false;
  const endless = () => {
    const piece = new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: "x" }))}\n\n`);
    return new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(piece),
        cancel: () => {
          isCancelled = true;
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  };
  const cut = await failureOf(collect(modelOf(endless, options)));
  assert(cut.message.includes("maximum is 1000 bytes"));
  assertEquals(isCancelled, true);
});

Deno.test("EndpointResponse.events() rejects an event that is too long, after the earlier events", async () => {
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield await Promise.resolve(new TextEncoder().encode("data: a\n\ndata: 12345678901\n\n"));
  }
  const events: SseItem[] = [];
  const error = await assertRejects(async () => {
    const response = new EndpointResponse("text/event-stream", body(), 10);
    for await (const event of response.events()) events.push(event);
  }, AgentError);
  assertEquals(events, [{ kind: "event", type: "message", data: "a" }]);
  assert(error.is("model_error"));
  assertEquals(error.details.reason, "an event of the response is longer than 10 characters");
});

Deno.test("openAiChat() calls the function that returns headers for each request", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  let count = 0;
  const model = modelAt(endpoint, {
    apiKey: "",
    headers: () => Promise.resolve({ authorization: `Bearer token-${++count}`, "x-a": "a" }),
  });
  await model.generate({ ...QUESTION, options: { headers: { "X-A": "b" } } });
  const { headers } = endpoint.last;
  assertEquals([headers.get("authorization"), headers.get("x-a")], ["Bearer token-1", "b"]);
  await collect(model);
  assertEquals(endpoint.last.headers.get("authorization"), "Bearer token-2");
});

Deno.test("openAiChat() rejects if its headers cannot be loaded, and shows no secret", async () => {
  const never = () => new Promise<never>(() => {});
  const rows: readonly (readonly [() => unknown, string, boolean])[] = [
    [() => Promise.reject(new Error("no token")), '"headers" threw an error: no token', true],
    [() => null, '"headers" must return an object', false],
    [() => ({ authorization: 5 }), '"headers" must return an object', false],
    [() => ({ authorization: "a\nb" }), 'Cannot set header "authorization": invalid', false],
    [() => ({ "a b": "c" }), 'Cannot set header "a b": invalid name or value', false],
    [never, "timed out after 20 ms", true],
  ];
  for (const [load, words, retryable] of rows) {
    let calls = 0;
    const headers = (): Record<string, string> =>
      Object.assign({ value: {} }, { value: load() }).value;
    const fetch = () => {
      calls++;
      return Promise.resolve(Response.json(completion({ content: "ok" })));
    };
    const model = modelOf(() => new Response(), { headers, fetch, timeoutMs: 20 });
    const error = await failureOf(model.generate(QUESTION));
    assertStringIncludes(error.message, words);
    assertEquals([error.retryable, calls], [retryable, 0]);
  }
  const leaking = modelOf(() => new Response("bad key planted-secret", { status: 400 }), {
    headers: () => ({ authorization: "Bearer planted-secret" }),
  });
  const { message } = await failureOf(leaking.generate(QUESTION));
  assertEquals(message.includes("planted-secret"), false, message);
});

/** Starts of streams that stop, and their media types. */
const STOPPED: readonly (readonly [string, string, string])[] = [
  ["after the headers", "", "text/event-stream"],
  ["after a chunk", `data: ${JSON.stringify(chunk({ content: "Hi" }))}\n\n`, "text/event-stream"],
  ["in an event", "data: {", "text/event-stream; charset=utf-8"],
  ["after a comment", ": waiting\n\n", "text/event-stream"],
  ["in a stream that is labeled as JSON", "data: {", "application/json"],
  ["in a stream without a media type", "\n: waiting\n\n", ""],
];

for (const [name, start, mediaType] of STOPPED) {
  Deno.test(`openAiChat() rejects if a stream stops ${name}`, async () => {
    const reply = () => {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
      });
      return new Response(body, { headers: mediaType === "" ? {} : { "content-type": mediaType } });
    };
    const model = modelOf(reply, { idleTimeoutMs: 20, timeoutMs: 60_000 });
    for (const call of [() => collect(model), () => model.generate(QUESTION)]) {
      const error = await failureOf(call());
      assertStringIncludes(error.message, "the response from 127.0.0.1 stopped: no data for 20 ms");
      assertEquals(error.retryable, true);
    }
  });
}

/** Starts a JSON response and does not continue. */
function sendHalf(controller: ReadableStreamDefaultController<Uint8Array>): void {
  controller.enqueue(new TextEncoder().encode('{"choices":['));
}

Deno.test("openAiChat() times out before the headers, in the body and in a stream", async () => {
  const options = { timeoutMs: 20 };
  const silent = modelOf(() => new Response(), { ...options, fetch: () => new Promise(() => {}) });
  const half = () => new Response(new ReadableStream({ start: sendHalf }));
  const works = [
    silent.generate(QUESTION),
    collect(silent),
    modelOf(half, options).generate(QUESTION),
    collect(modelOf(() => openStream([JSON.stringify(chunk({ content: "Hi" }))]), options)),
  ];
  for (const work of works) {
    const error = await failureOf(work);
    assert(error.message.includes("timed out after 20 ms"), error.message);
    assertEquals(error.retryable, true);
  }
});

Deno.test("openAiChat() rejects with the signal's reason when aborted, and closes the connection", async () => {
  const reason = new Error("changed my mind");
  const gone = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using endpoint = new FakeEndpoint(() => {
    asked.resolve();
    return openStream([JSON.stringify(chunk({ content: "Hi" }))], gone.resolve);
  });
  const controller = new AbortController();
  const work = modelAt(endpoint).generate({ ...QUESTION, signal: controller.signal });
  await asked.promise;
  controller.abort(reason);
  assertEquals(await assertRejects(() => work), reason);
  await gone.promise;
  const late = modelAt(endpoint).generate({ ...QUESTION, signal: controller.signal });
  assertEquals(await assertRejects(() => late), reason);
  assertEquals(endpoint.seen.length, 1);
});

Deno.test("openAiChat() ends a stream when aborted, even if the stream ignores the signal", async () => {
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const model = modelOf(() => openStream([JSON.stringify(chunk({ content: "Hi" }, "stop"))]));
  const events = model.stream?.({ ...QUESTION, signal: controller.signal }) ?? [];
  const error = await assertRejects(async () => {
    for await (const event of events) {
      assertEquals(event, { type: "text-delta", delta: "Hi" });
      controller.abort(reason);
    }
  });
  assertEquals(error, reason);
});

Deno.test("openAiChat() cancels a stream if its consumer stops early", async () => {
  const gone = Promise.withResolvers<void>();
  await using endpoint = new FakeEndpoint(() =>
    openStream([JSON.stringify(chunk({ content: "Hi" }))], gone.resolve)
  );
  for await (const event of modelAt(endpoint).stream?.(QUESTION) ?? []) {
    assertEquals(event, { type: "text-delta", delta: "Hi" });
    break;
  }
  await gone.promise;
});

Deno.test("openAiChat() rejects an invalid header of a call without quoting its value", async () => {
  const model = modelOf(() => Response.json(completion({ content: "" })));
  const error = await assertRejects(
    () => model.generate({ ...QUESTION, options: { headers: { "x-key": `${KEY}\n` + "a" } } }),
    TypeError,
  );
  assert(!error.message.includes(KEY));
});
