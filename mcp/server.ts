/**
 * Model Context Protocol (MCP) servers: {@linkcode McpServer} with tools, resources and prompts,
 * served with {@linkcode serveStdio} or, over HTTP, {@linkcode mcpHandler}.
 *
 * ```ts ignore
 * import { McpServer, serveStdio } from "@parley/mcp/server";
 *
 * const server = new McpServer({ name: "adder", version: "1.0.0" });
 * server.registerTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
 * }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
 * await serveStdio(server);
 * ```
 *
 * One server can be served over several transports at the same time, and supports clients of every
 * protocol version. For clients, see `@parley/mcp/client`.
 *
 * @module
 */

export { McpError, McpErrorCode } from "./shared/error.ts";
export type {
  McpErrorCodeType,
  McpErrorDetails,
  McpErrorOptions,
  TimeoutDetails,
} from "./shared/error.ts";
export type {
  CreateMessageRequest,
  ElicitRequest,
  ElicitResult,
  InputRequest,
  InputResponse,
} from "./protocol/input_request.ts";
export type { Pipe } from "./jsonrpc/contracts.ts";
export type { SessionRoute } from "./serve/http/session_route.ts";
export type { SessionsOptions } from "./serve/http/session_store.ts";
export type { HttpSessionOptions } from "./serve/http/http_session.ts";
export type { AroundRequest, RequestDescription } from "./protocol/around_request.ts";
export type { ParameterHeader } from "./protocol/headers.ts";
export type { HttpGuardOptions } from "./serve/http/guard.ts";
export type { HttpContext, HttpOptions } from "./serve/http/endpoint.ts";
export { type HttpHandler, mcpHandler, type McpHandlerOptions } from "./serve/http/handler.ts";
export type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
export type { ServePipeOptions } from "./serve/pipe/pipe_options.ts";
export { servePipe } from "./serve/pipe/serve_pipe.ts";
export { serveStdio, type ServeStdioOptions } from "./serve/pipe/stdio.ts";
export type {
  Emit,
  ExchangeContext,
  Principal,
  SendInputRequest,
  SignalSource,
} from "./server/exchange_context.ts";
export {
  type Change,
  type ChangeAnnouncement,
  type ChangeBus,
  type ListChange,
  memoryChangeBus,
} from "./server/change_bus.ts";
export type { ChangeSource } from "./server/change_notifier.ts";
export type { Completer, Completers, CompletionOptions } from "./server/completion.ts";
export type {
  InputResponses,
  MethodContext,
  ProgressOptions,
  RequestContext,
} from "./server/request_context.ts";
export type {
  ServerAdvertisement,
  ServerCore,
  ServerIdentity,
  ToolHttpInfo,
} from "./server/server_core.ts";
export type { MethodHandler, ServerRequestDescription } from "./server/dispatch.ts";
export type { ServerExtension } from "./server/extension.ts";
export type {
  ExtensionSubscription,
  NotificationReader,
  SendExtensionNotification,
  Subscriber,
} from "./server/extension_subscription.ts";
export { McpServer } from "./server/mcp_server.ts";
export type { ServerRegistration } from "./server/registration.ts";
export type { IsVisible, RegisteredItem, RegisteredNames } from "./server/registry.ts";
export type { McpServerConfig } from "./server/server_config.ts";
export type { PromptDefinition, PromptHandler } from "./server/prompts.ts";
export type { RequestStateOptions } from "./server/request_state.ts";
export type { ResourceHandler } from "./server/resources.ts";
export type {
  ListTemplateResources,
  ResourcePage,
  ResourcePageRequest,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from "./server/resource_templates.ts";
export { jsonSchemaValidator, type JsonSchemaValidatorOptions } from "./server/json_schema.ts";
export {
  isStandardSchema,
  type JsonSchema,
  type NotARawShape,
  type OutputOf,
  type SchemaCheck,
  type SchemaCheckResult,
  type SchemaIssue,
  type SchemaValidator,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  toJsonSchema,
  toSchemaCheck,
  type WholeSchema,
} from "./server/schema.ts";
export type { ToolDefinition, ToolHandler } from "./server/tools.ts";
export type { TemplateVariables } from "./server/uri_template.ts";
export { withConsent } from "./server/with_consent.ts";
