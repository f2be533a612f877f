import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { McpClientConfig } from "../client.ts";
import { McpClients, type McpClientsOptions, McpError } from "../clients.ts";
import type { Pipe } from "../jsonrpc/contracts.ts";
import { McpServer } from "../server.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";
import { createMemoryTransport } from "../transport/memory.ts";

const ERAS = ["modern", "legacy"] as const;

function addTool(server: McpServer, name: string, label = ""): void {
  server.registerTool({ name, description: "" }, (_args, { meta }) => {
    return `${label} ${name} ${JSON.stringify(meta["example.com/key"] ?? null)}`;
  });
}

function serverWith(name: string, ...tools: readonly string[]): McpServer {
  const server = new McpServer({ name, version: "1" });
  for (const tool of tools) addTool(server, tool, name);
  return server;
}

function configFor(
  server: McpServer,
  protocol: McpClientConfig["protocol"] = "modern",
): McpClientConfig {
  return { transport: createMemoryTransport((pipe) => servePipe(server, pipe)), protocol };
}

/** A server that cannot be started. */
const DEAD: McpClientConfig = {
  transport: {
    label: "dead",
    canReopen: true,
    openPipe: () => Promise.reject(McpError.connectionFailed("dead", "no such program")),
  },
};

async function connect(
  servers: Readonly<Record<string, McpServer>>,
  { protocol, ...options }: McpClientsOptions & Pick<McpClientConfig, "protocol"> = {},
): Promise<McpClients> {
  const entries = Object.entries(servers).map(([name, server]) =>
    [name, configFor(server, protocol)] as const
  );
  const clients = new McpClients(Object.fromEntries(entries), options);
  assertEquals(await clients.connect(), []);
  return clients;
}

async function namesOf(clients: McpClients): Promise<string[]> {
  return (await clients.listTools()).map(({ name }) => name);
}

for (const protocol of ERAS) {
  Deno.test(`McpClients lists the tools of all servers and calls them by prefixed name (${protocol})`, async () => {
    const long = "x".repeat(70);
    await using clients = await connect(
      { a: serverWith("A", "read", long), b: serverWith("B", "read", "x.y") },
      { protocol },
    );
    const names = await namesOf(clients);
    assertEquals(names.length, 4);
    assertEquals([names[0], names[2]], ["a_read", "b_read"]);
    const texts = await Promise.all(names.map(async (name) => {
      const { content: [block] } = await clients.callTool(name, {});
      return block?.type === "text" ? block.text : "";
    }));
    assertEquals(texts, ["A read null", `A ${long} null`, "B read null", "B x.y null"]);
  });
}

Deno.test("McpClients.callTool() forwards options, and lists the tools if the name is unknown", async () => {
  const server = serverWith("A", "read");
  await using clients = await connect({ a: server });
  const meta = { "example.com/key": "k" };
  const { content } = await clients.callTool("a_read", {}, { meta });
  assertEquals(content, [{ type: "text", text: 'A read "k"' }]);
  addTool(server, "late");
  assertEquals((await clients.callTool("a_late", {})).isError ?? false, false);
  const error = await assertRejects(() => clients.callTool("read", {}), McpError);
  assertEquals([error.code, error.details], ["tool_not_found", { toolName: "read" }]);
});

Deno.test("McpClients.connect() returns the failures, keeps the other connections, and can retry", async () => {
  let isUp = false;
  const server = serverWith("late", "t");
  const late: McpClientConfig = {
    protocol: "modern",
    transport: {
      label: "late",
      canReopen: true,
      openPipe: () => {
        if (!isUp) return Promise.reject(McpError.connectionFailed("late", "not yet"));
        const source = createMemoryTransport((pipe) => servePipe(server, pipe));
        assert("openPipe" in source);
        return source.openPipe();
      },
    },
  };
  await using clients = new McpClients({ dead: DEAD, ok: configFor(serverWith("ok", "t")), late });
  const failed = await clients.connect();
  assertEquals(failed.map(({ name }) => name), ["dead", "late"]);
  assert(failed.every(({ error }) => error instanceof McpError));
  assertEquals(await namesOf(clients), ["ok_t"]);
  assertEquals(clients.get("late"), undefined);
  isUp = true;
  assertEquals((await clients.connect()).map(({ name }) => name), ["dead"]);
  assertEquals(await namesOf(clients), ["ok_t", "late_t"]);
  assertEquals(clients.get("late")?.connected, true);
  assertEquals([clients.get("dead"), clients.get("__proto__")], [undefined, undefined]);
});

Deno.test("McpClients.connect() does not wait for a server after the signal has aborted", async () => {
  const opened = Promise.withResolvers<void>();
  const hanging: McpClientConfig = {
    transport: {
      label: "hanging",
      canReopen: true,
      openPipe: () => {
        opened.resolve();
        return new Promise(() => {});
      },
    },
  };
  await using clients = new McpClients({ ok: configFor(serverWith("ok", "t")), hanging });
  const stop = new AbortController();
  const reason = new Error("enough");
  const connecting = assertRejects(() => clients.connect({ signal: stop.signal }));
  await opened.promise;
  stop.abort(reason);
  assertEquals(await connecting, reason);
});

Deno.test("McpClients.listTools() reports a server that fails and lists the tools of the others", async () => {
  const errors: unknown[] = [];
  await using clients = await connect(
    { a: serverWith("A", "read"), b: serverWith("B", "read") },
    { onError: (error) => errors.push(error) },
  );
  const broken = clients.get("a");
  assert(broken !== undefined);
  broken.listTools = () => Promise.reject(McpError.transportError("stdio", "the process exited"));
  assertEquals(await namesOf(clients), ["b_read"]);
  const [error] = errors;
  assert(error instanceof McpError);
  assertEquals(errors.length, 1);
  assert(error.message.includes('the tools of server "a" cannot be listed'), error.message);
});

Deno.test("McpClients.listTools() rejects if an option is invalid or the signal is aborted", async () => {
  await using clients = await connect({ a: serverWith("A", "read") }, { onError: () => {} });
  await assertRejects(() => clients.listTools({ timeoutMs: -1 }), RangeError);
  await assertRejects(() => clients.listTools({ meta: { progressToken: 1 } }), TypeError);
  const reason = new Error("enough");
  const error = await assertRejects(() => clients.listTools({ signal: AbortSignal.abort(reason) }));
  assertEquals(error, reason);
});

Deno.test("a prefixed name belongs to the server with the longest prefix", async () => {
  const errors: string[] = [];
  const owner = serverWith("B", "c");
  await using clients = await connect(
    { a: serverWith("A", "b_c", "b", "b_d"), a_b: owner, "x.y": serverWith("X", "z") },
    { onError: (error) => errors.push(String(error)) },
  );
  const hashed = (await clients.listTools()).at(-1)?.name ?? "";
  assertEquals(await namesOf(clients), ["a_b", "a_b_c", hashed]);
  assert(hashed.startsWith("x_y_z_"), hashed);
  assert(
    errors[0]?.includes('"a_b_c" of a tool of server "a" belongs to server "a_b"; rename one'),
    errors[0],
  );
  // No other server can take the name of a tool that its server has removed.
  owner.removeTool("c");
  assertEquals(await namesOf(clients), ["a_b", hashed]);
  const error = await assertRejects(() => clients.callTool("a_b_c", {}), McpError);
  assertEquals(error.code, "tool_not_found");
});

Deno.test("a name does not move to another server while its server is not connected", async () => {
  const a = configFor(serverWith("A", "b_c"));
  await using clients = new McpClients({ a, a_b: DEAD }, { onError: () => {} });
  await clients.connect();
  assertEquals(await namesOf(clients), []);
});

Deno.test("McpClients rejects servers whose names are equal after conversion", () => {
  const long = "x".repeat(60);
  for (const [first, second] of [["a.b", "a_b"], [`${long}1`, `${long}2`]] as const) {
    const configs = { [first]: DEAD, [second]: DEAD };
    assertThrows(() => new McpClients(configs), TypeError, `rename "${first}" or "${second}"`);
  }
});

Deno.test("McpClients.listTools() uses the first of two tools that a server lists with the same name", async () => {
  const errors: string[] = [];
  await using clients = await connect(
    { a: serverWith("A", "read"), b: serverWith("B", "read") },
    { onError: (error) => errors.push(String(error)) },
  );
  const twice = clients.get("a");
  assert(twice !== undefined);
  const [tool] = await twice.listTools();
  assert(tool !== undefined);
  const second = { ...tool, description: "second" };
  twice.listTools = () => Promise.resolve([tool, second]);
  const tools = await clients.listTools();
  assertEquals(tools.map(({ name, description }) => [name, description]), [
    ["a_read", ""],
    ["b_read", ""],
  ]);
  assertEquals(errors.length, 1);
  assert(errors[0]?.includes('server "a" lists two tools with the prefixed name "a_read"'));
});

Deno.test("McpClients enforces maxServers and maxTools", async () => {
  const configs = { a: DEAD, b: DEAD };
  assertThrows(() => new McpClients(configs, { maxServers: 1 }), RangeError, "at most 1 servers");
  assertThrows(() => new McpClients(configs, { maxTools: 0 }), RangeError, '"maxTools"');
  const servers = { a: serverWith("A", "x", "y"), b: serverWith("B", "z") };
  await using all = await connect(servers, { maxTools: 3 });
  assertEquals((await all.listTools()).length, 3);
  await using few = await connect(servers, { maxTools: 2 });
  const error = await assertRejects(
    () => few.listTools(),
    McpError,
    '3 tools, more than 2 ("maxTools")',
  );
  assertEquals(error.code, "protocol_error");
});

Deno.test("McpClients names the server of an invalid configuration", () => {
  const wrong: object = { a: { transport: "x" } };
  // A JavaScript caller can pass any configuration.
  const configs = wrong as Record<string, McpClientConfig>;
  assertThrows(() => new McpClients(configs), TypeError, 'the client for server "a"');
  const limit = { a: { ...DEAD, maxQueued: -1 } };
  assertThrows(() => new McpClients(limit), RangeError, 'the client for server "a"');
});

for (const protocol of ERAS) {
  Deno.test(`McpClients.watchTools() yields the tools after a change of any server (${protocol})`, async () => {
    const [a, b] = [serverWith("A", "x"), serverWith("B", "y")];
    await using clients = await connect({ a, b }, { protocol });
    const lists: string[][] = [];
    for await (const tools of clients.watchTools()) {
      lists.push(tools.map(({ name }) => name));
      if (lists.length === 1) addTool(b, "z");
      if (lists.length === 2) a.removeTool("x");
      if (lists.length === 3) break;
    }
    assertEquals(lists, [["a_x", "b_y"], ["a_x", "b_y", "b_z"], ["b_y", "b_z"]]);
  });

  Deno.test(`McpClients.watchTools() leaves out a server whose connection is lost (${protocol})`, async () => {
    const errors: unknown[] = [];
    const pipes: Pipe[] = [];
    const transport = createMemoryTransport((pipe) => {
      pipes.push(pipe);
      return servePipe(serverWith("A", "x"), pipe);
    });
    const b = configFor(serverWith("B", "y"), protocol);
    await using clients = new McpClients({ a: { transport, protocol }, b }, {
      onError: (error) => errors.push(error),
    });
    await clients.connect();
    const watch = clients.watchTools();
    assertEquals((await watch.next()).value?.length, 2);
    const next = watch.next();
    for (const pipe of pipes) await pipe.close();
    const { value } = await next;
    assertEquals(value?.map(({ name }) => name), ["b_y"]);
    assertEquals(errors.length, 1);
    await clients.close();
    assertEquals((await watch.next()).done, true);
    assertEquals(errors.length, 1);
  });

  Deno.test(`McpClients.watchTools() leaves out a server that the caller disconnects (${protocol})`, async () => {
    const errors: unknown[] = [];
    const servers = { a: serverWith("A", "x"), b: serverWith("B", "y") };
    await using clients = await connect(servers, {
      protocol,
      onError: (error) => errors.push(error),
    });
    const watch = clients.watchTools();
    assertEquals((await watch.next()).value?.length, 2);
    const next = watch.next();
    await clients.get("a")?.disconnect();
    const { value } = await next;
    assertEquals([value?.map(({ name }) => name), errors], [["b_y"], []]);
  });

  Deno.test(`McpClients.watchTools() ends with the signal's reason (${protocol})`, async () => {
    await using clients = await connect({ a: serverWith("A", "x") }, { protocol });
    const stop = new AbortController();
    const watch = clients.watchTools({ signal: stop.signal });
    await watch.next();
    const reason = new Error("enough");
    const next = assertRejects(() => watch.next());
    stop.abort(reason);
    assertEquals(await next, reason);
  });
}

Deno.test("McpClients.watchTools() yields an empty list if no server is connected", async () => {
  await using clients = new McpClients({ dead: DEAD });
  await clients.connect();
  assertEquals(await Array.fromAsync(clients.watchTools()), [[]]);
});

Deno.test("McpClients requires connect() and rejects calls after close()", async () => {
  const clients = new McpClients({ a: configFor(serverWith("A", "x")) });
  const calls = [
    () => clients.listTools(),
    () => clients.callTool("a_x", {}),
    () => clients.watchTools().next(),
  ];
  for (const call of calls) await assertRejects(call, McpError, "call connect() first");
  await clients.connect();
  await Promise.all([clients.close(), clients.close(), clients[Symbol.asyncDispose]()]);
  for (const call of [...calls, () => clients.connect()]) {
    const error = await assertRejects(call, McpError, "the clients are closed");
    assertEquals(error.code, "protocol_error");
  }
  assertEquals(clients.get("a"), undefined);
});
