/**
 * The MCP server and the API keys for the programs in this folder.
 *
 * @module
 */

import { McpServer, type Principal } from "@parley/mcp/server";

/** Principal of each API key. */
export const keys: ReadonlyMap<string, Principal> = new Map([
  ["key-of-ann", { subject: "ann", scopes: ["files:write"] }],
  ["key-of-bob", { subject: "bob", scopes: [] }],
]);

/** Creates the server. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.registerTool(
    { name: "purge", description: "Deletes all files", scopes: ["files:write"] },
    (_args, { principal }) => `purged by ${principal?.subject}`,
  );
  return server;
}
