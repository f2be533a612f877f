/** Tests agents of the runtime with the tools of real MCP clients and servers. */

import {
  createMemoryTransport,
  McpClient,
  type McpClientConfig,
  McpServer,
  servePipe,
} from "@parley/mcp";
import { McpClients, readMcpConfig } from "@parley/mcp/clients";
import { type McpToolSource, runToolLoop, ToolRegistry } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { assert, assertEquals } from "@std/assert";

const ERAS = ["modern", "legacy"] as const;

function serverWith(...tools: readonly string[]): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  for (const name of tools) addTool(server, name);
  return server;
}

function addTool(server: McpServer, name: string): void {
  server.registerTool({ name, description: name }, (_args, { meta }) => {
    return `${name} ${JSON.stringify(meta["example.com/key"] ?? null)}`;
  });
}

function configFor(server: McpServer, protocol: typeof ERAS[number]): McpClientConfig {
  return { transport: createMemoryTransport((pipe) => servePipe(server, pipe)), protocol };
}

/** Returns a filter for tools that accepts every tool, and a promise for the update in which a tool is new. */
function waitForTool(name: string): {
  readonly filter: (name: string) => boolean;
  readonly updated: Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const filter = (listed: string): boolean => {
    // The registry is updated synchronously after the filter.
    if (listed === name) resolve();
    return true;
  };
  return { filter, updated: promise };
}

for (const era of ERAS) {
  Deno.test(`an agent follows the tools of several MCP servers (${era})`, async () => {
    const [a, b] = [serverWith("read"), serverWith("read")];
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const clients = new McpClients({ a: configFor(a, era), b: configFor(b, era) }, { onError });
    assertEquals(await clients.connect(), []);
    const source: McpToolSource = clients;
    const registry = new ToolRegistry();
    const { filter, updated } = waitForTool("a_write");
    const names = await registry.registerMcp(source, {
      follow: true,
      filter,
      onError,
      meta: ({ idempotencyKey }) => ({ "example.com/key": idempotencyKey }),
    });
    assertEquals(names, ["a_read", "b_read"]);
    const model = scriptedModel([
      async () => {
        a.removeTool("read");
        addTool(a, "write");
        await updated;
        assertEquals(registry.names(), ["b_read", "a_write"]);
        return { calls: [{ toolName: "a_read" }, { toolName: "a_write" }] };
      },
      { text: "done" },
    ]);
    const { messages } = await runToolLoop({ model, registry }, "go");
    const results = messages.flatMap(({ role, content }) => role === "tool" ? content : []);
    const [removed, added] = results.map((result) => JSON.stringify(result));
    assert(removed?.includes("error-text"), removed);
    assert(added?.includes('write \\"') ?? false, added);
    await clients.close();
    assertEquals(errors, []);
  });

  Deno.test(`an agent follows the tools of one MCP server until the client disconnects (${era})`, async () => {
    const server = serverWith("read");
    const errors: unknown[] = [];
    const client = new McpClient(configFor(server, era));
    await client.connect();
    const registry = new ToolRegistry();
    const { filter, updated } = waitForTool("write");
    const onError = (error: unknown): void => void errors.push(error);
    await registry.registerMcp(client, { follow: true, filter, onError });
    addTool(server, "write");
    await updated;
    assertEquals(registry.names(), ["read", "write"]);
    await client.disconnect();
    const script = [{ calls: [{ toolName: "read" }] }, { text: "done" }];
    const { messages } = await runToolLoop(
      { model: scriptedModel(script), registry, onError: () => {} },
      "go",
    );
    assert(JSON.stringify(messages).includes("not connected"), JSON.stringify(messages));
    assertEquals(errors, []);
  });
}

Deno.test("an agent calls the tool of a server from an mcp.json file", async () => {
  const server = serverWith("read");
  const config = { mcpServers: { notes: { command: "notes-server", args: ["${FOLDER}"] } } };
  const commands: string[] = [];
  const configs = readMcpConfig(config, {
    env: { FOLDER: "/notes" },
    spawn: (command, args) => {
      commands.push(command, ...args);
      return createMemoryTransport((pipe) => servePipe(server, pipe));
    },
  });
  await using clients = new McpClients(configs);
  assertEquals([await clients.connect(), commands], [[], ["notes-server", "/notes"]]);
  const registry = new ToolRegistry();
  assertEquals(await registry.registerMcp(clients), ["notes_read"]);
});
