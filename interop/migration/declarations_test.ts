import { assertEquals } from "@std/assert";
import { declares, readDeclarations } from "./declarations.ts";

Deno.test("declares() finds symbols, own members and inherited members, and no other names", async () => {
  const declarations = await readDeclarations([new URL("../../mcp", import.meta.url).pathname]);
  const found = (name: string): boolean => declares(declarations, name);
  const declared = [
    "McpClient",
    "McpClient.connect",
    "RequestContext.principal",
    "CreateMessageRequest",
    "ElicitForm.message",
    "spawnServer",
  ];
  assertEquals(declared.filter((name) => !found(name)), []);
  const unknown = ["McpClients2", "McpClient.conn", "McpClient.nothing", "Nothing.connect"];
  assertEquals(unknown.filter(found), []);
});
