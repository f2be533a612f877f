/** Tests that the lists of a server are current although the JSON of their items is kept. */

import { assertEquals, assertThrows } from "@std/assert";
import { mcpHandler, McpServer, type McpServerConfig } from "../server.ts";
import { listOf } from "../testdata/answer.ts";
import { modern, SessionByHand } from "../testdata/http.ts";

const OBJECT = { type: "object" };

function serverWith(config: Partial<McpServerConfig> = {}): McpServer {
  const server = new McpServer({ name: "s", version: "1", ...config });
  register(server, "one", "1");
  register(server, "two", "2");
  return server;
}

function register(server: McpServer, name: string, description: string): void {
  server.registerTool(
    { name, description, inputSchema: OBJECT, outputSchema: { type: "array" } },
    () => "",
  );
}

/** Returns the listed tools over HTTP, to a client of the newest version. */
async function listed(server: McpServer): Promise<readonly unknown[]> {
  const handler = mcpHandler(server);
  const response = await handler(modern("tools/list", {}));
  const { result } = await response.json();
  await handler.close();
  return listOf(result.tools);
}

Deno.test("a list contains the tool that has replaced another one", async () => {
  const server = serverWith();
  const tool = (name: string, description: string) => ({
    name,
    description,
    inputSchema: OBJECT,
    outputSchema: { type: "array" },
  });
  assertEquals(await listed(server), [tool("one", "1"), tool("two", "2")]);
  server.removeTool("one");
  register(server, "one", "new");
  assertEquals(await listed(server), [tool("two", "2"), tool("one", "new")]);
});

Deno.test("a list contains the changes of the around function", async () => {
  const server = serverWith({
    around: async (_request, next) => {
      const { tools, ...rest } = await next();
      const changed = listOf(tools).map((tool) => ({ ...tool, description: "changed" }));
      return { ...rest, tools: changed };
    },
  });
  assertEquals(
    (await listed(server)).map((tool) => Reflect.get(Object(tool), "description")),
    ["changed", "changed"],
  );
});

Deno.test("a list for a client of an older version has no output schema of another type", async () => {
  const handler = mcpHandler(serverWith());
  const session = await SessionByHand.open(handler);
  const response = await session.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const { result } = await response.json();
  assertEquals(listOf(result.tools), [
    { name: "one", description: "1", inputSchema: OBJECT },
    { name: "two", description: "2", inputSchema: OBJECT },
  ]);
  await handler.close();
});

Deno.test("a list contains the schema as it was registered", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const inputSchema = { type: "object", title: "registered" };
  server.registerTool({ name: "t", description: "", inputSchema }, () => "");
  inputSchema.title = "changed";
  const [tool] = await listed(server);
  assertEquals(tool, {
    name: "t",
    description: "",
    inputSchema: { type: "object", title: "registered" },
  });
});

Deno.test("registerTool() rejects a schema that JSON cannot represent", () => {
  const server = new McpServer({ name: "s", version: "1" });
  const inputSchema = { type: "object", default: 1n };
  assertThrows(
    () => server.registerTool({ name: "t", description: "", inputSchema }, () => ""),
    TypeError,
    'Cannot register tool "t"',
  );
});
