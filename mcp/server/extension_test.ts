import { assertEquals, assertRejects } from "@std/assert";
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
