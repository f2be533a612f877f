/**
 * Model Context Protocol (MCP) for TypeScript: clients, servers and transports for tools, resources
 * and prompts. All protocol versions from 2024-11-05 to 2026-07-28 are supported and detected
 * automatically.
 *
 * - Server: {@linkcode McpServer}, served with {@linkcode serveStdio} or, over HTTP,
 *   {@linkcode mcpHandler}.
 * - Client: {@linkcode McpClient} with an {@linkcode HttpTransport}, or with a server process from
 *   `@parley/mcp/process`.
 *
 * This module exports the functions, classes and types that programs use most often.
 * `@parley/mcp/client` contains only the client, and `@parley/mcp/server` contains only the server,
 * each with the types of all options. `@parley/mcp/protocol` exports the types of all messages.
 * This module does not depend on Deno, Node.js or Bun. To start server processes, see
 * `@parley/mcp/process`.
 *
 * @module
 */

export type { OAuthConfig } from "./auth/config.ts";
export { generatePkceChallenge, type PkceChallenge } from "./auth/pkce.ts";
export { McpClient, type McpClientConfig } from "./client.ts";
export type {
  ElicitFormSchema,
  ElicitHandler,
  ReceivedElicitForm,
} from "./client/elicit_handler.ts";
export type { InputHandlers } from "./client/input_handlers.ts";
export type { ProgressUpdate, RequestOptions } from "./client/request_options.ts";
export type { Subscription } from "./client/subscription.ts";
export type {
  McpTransport,
  StdioLineReader,
  StdioLineWriter,
  TransportConfig,
} from "./jsonrpc/contracts.ts";
export type { McpErrorObject, McpRequest, McpRequestId, McpResponse } from "./jsonrpc/message.ts";
export type { AroundRequest } from "./protocol/around_request.ts";
export type { McpCapabilities } from "./protocol/capabilities.ts";
export type { ContentBlock, TextContent } from "./protocol/content.ts";
export type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "./protocol/input_request.ts";
export type {
  GetPromptResult,
  McpPrompt,
  McpPromptArgument,
  PromptMessage,
} from "./protocol/prompt.ts";
export type { McpResource, McpResourceTemplate, ReadResourceResult } from "./protocol/resource.ts";
export type { CallToolResult, McpToolDescriptor } from "./protocol/tool.ts";
export { type HttpHandler, mcpHandler, type McpHandlerOptions } from "./serve/http/handler.ts";
export { servePipe } from "./serve/pipe/serve_pipe.ts";
export { serveStdio, type ServeStdioOptions } from "./serve/pipe/stdio.ts";
export type { Principal } from "./server/exchange_context.ts";
export { McpServer } from "./server/mcp_server.ts";
export type { PromptDefinition, PromptHandler } from "./server/prompts.ts";
export type { RequestContext } from "./server/request_context.ts";
export type { ResourceHandler } from "./server/resources.ts";
export type {
  ListTemplateResources,
  ResourcePage,
  ResourcePageRequest,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from "./server/resource_templates.ts";
export type { JsonSchema, StandardSchema } from "./server/schema.ts";
export type { McpServerConfig } from "./server/server_config.ts";
export type { ToolDefinition, ToolHandler } from "./server/tools.ts";
export { McpError, McpErrorCode, type McpErrorCodeType } from "./shared/error.ts";
export type { JsonObject } from "./shared/json.ts";
export { createTransport } from "./transport/create.ts";
export { HttpTransport, SseTransport } from "./transport/http.ts";
export { createMemoryTransport } from "./transport/memory.ts";
export { StdioTransport } from "./transport/stdio.ts";
export type { StdioTransportOptions } from "./transport/stdio_pipe.ts";
