import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openStream } from "../models/testdata/fake_endpoint.ts";
import { A2aClient } from "./a2a_client.ts";
import type { ClientBinding } from "./client_request.ts";
import { A2aError } from "./errors.ts";
import {
  artifactOf,
  ScriptedAgent,
  type ScriptedReply,
  statusOf,
  taskOf,
} from "./testdata/scripted_agent.ts";
import type { StreamResponse } from "./types.ts";

const BINDINGS: readonly ClientBinding[] = ["JSONRPC", "HTTP+JSON"];

/** Declares a test for each binding. */
function each(name: string, test: (binding: ClientBinding) => Promise<void>): void {
  for (const binding of BINDINGS) Deno.test(`A2aClient ${name} (${binding})`, () => test(binding));
}

async function collect(updates: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

/** An operation with the request that it sends. */
interface Row {
  readonly call: (client: A2aClient) => Promise<unknown>;
  readonly reply: ScriptedReply;
  readonly result: unknown;
  readonly operation: string;
  readonly params: object;
  readonly http: readonly [method: string, path: string, body?: object];
}

const message = {
  messageId: "m7",
  role: "ROLE_USER",
  parts: [{ text: "Hi" }],
  contextId: "c1",
} as const;
const sent = { messageId: "m7", contextId: "c1", parts: [{ text: "Hi" }] };
const config = {
  id: "p1",
  taskId: "t1",
  url: "https://b.example/",
  token: "secret",
  authentication: { scheme: "Bearer", credentials: "c" },
};
const done = taskOf("COMPLETED");
const updates = [{ task: taskOf("WORKING") }, artifactOf([{ text: "42" }]), statusOf("COMPLETED")];
const readUpdates = [
  { task: taskOf("WORKING") },
  {
    artifactUpdate: {
      taskId: "t1",
      contextId: "c1",
      artifact: { artifactId: "a1", parts: [{ text: "42" }] },
    },
  },
  statusOf("COMPLETED"),
];

const rows: readonly Row[] = [
  {
    call: (client) =>
      client.send(sent, {
        acceptedOutputModes: ["text/plain"],
        historyLength: 0,
        returnImmediately: true,
        pushConfig: { url: "https://b.example/", authentication: { scheme: "Bearer" } },
        metadata: { trace: "x" },
      }),
    reply: { result: { task: done } },
    result: { task: done },
    operation: "SendMessage",
    params: {
      message,
      configuration: {
        acceptedOutputModes: ["text/plain"],
        historyLength: 0,
        returnImmediately: true,
        taskPushNotificationConfig: {
          url: "https://b.example/",
          authentication: { scheme: "Bearer" },
        },
      },
      metadata: { trace: "x" },
    },
    http: ["POST", "/message:send"],
  },
  {
    call: (client) => collect(client.stream(sent)),
    reply: { stream: updates },
    result: readUpdates,
    operation: "SendStreamingMessage",
    params: { message },
    http: ["POST", "/message:stream"],
  },
  {
    call: (client) => client.getTask("t1", { historyLength: 2 }),
    reply: { result: done },
    result: done,
    operation: "GetTask",
    params: { id: "t1", historyLength: 2 },
    http: ["GET", "/tasks/t1?historyLength=2"],
  },
  {
    call: (client) =>
      client.listTasks({
        contextId: "c/1",
        status: "TASK_STATE_WORKING",
        statusTimestampAfter: new Date(0),
        pageSize: 2,
        pageToken: "p",
        includeArtifacts: true,
        historyLength: 0,
      }),
    reply: { result: { tasks: [done], nextPageToken: "q", pageSize: 2, totalSize: 3 } },
    result: { tasks: [done], nextPageToken: "q", totalSize: 3 },
    operation: "ListTasks",
    params: {
      historyLength: 0,
      contextId: "c/1",
      status: "TASK_STATE_WORKING",
      pageSize: 2,
      pageToken: "p",
      includeArtifacts: true,
      statusTimestampAfter: "1970-01-01T00:00:00.000Z",
    },
    http: [
      "GET",
      "/tasks?historyLength=0&contextId=c%2F1&status=TASK_STATE_WORKING&pageSize=2&pageToken=p" +
      "&includeArtifacts=true&statusTimestampAfter=1970-01-01T00%3A00%3A00.000Z",
    ],
  },
  {
    call: (client) => client.cancelTask("t1"),
    reply: { result: taskOf("CANCELED") },
    result: taskOf("CANCELED"),
    operation: "CancelTask",
    params: { id: "t1" },
    http: ["POST", "/tasks/t1:cancel", {}],
  },
  {
    call: (client) => collect(client.subscribe("t1")),
    reply: { stream: updates },
    result: readUpdates,
    operation: "SubscribeToTask",
    params: { id: "t1" },
    http: ["GET", "/tasks/t1:subscribe"],
  },
  {
    call: (client) => client.createPushConfig("t1", { url: "https://b.example/", token: "secret" }),
    reply: { result: config },
    result: config,
    operation: "CreateTaskPushNotificationConfig",
    params: { url: "https://b.example/", taskId: "t1", token: "secret" },
    http: [
      "POST",
      "/tasks/t1/pushNotificationConfigs",
      { url: "https://b.example/", token: "secret" },
    ],
  },
  {
    call: (client) => client.getPushConfig("t1", "p1"),
    reply: { result: config },
    result: config,
    operation: "GetTaskPushNotificationConfig",
    params: { taskId: "t1", id: "p1" },
    http: ["GET", "/tasks/t1/pushNotificationConfigs/p1"],
  },
  {
    call: (client) => client.listPushConfigs("t1"),
    reply: { result: { configs: [config], nextPageToken: "" } },
    result: [config],
    operation: "ListTaskPushNotificationConfigs",
    params: { taskId: "t1" },
    http: ["GET", "/tasks/t1/pushNotificationConfigs"],
  },
  {
    call: (client) => client.deletePushConfig("t1", "p1"),
    reply: { result: {} },
    result: undefined,
    operation: "DeleteTaskPushNotificationConfig",
    params: { taskId: "t1", id: "p1" },
    http: ["DELETE", "/tasks/t1/pushNotificationConfigs/p1"],
  },
  {
    call: async (client) => (await client.getExtendedCard()).name,
    reply: { result: { name: "more" } },
    result: "more",
    operation: "GetExtendedAgentCard",
    params: {},
    http: ["GET", "/extendedAgentCard"],
  },
];

for (const { call, http, operation, params, reply, result } of rows) {
  each(`sends ${operation}`, async (binding) => {
    await using agent = new ScriptedAgent(binding, () => reply);
    const client = await A2aClient.connect(agent.origin);
    assertEquals(await call(client), result);
    const [method, path, body = params] = http;
    const [seen] = agent.seen;
    assertEquals(agent.seen.length, 1);
    assertEquals(seen?.headers.get("a2a-version"), "1.0");
    if (binding === "JSONRPC") {
      assertEquals([seen?.method, seen?.path], ["POST", ""]);
      assertEquals(seen?.body, { jsonrpc: "2.0", id: 1, method: operation, params });
      assertEquals(seen?.headers.get("content-type"), "application/json");
    } else {
      assertEquals([seen?.method, seen?.path], [method, path]);
      assertEquals(seen?.body, method === "POST" ? body : undefined);
      const type = method === "POST" ? "application/a2a+json" : null;
      assertEquals(seen?.headers.get("content-type"), type);
    }
  });
}

each("sends text as one part, with an id of its own", async (binding) => {
  const reply = { messageId: "r", role: "ROLE_AGENT", parts: [{ text: "Hello" }] };
  await using agent = new ScriptedAgent(binding, () => ({ result: { message: reply } }));
  const client = await A2aClient.connect(agent.origin);
  assertEquals<unknown>(await client.send("Hi"), { message: reply });
  await client.send("Hi");
  const ids = agent.seen.map(({ body }) => {
    const { messageId, ...rest } = messageIn(body);
    assertEquals(rest, { role: "ROLE_USER", parts: [{ text: "Hi" }] });
    return messageId;
  });
  assertEquals(new Set(ids).size, 2);
});

/** Returns the message in the body of a request. */
function messageIn(body: unknown): { readonly messageId?: string } {
  const { params, message } = Object(body);
  return message ?? params.message;
}

each("names the tenant of the endpoint in each request", async (binding) => {
  await using agent = new ScriptedAgent(binding, () => ({ result: taskOf("COMPLETED") }));
  agent.card = {
    supportedInterfaces: [{
      url: `${agent.origin}/a2a`,
      protocolBinding: binding,
      protocolVersion: "1.0",
      tenant: "a/b",
    }],
  };
  const client = await A2aClient.connect(agent.origin);
  await client.getTask("t1");
  const [seen] = agent.seen;
  if (binding === "HTTP+JSON") assertEquals(seen?.path, "/a%2Fb/tasks/t1");
  else assertEquals(Object(seen?.body).params, { id: "t1", tenant: "a/b" });
});

each("activates the extensions of the client and of the call", async (binding) => {
  await using agent = new ScriptedAgent(binding, () => ({ result: taskOf("COMPLETED") }));
  const client = await A2aClient.connect(agent.origin, { extensions: ["urn:a", "urn:b"] });
  await client.getTask("t1", { extensions: ["urn:b", "urn:c"] });
  await client.getTask("t1");
  const values = agent.seen.map(({ headers }) => headers.get("a2a-extensions"));
  assertEquals(values, ["urn:a, urn:b, urn:c", "urn:a, urn:b"]);
});

each("adds the headers of the caller to all requests", async (binding) => {
  await using agent = new ScriptedAgent(binding, () => ({ result: taskOf("COMPLETED") }));
  const fixed = { authorization: "Bearer a", "A2A-Version": "0.3" };
  const client = await A2aClient.connect(agent.origin, { headers: fixed });
  await client.getTask("t1");
  let count = 0;
  const headers = () => Promise.resolve({ authorization: `Bearer b${++count}` });
  const renewing = await A2aClient.connect(agent.origin, { headers });
  await renewing.getTask("t1");
  await renewing.getTask("t1");
  const sent = agent.seen.map((seen) => seen.headers.get("authorization"));
  assertEquals(sent, ["Bearer a", "Bearer b2", "Bearer b3"]);
  assertEquals(agent.seen[0]?.headers.get("a2a-version"), "1.0");
  assertEquals(agent.cardHeaders.get("authorization"), "Bearer b1");
});

each("rejects if the headers cannot be created", async (binding) => {
  await using agent = new ScriptedAgent(binding, () => ({ result: taskOf("COMPLETED") }));
  const headers = () => Promise.reject(new Error("no token"));
  const error = await assertRejects(() => A2aClient.connect(agent.origin, { headers }), A2aError);
  assertEquals([error.reason, Object(error.cause).message], ["UNAVAILABLE", "no token"]);
  const secret = { authorization: "secret\nx" };
  const invalid = () => A2aClient.connect(agent.origin, { headers: secret });
  const rejected = await assertRejects(invalid, A2aError, '"authorization"');
  assertEquals(rejected.message.includes("secret"), false);
});

each("throws the error of the agent", async (binding) => {
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "TASK_NOT_FOUND",
    domain: "a2a-protocol.org",
    metadata: { taskId: "t1", count: 1 },
  };
  await using agent = new ScriptedAgent(binding, () =>
    binding === "JSONRPC"
      ? Response.json({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32001, message: "No such task", data: [info] },
      })
      : Response.json({
        error: { code: 404, status: "NOT_FOUND", message: "No such task", details: [info] },
      }, { status: 404 }));
  const client = await A2aClient.connect(agent.origin);
  const calls = [() => client.getTask("t1"), () => collect(client.subscribe("t1"))];
  for (const call of calls) {
    const error = await assertRejects(call, A2aError, "No such task");
    assertEquals([error.reason, error.metadata], ["TASK_NOT_FOUND", { taskId: "t1" }]);
  }
});

each("throws an error that arrives in a stream", async (binding) => {
  const error = binding === "JSONRPC"
    ? { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Broken" } }
    : { error: { code: 500, status: "INTERNAL", message: "Broken" } };
  await using agent = new ScriptedAgent(binding, () => {
    const first = { task: taskOf("WORKING") };
    const wrapped = binding === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result: first } : first;
    const events = `data: ${JSON.stringify(wrapped)}\n\nevent: error\ndata: ${
      JSON.stringify(error)
    }\n\n`;
    return new Response(events, { headers: { "content-type": "text/event-stream" } });
  });
  const client = await A2aClient.connect(agent.origin);
  const seen: StreamResponse[] = [];
  const thrown = await assertRejects(async () => {
    for await (const update of client.stream("Hi")) seen.push(update);
  }, A2aError);
  assertEquals([thrown.reason, thrown.message, seen.length], ["INTERNAL_ERROR", "Broken", 1]);
});

const STATUSES: readonly (readonly [status: number, reason: string])[] = [
  [400, "INVALID_PARAMS"],
  [401, "UNAUTHENTICATED"],
  [403, "UNAUTHENTICATED"],
  [404, "INVALID_AGENT_RESPONSE"],
  [413, "PAYLOAD_TOO_LARGE"],
  [415, "CONTENT_TYPE_NOT_SUPPORTED"],
  [418, "INVALID_AGENT_RESPONSE"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL_ERROR"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "UNAVAILABLE"],
];

each("converts HTTP statuses of proxies to errors", async (binding) => {
  for (const [status, reason] of STATUSES) {
    await using agent = new ScriptedAgent(binding, () => new Response("<html>", { status }));
    const client = await A2aClient.connect(agent.origin);
    const error = await assertRejects(() => client.send("Hi"), A2aError, `HTTP ${status}`);
    assertEquals(error.reason, reason);
  }
});

Deno.test("A2aClient rejects with UNAVAILABLE if the agent cannot be reached", async () => {
  const agent = new ScriptedAgent("JSONRPC", () => ({ result: {} }));
  const client = await A2aClient.connect(agent.origin);
  await agent[Symbol.asyncDispose]();
  const error = await assertRejects(() => client.send("Hi"), A2aError);
  assertEquals(error.reason, "UNAVAILABLE");
});

each("rejects with the reason of an aborted signal", async (binding) => {
  const { promise, resolve } = Promise.withResolvers<ScriptedReply>();
  const controller = new AbortController();
  const reason = new Error("stop");
  await using agent = new ScriptedAgent(binding, () => {
    controller.abort(reason);
    return promise;
  });
  const client = await A2aClient.connect(agent.origin);
  const { signal } = controller;
  assertEquals(await assertRejects(() => client.send("Hi", { signal })), reason);
  resolve({ result: {} });
  // The signal is aborted before the following calls, which therefore send no request.
  const calls = [
    () => client.getTask("t1", { signal }),
    () => client.cancelTask("t1", { signal }),
    () => client.listTasks({ signal }),
    () => client.getExtendedCard({ signal }),
    () => collect(client.stream("Hi", { signal })),
    () => collect(client.subscribe("t1", { signal })),
    () => A2aClient.connect(agent.origin, { signal }),
  ];
  for (const call of calls) assertEquals(await assertRejects(call), reason);
  assertEquals(agent.seen.length, 1);
});

each("removes its listeners from the signal after each operation", async (binding) => {
  const { signal } = new AbortController();
  let listeners = 0;
  const counted = Object.assign(signal, {
    addEventListener(...args: Parameters<AbortSignal["addEventListener"]>) {
      listeners++;
      AbortSignal.prototype.addEventListener.apply(signal, args);
    },
    removeEventListener(...args: Parameters<AbortSignal["removeEventListener"]>) {
      listeners--;
      AbortSignal.prototype.removeEventListener.apply(signal, args);
    },
  });
  let reply: ScriptedReply = { result: done };
  await using agent = new ScriptedAgent(binding, () => reply);
  const client = await A2aClient.connect(agent.origin, { signal: counted });
  await client.getTask("t1", { signal: counted });
  reply = { stream: updates };
  await collect(client.stream("Hi", { signal: counted }));
  for await (const _ of client.subscribe("t1", { signal: counted })) break;
  reply = new Response(null, { status: 500 });
  await assertRejects(() => client.getTask("t1", { signal: counted }), A2aError);
  assertEquals(listeners, 0);
});

each("ends the request when the loop over a stream ends", async (binding) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = { task: taskOf("WORKING") };
  const data = binding === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result: first } : first;
  await using agent = new ScriptedAgent(
    binding,
    () => openStream([JSON.stringify(data)], resolve),
  );
  const client = await A2aClient.connect(agent.origin);
  for await (const update of client.stream("Hi")) {
    assertEquals<unknown>(update, first);
    break;
  }
  await promise;
});

Deno.test("A2aClient throws for invalid arguments", async () => {
  await using agent = new ScriptedAgent("HTTP+JSON", () => ({ result: {} }));
  const client = await A2aClient.connect(agent.origin);
  await assertRejects(() => client.getTask(""), TypeError, '"id"');
  await assertRejects(() => client.cancelTask(""), TypeError, '"id"');
  assertThrows(() => client.subscribe(""), TypeError, '"id"');
  await assertRejects(() => client.send({ parts: [] }), TypeError, '"message.parts"');
  assertThrows(() => client.stream({ parts: [] }), TypeError, '"message.parts"');
  await assertRejects(() => client.send("Hi", { extensions: ["a,b"] }), TypeError, "extensions[0]");
  await assertRejects(() => client.listTasks({ pageSize: 101 }), RangeError, "pageSize");
  for (const url of ["oracle.example", "ftp://oracle.example", "https://u:p@oracle.example"]) {
    await assertRejects(() => A2aClient.connect(url), TypeError, '"url"');
  }
  assertEquals(agent.seen, []);
});
