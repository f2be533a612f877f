import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createMemoryTransport, McpClient, McpError, McpServer, servePipe } from "../mod.ts";

const EXAMPLE = "com.example/echo";

async function connect(server: McpServer, extensions: readonly string[]): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, extensions: extensions.map((id) => ({ id })) });
  await client.connect();
  return client;
}

Deno.test("a server without an extension rejects its methods, and serves further requests", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "greet" }, () => "hello");
  await using client = await connect(server, [EXAMPLE]);
  assertEquals(client.server?.capabilities.extensions?.[EXAMPLE], undefined);
  const error = await assertRejects(() => client.request("echo/send"), McpError);
  assertEquals([error.code, error.rpcCode], ["protocol_error", -32601]);
  assertEquals(error.message.includes('Method not found: "echo/send"'), true);
  assertEquals((await client.callTool("greet", {})).content, [{ type: "text", text: "hello" }]);
});

Deno.test("a client that does not declare an extension cannot call its methods, and other requests succeed", async () => {
  const methods = { "echo/send": () => ({ sent: true }) };
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [{ id: EXAMPLE, methods }],
  });
  server.registerTool({ name: "greet" }, () => "hello");
  await using client = await connect(server, ["com.example/other"]);
  const error = await assertRejects(() => client.request("echo/send"), McpError);
  assertEquals([error.code, error.rpcCode, error.data], ["protocol_error", -32021, {
    requiredCapabilities: { extensions: { [EXAMPLE]: {} } },
  }]);
  assertEquals((await client.callTool("greet", {})).content, [{ type: "text", text: "hello" }]);
  await using declaring = await connect(server, [EXAMPLE]);
  assertEquals((await declaring.request("echo/send")).sent, true);
});

Deno.test("close() ends and reports after closeTimeoutMs if an extension does not close, and closes the others", async () => {
  using time = new FakeTime();
  let isClosed = false;
  const errors: string[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    closeTimeoutMs: 20,
    extensions: [
      { id: "com.example/stuck", close: () => new Promise<never>(() => {}) },
      { id: "com.example/other", close: () => Promise.resolve(void (isClosed = true)) },
    ],
    onError: (error) => errors.push(String(error)),
  });
  const closing = server.close();
  await time.tickAsync(0);
  assertEquals([isClosed, errors], [true, []]);
  await time.tickAsync(20);
  await time.tickAsync(20);
  await closing;
  assertEquals(errors, [
    'Error: Cannot close extension "com.example/stuck": it did not respond in 20 ms ("closeTimeoutMs")',
  ]);
});

Deno.test("close() closes all extensions if some of them fail, and reports each failure", async () => {
  const closed: string[] = [];
  const errors: string[] = [];
  const close = (id: string) => (): Promise<void> => {
    closed.push(id);
    throw new Error(`${id} failed`);
  };
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: ["a", "b"].map((id) => ({ id, close: close(id) })),
    onError: (error) => errors.push(String(error)),
  });
  const error = await assertRejects(() => server.close());
  assertEquals([String(error), errors], ["Error: a failed", ["Error: b failed"]]);
  assertEquals(closed, ["a", "b"]);
});

Deno.test("a subscription of an extension that throws when it stops does not affect other subscriptions", async () => {
  const errors: string[] = [];
  const stopped: string[] = [];
  const stop = (id: string) => (): void => {
    stopped.push(id);
    throw new Error(`${id} failed`);
  };
  const extensions = ["a", "b"].map((id) => ({
    id,
    listen: () => Promise.resolve({ accepted: {}, stop: stop(id) }),
  }));
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions,
    onError: (error) => errors.push(String(error)),
  });
  const client = { protocolVersion: "2026-07-28", capabilities: {} };
  const subscriber = { client, principal: undefined, signal: new AbortController().signal };
  const open = await server.listenToExtensions({}, subscriber, () => {}, () => {});
  for (const one of open) one.stop();
  assertEquals(stopped, ["a", "b"]);
  assertEquals(errors, ["Error: a failed", "Error: b failed"]);
});

const NOT_TRUE: readonly (readonly [string, () => unknown])[] = [
  ["a promise", () => Promise.resolve(true)],
  ["a promise that rejects", () => Promise.reject(new Error("no policy"))],
  ["undefined", () => undefined],
  ["1", () => 1],
];

for (const [title, answer] of NOT_TRUE) {
  Deno.test(`canSeeResource() returns false if an extension returns ${title}`, () => {
    // The types do not permit the result, but extensions in JavaScript can return it.
    const canSeeResource = answer as () => boolean;
    const server = new McpServer({
      name: "s",
      version: "1",
      extensions: [{ id: EXAMPLE, canSeeResource }],
    });
    assertEquals(server.canSeeResource("a:b", undefined), false);
  });
}
