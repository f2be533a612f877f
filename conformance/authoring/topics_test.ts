import { assertEquals, assertThrows } from "@std/assert";
import clauses from "../spec/clauses.json" with { type: "json" };
import { pathOf, type PlacedCase } from "./topics.ts";

function placed(id: string, clause: string, more: Partial<PlacedCase> = {}): PlacedCase {
  return { id, kind: "script", clauses: [clause, "COMM-TIME-1"], ...more };
}

Deno.test("pathOf() returns the tested part and the topic of the first clause", () => {
  const rows: readonly (readonly [PlacedCase, string])[] = [
    [placed("comm/x/y", "COMM-ABORT-1"), "comm/abort.json"],
    [placed("comm/x/y", "COMM-DID-8"), "comm/did_methods.json"],
    [placed("comm/x/y", "COMM-DID-19"), "comm/did_resolver.json"],
    [placed("comm/x/y", "COMM-DID-14"), "comm/did_keys.json"],
    [placed("runtime/x/y", "RT-TOOL-27", { kind: "loop" }), "runtime/tool_outputs.json"],
    [placed("mcp/x/y", "MCP-SRV-47"), "mcp/library/tools.json"],
    [
      placed("mcp/x/y", "MCP-TOOLS-1", { kind: "exchange", role: "server" }),
      "mcp/server/tools.json",
    ],
    [
      placed("mcp/x/y", "MCP-CLIENT-10", { kind: "exchange", role: "client" }),
      "mcp/client/calls.json",
    ],
  ];
  for (const [each, path] of rows) assertEquals(pathOf(each), path);
});

Deno.test("pathOf() has a topic for each clause of the specification", () => {
  const paths = clauses.map(({ id }) => pathOf(placed("comm/x/y", id)));
  assertEquals(paths.filter((path) => !/^comm\/[a-z0-9_]+\.json$/.test(path)), []);
});

Deno.test("pathOf() throws an error with the case and the clause if there is no topic", () => {
  for (const each of [placed("comm/x/y", "COMM-NONE-1"), placed("comm/x/y", "COMM-TIME")]) {
    assertThrows(() => pathOf(each), RangeError, 'Cannot place "comm/x/y"');
  }
});
