/** Tests `@parley/runtime` agents with tools from real MCP clients and servers. */

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

/** Resolves when the registry has a tool, or rejects after 1000 turns of the event loop. */
async function untilRegistered(registry: ToolRegistry, name: string): Promise<void> {
  for (let turn = 0; !registry.names().includes(name); turn++) {
    assert(turn < 1000, `the tool ${name} is not registered`);
    await new Promise((resolve) => setImmediate(resolve));
  }
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
    const names = await registry.registerMcp(source, {
      follow: true,
      onError,
      meta: ({ idempotencyKey }) => ({ "example.com/key": idempotencyKey }),
    });
    assertEquals(names, ["a_read", "b_read"]);
    const model = scriptedModel([
      async () => {
        a.removeTool("read");
        addTool(a, "write");
        await untilRegistered(registry, "a_write");
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
    const onError = (error: unknown): void => void errors.push(error);
    await registry.registerMcp(client, { follow: true, onError });
    addTool(server, "write");
    await untilRegistered(registry, "write");
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
