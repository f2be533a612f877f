import { assertEquals, assertRejects } from "@std/assert";
import { McpClient, McpError } from "../client.ts";
import type { Pipe } from "../jsonrpc/contracts.ts";
import { McpServer } from "../server.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";

const ERAS = ["modern", "legacy"] as const;

function serverWith(...names: readonly string[]): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  for (const name of names) addTool(server, name);
  return server;
}

function addTool(server: McpServer, name: string): void {
  server.registerTool({ name, description: "" }, () => "x");
}

async function connect(server: McpServer, protocol: typeof ERAS[number]): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, protocol });
  await client.connect();
  return client;
}

for (const era of ERAS) {
  Deno.test(`watchTools() yields the current tools, and the tools after each change (${era})`, async () => {
    const server = serverWith("a");
    await using client = await connect(server, era);
    const lists: string[][] = [];
    for await (const tools of client.watchTools()) {
      lists.push(tools.map(({ name }) => name));
      if (lists.length === 1) addTool(server, "b");
      if (lists.length === 2) server.removeTool("a");
      if (lists.length === 3) break;
    }
    assertEquals(lists, [["a"], ["a", "b"], ["b"]]);
  });

  Deno.test(`watchTools() combines changes that occur while it requests a list (${era})`, async () => {
    const server = serverWith("a");
    await using client = await connect(server, era);
    const lists: number[] = [];
    for await (const tools of client.watchTools()) {
      lists.push(tools.length);
      if (lists.length === 1) {
        for (let index = 0; index < 50; index++) addTool(server, `t${index}`);
        // A request after the notifications ensures that the client has received all of them.
        await client.callTool("a", {});
      } else if (tools.length === 51) break;
    }
    assertEquals(lists, [1, 51]);
  });

  Deno.test(`watchTools() ends with the signal's reason (${era})`, async () => {
    await using client = await connect(serverWith("a"), era);
    const stop = new AbortController();
    const watch = client.watchTools({ signal: stop.signal });
    await watch.next();
    const reason = new Error("enough");
    const next = assertRejects(() => watch.next());
    stop.abort(reason);
    assertEquals(await next, reason);
  });

  Deno.test(`watchTools() throws when the connection is lost (${era})`, async () => {
    const server = serverWith("a");
    const pipes: Pipe[] = [];
    const transport = createMemoryTransport((pipe) => {
      pipes.push(pipe);
      return servePipe(server, pipe);
    });
    await using client = new McpClient({ transport, protocol: era });
    await client.connect();
    const watch = client.watchTools();
    await watch.next();
    const next = assertRejects(() => watch.next(), McpError);
    for (const pipe of pipes) await pipe.close();
    assertEquals((await next).code, "transport_error");
  });

  Deno.test(`watchTools() ends when the client disconnects (${era})`, async () => {
    const client = await connect(serverWith("a"), era);
    const watch = client.watchTools();
    await watch.next();
    const next = watch.next();
    await client.disconnect();
    assertEquals(await next, { done: true, value: undefined });
  });
}

Deno.test("watchTools() yields one list if the server does not report changes", async () => {
  await using client = await connect(serverWith(), "modern");
  assertEquals(await Array.fromAsync(client.watchTools()), [[]]);
});

Deno.test("watchTools() requires a connection and a valid signal", async () => {
  const transport = createMemoryTransport((pipe) => servePipe(serverWith(), pipe));
  const client = new McpClient({ transport });
  await assertRejects(() => client.watchTools().next(), McpError, "not connected");
  const options: object = { signal: new AbortController() };
  await assertRejects(() => client.watchTools(options).next(), TypeError, 'pass its "signal"');
});
