import { assert, assertEquals, assertRejects, fail } from "@std/assert";
import { sleep } from "@parley/internal/timers";
import { FakeTime } from "@std/testing/time";
import { type InputHandlers, McpClient, StdioTransport } from "../client.ts";
import { McpError } from "../shared/error.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import type { PipeConnection } from "../jsonrpc/contracts.ts";
import { request } from "../jsonrpc/message.ts";
import { ServerRequests } from "./server_requests.ts";
import { LineServer } from "../testdata/line_server.ts";
import type { Message } from "../testdata/message.ts";
import { INITIALIZED } from "../testdata/web.ts";

const FORM = {
  message: "Who?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", default: "Ada" }, age: { type: "integer" } },
  },
};

/** A client whose server sends requests during a call, and the client's responses. */
async function connect(
  handlers: InputHandlers,
  onError: (error: unknown) => void = () => {},
): Promise<{ client: McpClient; server: LineServer; answers: Message[] }> {
  const answers: Message[] = [];
  const server = new LineServer((message, self) => {
    const { id, method } = message;
    if (method === undefined) answers.push(message);
    else if (method === "initialize") self.send({ jsonrpc: "2.0", id, result: INITIALIZED });
  });
  const transport = new StdioTransport(server.options);
  const client = new McpClient({ transport, protocol: "legacy", handlers, onError });
  await client.connect();
  return { client, server, answers };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

Deno.test("McpClient responds to server requests with its handlers and form defaults", async () => {
  const { client, server, answers } = await connect({
    elicit: () => ({ action: "accept", content: { age: 36 } }),
    elicitUrl: () => ({ action: "decline" }),
    createMessage: ({ messages }) => ({
      role: "assistant",
      model: "m",
      content: { type: "text", text: `${messages.length}` },
    }),
    listRoots: () => [{ uri: "file:///r" }],
  });
  const questions = [
    { method: "ping" },
    { method: "elicitation/create", params: FORM },
    {
      method: "elicitation/create",
      params: { mode: "url", url: "https://a.example", message: "" },
    },
    { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    { method: "roots/list" },
    { method: "elicitation/create", params: { message: "no schema" } },
    { method: "no/such" },
  ];
  for (const [id, question] of questions.entries()) {
    server.send({ jsonrpc: "2.0", id, ...question });
  }
  await settle();
  const byId = answers.sort((a, b) => Number(a.id) - Number(b.id))
    .map(({ result, error }) => result ?? error?.code);
  assertEquals(byId, [
    {},
    { action: "accept", content: { name: "Ada", age: 36 } },
    { action: "decline" },
    { role: "assistant", model: "m", content: { type: "text", text: "0" } },
    { roots: [{ uri: "file:///r" }] },
    -32602,
    -32601,
  ]);
  await client.disconnect();
});

Deno.test("McpClient reports a failed handler without sending details to the server", async () => {
  const reported: unknown[] = [];
  const secret = new Error("secret");
  const handlers = {
    listRoots: () => {
      throw secret;
    },
  };
  const { client, server, answers } = await connect(handlers, (error) => reported.push(error));
  server.send({ jsonrpc: "2.0", id: 1, method: "roots/list" });
  await settle();
  assertEquals(answers[0]?.error, { code: -32603, message: "Internal error" });
  const [error] = reported;
  assert(error instanceof McpError && reported.length === 1);
  assertEquals(
    error.message,
    'Cannot complete the operation: the handler "listRoots" failed: secret',
  );
  assertEquals(error.cause, secret);
  await client.disconnect();
});

Deno.test("McpClient aborts a handler if the request is cancelled or the connection ends", async () => {
  const signals: AbortSignal[] = [];
  const { client, server, answers } = await connect({
    elicit: (_params, signal) => {
      signals.push(signal);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ action: "cancel" }));
      });
    },
  });
  for (const id of ["a", "b"]) {
    server.send({ jsonrpc: "2.0", id, method: "elicitation/create", params: FORM });
  }
  server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } });
  await settle();
  assertEquals(signals.map(({ aborted }) => aborted), [true, false]);
  await client.disconnect();
  await settle();
  assertEquals(signals.map(({ aborted }) => aborted), [true, true]);
  assertEquals(answers, []);
});

Deno.test("McpClient rejects too many server requests and a duplicate id", async () => {
  // While the fake clock is stopped, the pipe does not yield to the event loop between the lines.
  using _time = new FakeTime();
  const { client, server, answers } = await connect({ listRoots: () => new Promise(() => {}) });
  for (let id = 0; id < 101; id++) server.send({ jsonrpc: "2.0", id, method: "roots/list" });
  server.send({ jsonrpc: "2.0", id: 0, method: "roots/list" });
  for (let turn = 0; turn < 20; turn++) await settle();
  assertEquals(answers.map(({ id, error }) => [id, error?.code, error?.message]), [
    [100, -32603, "Too many requests are in progress"],
    [0, -32603, '"id" is already in use'],
  ]);
  await client.disconnect();
});

Deno.test("callTool() pauses its timeout during a server request", async () => {
  const answered = Promise.withResolvers<{ action: "decline" }>();
  using time = new FakeTime();
  const { client, server } = await connect({ elicit: () => answered.promise });
  const call = client.callTool("t", {}, { timeoutMs: 100, maxTotalMs: 100, maxInputMs: 20_000 });
  const failed = call.then(() => false, (error) => error instanceof McpError);
  server.send({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: FORM });
  await time.tickAsync(10_000);
  answered.resolve({ action: "decline" });
  await time.tickAsync(99);
  const id = server.seen.find(({ method }) => method === "tools/call")?.id;
  server.send({ jsonrpc: "2.0", id, result: { content: [] } });
  assertEquals(await failed, false);
  const silent = client.callTool("t", {}, { timeoutMs: 100 }).then(() => false, () => true);
  await time.tickAsync(100);
  assert(await silent);
  await client.disconnect();
});

Deno.test("callTool() rejects after maxTotalMs although the server sends requests", async () => {
  using time = new FakeTime();
  const { client, server } = await connect({ listRoots: () => [] });
  const call = client.callTool("t", {}, { timeoutMs: 100, maxTotalMs: 500 });
  const failed = assertRejects(() => call, McpError, 'timed out after 500 ms ("maxTotalMs")');
  for (let id = 0; id < 10; id++) {
    server.send({ jsonrpc: "2.0", id, method: id % 2 === 0 ? "no/such" : "roots/list" });
    await time.tickAsync(50);
  }
  await failed;
  await client.disconnect();
});

Deno.test("callTool() rejects after maxInputMs although the server keeps requesting input", async () => {
  using time = new FakeTime();
  const { client, server } = await connect({
    elicit: async (_params, signal) => {
      await sleep(250, signal);
      return { action: "decline" };
    },
  });
  const call = client.callTool("t", {}, { timeoutMs: 1000, maxTotalMs: 2000 });
  const failed = assertRejects(() => call, McpError, 'timed out after 2000 ms ("maxInputMs")');
  for (let id = 0; id < 25; id++) {
    server.send({ jsonrpc: "2.0", id, method: "elicitation/create", params: FORM });
    await time.tickAsync(100);
  }
  await failed;
  await client.disconnect();
});

Deno.test("McpClient accepts includeContext from servers of versions without sampling.context", async () => {
  for (const [protocolVersion, code] of [["2025-06-18", undefined], ["2025-11-25", -32602]]) {
    const answers: Message[] = [];
    const server = new LineServer((message, self) => {
      const { id, method } = message;
      if (method === undefined) answers.push(message);
      else if (method === "initialize") {
        self.send({ jsonrpc: "2.0", id, result: { ...INITIALIZED, protocolVersion } });
      }
    });
    const client = new McpClient({
      transport: new StdioTransport(server.options),
      protocol: "legacy",
      handlers: {
        createMessage: () => ({
          role: "assistant",
          model: "m",
          content: { type: "text", text: "" },
        }),
      },
    });
    await client.connect();
    const params = { messages: [], maxTokens: 1, includeContext: "thisServer" };
    server.send({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params });
    await settle();
    assertEquals(answers.map(({ error }) => error?.code), [code]);
    await client.disconnect();
  }
});

/** A connection to a server that accepts no responses, and the number of responses sent to it. */
function blockedConnection(): { connection: PipeConnection; sent: () => number } {
  let sent = 0;
  const connection: PipeConnection = {
    label: "blocked",
    timeouts: new TimeoutScheduler(),
    unsolicited: (async function* () {})(),
    ended: undefined,
    exchange: () => Promise.reject(new Error("no")),
    send: () => {
      sent++;
      return new Promise(() => {});
    },
    close: () => Promise.resolve(),
  };
  return { connection, sent: () => sent };
}

Deno.test("ServerRequests bounds the responses to a server that accepts none, and pauses no timeout", async () => {
  const { connection, sent } = blockedConnection();
  const errors: unknown[] = [];
  const handled: Promise<unknown>[] = [];
  const requests = new ServerRequests(connection, {
    handlers: { listRoots: () => [] },
    capabilities: { roots: {} },
    maxInputRequests: 10,
    onError: () => fail(),
  });
  for (let id = 0; id < 1000; id++) {
    const method = id % 2 === 0 ? "ping" : "roots/list";
    const until = (handling: Promise<unknown>) => void handled.push(handling);
    requests.answer(request(id, method), until).catch((error) => errors.push(error));
  }
  await settle();
  await Promise.all(handled);
  assertEquals([sent(), handled.length, errors.length], [20, 5, 980]);
  const [error] = errors;
  assert(error instanceof McpError && error.code === "core", String(error));
});
