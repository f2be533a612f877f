import { assertEquals } from "@std/assert";
import { loadSuite } from "../../conformance/suite.ts";
import { listClientReach } from "./client_reach.ts";

/** Clauses that no driver of an SDK can reach, with the missing operation or feature. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ["MCP-CLIENT-13", "mcp.client.listen"],
  ["MCP-CLIENT-14", "mcp.client.listen"],
  ["MCP-CLIENT-41", "mcp.client.listen"],
  ["MCP-CLIENT-17", "mcp.client.meta"],
  ["MCP-CLIENT-20", "mcp.client.server"],
  ["MCP-CLIENT-33", "mcp.client.options"],
  ["MCP-CLIENT-53", "mcp.client.auth"],
  ["MCP-ERA-4", "mcp.client.server"],
  ["MCP-SSE-1", "mcp.client.sse"],
  ["MCP-SSE-2", "mcp.client.sse"],
]);

Deno.test("all MUST clauses of clients have a case that the drivers of SDKs can run", () => {
  const rows = listClientReach(loadSuite());
  const lost = rows.filter(({ reachable }) => reachable.length === 0).map(({ clause }) => clause);
  assertEquals(lost.toSorted(), [...MISSING.keys()].toSorted());
});
