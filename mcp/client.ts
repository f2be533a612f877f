/**
 * A client for the Model Context Protocol (MCP). Create an {@linkcode McpClient} with a transport
 * and call `connect()`. The client detects the server's protocol version. `@parley/mcp/server`
 * exports the MCP server, and `@parley/mcp/process` exports the transport for child processes.
 *
 * ```ts ignore
 * import { McpClient } from "@parley/mcp/client";
 * import { spawnServer } from "@parley/mcp/process";
 *
 * const client = new McpClient({ transport: spawnServer("my-server") });
 * await client.connect();
 * try {
 *   const tools = await client.listTools();
 *   const result = await client.callTool("add", { a: 1, b: 2 });
 * } finally {
 *   await client.disconnect();
 * }
 * ```
 *
 * @module
 */

export { McpClient } from "./client/client.ts";
export type { Deviation, Tolerance } from "./jsonrpc/deviation.ts";
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
export type { CredentialStore } from "./auth/credential_store.ts";
export type { TokenSourceConfig, WantedToken } from "./auth/token_source_config.ts";
export type {
  AnswerOptions,
  ClientExtension,
  ExtensionSession,
  IncompleteResult,
} from "./client/extension.ts";
export type {
  ElicitFormSchema,
  ElicitHandler,
  ReceivedElicitForm,
} from "./client/elicit_handler.ts";
export type { InputHandlers } from "./client/input_handlers.ts";
export type {
  ListenOptions,
  ProgressUpdate,
  RelayOptions,
  RequestOptions,
} from "./client/request_options.ts";
export { ServerEra } from "./client/server_era.ts";
export type { Subscription, SubscriptionFilter } from "./client/subscription.ts";
export type { McpClientConfig } from "./client/config.ts";
export { createTransport } from "./transport/create.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type {
  McpErrorCodeType,
  McpErrorDetails,
  McpErrorOptions,
  TimeoutDetails,
} from "./shared/error.ts";
export { HttpTransport, SseTransport } from "./transport/http.ts";
export type { HttpSource } from "./client/connect.ts";
export type {
  McpTransport,
  Pipe,
  PipeSource,
  SendOptions,
  StdioLineReader,
  StdioLineWriter,
  TransportConfig,
} from "./jsonrpc/contracts.ts";
export type { AroundRequest, RequestDescription } from "./protocol/around_request.ts";
export type { ProtocolVersion } from "./protocol/revisions.ts";
export type { HttpFetch, HttpInit } from "./shared/http_types.ts";
export type { HttpEndpoint, HttpTransportOptions } from "./transport/http_request.ts";
export { createMemoryTransport, type MemoryTransportOptions } from "./transport/memory.ts";
export { StdioTransport } from "./transport/stdio.ts";
export type { StdioTransportOptions } from "./transport/stdio_pipe.ts";
