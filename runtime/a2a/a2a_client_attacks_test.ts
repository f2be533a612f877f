import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { streamOf } from "../models/testdata/fake_endpoint.ts";
import { A2aClient } from "./a2a_client.ts";
import type { A2aConnectOptions } from "./client_options.ts";
import type { ClientBinding } from "./client_request.ts";
import { A2aError } from "./errors.ts";
import { ScriptedAgent, type ScriptedReply, statusOf, taskOf } from "./testdata/scripted_agent.ts";
import type { StreamResponse } from "./types.ts";

/** Starts an agent that expects no request except for its card. */
function silentAgent(binding: ClientBinding = "HTTP+JSON"): ScriptedAgent {
  return new ScriptedAgent(binding, () => Response.json({ tasks: [] }));
}

/** Returns a `fetch` function that responds to the request for the card. */
function respondWith(response: Response): Required<Pick<A2aConnectOptions, "fetch">> {
  return { fetch: () => Promise.resolve(response) };
}

async function collect(updates: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

async function reasonOf(call: () => Promise<unknown>, text?: string): Promise<string> {
  return (await assertRejects(call, A2aError, text)).reason;
}

Deno.test("A2aClient does not use an endpoint at another origin", async () => {
  await using other = silentAgent();
  await using agent = silentAgent();
  agent.card = {
    supportedInterfaces: [
      { url: `${other.origin}/a2a`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
  };
  const reason = await reasonOf(() => A2aClient.connect(agent.origin), "allowedOrigins");
  assertEquals(reason, "INVALID_AGENT_RESPONSE");
  const client = await A2aClient.connect(agent.origin, { allowedOrigins: [`${other.origin}/x`] });
  assertEquals(await client.listTasks(), { tasks: [] });
  assertEquals([agent.seen.length, other.seen.length], [0, 1]);
});

Deno.test("A2aClient trusts only allowed origins if the program has the card", async () => {
  await using agent = silentAgent();
  const card = (await A2aClient.connect(agent.origin)).card;
  await reasonOf(() => Promise.resolve().then(() => new A2aClient(card, {})), "allowedOrigins");
  const client = new A2aClient(card, { allowedOrigins: [agent.origin] });
  assertEquals(await client.listTasks(), { tasks: [] });
  const invalid = { ...card, name: 1 as unknown as string };
  assertThrows(() => new A2aClient(invalid, {}), TypeError, '"card.name" must be a string');
});

Deno.test("A2aClient uses the first endpoint that it supports and trusts", async () => {
  await using agent = silentAgent();
  const good = { url: `${agent.origin}/a2a`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" };
  const { host } = new URL(agent.origin);
  agent.card = {
    supportedInterfaces: [
      { ...good, protocolBinding: "GRPC" },
      { ...good, protocolVersion: "0.3" },
      { ...good, protocolVersion: "1.1" },
      { ...good, url: "https://other.example/a2a" },
      { ...good, url: "not a url" },
      { ...good, url: `http://user:password@${host}/a2a` },
      { ...good, url: `http://${host}.other.example/a2a` },
      { ...good, protocolVersion: "1.0.1" },
    ],
  };
  const client = await A2aClient.connect(agent.origin);
  await client.listTasks();
  assertEquals(agent.seen[0]?.path, "/tasks");
  agent.card = { supportedInterfaces: [{ ...good, protocolVersion: "0.3" }] };
  assertEquals(await reasonOf(() => A2aClient.connect(agent.origin)), "VERSION_NOT_SUPPORTED");
});

Deno.test("A2aClient rejects an agent whose required extension it does not activate", async () => {
  await using agent = silentAgent();
  agent.card = { capabilities: { extensions: [{ uri: "urn:e", required: true }] } };
  const reason = await reasonOf(() => A2aClient.connect(agent.origin), "urn:e");
  assertEquals(reason, "EXTENSION_SUPPORT_REQUIRED");
  await A2aClient.connect(agent.origin, { extensions: ["urn:e"] });
});

Deno.test("A2aClient does not follow redirects", async () => {
  await using other = silentAgent();
  for (const status of [301, 302, 303, 307, 308]) {
    const redirect = () =>
      new Response(null, { status, headers: { location: `${other.origin}/a2a/message:send` } });
    await using agent = new ScriptedAgent("HTTP+JSON", redirect);
    const client = await A2aClient.connect(agent.origin);
    const calls = [
      () => client.send("Hi"),
      () => collect(client.stream("Hi")),
      () => A2aClient.connect(`${agent.origin}/card.json`),
    ];
    for (const call of calls) {
      assertEquals(await reasonOf(call, "redirect"), "INVALID_AGENT_RESPONSE");
    }
  }
  assertEquals(other.seen, []);
});

/** An endless body, which records whether the client has cancelled it. */
function endless(type: string, chunk: string): { response: Response; isCancelled: () => boolean } {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(chunk)),
    cancel: () => void (isCancelled = true),
  });
  const response = new Response(body, { headers: { "content-type": type } });
  return { response, isCancelled: () => isCancelled };
}

Deno.test("A2aClient limits the sizes of cards, responses and events", async () => {
  await using agent = silentAgent();
  const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).text();
  const cardBytes = new TextEncoder().encode(card).length;
  await A2aClient.connect(agent.origin, { maxCardBytes: cardBytes });
  const small = { maxCardBytes: cardBytes - 1 };
  const reason = await reasonOf(() => A2aClient.connect(agent.origin, small), `${cardBytes - 1}`);
  assertEquals(reason, "INVALID_AGENT_RESPONSE");
  const endlessCard = endless("application/json", "[".repeat(1000));
  const { fetch: fetchCard } = respondWith(endlessCard.response);
  await reasonOf(() => A2aClient.connect(agent.origin, { fetch: fetchCard }), "65536 bytes");
  assert(endlessCard.isCancelled());

  const bodies = [
    endless("application/json", " ".repeat(1000)),
    endless("text/event-stream", "data: 0123456789\n"),
    endless("text/event-stream", "data: 0123456789"),
  ];
  for (const { response, isCancelled } of bodies) {
    const fetchScripted = (url: string, init: RequestInit): Promise<Response> =>
      init.method === "POST" ? Promise.resolve(response) : fetch(url, init);
    const options = { fetch: fetchScripted, maxResponseBytes: 10_000 };
    const client = await A2aClient.connect(agent.origin, options);
    const type = response.headers.get("content-type");
    const call = type === "application/json"
      ? () => client.send("Hi")
      : () => collect(client.stream("Hi"));
    assertEquals(await reasonOf(call, "larger than 10000 bytes"), "INVALID_AGENT_RESPONSE");
    assert(isCancelled());
  }
});

Deno.test("A2aClient ends an endless stream when the consumer leaves", async () => {
  await using agent = silentAgent();
  const event = `data: ${JSON.stringify(statusOf("WORKING"))}\n\n`;
  const { response, isCancelled } = endless("text/event-stream", event);
  const scripted = (url: string, init: RequestInit): Promise<Response> =>
    init.method === "POST" ? Promise.resolve(response) : fetch(url, init);
  const client = await A2aClient.connect(agent.origin, { fetch: scripted });
  let count = 0;
  for await (const _ of client.stream("Hi")) if (++count === 100) break;
  assert(isCancelled());
});

Deno.test("A2aClient stops waiting for an agent that does not respond", async () => {
  const never = Promise.withResolvers<ScriptedReply>();
  await using agent = new ScriptedAgent("HTTP+JSON", () => never.promise);
  const client = await A2aClient.connect(agent.origin, { timeoutMs: 30 });
  assertEquals(await reasonOf(() => client.send("Hi"), "within 30 ms"), "UNAVAILABLE");
  const call = () => collect(client.stream("Hi", { timeoutMs: 20 }));
  assertEquals(await reasonOf(call, "within 20 ms"), "UNAVAILABLE");
  never.resolve({ result: {} });
});

Deno.test("A2aClient stops waiting for the next chunk of a stream", async () => {
  const event = new TextEncoder().encode(`data: ${JSON.stringify(statusOf("WORKING"))}\n\n`);
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(event),
    cancel: () => resolve(),
  });
  const silent = () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  await using agent = new ScriptedAgent("HTTP+JSON", silent);
  const client = await A2aClient.connect(agent.origin, { timeoutMs: 30 });
  assertEquals(await reasonOf(() => collect(client.stream("Hi"))), "UNAVAILABLE");
  await promise;
});

const CARDS: readonly unknown[] = [[], "card", { name: 1 }, { supportedInterfaces: [{ url: 1 }] }];

Deno.test("A2aClient rejects cards that are not valid", async () => {
  for (const card of CARDS) {
    const options = respondWith(Response.json(card));
    const reason = await reasonOf(() => A2aClient.connect("https://a.example", options));
    assertEquals(reason, "INVALID_AGENT_RESPONSE");
  }
  const html = respondWith(new Response("<html>"));
  const reason = await reasonOf(() => A2aClient.connect("https://a.example", html));
  assertEquals(reason, "INVALID_AGENT_RESPONSE");
  const missing = respondWith(new Response("{}", { status: 404 }));
  await reasonOf(() => A2aClient.connect("https://a.example", missing), "HTTP 404");
});

const status = { state: "TASK_STATE_COMPLETED" };

/** Results that are not a task. */
const TASKS: readonly unknown[] = [
  null,
  [],
  "task",
  {},
  { id: 1, contextId: "c1", status },
  { id: "t1", contextId: "c1" },
  { id: "t1", contextId: "c1", status: { state: "DONE" } },
  { id: "t1", contextId: "c1", status, artifacts: {} },
  { id: "t1", contextId: "c1", status, artifacts: [{ artifactId: "a", parts: [{ text: 1 }] }] },
  { id: "t1", contextId: "c1", status, artifacts: [{ artifactId: "a", parts: [{}] }] },
  { id: "t1", contextId: "c1", status, history: [{ messageId: "m", role: "ROLE_ADMIN" }] },
  { id: "t1", contextId: "c1", status, metadata: [] },
  // Tasks of another id.
  { id: "t2", contextId: "c1", status },
  { id: "T1", contextId: "c1", status },
];

/** Results that are not a response to a message. */
const RESPONSES: readonly unknown[] = [
  { task: taskOf("COMPLETED"), message: {} },
  { message: { messageId: "m", parts: [{ text: "a" }] } },
  { message: { messageId: "m", role: "ROLE_AGENT", parts: [] } },
  { task: { id: "t1", contextId: "c2", status } },
  taskOf("COMPLETED"),
];

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  Deno.test(`A2aClient rejects results that are not valid (${binding})`, async () => {
    let reply: ScriptedReply = { result: null };
    await using agent = new ScriptedAgent(binding, () => reply);
    const client = await A2aClient.connect(agent.origin);
    for (const result of TASKS) {
      reply = { result };
      for (const call of [() => client.getTask("t1"), () => client.cancelTask("t1")]) {
        assertEquals(await reasonOf(call), "INVALID_AGENT_RESPONSE", JSON.stringify(result));
      }
    }
    const send = { parts: [{ text: "a" }], contextId: "c1", taskId: "t1" };
    for (const result of [...RESPONSES, ...TASKS.map((task) => ({ task }))]) {
      reply = { result };
      const sending = await reasonOf(() => client.send(send));
      assertEquals(sending, "INVALID_AGENT_RESPONSE", JSON.stringify(result));
      reply = { stream: [result] };
      const streaming = await reasonOf(() => collect(client.stream(send)));
      assertEquals(streaming, "INVALID_AGENT_RESPONSE", JSON.stringify(result));
    }
    for (const task of TASKS) {
      reply = { stream: [{ task }] };
      const subscribing = await reasonOf(() => collect(client.subscribe("t1")));
      assertEquals(subscribing, "INVALID_AGENT_RESPONSE", JSON.stringify(task));
    }
    for (const result of [{ tasks: {} }, { tasks: [{}] }, { totalSize: -1 }, null]) {
      reply = { result };
      assertEquals(await reasonOf(() => client.listTasks()), "INVALID_AGENT_RESPONSE");
    }
  });

  Deno.test(`A2aClient rejects updates of another task (${binding})`, async () => {
    const working = { task: taskOf("WORKING") };
    const others = [
      { statusUpdate: { taskId: "t2", contextId: "c1", status } },
      { statusUpdate: { taskId: "t1", contextId: "c2", status } },
      {
        artifactUpdate: {
          taskId: "t2",
          contextId: "c1",
          artifact: { artifactId: "a", parts: [{ text: "a" }] },
        },
      },
      { task: { id: "t2", contextId: "c1", status } },
    ];
    let update: unknown;
    await using agent = new ScriptedAgent(binding, () => ({ stream: [working, update] }));
    const client = await A2aClient.connect(agent.origin);
    for (update of others) {
      for (const call of [() => client.stream("Hi"), () => client.subscribe("t1")]) {
        assertEquals(await reasonOf(() => collect(call()), "another"), "INVALID_AGENT_RESPONSE");
      }
    }
  });
}

Deno.test("A2aClient rejects push configurations that are not valid", async () => {
  const config = { id: "p1", taskId: "t1", url: "https://b.example/" };
  let body: unknown;
  await using agent = new ScriptedAgent("HTTP+JSON", () => Response.json(body));
  const client = await A2aClient.connect(agent.origin);
  const results = [
    null,
    { ...config, id: "" },
    { ...config, taskId: "t2" },
    { ...config, taskId: undefined },
    { ...config, url: 1 },
    { ...config, token: {} },
    { ...config, authentication: { credentials: "c" } },
  ];
  for (const result of results) {
    body = result;
    const create = () => client.createPushConfig("t1", { url: "https://b.example/" });
    assertEquals(await reasonOf(create), "INVALID_AGENT_RESPONSE");
    const get = () => client.getPushConfig("t1", "p1");
    assertEquals(await reasonOf(get), "INVALID_AGENT_RESPONSE");
    body = { configs: [config, result] };
    const list = () => client.listPushConfigs("t1");
    assertEquals(await reasonOf(list), "INVALID_AGENT_RESPONSE");
  }
  const create = () => client.createPushConfig("t1", { url: "" });
  await assertRejects(create, TypeError, '"config.url" must be a non-empty string');
});

Deno.test("A2aClient rejects responses to other JSON-RPC requests", async () => {
  const result = taskOf("COMPLETED");
  const bodies = [
    { jsonrpc: "2.0", id: 2, result },
    { jsonrpc: "2.0", id: "1", result },
    { jsonrpc: "2.0", result },
    { jsonrpc: "1.0", id: 1, result },
    [{ jsonrpc: "2.0", id: 1, result }],
    result,
  ];
  let body: unknown;
  await using agent = new ScriptedAgent("JSONRPC", () => Response.json(body));
  const client = await A2aClient.connect(agent.origin);
  for (body of bodies) {
    assertEquals(await reasonOf(() => client.getTask("t1")), "INVALID_AGENT_RESPONSE");
  }
});

Deno.test("A2aClient rejects a stream that is not one", async () => {
  let reply: ScriptedReply = { result: { task: taskOf("COMPLETED") } };
  await using agent = new ScriptedAgent("HTTP+JSON", () => reply);
  const client = await A2aClient.connect(agent.origin);
  const call = () => collect(client.stream("Hi"));
  assertEquals(await reasonOf(call, "not an event stream"), "INVALID_AGENT_RESPONSE");
  reply = streamOf([new TextEncoder().encode("data: {\n\n")]);
  assertEquals(await reasonOf(call), "INVALID_AGENT_RESPONSE");
});

Deno.test("A2aClient does not read the events of a response with an error status", async () => {
  const headers = { "content-type": "text/event-stream" };
  const event = `data: ${JSON.stringify({ task: taskOf("COMPLETED") })}\n\n`;
  const reply = () => new Response(event, { status: 503, headers });
  await using agent = new ScriptedAgent("HTTP+JSON", reply);
  const client = await A2aClient.connect(agent.origin);
  assertEquals(await reasonOf(() => collect(client.stream("Hi")), "HTTP 503"), "UNAVAILABLE");
});

Deno.test("A2aClient drops unknown members, and accepts no member named __proto__", async () => {
  const members = '"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}';
  let text = `{${members},"__proto__":{"isAdmin":true},"other":1}`;
  await using agent = new ScriptedAgent("HTTP+JSON", () => new Response(text));
  const client = await A2aClient.connect(agent.origin);
  const task = await client.getTask("t1");
  assertEquals(Object.keys(task), ["id", "contextId", "status"]);
  assertEquals(Reflect.get(task, "isAdmin"), undefined);
  text = `{${members},"metadata":{"__proto__":{"isAdmin":true}}}`;
  assertEquals(await reasonOf(() => client.getTask("t1")), "INVALID_AGENT_RESPONSE");
});

Deno.test("A2aClient does not send an id that would change the path", async () => {
  await using agent = silentAgent();
  const client = await A2aClient.connect(agent.origin);
  await assertRejects(() => client.getTask(".."), TypeError, '"id"');
  await assertRejects(() => client.getTask("."), TypeError, '"id"');
  assertEquals(agent.seen, []);
  for (const id of ["../x", "a/../../b", "%2e%2e", "a?b#c"]) {
    await assertRejects(() => client.getTask(id), A2aError);
  }
  assertEquals(agent.seen.map(({ path }) => path), [
    "/tasks/..%2Fx",
    "/tasks/a%2F..%2F..%2Fb",
    "/tasks/%252e%252e",
    "/tasks/a%3Fb%23c",
  ]);
  agent.card = {
    supportedInterfaces: [{
      url: `${agent.origin}/a2a`,
      protocolBinding: "HTTP+JSON",
      protocolVersion: "1.0",
      tenant: "..",
    }],
  };
  const moved = await A2aClient.connect(agent.origin);
  await assertRejects(() => moved.getTask("t1"), TypeError, '"tenant"');
});

Deno.test("A2aClient escapes and truncates the text of errors", async () => {
  const message = `\u001b[2J${"x".repeat(2000)}`;
  const body = { error: { code: 500, message, details: [{ metadata: { a: "y".repeat(2000) } }] } };
  await using agent = new ScriptedAgent("HTTP+JSON", () => Response.json(body, { status: 500 }));
  const client = await A2aClient.connect(agent.origin);
  const error = await assertRejects(() => client.send("Hi"), A2aError);
  assertEquals(error.message, `\\u{1b}[2J${"x".repeat(996)}…`);
  assertEquals(error.metadata, { a: `${"y".repeat(1000)}…` });
});

Deno.test("A2aClient.connect() passes the signed content to verifyCard", async () => {
  await using agent = silentAgent();
  const signature = { protected: "e30", signature: "AA" };
  agent.card = { capabilities: { extensions: [] }, signatures: [signature] };
  const seen: unknown[] = [];
  const verifyCard: A2aConnectOptions["verifyCard"] = (card, signatures) => {
    seen.push(card.capabilities, Object.keys(card).includes("signatures"), signatures);
  };
  await A2aClient.connect(agent.origin, { verifyCard });
  assertEquals(seen, [{}, false, [signature]]);

  const reject = () => Promise.reject(new Error("not signed by us"));
  const options = { verifyCard: reject };
  await assertRejects(() => A2aClient.connect(agent.origin, options), Error, "not signed by us");
  agent.card = {};
  await A2aClient.connect(agent.origin, { verifyCard });
  assertEquals(seen.at(-1), []);
});

Deno.test("A2aClient.connect() throws the signal's reason during verifyCard", async () => {
  await using agent = silentAgent();
  const stop = new AbortController();
  const reason = new Error("stopped");
  const verifyCard = (): void => stop.abort(reason);
  const { signal } = stop;
  const error = await assertRejects(() => A2aClient.connect(agent.origin, { signal, verifyCard }));
  assertEquals(error, reason);
});
