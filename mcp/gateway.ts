/**
 * A gateway: one MCP server in front of several other MCP servers. {@linkcode mcpGateway} combines
 * the tools, resources and prompts of all servers in its lists, and relays requests between clients
 * and servers of any protocol version.
 *
 * ```ts ignore
 * import { McpClient, mcpHandler } from "@parley/mcp";
 * import { mcpGateway } from "@parley/mcp/gateway";
 * import { spawnServer } from "@parley/mcp/process";
 *
 * const files = new McpClient({ transport: spawnServer("npx", ["-y", "some-file-server"]) });
 * const gateway = await mcpGateway({
 *   name: "all",
 *   version: "1.0.0",
 *   upstreams: {
 *     files: { client: files },
 *     crm: { client: ({ principal }) => connectAs(principal) },
 *   },
 * });
 * Deno.serve(mcpHandler(gateway.server));
 * ```
 *
 * @module
 */

export type { GatewayClash } from "./gateway/clashes.ts";
export { toolFingerprint } from "./gateway/fingerprint.ts";
export { type Gateway, mcpGateway } from "./gateway/gateway.ts";
export type { Caller, GatewayOptions, Upstream } from "./gateway/options.ts";
export type { OwnedItem, OwnerStore } from "./gateway/owner_store.ts";
export type { McpToolDescriptor } from "./protocol/tool.ts";
export type { Principal } from "./server/exchange_context.ts";
export type { McpServer } from "./server/mcp_server.ts";
export type { RegisteredItem } from "./server/registry.ts";
export type { McpServerConfig } from "./server/server_config.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
