import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { InputHandlers } from "../client.ts";
import { McpError, McpServer } from "../server.ts";
import { clientTasks, serverTasks } from "../tasks.ts";
import type { JsonObject } from "../shared/json.ts";
import { clientOf, connectTo, ERAS, openGateway, type TestedEra } from "../testdata/gateway.ts";

const requestedSchema = { type: "object", properties: {} };
const FORM = {
  method: "elicitation/create",
  params: { message: "Name?", requestedSchema },
} as const;
const URL_FORM = {
  method: "elicitation/create",
  params: { mode: "url", message: "Log in", url: "https://login.example/" },
} as const;
const SAMPLING = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 9 },
} as const;
const ROOTS = { method: "roots/list" } as const;

/** Capabilities that the gateway's clients declare to legacy servers. */
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const HANDLERS: InputHandlers = {
  elicit: ({ message }) => Promise.resolve({ action: "accept", content: { message } }),
  elicitUrl: ({ url }) => Promise.resolve({ action: "accept", content: { url } }),
  createMessage: () =>
    Promise.resolve({ role: "assistant", model: "m", content: { type: "text", text: "hi" } }),
  listRoots: () => Promise.resolve([{ uri: "file:///work" }]),
};

/**
 * A server with a tool that requests each kind of input, a tool that sends two input requests
 * together, and a prompt that requests input.
 */
function askingServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "all", description: "" }, async (_args, { ask }) => {
    const { content } = await ask("form", FORM);
    const { content: login } = await ask("url", URL_FORM);
    const { model } = await ask("model", SAMPLING);
    const { roots } = await ask("roots", ROOTS);
    return { content, login, model, roots } as JsonObject;
  });
  server.registerTool({ name: "together", description: "" }, async (_args, { askAll }) => {
    const { a, b } = await askAll({ a: FORM, b: ROOTS });
    return { action: a.action, roots: b.roots.length };
  });
  server.registerPrompt({ name: "asking", arguments: [] }, async (_args, { ask }) => {
    const { content } = await ask("form", FORM);
    return `${content?.message}`;
  });
  return server;
}

const ANSWERS = {
  content: { message: "Name?" },
  login: { url: "https://login.example/" },
  model: "m",
  roots: [{ uri: "file:///work" }],
};

const FORWARDED: readonly (readonly [caller: TestedEra, upstream: TestedEra])[] = [
  ["modern", "modern"],
  ["legacy", "modern"],
  ["legacy", "legacy"],
];

for (const [caller, upstream] of FORWARDED) {
  Deno.test(`mcpGateway() relays input requests (${caller} caller, ${upstream} server)`, async () => {
    const client = clientOf(askingServer(), upstream, { capabilities: CAPABILITIES });
    await using gateway = await openGateway({ s: { client } });
    await using user = await connectTo(gateway.server, caller, { handlers: HANDLERS });
    assertEquals((await user.callTool("s_all", {})).structuredContent, ANSWERS);
    const { structuredContent } = await user.callTool("s_together", {});
    assertEquals(structuredContent, { action: "accept", roots: 1 });
    const { messages: [message] } = await user.getPrompt("s_asking");
    assertEquals(message?.content, { type: "text", text: "Name?" });
    assertEquals(gateway.errors, []);
  });
}

Deno.test("mcpGateway() stores nothing between the requests of a modern caller", async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const open = () => openGateway({ s: { client: clientOf(server) } }, { requestState: { keys } });
  const server = askingServer();
  await using first = await open();
  await using second = await open();
  const options = { client: { capabilities: CAPABILITIES } };
  await using one = await connectTo(first.server);
  await using two = await connectTo(second.server);
  const params = { name: "s_together", arguments: {} };
  const { inputRequests, requestState } = await one.relay("tools/call", params, options);
  assertEquals(inputRequests, { a: FORM, b: ROOTS });
  const inputResponses = { a: { action: "decline" }, b: { roots: [] } };
  const result = await two.relay(
    "tools/call",
    { ...params, inputResponses, requestState },
    options,
  );
  assertEquals(result.structuredContent, { action: "decline", roots: 0 });
});

Deno.test("mcpGateway() renames a key that a server uses for a second input request", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const seen: unknown[] = [];
  const client = clientOf(server);
  const relay = client.relay.bind(client);
  let round = 0;
  client.relay = async (method, params, options) => {
    await relay(method, { name: "t" }, options);
    seen.push([params.requestState, params.inputResponses]);
    const again = { ...FORM, params: { ...FORM.params, message: `Round ${++round}` } };
    return round > 2
      ? { content: [] }
      : { resultType: "input_required", requestState: `r${round}`, inputRequests: { k: again } };
  };
  await using gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server, "modern", { handlers: HANDLERS });
  await user.callTool("s_t", {});
  const answer = (message: string) => ({ k: { action: "accept", content: { message } } });
  assertEquals(seen, [
    [undefined, undefined],
    ["r1", answer("Round 1")],
    ["r2", answer("Round 2")],
  ]);
});

Deno.test("mcpGateway() rejects invalid and endless input requests of a server", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const client = clientOf(server);
  let inputRequests: unknown = {};
  client.relay = () => Promise.resolve({ resultType: "input_required", inputRequests });
  await using gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server, "modern", { handlers: HANDLERS });
  const many = Array.from({ length: 101 }, (_, index) => [`k${index}`, ROOTS]);
  const table: readonly [unknown, string][] = [
    [{}, "requested input more than 10 times"],
    [7, "sent input requests that are not an object"],
    [{ k: { method: "tools/list" } }, 'sent an invalid input request "k"'],
    [{ k: { method: "elicitation/create", params: {} } }, 'sent an invalid input request "k"'],
    [{ k: { method: "sampling/createMessage" } }, 'sent an invalid input request "k"'],
    [Object.fromEntries(many), "sent more than 100 input requests at once"],
  ];
  for (const [requests, text] of table) {
    inputRequests = requests;
    await assertRejects(() => user.callTool("s_t", {}), McpError, text);
  }
});

for (const era of ERAS) {
  Deno.test(`a server does not extend maxTotalMs with input requests (${era} caller)`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "t", description: "" }, () => "");
    const client = clientOf(server);
    await using gateway = await openGateway({ s: { client } }, { maxTotalMs: 1000 });
    await using user = await connectTo(gateway.server, era, { handlers: HANDLERS });
    using time = new FakeTime();
    const limits: unknown[] = [];
    client.relay = (_method, _params, { maxTotalMs, maxInputMs }) => {
      limits.push([maxTotalMs, maxInputMs]);
      time.now += 450;
      const isLast = limits.length === 4;
      return Promise.resolve(
        isLast ? { content: [] } : { resultType: "input_required", inputRequests: { k: ROOTS } },
      );
    };
    await user.callTool("s_t", {});
    assertEquals(limits, [[1000, 1000], [550, 1000], [100, 1000], [1, 1000]]);
  });
}

Deno.test("a task is an error if the caller does not support tasks", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const client = clientOf(server);
  await using gateway = await openGateway({ s: { client } });
  client.relay = () => Promise.resolve({ resultType: "task", taskId: "1", status: "working" });
  for (const era of ERAS) {
    await using user = await connectTo(gateway.server, era);
    await assertRejects(
      () => user.callTool("s_t", {}),
      McpError,
      "sent a response that is not valid",
    );
  }
});

Deno.test("a legacy server's input request during a modern caller's call is rejected with the reason", async () => {
  const reasons: string[] = [];
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, async (_args, { ask }) => {
    await ask("form", FORM).catch((error) => reasons.push(error.message));
    return "went on";
  });
  const client = clientOf(server, "legacy", { capabilities: CAPABILITIES });
  await using gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server, "modern", { handlers: HANDLERS });
  const { content } = await user.callTool("s_t", {});
  assertEquals(content, [{ type: "text", text: "went on" }]);
  assert(
    reasons[0]?.includes('cannot forward "elicitation/create" from the server "s"'),
    reasons[0],
  );
});

Deno.test("an input request that the caller does not support is an error for the legacy server", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, async (_args, { ask }) => {
    return await ask("form", FORM).then(() => "asked", () => "went on");
  });
  const client = clientOf(server, "legacy", { capabilities: CAPABILITIES });
  await using gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server, "legacy");
  assertEquals((await user.callTool("s_t", {})).content, [{ type: "text", text: "went on" }]);
});

for (const caller of ERAS) {
  Deno.test(`a modern server learns which capabilities the caller lacks (${caller} caller)`, async () => {
    await using gateway = await openGateway({ s: { client: clientOf(askingServer()) } });
    await using user = await connectTo(gateway.server, caller);
    const error = await assertRejects(() => user.callTool("s_all", {}), McpError);
    assertEquals(error.rpcCode, -32021);
    assertEquals(error.data, { requiredCapabilities: { elicitation: { form: {} } } });
  });
}

/** A server whose tool runs as a task and requests the user's name. */
function taskServer(): { server: McpServer; release: () => void } {
  const jobs = serverTasks({ pollIntervalMs: 1 });
  const server = new McpServer({ name: "s", version: "1", extensions: [jobs] });
  const free = Promise.withResolvers<void>();
  server.registerTool({ name: "grind", description: "" }, async (_args, context) => {
    const { ask } = await jobs.start(context);
    const { content } = await ask("name", FORM);
    return { content: [{ type: "text", text: `flour ${content?.message}` }] };
  });
  server.registerTool({ name: "long", description: "" }, async (_args, context) => {
    const { signal } = await jobs.start(context);
    signal.addEventListener("abort", () => free.resolve());
    await free.promise;
    return "";
  });
  return { server, release: free.resolve };
}

Deno.test("mcpGateway() relays tasks with prefixed ids, and their input requests", async () => {
  const { server } = taskServer();
  const client = clientOf(server, "modern", { extensions: [clientTasks()] });
  await using gateway = await openGateway({ s: { client } });
  const statuses: unknown[] = [];
  const tasks = clientTasks({
    minPollMs: 1,
    onChange: ({ taskId, status }) => statuses.push([taskId, status]),
  });
  await using user = await connectTo(gateway.server, "modern", {
    handlers: HANDLERS,
    extensions: [tasks],
  });
  const { content } = await user.callTool("s_grind", {});
  assertEquals(content, [{ type: "text", text: "flour Name?" }]);
  assert(statuses.every((one) => Array.isArray(one) && String(one[0]).startsWith("s_")));
  await server.close();
});

Deno.test("a task belongs to the principal whose call started the task, and can be cancelled", async () => {
  const { server } = taskServer();
  await using gateway = await openGateway({ s: { client: clientOf(server) } }, { maxTasks: 1 });
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const client = { protocolVersion: "2026-07-28", capabilities: { extensions } };
  const send = async (method: string, params: JsonObject, subject: string) => {
    const request = { jsonrpc: "2.0" as const, id: 1, method, params };
    const signal = new AbortController().signal;
    const response = await gateway.server.exchange(request, {
      client,
      signal,
      principal: { subject },
    });
    return "result" in response ? response.result : { code: response.error.code };
  };
  const { taskId } = await send("tools/call", { name: "s_long" }, "ann");
  const { status, ttlMs } = await send("tasks/get", { taskId }, "ann");
  assertEquals([status, ttlMs], ["working", 3_600_000]);
  assertEquals(await send("tasks/get", { taskId }, "bob"), { code: -32602 });
  assertEquals(await send("tasks/cancel", { taskId }, "bob"), { code: -32602 });
  await send("tasks/cancel", { taskId }, "ann");
  assertEquals((await send("tasks/get", { taskId }, "ann")).status, "cancelled");
  await send("tools/call", { name: "s_long" }, "bob");
  assertEquals(await send("tasks/get", { taskId }, "ann"), { code: -32602 });
  await server.close();
});

Deno.test("a legacy caller receives the result of a call that could be a task", async () => {
  const jobs = serverTasks();
  const server = new McpServer({ name: "s", version: "1", extensions: [jobs] });
  server.registerTool({ name: "t", description: "" }, async (_args, context) => {
    const { taskId } = await jobs.start(context);
    return taskId ?? "no task";
  });
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  await using user = await connectTo(gateway.server, "legacy");
  assertEquals((await user.callTool("s_t", {})).content, [{ type: "text", text: "no task" }]);
});

Deno.test("a subscription to tasks requires a client that declares tasks", async () => {
  await using gateway = await openGateway({ s: { client: clientOf(taskServer().server) } });
  const request = {
    jsonrpc: "2.0" as const,
    id: 1,
    method: "subscriptions/listen",
    params: { notifications: { taskIds: ["s_1"] } },
  };
  const response = await gateway.server.exchange(request, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal: new AbortController().signal,
  });
  assert("error" in response);
  assertEquals(response.error.code, -32021);
});
