/**
 * Model Context Protocol (MCP) for TypeScript: clients, servers and transports for tools, resources and prompts. All
 * protocol versions from 2024-11-05 to 2026-07-28 are supported and detected automatically.
 *
 * - Server: {@linkcode McpServer}, served with {@linkcode serveStdio} or, over HTTP, {@linkcode mcpHandler}.
 * - Client: {@linkcode McpClient} with an {@linkcode HttpTransport}, or with a server process from
 *   `@parley/mcp/process`.
 *
 * `@parley/mcp/server` and `@parley/mcp/client` contain only the server or only the client. This module does not depend
 * on Deno, Node.js or Bun. To start server processes, see `@parley/mcp/process`.
 *
 * @module
 */

export type {
  AssertionRequest,
  AuthConfig,
  AuthOptions,
  Authorize,
  ClientKey,
  DiscoveryConfig,
  GetAssertion,
  LoginContext,
  MachineGrant,
  OAuthConfig,
} from "./auth/config.ts";
export { generatePkceChallenge, type PkceChallenge } from "./auth/pkce.ts";
export type { CredentialStore } from "./auth/credential_store.ts";
export { type HttpSource, McpClient, type McpClientConfig } from "./client.ts";
export type {
  AnswerOptions,
  ClientExtension,
  ExtensionSession,
  IncompleteResult,
} from "./client/extension.ts";
export type { InputHandlers } from "./client/input_handlers.ts";
export type { ProgressUpdate, RelayOptions, RequestOptions } from "./client/send_request.ts";
export { ServerEra } from "./client/server_era.ts";
export type { Subscription, SubscriptionFilter } from "./client/subscription.ts";
export { createTransport } from "./transport/create.ts";
export {
  McpError,
  McpErrorCode,
  type McpErrorCodeType,
  type McpErrorDetails,
  type McpErrorOptions,
  type TimeoutDetails,
} from "./shared/error.ts";
export { HttpTransport, SseTransport } from "./transport/http.ts";
export type { JsonObject } from "./shared/json.ts";
export type { Annotations, Role } from "./protocol/annotations.ts";
export type { AroundRequest, RequestDescription } from "./protocol/around_request.ts";
export type {
  ClientCapabilities,
  Icon,
  Implementation,
  McpCapabilities,
  ServerCapabilities,
} from "./protocol/capabilities.ts";
export type {
  AudioContent,
  BlockBase,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "./protocol/content.ts";
export type { CompleteParams, Completion, CompletionReference } from "./protocol/completion.ts";
export type { ServerDescription } from "./protocol/initialize.ts";
export type {
  CreateMessageParams,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitForm,
  ElicitRequest,
  ElicitResult,
  ElicitUrl,
  InputRequest,
  InputResponse,
  ListRootsRequest,
  ListRootsResult,
  Root,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from "./protocol/input_request.ts";
export type { LogLevel } from "./protocol/logging.ts";
export type { ClientDescription } from "./protocol/client_description.ts";
export type {
  GetPromptResult,
  McpPrompt,
  McpPromptArgument,
  PromptMessage,
} from "./protocol/prompt.ts";
export type {
  McpResource,
  McpResourceTemplate,
  ReadResourceResult,
  ResourceContents,
} from "./protocol/resource.ts";
export type { CacheHint } from "./protocol/modern.ts";
export type { CallToolResult, McpToolDescriptor, ToolAnnotations } from "./protocol/tool.ts";
export type {
  McpErrorObject,
  McpRequest,
  McpRequestId,
  McpResponse,
  RequestId,
  RpcFailure,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
  RpcSuccess,
} from "./jsonrpc/message.ts";
export type { Frame, InvalidFrame, MessageFrame } from "./jsonrpc/read_frame.ts";
export type { StdioTransportOptions } from "./transport/stdio_pipe.ts";
export type {
  McpTransport,
  Pipe,
  PipeSource,
  SendOptions,
  StdioLineReader,
  StdioLineWriter,
  TransportConfig,
} from "./jsonrpc/contracts.ts";
export { type HttpHandler, mcpHandler, type McpHandlerOptions } from "./serve/http/handler.ts";
export type { SessionsOptions } from "./serve/http/session_store.ts";
export type { HttpSessionOptions } from "./serve/http/http_session.ts";
export type { ParameterHeader } from "./protocol/headers.ts";
export type { HttpGuardOptions } from "./serve/http/guard.ts";
export type { HttpContext, HttpOptions } from "./serve/http/endpoint.ts";
export type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
export type { ServePipeOptions } from "./serve/pipe/messages.ts";
export { servePipe } from "./serve/pipe/serve_pipe.ts";
export { serveStdio, type ServeStdioOptions } from "./serve/pipe/stdio.ts";
export type {
  Emit,
  ExchangeContext,
  Principal,
  SendInputRequest,
  SignalSource,
} from "./server/exchange_context.ts";
export type { Change, ChangeSource } from "./server/change_notifier.ts";
export type { Completer, Completers } from "./server/completion.ts";
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
export type {
  ExtensionSubscription,
  SendExtensionNotification,
  ServerExtension,
} from "./server/extension.ts";
export { McpServer } from "./server/mcp_server.ts";
export type { CompletionOptions, ServerRegistration } from "./server/registration.ts";
export type { IsVisible, RegisteredItem } from "./server/registry.ts";
export type { McpServerConfig } from "./server/server_config.ts";
export type { PromptHandler } from "./server/prompts.ts";
export type { RequestStateOptions } from "./server/request_state.ts";
export type { ResourceHandler, ResourceTemplateHandler } from "./server/resources.ts";
export { jsonSchemaValidator, type JsonSchemaValidatorOptions } from "./server/json_schema.ts";
export type {
  JsonSchema,
  NotARawShape,
  OutputOf,
  SchemaCheck,
  SchemaCheckResult,
  SchemaIssue,
  SchemaValidator,
  StandardIssue,
  StandardResult,
  StandardSchema,
  WholeSchema,
} from "./server/schema.ts";
export type { ToolDefinition, ToolHandler } from "./server/tools.ts";
export type { TemplateVariables } from "./server/uri_template.ts";
export type { ProtocolVersion } from "./protocol/revisions.ts";
export type { HttpFetch, HttpInit } from "./shared/http_types.ts";
export type { HttpEndpoint, HttpTransportOptions } from "./transport/http_request.ts";
export { createMemoryTransport } from "./transport/memory.ts";
export type { MemoryTransportOptions } from "./transport/memory.ts";
export { StdioTransport } from "./transport/stdio.ts";
