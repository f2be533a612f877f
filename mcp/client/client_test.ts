import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpClient, type McpClientConfig } from "../client.ts";
import { McpError } from "../shared/error.ts";
import type { McpTransport, Pipe, PipeSource } from "../jsonrpc/contracts.ts";
import { McpServer } from "../server/mcp_server.ts";
import { servePipe } from "../server.ts";
import { Hand } from "../testdata/pipes.ts";
import { createMemoryTransport, createPipePair } from "../transport/memory.ts";

function testServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1", pageSize: 2, instructions: "Be kind" });
  for (const name of ["one", "two", "three"]) {
    server.registerTool({ name, description: name }, () => name);
  }
  server.registerTool({ name: "fail", description: "" }, () => {
    throw new Error("broken");
  });
  server.registerTool({ name: "slow", description: "" }, async (_args, { signal, progress }) => {
    await progress(1, { total: 2, message: "half" });
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  server.registerTool({ name: "greet", description: "" }, async (_args, context) => {
    const { first, roots } = await context.askAll({
      first: {
        method: "elicitation/create",
        params: { message: "First name?", requestedSchema: { type: "object", properties: {} } },
      },
      roots: { method: "roots/list" },
    });
    const message = { role: "user", content: { type: "text", text: "Last name?" } } as const;
    const last = await context.ask("last", {
      method: "sampling/createMessage",
      params: { messages: [message], maxTokens: 10 },
    });
    const { content } = last;
    const text = "type" in content && content.type === "text" ? content.text : "";
    return `${first.content?.name} ${text} of ${roots.roots[0]?.uri}`;
  });
  server.registerResource({ uri: "r:text", name: "text", mimeType: "text/plain" }, () => "hello");
  server.registerPrompt({
    name: "greeting",
    description: "Greets",
    arguments: [{ name: "who", required: true }],
  }, ({ who }) => `Hello ${who}`);
  return server;
}

const HANDLERS: NonNullable<McpClientConfig["handlers"]> = {
  elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  createMessage: () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "Lovelace" },
  }),
  listRoots: () => [{ uri: "file:///home" }],
};

async function connect(config: Partial<McpClientConfig> = {}): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) =>
    servePipe(testServer(), pipe, { drainTimeoutMs: 1 })
  );
  const client = new McpClient({ transport, ...config });
  await client.connect();
  return client;
}

/** A client whose peer is controlled by the test. */
function byHand(config: Partial<McpClientConfig> = {}): { client: McpClient; peer: Hand } {
  const [left, right] = createPipePair();
  const transport: PipeSource = {
    label: "test",
    canReopen: false,
    openPipe: () => Promise.resolve(left),
  };
  return { client: new McpClient({ transport, ...config }), peer: new Hand(right) };
}

async function connectByHand(
  capabilities: object,
  config: Partial<McpClientConfig> = {},
): Promise<{ client: McpClient; peer: Hand }> {
  const { client, peer } = byHand({ protocol: "legacy", ...config });
  const connected = client.connect();
  const { id } = await peer.next();
  const result = {
    protocolVersion: "2025-11-25",
    capabilities,
    serverInfo: { name: "h", version: "1" },
  };
  await peer.send({ jsonrpc: "2.0", id, result });
  assertEquals((await peer.next()).method, "notifications/initialized");
  await connected;
  return { client, peer };
}

for (const protocol of ["modern", "legacy", "2025-06-18", "2024-11-05"] as const) {
  Deno.test(`McpClient supports every server feature with ${protocol}`, async () => {
    await using client = await connect({ protocol, handlers: HANDLERS });
    const named = new Map<string, string>([["modern", "2026-07-28"], ["legacy", "2025-11-25"]]);
    const version = named.get(protocol) ?? protocol;
    assertEquals(client.server?.protocolVersion, version);
    assertEquals(client.server?.instructions, "Be kind");
    assertEquals(client.capabilities(), { tools: true, resources: true, prompts: true });
    const names = (await client.listTools()).map(({ name }) => name);
    assertEquals(names, ["one", "two", "three", "fail", "slow", "greet"]);
    assertEquals((await client.callTool("one")).content, [{ type: "text", text: "one" }]);
    assertEquals((await client.callTool("fail", {})).isError, true);
    assertEquals((await client.callTool("greet", {})).content, [
      { type: "text", text: "Ada Lovelace of file:///home" },
    ]);
    assertEquals((await client.listResources()).map(({ uri }) => uri), ["r:text"]);
    assertEquals((await client.getResource("r:text")).contents, [
      { uri: "r:text", mimeType: "text/plain", text: "hello" },
    ]);
    assertEquals((await client.listPrompts())[0]?.arguments, [{ name: "who", required: true }]);
    assertEquals((await client.getPrompt("greeting", { who: "Ada" })).messages, [
      { role: "user", content: { type: "text", text: "Hello Ada" } },
    ]);
  });
}

Deno.test("connect() negotiates the latest protocol version", async () => {
  await using client = await connect();
  assertEquals(client.server?.protocolVersion, "2026-07-28");
});

Deno.test("callTool() distinguishes an unknown tool from other errors", async () => {
  await using client = await connect();
  assertEquals(
    (await assertRejects(() => client.callTool("none", {}), McpError)).code,
    "tool_not_found",
  );
  const error = await assertRejects(() => client.getPrompt("greeting"), McpError);
  assertEquals([error.code, error.rpcCode], ["protocol_error", -32602]);
});

Deno.test("callTool() rejects with the abort reason and aborts the handler", async () => {
  await using client = await connect();
  const controller = new AbortController();
  const updates: unknown[] = [];
  const call = client.callTool("slow", {}, {
    signal: controller.signal,
    onProgress: (update) => {
      updates.push(update);
      controller.abort(new Error("enough"));
    },
  });
  await assertRejects(() => call, Error, "enough");
  assertEquals(updates, [{ progress: 1, total: 2, message: "half" }]);
  assertEquals(client.connected, true);
});

Deno.test("callTool() rejects after its timeout", async () => {
  await using client = await connect();
  const error = await assertRejects(() => client.callTool("slow", {}, { timeoutMs: 1 }), McpError);
  assertEquals(error.code, "timeout");
  const message = 'Cannot complete "tools/call" ("slow"): timed out after 1 ms ("timeoutMs")';
  assertEquals(error.message, message);
});

Deno.test("McpClient rejects all requests before connect()", async () => {
  const client = new McpClient({ transport: { type: "stdio" } });
  assertEquals([client.connected, client.capabilities(), client.server], [
    false,
    undefined,
    undefined,
  ]);
  const error = await assertRejects(() => client.listTools(), McpError);
  assertEquals(error.code, "protocol_error");
  await client.disconnect();
});

Deno.test("concurrent connect() calls share one attempt, which disconnect() aborts", async () => {
  let opened = 0;
  const transport = createMemoryTransport((pipe) => {
    opened++;
    return servePipe(testServer(), pipe);
  });
  const client = new McpClient({ transport });
  await Promise.all([client.connect(), client.connect()]);
  await client.connect();
  assertEquals(opened, 1);
  await client.disconnect();
  await client.disconnect();
  assertEquals([client.connected, client.capabilities()], [false, undefined]);
  await client.connect();
  assertEquals(opened, 2);
  await client.disconnect();
});

Deno.test("disconnect() rejects requests in flight", async () => {
  const client = await connect();
  const rejected = assertRejects(() => client.callTool("slow", {}), McpError);
  await client.disconnect();
  assertEquals((await rejected).code, "transport_error");
});

Deno.test("connect() rejects on disconnect() or abort", async () => {
  const first = byHand();
  const connecting = first.client.connect();
  await first.peer.next();
  await first.client.disconnect();
  assertEquals((await assertRejects(() => connecting, McpError)).code, "transport_error");
  const second = byHand();
  const controller = new AbortController();
  const attempt = second.client.connect({ signal: controller.signal });
  await second.peer.next();
  controller.abort(new Error("enough"));
  await assertRejects(() => attempt, Error, "enough");
  assertEquals(second.client.connected, false);
});

Deno.test("connect() retries with a version that the server supports", async () => {
  const { client, peer } = byHand();
  const connected = client.connect();
  const first = await peer.next();
  const data = { supported: ["2026-07-28", "2099-01-01"], requested: "2026-07-28" };
  await peer.send({ jsonrpc: "2.0", id: first.id, error: { code: -32022, message: "no", data } });
  const second = await peer.next();
  assertEquals([second.method, second.id === first.id], ["server/discover", false]);
  const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
  await peer.send({ jsonrpc: "2.0", id: second.id, result });
  await connected;
  assertEquals(client.server?.protocolVersion, "2026-07-28");
  await client.disconnect();
});

Deno.test("connect() rejects a server that supports only unknown versions", async () => {
  const { client, peer } = byHand();
  const connected = client.connect();
  const probe = await peer.next();
  await peer.send({ jsonrpc: "2.0", id: probe.id, error: { code: -32601, message: "no" } });
  const { id, params } = await peer.next();
  assertEquals(params?.protocolVersion, "2025-11-25");
  const result = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: {} };
  await peer.send({ jsonrpc: "2.0", id, result });
  const error = await assertRejects(() => connected, McpError, "1999-01-01");
  assertEquals(error.code, "protocol_error");
});

Deno.test("connect() does not fall back to the legacy era if protocol is modern", async () => {
  const { client, peer } = byHand({ protocol: "modern" });
  const connected = client.connect();
  const { id } = await peer.next();
  await peer.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
  await assertRejects(() => connected, McpError, "modern");
});

Deno.test("connect() accepts a late response to server/discover after initialize was sent", async () => {
  const { client, peer } = byHand({ probeTimeoutMs: 1 });
  const connected = client.connect();
  const probe = await peer.next();
  assertEquals((await peer.next()).method, "initialize");
  const result = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  await peer.send({ jsonrpc: "2.0", id: probe.id, result });
  await connected;
  assertEquals(client.server?.protocolVersion, "2026-07-28");
  await client.disconnect();
});

Deno.test("connect() does not try the legacy era with probeTimeoutMs: Infinity", async () => {
  using time = new FakeTime();
  const { client, peer } = byHand({ probeTimeoutMs: Infinity });
  const connected = client.connect();
  const probe = await peer.next();
  await time.tickAsync(50_000);
  const result = { supportedVersions: ["2026-07-28"], capabilities: {} };
  await peer.send({ jsonrpc: "2.0", id: probe.id, result });
  await connected;
  await client.disconnect();
  assertEquals(await peer.nextAll(), []);
});

Deno.test("McpClient sends no requests for undeclared capabilities", async () => {
  const { client, peer } = await connectByHand({});
  assertEquals([await client.listTools(), await client.listPrompts()], [[], []]);
  await assertRejects(() => client.callTool("t", {}), McpError, '"tools"');
  await client.disconnect();
  assertEquals(await peer.nextAll(), []);
});

Deno.test("McpClient responds to server requests", async () => {
  const { client, peer } = await connectByHand({});
  assertEquals((await peer.ask({ jsonrpc: "2.0", id: "p", method: "ping" })).result, {});
  const { error } = await peer.ask({ jsonrpc: "2.0", id: 1, method: "roots/list" });
  assertEquals(error?.code, -32601);
  await client.disconnect();
});

/** A handler that never settles, and a promise for the signal that is passed to the handler. */
function deafHandler(): {
  readonly elicit: (params: unknown, signal: AbortSignal) => Promise<never>;
  readonly asked: Promise<AbortSignal>;
} {
  const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>();
  return {
    asked,
    elicit: (_params, signal) => {
      resolve(signal);
      return new Promise(() => {});
    },
  };
}

function askingServer(): McpServer {
  const server = new McpServer({ name: "asking", version: "1" });
  server.registerTool({ name: "ask", description: "" }, async (_args, context) => {
    const params = {
      message: "Well?",
      requestedSchema: { type: "object", properties: {} },
    } as const;
    return JSON.stringify(await context.ask("a", { method: "elicitation/create", params }));
  });
  return server;
}

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`callTool() rejects immediately on abort during an input request and aborts the handler (${protocol})`, async () => {
    const server = askingServer();
    let pipes: Pipe[] = [];
    const transport = createMemoryTransport((pipe) => {
      pipes = [pipe];
      return servePipe(server, pipe);
    });
    const ends: [string, (client: McpClient, controller: AbortController) => unknown][] = [
      ["signal", (_, controller) => controller.abort(new Error("enough"))],
      ["disconnect", (client) => client.disconnect()],
      ["server", () => pipes[0]?.close()],
    ];
    for (const [how, end] of ends) {
      const { elicit, asked } = deafHandler();
      const client = new McpClient({ transport, protocol, handlers: { elicit } });
      await client.connect();
      const controller = new AbortController();
      const { signal } = controller;
      const call = assertRejects(() => client.callTool("ask", {}, { signal }), Error);
      const handlerSignal = await asked;
      await end(client, controller);
      const error = await call;
      if (how === "signal") assertEquals(error.message, "enough");
      else assert(error instanceof McpError && error.code === "transport_error", how);
      await client.disconnect();
      assert(handlerSignal.aborted, how);
    }
  });
}

Deno.test("connect() aborts a pending openPipe() and closes a pipe that opens after the abort", async () => {
  const ends: ((client: McpClient, controller: AbortController) => unknown)[] = [
    (_, controller) => controller.abort(new Error("enough")),
    (client) => client.disconnect(),
  ];
  for (const end of ends) {
    const opening = Promise.withResolvers<Pipe>();
    const closed = Promise.withResolvers<void>();
    const transport = { label: "slow", canReopen: true, openPipe: () => opening.promise };
    const client = new McpClient({ transport });
    const controller = new AbortController();
    const connecting = assertRejects(() => client.connect({ signal: controller.signal }), Error);
    await Promise.resolve();
    await end(client, controller);
    await connecting;
    const [pipe] = createPipePair();
    opening.resolve({
      ...pipe,
      label: "slow",
      frames: pipe.frames,
      close: async () => {
        await pipe.close();
        closed.resolve();
      },
      send: (message) => pipe.send(message),
    });
    await closed.promise;
    assertEquals(client.connected, false);
  }
});

Deno.test("connect() rejects with connection_failed if the peer is silent or closes the pipe", async () => {
  for (const protocol of ["auto", "modern", "legacy"] as const) {
    const silent = byHand({ protocol, connectTimeoutMs: 1, probeTimeoutMs: 1 });
    const late = await assertRejects(() => silent.client.connect(), McpError, "after 1 ms");
    const gone = byHand({ protocol });
    await gone.peer.pipe.close();
    const lost = await assertRejects(() => gone.client.connect(), McpError, 'connect to "test"');
    assertEquals([late.code, lost.code], ["connection_failed", "connection_failed"]);
  }
});

Deno.test("listTools() ends at a repeated cursor, unless the client is strict", async () => {
  for (const strict of [false, true]) {
    const { client, peer } = await connectByHand({ tools: {} }, { strict, onError: () => {} });
    const listed = client.listTools();
    for (const [name, nextCursor] of [["t", "x"], ["u", "a"], ["v", "x"]]) {
      const { id } = await peer.next();
      const tools = [{ name, inputSchema: { type: "object" } }];
      await peer.send({ jsonrpc: "2.0", id, result: { tools, nextCursor } });
    }
    if (strict) await assertRejects(() => listed, McpError, "the cursor of an earlier page");
    else assertEquals((await listed).map(({ name }) => name), ["t", "u", "v"]);
    await client.disconnect();
  }
});

Deno.test("listTools() rejects more than maxListPages pages", async () => {
  for (const [maxListPages, isEnough] of [[2, false], [3, true]] as const) {
    const { client, peer } = await connectByHand({ tools: {} }, { maxListPages });
    const listed = client.listTools();
    for (const nextCursor of ["b", "c", undefined].slice(0, maxListPages)) {
      const { id } = await peer.next();
      await peer.send({ jsonrpc: "2.0", id, result: { tools: [{ name: "t" }], nextCursor } });
    }
    if (isEnough) assertEquals((await listed).length, 3);
    else {
      const error = await assertRejects(() => listed, McpError, '"maxListPages" (2)');
      assertEquals(error.code, "protocol_error");
    }
    await client.disconnect();
  }
});

const BAD_RESULTS: readonly [string, object][] = [
  ["no tools", {}],
  ["a tool without a name", { tools: [{}] }],
  ["tools that are not an array", { tools: {} }],
];

Deno.test("McpClient rejects results with the wrong shape", async () => {
  const { client, peer } = await connectByHand({ tools: {} });
  for (const [what, result] of BAD_RESULTS) {
    const listed = client.listTools();
    const { id } = await peer.next();
    await peer.send({ jsonrpc: "2.0", id, result });
    const error = await assertRejects(() => listed, McpError, undefined, what);
    assertEquals(error.code, "protocol_error", what);
  }
  await client.disconnect();
});

Deno.test("McpClient accepts a custom transport with send, receive and close", async () => {
  const server = testServer();
  const answers: Promise<unknown>[] = [];
  let isClosed = false;
  let close = (_error: Error): void => {};
  const ended = new Promise<never>((_resolve, reject) => close = reject);
  ended.catch(() => {});
  let wake = (): void => {};
  const transport: McpTransport = {
    send: (request) => {
      answers.push(server.handleRequest(request));
      wake();
      return Promise.resolve();
    },
    receive: async () => {
      while (answers.length === 0) {
        await Promise.race([new Promise<void>((resolve) => wake = resolve), ended]);
      }
      return await answers.shift() as never;
    },
    close: () => {
      isClosed = true;
      close(new Error("closed"));
      return Promise.resolve();
    },
  };
  const client = new McpClient({ transport });
  await client.connect();
  assertEquals((await client.callTool("two", {})).content, [{ type: "text", text: "two" }]);
  await client.disconnect();
  assert(isClosed);
});

Deno.test("new McpClient() rejects an invalid protocol", () => {
  const config: object = { protocol: "2001-01-01" };
  assertThrows(() => new McpClient({ transport: { type: "stdio" }, ...config }), TypeError);
});

Deno.test("disconnect() and connect() wait for a disconnect in progress", async () => {
  const closed = Promise.withResolvers<void>();
  const order: string[] = [];
  const source = createMemoryTransport((pipe) =>
    servePipe(testServer(), pipe, { drainTimeoutMs: 1 })
  );
  const transport: PipeSource = {
    label: "slow",
    canReopen: true,
    openPipe: async () => {
      order.push("open");
      const pipe = await source.openPipe();
      return {
        label: "slow",
        frames: pipe.frames,
        send: (message) => pipe.send(message),
        close: async () => {
          await closed.promise;
          order.push("closed");
          await pipe.close();
        },
      };
    },
  };
  const client = new McpClient({ transport });
  await client.connect();
  const leaving = [client.disconnect(), client.disconnect()].map(async (done) => {
    await done;
    order.push("disconnected");
  });
  const again = client.connect();
  assertEquals(client.connected, false);
  closed.resolve();
  await Promise.all([...leaving, again]);
  assertEquals(order, ["open", "closed", "disconnected", "disconnected", "open"]);
  assertEquals(client.connected, true);
  await client.disconnect();
});

Deno.test("McpClient reports exceptions thrown by callbacks and stays connected", async () => {
  const reported: unknown[] = [];
  const mistake = new Error("mistake");
  const { client, peer } = byHand({
    protocol: "legacy",
    onNotification: () => {
      throw mistake;
    },
    onError: (error) => {
      reported.push(error);
      throw error;
    },
  });
  const connecting = client.connect();
  const { id } = await peer.next();
  const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
  await peer.send({ jsonrpc: "2.0", id, result });
  await connecting;
  await peer.next();
  await peer.send({ jsonrpc: "2.0", method: "notifications/x" });
  const listed = client.listTools();
  await peer.send({ jsonrpc: "2.0", id: (await peer.next()).id, result: { tools: [] } });
  assertEquals(await listed, []);
  assertEquals(reported, [mistake]);
  await client.disconnect();
});

Deno.test("connect() restarts a slow server that exits after server/discover", async () => {
  let starts = 0;
  const transport: PipeSource = {
    label: "slow",
    canReopen: true,
    openPipe: () => {
      const [left, right] = createPipePair();
      play(new Hand(right), ++starts === 1);
      return Promise.resolve(left);
    },
  };
  const play = async (peer: Hand, isFirst: boolean) => {
    const { id } = await peer.next();
    if (isFirst) {
      // The second message is `initialize`, which the client sends after the probe timeout.
      await peer.next();
      return await peer.pipe.close();
    }
    const result = { protocolVersion: "2025-03-26", capabilities: {} };
    await peer.send({ jsonrpc: "2.0", id, result });
  };
  const client = new McpClient({ transport, probeTimeoutMs: 1 });
  await client.connect();
  assertEquals([starts, client.server?.protocolVersion], [2, "2025-03-26"]);
  await client.disconnect();
});

/** A transport whose first pipe receives no responses and closes only when the test allows it. */
function slowToClose(server: McpServer): {
  transport: PipeSource;
  sent: Promise<void>;
  allow: () => void;
} {
  const [sent, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const source = createMemoryTransport((pipe) => servePipe(server, pipe));
  let count = 0;
  const openPipe = async (): Promise<Pipe> => {
    if (count++ > 0) return await source.openPipe();
    const [silent] = createPipePair();
    return {
      label: silent.label,
      frames: silent.frames,
      send: (message) => {
        sent.resolve();
        return silent.send(message);
      },
      close: async () => {
        await closing.promise;
        await silent.close();
      },
    };
  };
  const transport = { label: "slow", canReopen: true, openPipe };
  return { transport, sent: sent.promise, allow: closing.resolve };
}

Deno.test("connect() after an aborted connect() opens a new connection", async () => {
  const { transport, sent, allow } = slowToClose(testServer());
  await using client = new McpClient({ transport, protocol: "modern" });
  const controller = new AbortController();
  const aborted = assertRejects(
    () => client.connect({ signal: controller.signal }),
    Error,
    "the user has aborted",
  );
  await sent;
  controller.abort(new Error("the user has aborted"));
  const second = client.connect();
  allow();
  await aborted;
  await second;
  assertEquals(client.connected, true);
});

Deno.test("connect() can be aborted while disconnect() is in progress", async () => {
  const { transport, sent, allow } = slowToClose(testServer());
  await using client = new McpClient({ transport, protocol: "modern" });
  const connecting = assertRejects(() => client.connect(), McpError, "closed");
  await sent;
  const disconnecting = client.disconnect();
  const controller = new AbortController();
  const again = client.connect({ signal: controller.signal });
  controller.abort(new Error("the user has aborted"));
  await assertRejects(() => again, Error, "the user has aborted");
  allow();
  await connecting;
  await disconnecting;
});
