import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Pipe } from "../../jsonrpc/contracts.ts";
import { McpServer } from "../../server/mcp_server.ts";
import type { McpServerConfig } from "../../server/server_config.ts";
import { servePipe, type ServePipeOptions } from "../../server.ts";
import { objectOf } from "../../testdata/answer.ts";
import { at } from "../../testdata/message.ts";
import { type Hand, handAndPipe, meta } from "../../testdata/pipes.ts";
import { LinePipe, readLines } from "../../transport/ndjson_pipe.ts";

interface Bench {
  readonly server: McpServer;
  readonly client: Hand;
  readonly served: Promise<void>;
}

function serve(options: ServePipeOptions = {}, config: Partial<McpServerConfig> = {}): Bench {
  const server = new McpServer({ name: "s", version: "1", ...config });
  server.registerTool({ name: "echo", description: "" }, (args) => args);
  server.registerTool({ name: "ask", description: "" }, async (_args, context) => {
    const { action, content } = await context.ask("name", {
      method: "elicitation/create",
      params: { message: "Name?", requestedSchema: { type: "object", properties: {} } },
    });
    return `${action} ${content?.name}`;
  });
  server.registerTool(
    { name: "wait", description: "" },
    async (_args, { signal, progress }) => {
      await progress(1);
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  );
  const [client, pipe] = handAndPipe();
  return { server, client, served: servePipe(server, pipe, options) };
}

async function end({ client, served }: Bench): Promise<void> {
  await client.pipe.close();
  await served;
}

function call(id: number | string, name: string, args?: object, _meta?: object): object {
  const params = { name, arguments: args ?? {}, ...(_meta && { _meta }) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "c", version: "1" },
  },
};

Deno.test("servePipe() serves modern and legacy requests concurrently", async () => {
  const bench = serve();
  const { client } = bench;
  const initialized = await client.ask(INITIALIZE);
  assertEquals(initialized.result, {
    protocolVersion: "2025-06-18",
    capabilities: { logging: {}, tools: { listChanged: true } },
    serverInfo: { name: "s", version: "1" },
  });
  assertEquals((await client.ask(call(1, "echo", { a: 1 }))).result, {
    content: [{ type: "text", text: '{"a":1}' }],
    structuredContent: { a: 1 },
  });
  assertEquals((await client.ask(call(2, "echo", { a: 1 }, meta()))).result, {
    resultType: "complete",
    content: [{ type: "text", text: '{"a":1}' }],
    structuredContent: { a: 1 },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } },
  });
  await end(bench);
});

Deno.test("context.ask() sends a server request in a legacy session", async () => {
  const bench = serve();
  const { client } = bench;
  await client.ask(INITIALIZE);
  const question = await client.ask(call(1, "ask"));
  assertEquals([question.method, question.params?.message], ["elicitation/create", "Name?"]);
  const result = { action: "accept", content: { name: "Ada" } };
  const answer = await client.ask({ jsonrpc: "2.0", id: question.id, result });
  assertEquals(answer.result?.content, [{ type: "text", text: "accept Ada" }]);
  await end(bench);
});

Deno.test("context.ask() returns an input request to a modern client", async () => {
  const bench = serve();
  const { client } = bench;
  const asked = await client.ask(call(1, "ask", {}, meta({ elicitation: {} })));
  const { resultType, inputRequests, requestState } = objectOf(asked.result);
  assertEquals([resultType, at(inputRequests, "name", "method")], [
    "input_required",
    "elicitation/create",
  ]);
  const again = call(2, "ask", {}, meta({ elicitation: {} })) as { params: object };
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const params = { ...again.params, inputResponses, requestState };
  const answer = await client.ask({ ...again, params });
  assertEquals(answer.result?.content, [{ type: "text", text: "accept Ada" }]);
  await end(bench);
});

Deno.test("a cancelled modern or legacy request is aborted and receives no response", async () => {
  const bench = serve();
  const { client } = bench;
  for (const token of [{ progressToken: 1 }, meta({}, { progressToken: 1 })]) {
    const progress = await client.ask(call("w", "wait", {}, token));
    assertEquals(progress.params, { progressToken: 1, progress: 1 });
    const params = { requestId: "w", reason: "enough" };
    await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    // The cancelled request receives no response, so the next response belongs to the next request,
    // which can reuse the id.
    assertEquals((await client.ask(call("w", "echo"))).result?.structuredContent, {});
  }
  await end(bench);
});

Deno.test("servePipe() responds to a malformed frame and keeps the connection open", async () => {
  const bench = serve();
  const { client } = bench;
  for (
    const [frame, code, id] of [
      [17, -32600, null],
      [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, -32600, null],
      [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600, 1],
      [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, -32602, 1],
      [{ jsonrpc: "2.0", id: 1, method: "no/such" }, -32601, 1],
      [{ jsonrpc: "2.0", id: 1, method: "tools/call" }, -32602, 1],
      [[{ jsonrpc: "2.0", id: 1, method: "ping" }], -32600, null],
    ] as const
  ) {
    const { error, id: answered } = await client.ask(frame);
    assertEquals([error?.code, answered], [code, id], JSON.stringify(frame));
  }
  assertEquals(
    (await client.ask({ jsonrpc: "2.0", id: "last", method: "ping" })).id,
    "last",
  );
  await end(bench);
});

Deno.test("servePipe() does not respond to responses or unknown notifications", async () => {
  const bench = serve();
  const { client } = bench;
  await client.send({ jsonrpc: "2.0", id: 5, result: {} });
  await client.send({ jsonrpc: "2.0", id: 5, result: {}, error: {} });
  await client.send({ jsonrpc: "2.0", method: "notifications/odd" });
  await client.send({ jsonrpc: "2.0", method: "notifications/odd", params: [1] });
  await client.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 77 },
  });
  await client.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
  assertEquals((await client.ask({ jsonrpc: "2.0", id: 6, method: "ping" })).id, 6);
  await end(bench);
});

Deno.test("servePipe() supports batches only in protocol version 2025-03-26", async () => {
  const bench = serve();
  const { client } = bench;
  const params = { ...INITIALIZE.params, protocolVersion: "2025-03-26" };
  await client.ask({ ...INITIALIZE, params });
  await client.send([
    call(1, "echo"),
    { jsonrpc: "2.0", method: "notifications/odd" },
    { jsonrpc: "2.0", id: 2, method: "ping" },
    17,
  ]);
  const ids = (await client.nextAll()).map(({ id }) => id);
  assertEquals(ids.toSorted(), [1, 2, null]);
  await client.send([{ jsonrpc: "2.0", method: "notifications/odd" }]);
  assertEquals((await client.ask({ jsonrpc: "2.0", id: 3, method: "ping" })).id, 3);
  await end(bench);
});

Deno.test("servePipe() rejects a request id that is already in use", async () => {
  const bench = serve({ drainTimeoutMs: 1 });
  const { client } = bench;
  await client.ask(call(1, "wait", {}, { progressToken: 1 }));
  const { error } = await client.ask(call(1, "echo"));
  assertEquals(error?.code, -32600);
  await end(bench);
});

Deno.test("servePipe() queues requests beyond maxConcurrent and rejects them beyond maxQueued", async () => {
  const bench = serve({ maxConcurrent: 1, maxQueued: 1 });
  const { client } = bench;
  await client.ask(call(1, "wait", {}, { progressToken: 1 }));
  await client.send(call(2, "echo"));
  const { id, error } = await client.ask(call(3, "echo"));
  assertEquals([id, error?.code], [3, -32603]);
  const params = { requestId: 1 };
  assertEquals(
    (await client.ask({ jsonrpc: "2.0", method: "notifications/cancelled", params })).id,
    2,
  );
  await end(bench);
});

Deno.test("a cancelled request is removed from the queue", async () => {
  const bench = serve({ maxConcurrent: 1, maxQueued: 1 });
  const { client } = bench;
  const cancel = (requestId: number): Promise<void> =>
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  await client.ask(call(1, "wait", {}, { progressToken: 1 }));
  for (const id of [2, 3, 4]) {
    await client.send(call(id, "echo"));
    await cancel(id);
  }
  await client.send(call(5, "echo"));
  await cancel(1);
  const { id, result } = await client.next();
  assertEquals([id, result?.structuredContent], [5, {}]);
  await end(bench);
});

/** Creates a pipe whose client sends requests continuously and never reads responses. */
function floodedPipe(): { pipe: Pipe; read: () => number } {
  let read = 0;
  const readLine = () => Promise.resolve(read < 1000 ? JSON.stringify(call(++read, "wait")) : null);
  const writeLine = () => new Promise<void>(() => {});
  return { pipe: new LinePipe(readLines({ readLine }), { writeLine }), read: () => read };
}

Deno.test("servePipe() stops reading if the client does not read, and can still be stopped", async () => {
  const { pipe, read } = floodedPipe();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "wait", description: "" }, () => new Promise(() => {}));
  const controller = new AbortController();
  const { signal } = controller;
  const served = servePipe(server, pipe, {
    signal,
    maxConcurrent: 1,
    maxQueued: 1,
    drainTimeoutMs: 1,
  });
  for (let turn = 0; turn < 5000; turn++) await undefined;
  assert(read() < 200, `${read()}`);
  controller.abort();
  await served;
});

Deno.test("a result that cannot be serialized is an internal error", async () => {
  const lines: string[] = [];
  const input = [JSON.stringify(call(1, "cycle"))];
  const server = new McpServer({ name: "s", version: "1" });
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  server.exchange = ({ id }) => Promise.resolve({ jsonrpc: "2.0", id, result: cycle });
  const reader = { readLine: () => Promise.resolve(input.shift() ?? null) };
  const writer = { writeLine: (line: string) => Promise.resolve(void lines.push(line)) };
  await servePipe(server, new LinePipe(readLines(reader), writer));
  const error = { code: -32603, message: "The result cannot be serialized as JSON" };
  assertEquals(lines.map((line) => JSON.parse(line)), [{ jsonrpc: "2.0", id: 1, error }]);
});

Deno.test("servePipe() waits for requests in flight after the end of the input, with a timeout", async () => {
  const bench = serve({ drainTimeoutMs: 1 });
  await bench.client.ask(call(1, "wait", {}, { progressToken: 1 }));
  await end(bench);
});

Deno.test("a subscription stream ends as soon as the input ends", async () => {
  const time = new FakeTime();
  try {
    const bench = serve();
    const notifications = { toolsListChanged: true };
    const params = { notifications, _meta: meta() };
    await bench.client.ask({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    await end(bench);
  } finally {
    time.restore();
  }
});

Deno.test("context.ask() rejects when the input ends", async () => {
  const bench = serve();
  await bench.client.ask(INITIALIZE);
  await bench.client.ask(call(1, "ask"));
  await end(bench);
});

Deno.test("the signal passed to servePipe() aborts requests in flight", async () => {
  const controller = new AbortController();
  const bench = serve({ signal: controller.signal });
  await bench.client.ask(call(1, "wait", {}, { progressToken: 1 }));
  controller.abort();
  await bench.served;
  assertEquals(await bench.client.nextAll(), []);
});

Deno.test("servePipe() ignores frames received after it has ended", async () => {
  let ran = 0;
  const controller = new AbortController();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "run", description: "" }, () => {
    ran++;
    controller.abort();
  });
  const [client, pipe] = handAndPipe();
  const served = servePipe(server, pipe, { signal: controller.signal });
  await Promise.all([client.send(call(1, "run")), client.send(call(2, "run"))]);
  await served;
  for (let turn = 0; turn < 20; turn++) await undefined;
  assertEquals([ran, server.changes.size], [1, 0]);
});

Deno.test("a legacy session receives list changes and updates to subscribed resources", async () => {
  const bench = serve();
  const { client, server } = bench;
  server.registerResource({ uri: "r:1", name: "r" }, () => "text");
  await client.ask(INITIALIZE);
  server.registerPrompt({ name: "p", arguments: [] }, () => "hi");
  assertEquals((await client.next()).method, "notifications/prompts/list_changed");
  server.removePrompt("p");
  assertEquals((await client.next()).method, "notifications/prompts/list_changed");
  const subscribe = {
    jsonrpc: "2.0",
    id: 1,
    method: "resources/subscribe",
    params: { uri: "r:1" },
  };
  assertEquals((await client.ask(subscribe)).result, {});
  server.resourceUpdated("r:2");
  server.resourceUpdated("r:1");
  assertEquals((await client.next()).params, { uri: "r:1" });
  await client.ask({ ...subscribe, method: "resources/unsubscribe" });
  server.resourceUpdated("r:1");
  assertEquals((await client.ask({ jsonrpc: "2.0", id: 2, method: "ping" })).id, 2);
  await end(bench);
  assertEquals(server.changes.size, 0);
});

Deno.test("a legacy session receives log messages at or above its log level", async () => {
  const bench = serve();
  const { client, server } = bench;
  server.registerTool({ name: "log", description: "" }, async (_args, context) => {
    await context.log("debug", "quiet");
    await context.log("error", { loud: true }, "tests");
  });
  await client.ask(INITIALIZE);
  const setLevel = (level: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "logging/setLevel",
    params: { level },
  });
  assertEquals((await client.ask(setLevel("loud"))).error?.code, -32602);
  assertEquals((await client.ask(setLevel("warning"))).result, {});
  const message = await client.ask(call(2, "log"));
  assertEquals(message.params, { level: "error", logger: "tests", data: { loud: true } });
  assert("result" in await client.next());
  await end(bench);
});
