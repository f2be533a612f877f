/**
 * Clients for several MCP servers. {@linkcode McpClients} connects to several servers and combines
 * their tools in one list. {@linkcode readMcpConfig} reads the servers from an `mcp.json` file, in
 * the format that MCP clients such as Claude Code use.
 *
 * ```ts ignore
 * import { McpClients, readMcpConfig } from "@parley/mcp/clients";
 * import { spawnServer } from "@parley/mcp/process";
 *
 * const text = await Deno.readTextFile("mcp.json");
 * const env = Deno.env.toObject();
 * const configs = readMcpConfig(JSON.parse(text), { env, spawn: spawnServer });
 *
 * await using clients = new McpClients(configs);
 * for (const { name, error } of await clients.connect()) console.error(name, error);
 * const tools = await clients.listTools();
 * ```
 *
 * @module
 */

export type { McpClientConfig } from "./client/config.ts";
export type { RequestOptions } from "./client/request_options.ts";
export {
  type FailedConnection,
  McpClients,
  type McpClientsOptions,
} from "./clients/mcp_clients.ts";
export {
  readMcpConfig,
  type ReadMcpConfigOptions,
  type SpawnCommand,
} from "./clients/read_mcp_config.ts";
export type { PipeSource } from "./jsonrpc/contracts.ts";
export type { CallToolResult, McpToolDescriptor } from "./protocol/tool.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
