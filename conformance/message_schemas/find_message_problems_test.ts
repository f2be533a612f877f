import { assertEquals } from "@std/assert";
import { findMessageProblems } from "./find_message_problems.ts";
import { findToolSchemaProblems } from "./tool_schemas.ts";

Deno.test("findMessageProblems() names the path and the type of a wrong optional member", () => {
  const tool = { name: "add", title: 5, inputSchema: { type: "object" } };
  const message = { jsonrpc: "2.0", id: 1, result: { tools: [tool] } };
  assertEquals(
    findMessageProblems(message, { version: "2025-11-25", from: "server", method: "tools/list" }),
    ['$.result.tools[0].title: Instance type "number" is invalid. Expected "string"'],
  );
});

Deno.test("findMessageProblems() allows unknown members and methods", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "vendor/call", params: { any: 1 }, more: true };
  assertEquals(findMessageProblems(call, { version: "2025-11-25", from: "client" }), []);
});

Deno.test("findToolSchemaProblems() finds an invalid type at any depth", () => {
  const schema = {
    type: "object",
    properties: { list: { type: "array", items: { type: "strin" } } },
  };
  assertEquals(findToolSchemaProblems(schema), [
    '$.properties.list.items.type: Instance does not match any of ["array","boolean","integer","null","number","object","string"]',
  ]);
});
