/**
 * Tools from an OpenAPI document. {@linkcode openApiTools} converts selected operations of an HTTP
 * API to tools for an MCP server or an agent. Documents in YAML must be parsed by the program, and
 * documents of version 2.0 must be converted.
 *
 * ```ts ignore
 * import { mcpHandler, McpServer } from "@parley/mcp/server";
 * import { openApiTools } from "@parley/mcp/openapi";
 *
 * const document = JSON.parse(await Deno.readTextFile("openapi.json"));
 * const api = openApiTools(document, {
 *   baseUrl: "https://api.example.com/v1",
 *   operations: ["listOrders", "getOrder", "POST /orders"],
 *   headers: () => ({ authorization: `Bearer ${Deno.env.get("API_TOKEN")}` }),
 * });
 * const server = new McpServer({ name: "orders", version: "1.0.0" });
 * api.register(server);
 * Deno.serve(mcpHandler(server));
 * ```
 *
 * @module
 */

export {
  type OpenApiCallOptions,
  type OpenApiTools,
  openApiTools,
  type SkippedOperation,
} from "./openapi/openapi_tools.ts";
export type { OpenApiCallContext, OpenApiTool } from "./openapi/operation_tool.ts";
export type {
  OpenApiCall,
  OpenApiHeaders,
  OpenApiOperation,
  OpenApiOptions,
} from "./openapi/options.ts";
export type { CallToolResult, McpToolDescriptor } from "./protocol/tool.ts";
export type { Principal } from "./server/exchange_context.ts";
export type { ServerRegistration } from "./server/registration.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type { HttpFetch, HttpInit } from "./shared/http_types.ts";
