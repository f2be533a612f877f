import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpClient } from "../client.ts";
import { McpError, mcpHandler, McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { objectOf } from "../testdata/answer.ts";
import { breakable, clientOf, connectTo, ERAS, openGateway } from "../testdata/gateway.ts";
import { modern } from "../testdata/http.ts";
import { createMemoryTransport } from "../transport/memory.ts";

/** A server with a tool that responds and a tool that waits until it is aborted. */
function waitingServer(name = "s"): { server: McpServer; begun: Promise<void>; reset: () => void } {
  const server = new McpServer({ name, version: "1", onError: () => {} });
  const begun = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  server.registerTool({ name: "ok", description: "" }, () => `ok ${name}`);
  server.registerTool({ name: "wait", description: "" }, async (_args, { signal }) => {
    begun.resolve();
    await new Promise<void>((resolve) => {
      free.promise.then(resolve);
      signal.addEventListener("abort", () => resolve());
    });
  });
  return { server, begun: begun.promise, reset: free.resolve };
}

for (const era of ERAS) {
  Deno.test(`a call to a server that exits reports the cause, and the gateway reconnects (${era})`, async () => {
    const { server, begun, reset } = waitingServer();
    const s = breakable(server, era);
    await using gateway = await openGateway({
      s: { client: s.client },
      other: { client: clientOf(waitingServer("other").server) },
    });
    await using user = await connectTo(gateway.server, era);
    const call = user.callTool("s_wait", {});
    await begun;
    const rejected = assertRejects(() => call, McpError);
    const other = user.callTool("other_ok", {});
    await s.break();
    const error = await rejected;
    assert(error.message.includes('The server "s" has closed the connection'), error.message);
    assert(error.message.includes("outcome of the request is unknown"));
    assertEquals(error.rpcCode, -32603);
    assertEquals((await other).isError, undefined);
    assertEquals((await user.callTool("s_ok", {})).content, [{ type: "text", text: "ok s" }]);
    assertEquals(s.starts(), 2);
    reset();
  });
}

Deno.test("a call to a server that hangs reports the timeout, and does not delay other calls", async () => {
  const { server, reset } = waitingServer();
  await using gateway = await openGateway({
    s: { client: clientOf(server) },
    other: { client: clientOf(waitingServer("other").server) },
  }, { timeoutMs: 20 });
  await using user = await connectTo(gateway.server);
  const error = await assertRejects(() => user.callTool("s_wait", {}), McpError);
  assert(error.message.includes('The server "s" did not respond in time (20 ms'), error.message);
  assertEquals((await user.callTool("other_ok", {})).isError, undefined);
  assert(gateway.errors[0]?.includes('Cannot relay "tools/call" to the server "s"'));
  reset();
});

Deno.test("a server that does not respond to a list request is left out after listTimeoutMs", async () => {
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [{
      id: "example.org/hang",
      capabilities: () => ({ tools: {} }),
      wrap: {
        "tools/list": () => (_params, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", reject)),
      },
    }],
  });
  await using gateway = await openGateway({
    s: { client: clientOf(server) },
    other: { client: clientOf(waitingServer("other").server) },
  }, { listTimeoutMs: 20 });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).map(({ name }) => name), ["other_ok", "other_wait"]);
  assert(gateway.errors[0]?.includes('The server "s" is unreachable'), gateway.errors[0]);
});

Deno.test("mcpGateway() accepts a listTimeoutMs beyond the longest delay of a timer", async () => {
  const { server } = waitingServer("other");
  await using gateway = await openGateway({
    other: { client: () => clientOf(server) },
  }, { listTimeoutMs: Infinity });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).map(({ name }) => name), ["other_ok", "other_wait"]);
  assertEquals(gateway.errors, []);
});

Deno.test("an unreachable server is left out and reported, and is retried after retryMs", async () => {
  using time = new FakeTime();
  const s = breakable(waitingServer().server);
  s.isDown(true);
  await using gateway = await openGateway({
    s: { client: s.client },
    other: { client: clientOf(waitingServer("other").server) },
  }, { retryMs: 5000, debounceMs: 100 });
  const lists: string[] = [];
  gateway.server.changes.listen(({ kind }) => lists.push(kind));
  await using user = await connectTo(gateway.server);
  const names = async () => (await user.listTools()).map(({ name }) => name);
  assertEquals(await names(), ["other_ok", "other_wait"]);
  const error = await assertRejects(() => user.callTool("s_ok", {}), McpError);
  assert(error.message.includes('The server "s" is unreachable'), error.message);
  assertEquals((await user.callTool("other_ok", {})).isError, undefined);
  assertEquals(gateway.errors.length, 1);
  const starts = s.starts();
  s.isDown(false);
  assertEquals(await names(), ["other_ok", "other_wait"]);
  assertEquals(s.starts(), starts);
  time.tick(5000);
  assertEquals(await names(), ["s_ok", "s_wait", "other_ok", "other_wait"]);
  assertEquals(lists, []);
  await time.tickAsync(100);
  assertEquals(lists, ["tools", "resources", "prompts"]);
});

Deno.test("with onUnreachable fail, lists fail while a server is unreachable", async () => {
  const s = breakable(waitingServer().server);
  const upstreams = { s: { client: s.client } };
  const options = { onUnreachable: "fail", retryMs: 1 } as const;
  s.isDown(true);
  await assertRejects(() => openGateway(upstreams, options), McpError, '"s" is unreachable');
  s.isDown(false);
  await using gateway = await openGateway(upstreams, options);
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).length, 2);
  s.isDown(true);
  await s.break();
  await assertRejects(() => user.listTools(), McpError, 'The server "s" is unreachable');
  await assertRejects(() => gateway.refresh(), McpError, 'The server "s" is unreachable');
});

Deno.test("changes within debounceMs result in one notification", async () => {
  using time = new FakeTime();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "a", description: "" }, () => "");
  await using gateway = await openGateway({ s: { client: clientOf(server) } }, { debounceMs: 100 });
  const lists: string[] = [];
  gateway.server.changes.listen(({ kind }) => lists.push(kind));
  for (const name of ["b", "c", "d"]) {
    server.registerTool({ name, description: "" }, () => "");
    await time.tickAsync(10);
  }
  assertEquals(lists, []);
  await time.tickAsync(100);
  assertEquals(lists, ["tools"]);
});

Deno.test("a tool that a server removes during a call does not end the call", async () => {
  const { server, begun, reset } = waitingServer();
  await using gateway = await openGateway({ s: { client: clientOf(server) } }, { debounceMs: 1 });
  await using user = await connectTo(gateway.server);
  const call = user.callTool("s_wait", {});
  await begun;
  for await (const tools of user.watchTools()) {
    if (tools.length === 1) break;
    server.removeTool("wait");
  }
  await assertRejects(() => user.callTool("s_wait", {}), McpError, "unknown tool");
  reset();
  assertEquals((await call).isError, undefined);
});

Deno.test("a server with more than maxItems items or with invalid lists is left out", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  for (const name of ["a", "b", "c"]) server.registerTool({ name, description: "" }, () => "");
  await using gateway = await openGateway({
    s: { client: clientOf(server) },
    other: { client: clientOf(waitingServer("other").server) },
  }, { maxItems: 2 });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).length, 2);
  assert(gateway.errors[0]?.includes('3 items, more than "maxItems" (2)'), gateway.errors[0]);
});

Deno.test("an item that cannot be offered is left out and reported", async () => {
  const tools = [
    { name: "good" },
    { name: "good" },
    { name: "" },
    { name: "x".repeat(8193) },
    {
      name: "header",
      inputSchema: { type: "object", properties: { a: { type: "object", "x-mcp-header": "A" } } },
    },
  ];
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [{
      id: "example.org/odd",
      capabilities: () => ({ tools: {}, resources: {} }),
      wrap: {
        "tools/list": () => () => ({ tools }),
        "resources/templates/list": () => () => ({ resourceTemplates: [{ uriTemplate: "s:{" }] }),
      },
    }],
  });
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).map(({ name }) => name), ["s_good"]);
  assertEquals((await user.listResourceTemplates()).length, 1);
  const reasons = gateway.errors.map((text) => text.slice(text.lastIndexOf(": ") + 2));
  assertEquals(reasons.slice(0, 3), [
    "the server lists the item twice",
    "the name is empty",
    "the name has more than 8192 characters",
  ]);
  assertEquals(gateway.errors.length, 4);
});

/** A gateway with one client for each principal, over HTTP. */
async function perCaller(maxCallers = 1000) {
  const opened: (string | undefined)[] = [];
  const clients: McpClient[] = [];
  const gates = new Map<string | undefined, () => void>();
  const gateway = await openGateway({
    crm: {
      client: ({ principal }) => {
        opened.push(principal?.subject);
        if (principal?.subject === "eve") throw new Error("no account");
        const server = new McpServer({ name: "crm", version: "1" });
        const schema = {
          type: "object",
          properties: { region: { type: "string", "x-mcp-header": "Region" } },
        };
        const tool = { name: "who", description: "", inputSchema: schema };
        server.registerTool(tool, () => principal?.subject ?? "nobody");
        server.registerTool({ name: "wait", description: "" }, async () => {
          await new Promise<void>((resolve) => gates.set(principal?.subject, resolve));
        });
        if (principal?.subject === "ann") {
          server.registerTool({ name: "admin", description: "" }, () => "");
        }
        const client = clientOf(server);
        clients.push(client);
        return client;
      },
    },
    shared: { client: clientOf(waitingServer("shared").server) },
  }, { maxCallers });
  const handler = mcpHandler(gateway.server);
  const send = async (
    principal: Principal | undefined,
    method: string,
    params: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<JsonObject> => {
    const context = principal === undefined ? {} : { principal };
    return objectOf(await (await handler(modern(method, params, headers), context)).json());
  };
  return { gateway, handler, send, opened, clients, gates };
}

const ANN: Principal = { subject: "ann" };
const BOB: Principal = { subject: "bob" };

Deno.test("each principal has its own client, lists and results", async () => {
  const { gateway, handler, send, opened } = await perCaller();
  const namesOf = async (principal: Principal | undefined): Promise<unknown> => {
    const { result } = await send(principal, "tools/list", {});
    const { tools } = objectOf(result);
    return Array.isArray(tools) ? tools.map(({ name }) => name) : undefined;
  };
  assertEquals(await namesOf(ANN), [
    "crm_who",
    "crm_wait",
    "crm_admin",
    "shared_ok",
    "shared_wait",
  ]);
  assertEquals(await namesOf(BOB), ["crm_who", "crm_wait", "shared_ok", "shared_wait"]);
  const call = async (principal: Principal | undefined): Promise<unknown> =>
    objectOf((await send(principal, "tools/call", { name: "crm_who" })).result).content;
  assertEquals(await call(ANN), [{ type: "text", text: "ann" }]);
  assertEquals(await call(BOB), [{ type: "text", text: "bob" }]);
  assertEquals(await call(undefined), [{ type: "text", text: "nobody" }]);
  const { error } = await send(BOB, "tools/call", { name: "crm_admin" });
  assertEquals(objectOf(error).message, 'Unknown tool: "crm_admin"');
  assertEquals(opened, ["ann", "bob", undefined]);
  await handler.close();
  await gateway.close();
});

Deno.test("requests of one subject with other keys have their own clients", async () => {
  const { gateway, handler, send, opened } = await perCaller();
  const principals: readonly Principal[] = [
    { subject: "ann", key: "k1" },
    { subject: "ann", key: "k2" },
    { subject: "ann", key: "k1" },
    { subject: "ann" },
    { subject: "k1" },
  ];
  for (const principal of principals) await send(principal, "tools/call", { name: "crm_who" });
  assertEquals(opened, ["ann", "ann", "ann", "k1"]);
  await handler.close();
  await gateway.close();
});

Deno.test("a principal whose client cannot be created sees the other servers", async () => {
  const { gateway, handler, send } = await perCaller();
  const eve = { subject: "eve" };
  const { result } = await send(eve, "tools/list", {});
  const { tools } = objectOf(result);
  assertEquals(Array.isArray(tools) && tools.map(({ name }) => name), ["shared_ok", "shared_wait"]);
  const { error } = await send(eve, "tools/call", { name: "crm_who" });
  assertEquals(objectOf(error).message, 'The server "crm" is unreachable');
  assert(gateway.errors[0]?.includes("no account"));
  await handler.close();
  await gateway.close();
});

Deno.test("a tool parameter in a header must match the argument at the gateway", async () => {
  const { gateway, handler, send } = await perCaller();
  await send(ANN, "tools/list", {});
  const params = { name: "crm_who", arguments: { region: "eu" } };
  const { error } = await send(ANN, "tools/call", params, { "mcp-param-region": "us" });
  assertEquals(objectOf(error).code, -32020);
  const { result } = await send(ANN, "tools/call", params, { "mcp-param-region": "eu" });
  assertEquals(objectOf(result).content, [{ type: "text", text: "ann" }]);
  await handler.close();
  await gateway.close();
});

Deno.test("maxCallers disconnects an idle client, but never a client with a request in flight", async () => {
  const { gateway, handler, send, clients, gates } = await perCaller(2);
  await send(ANN, "tools/list", {});
  await send(BOB, "tools/list", {});
  const waiting = send(ANN, "tools/call", { name: "crm_wait" });
  await send({ subject: "cid" }, "tools/list", {});
  assertEquals(clients.map(({ connected }) => connected), [true, false, true]);
  const second = send({ subject: "cid" }, "tools/call", { name: "crm_wait" });
  while (gates.size < 2) await Promise.resolve();
  const { error } = await send(BOB, "tools/list", {});
  assertEquals(objectOf(error).message, "Too many principals have requests in flight");
  for (const open of gates.values()) open();
  await Promise.all([waiting, second]);
  await handler.close();
  await gateway.close();
});

Deno.test("close() disconnects all clients, rejects requests and can be called again", async () => {
  const { server, begun, reset } = waitingServer();
  const client = clientOf(server);
  const gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server);
  const call = user.callTool("s_wait", {});
  await begun;
  const rejected = assertRejects(() => call, McpError);
  await gateway.close();
  await gateway.close();
  assertEquals(client.connected, false);
  await rejected;
  await assertRejects(() => user.callTool("s_ok", {}), McpError);
  assertEquals(gateway.errors.filter((text) => text.includes("unreachable")), []);
  reset();
});

Deno.test("a server without resources/templates/list keeps its other items", async () => {
  const transport = createMemoryTransport(async (pipe) => {
    for await (const frame of pipe.frames) {
      if (frame.kind !== "request") continue;
      const { id, method } = frame.message;
      const results: Record<string, JsonObject> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { resources: {} },
          serverInfo: { name: "small", version: "1" },
        },
        "resources/list": { resources: [{ uri: "s:///1" }] },
        "resources/read": { contents: [{ uri: "s:///2", text: "unlisted" }] },
      };
      const result = results[method];
      await pipe.send(
        result === undefined
          ? { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }
          : { jsonrpc: "2.0", id, result },
      );
    }
  });
  const client = new McpClient({ transport, protocol: "legacy" });
  await using gateway = await openGateway({ s: { client } });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listResources()).map(({ uri }) => uri), ["s:///1"]);
  const { contents } = await user.getResource("s:///2");
  assertEquals(contents, [{ uri: "s:///2", text: "unlisted" }]);
  assertEquals(gateway.errors, []);
});
