/**
 * The readers of options objects. Each public options type has a row with the function that reads
 * it, or with the reason why names that are not options are accepted.
 */

import { type OptionsRow, testOptions } from "../tools/testing/options_rows.ts";
import { readApp, registerApp } from "./apps.ts";
import {
  authorizedFetch,
  DpopReplayCache,
  type ExchangeTarget,
  identityAssertion,
  introspectionVerifier,
  jwtVerifier,
  resourceServer,
  tokenExchange,
} from "./auth.ts";
import { fileStore } from "./auth/file.ts";
import { openLoopback } from "./auth/loopback.ts";
import {
  createMemoryTransport,
  createTransport,
  HttpTransport,
  McpClient,
  type McpClientConfig,
  StdioTransport,
} from "./client.ts";
import { McpClients, readMcpConfig } from "./clients.ts";
import { mcpGateway } from "./gateway.ts";
import { toNodeListener } from "./node.ts";
import { openApiTools } from "./openapi.ts";
import { postgresChangeBus, postgresDpopReplayStore, postgresTaskStore } from "./postgres.ts";
import { spawnServer } from "./process.ts";
import {
  jsonSchemaValidator,
  mcpHandler,
  McpServer,
  memoryChangeBus,
  servePipe,
  serveStdio,
  type ServeStdioOptions,
} from "./server.ts";
import { clientSkills, memorySkills, serverSkills } from "./skills.ts";
import { folderSkills } from "./skills/folder.ts";
import { clientTasks, memoryTaskStore, serverTasks } from "./tasks.ts";
import { mcpTelemetry } from "./telemetry.ts";
import { changeBusChecks } from "./testing.ts";
import {
  client,
  endedPipe,
  LINES,
  SERVER,
  server,
  SQL,
  TELEMETRY,
  transport,
  withClient,
  withContext,
  withSession,
} from "./testdata/options.ts";

const URL_ = "https://mcp.example.com/";
const OAUTH = { clientId: "c", redirectUri: "app:/", authUrl: URL_, tokenUrl: URL_ } as const;

/** Ignores the error for a principal without a token, which follows the check of the options. */
function onlyTypeErrors(error: unknown): void {
  if (error instanceof TypeError) throw error;
}
const API = { openapi: "3.1.0", paths: { "/x": { get: { operationId: "op" } } } };
const apiTools = openApiTools(API, {
  baseUrl: URL_,
  operations: ["op"],
  fetch: () => Promise.resolve(new Response()),
});

/** Returns options without members. */
function none(): object {
  return {};
}

const SERVER_ROWS: readonly OptionsRow[] = [
  {
    type: "AppOptions",
    at: "app",
    valid: () => ({ uri: "ui://page", html: "" }),
    call: (app: Parameters<typeof registerApp>[2]) =>
      registerApp(new McpServer(SERVER), { name: "t" }, app, () => ""),
  },
  {
    type: "CacheHint",
    at: "cache",
    valid: () => ({ ttlMs: 1, cacheScope: "public" }),
    call: (cache: never) => new McpServer({ ...SERVER, cache }),
  },
  {
    type: "CheckOptions",
    valid: none,
    call: (options: object) => {
      const bus = memoryChangeBus();
      return changeBusChecks[0]?.run(() => bus, options);
    },
  },
  {
    type: "CompletionOptions",
    valid: none,
    call: (options: object) =>
      new McpServer(SERVER).registerPrompt({ name: "p", arguments: [] }, () => "", options),
  },
  { type: "FileStoreOptions", valid: none, call: (options: object) => fileStore("/none", options) },
  { type: "FolderSkillsOptions", valid: none, call: (o: object) => folderSkills("/none", o) },
  {
    type: "GatewayOptions",
    valid: () => ({ ...SERVER, upstreams: {} }),
    call: (options: Parameters<typeof mcpGateway>[0]) => mcpGateway(options),
  },
  { type: "HttpGuardOptions", valid: none, call: (o: object) => mcpHandler(server, o) },
  { type: "HttpOptions", valid: none, call: (options: object) => mcpHandler(server, options) },
  { type: "JsonSchemaValidatorOptions", valid: none, call: (o: object) => jsonSchemaValidator(o) },
  {
    type: "McpHandlerOptions",
    valid: none,
    call: (options: object) => mcpHandler(server, options),
  },
  {
    type: "McpPrompt",
    at: "prompt",
    valid: () => ({ name: "p", arguments: [] }),
    call: (prompt: never) => new McpServer(SERVER).registerPrompt(prompt, () => ""),
  },
  {
    type: "McpPromptArgument",
    at: "prompt.arguments[0]",
    valid: () => ({ name: "a" }),
    call: (argument: never) =>
      new McpServer(SERVER).registerPrompt({ name: "p", arguments: [argument] }, () => ""),
  },
  {
    type: "McpResource",
    at: "resource",
    valid: () => ({ uri: "r:1", name: "r" }),
    call: (resource: never) => new McpServer(SERVER).registerResource(resource, () => ""),
  },
  {
    type: "McpResourceTemplate",
    at: "template",
    valid: () => ({ uriTemplate: "r:{x}", name: "r" }),
    call: (template: never) => new McpServer(SERVER).registerResourceTemplate(template, () => ""),
  },
  {
    type: "ResourceTemplateOptions",
    valid: none,
    call: (options: object) =>
      new McpServer(SERVER).registerResourceTemplate(
        { uriTemplate: "r:{x}", name: "r" },
        () => "",
        options,
      ),
  },
  {
    type: "McpServerConfig",
    at: "config",
    valid: () => ({ ...SERVER }),
    call: (config: Readonly<typeof SERVER>) => new McpServer(config),
  },
  {
    type: "McpTelemetryOptions",
    valid: () => ({ ...TELEMETRY }),
    call: (options: Readonly<typeof TELEMETRY>) => mcpTelemetry(options),
  },
  { type: "MemoryTaskStoreOptions", valid: none, call: (o: object) => memoryTaskStore(o) },
  {
    type: "NodeListenerOptions",
    valid: none,
    call: (options: object) => toNodeListener(mcpHandler(server), options),
  },
  {
    type: "OpenApiCallOptions",
    valid: none,
    call: (options: object) => apiTools.callTool("op", {}, options),
  },
  {
    type: "OpenApiOptions",
    valid: () => ({ baseUrl: URL_, operations: [] }),
    call: (options: Parameters<typeof openApiTools>[1]) => openApiTools(API, options),
  },
  { type: "PostgresChangeBusOptions", valid: none, call: (o: object) => postgresChangeBus(SQL, o) },
  {
    type: "PostgresDpopReplayStoreOptions",
    valid: none,
    call: (options: object) => postgresDpopReplayStore(SQL, options),
  },
  { type: "PostgresTaskStoreOptions", valid: none, call: (o: object) => postgresTaskStore(SQL, o) },
  {
    type: "ProgressOptions",
    valid: none,
    call: (options: object) => withContext((context) => context.progress(1, options)),
  },
  {
    type: "RequestStateOptions",
    at: "requestState",
    valid: none,
    call: (requestState: object) => new McpServer({ ...SERVER, requestState }),
  },
  {
    type: "ServePipeOptions",
    valid: none,
    call: (options: object) => servePipe(server, endedPipe(), options),
  },
  {
    type: "ServeStdioOptions",
    valid: () => ({ exit: false }),
    call: (options: ServeStdioOptions) => {
      const { reader = LINES.reader, writer = LINES.writer } = options;
      const own = { exit: undefined, reader, writer };
      return serveStdio(server, Object.assign(Object.create(options), own));
    },
  },
  {
    type: "ServerSkillsOptions",
    valid: () => ({ files: memorySkills({}) }),
    call: (options: Parameters<typeof serverSkills>[0]) => serverSkills(options),
  },
  { type: "ServerTasksOptions", valid: none, call: (options: object) => serverTasks(options) },
  {
    type: "SessionRoute",
    at: "sessions.route",
    valid: () => ({ replica: "a", replicas: {} }),
    call: (route: never) => mcpHandler(server, { sessions: { route } }),
  },
  {
    type: "SessionsOptions",
    at: "sessions",
    valid: none,
    call: (sessions: object) => mcpHandler(server, { sessions }),
  },
  {
    type: "StartOptions",
    valid: none,
    call: (options: object) => withContext((context) => serverTasks().start(context, options)),
  },
  {
    type: "ToolDefinition",
    at: "tool",
    valid: () => ({ name: "t" }),
    call: (tool: never) => new McpServer(SERVER).registerTool(tool, () => ""),
  },
  {
    type: "Upstream",
    at: "upstreams.a",
    valid: () => ({ client: () => client }),
    call: (a: never) => mcpGateway({ ...SERVER, upstreams: { a } }),
  },
];

const CLIENT_ROWS: readonly OptionsRow[] = [
  {
    type: "AnswerOptions",
    valid: none,
    call: (options: object) => withSession((session) => session.answer({}, options)),
  },
  {
    type: "ClientSkillsOptions",
    valid: none,
    call: (options: object) => clientSkills(client, options),
  },
  { type: "ClientTasksOptions", valid: none, call: (options: object) => clientTasks(options) },
  {
    type: "HttpTransportOptions",
    valid: none,
    call: (options: object) => new HttpTransport(URL_, options),
  },
  {
    type: "InputHandlers",
    at: "handlers",
    valid: none,
    call: (handlers: object) => new McpClient({ transport, handlers }),
  },
  {
    type: "ListenOptions",
    valid: none,
    call: (options: object) =>
      withClient(async (connected) => {
        await using _subscription = await connected.listen({}, options);
      }),
  },
  {
    type: "McpClientConfig",
    at: "config",
    valid: () => ({ transport }),
    call: (config: McpClientConfig) => new McpClient(config),
  },
  {
    type: "McpClientsOptions",
    valid: none,
    call: (options: object) => new McpClients({}, options),
  },
  {
    type: "MemoryTransportOptions",
    valid: none,
    call: (options: object) => createMemoryTransport(() => Promise.resolve(), options),
  },
  {
    type: "ReadAppOptions",
    valid: none,
    call: (options: object) =>
      readApp(client, { name: "t", description: "", inputSchema: {} }, options),
  },
  {
    type: "ReadMcpConfigOptions",
    valid: none,
    call: (options: object) => readMcpConfig({ mcpServers: {} }, options),
  },
  {
    type: "RelayOptions",
    valid: () => ({ client: { capabilities: {} } }),
    call: (options: { readonly client: { readonly capabilities: object } }) =>
      withClient((connected) => connected.relay("tools/list", {}, options).catch(onlyMistakes)),
  },
  {
    type: "RequestOptions",
    valid: none,
    call: (options: object) => withClient((connected) => connected.listTools(options)),
  },
  { type: "SpawnServerOptions", valid: none, call: (o: object) => spawnServer("deno", [], o) },
  { type: "StdioTransportOptions", valid: none, call: (o: object) => new StdioTransport(o) },
  {
    type: "SubscriptionFilter",
    at: "filter",
    valid: none,
    call: (filter: object) =>
      withClient(async (connected) => {
        await using _subscription = await connected.listen(filter);
      }),
  },
  {
    type: "TransportConfig",
    at: "config",
    valid: () => ({ type: "http", url: URL_ }),
    call: (config: { readonly type: "http"; readonly url: string }) => createTransport(config),
  },
];

/**
 * The server has no tools, so it does not know the method. Mistakes of the caller are other errors.
 */
function onlyMistakes(error: unknown): void {
  if (error instanceof TypeError || error instanceof RangeError) throw error;
}

const AUTH_ROWS: readonly OptionsRow[] = [
  ...["AuthConfig", "AuthOptions", "OAuthConfig"].map((type) => ({
    type,
    at: "config",
    valid: () => ({ ...OAUTH }),
    call: (config: typeof OAUTH) => authorizedFetch(config, { resource: URL_ }),
  })),
  {
    type: "AuthorizedFetchOptions",
    valid: () => ({ resource: URL_ }),
    call: (options: { readonly resource: string }) => authorizedFetch(OAUTH, options),
  },
  {
    type: "DiscoveryConfig",
    at: "config",
    valid: () => ({ discover: true }),
    call: (config: { readonly discover: true }) => authorizedFetch(config, { resource: URL_ }),
  },
  {
    type: "TokenSourceConfig",
    at: "config",
    valid: () => ({ token: () => "t" }),
    call: (config: { readonly token: () => string }) => authorizedFetch(config, { resource: URL_ }),
  },
  { type: "DpopReplayCacheOptions", valid: none, call: (o: object) => new DpopReplayCache(o) },
  {
    type: "IdentityAssertionOptions",
    valid: () => ({ tokenUrl: URL_, clientId: "c", subjectToken: "t" }),
    call: (options: Parameters<typeof identityAssertion>[0]) => identityAssertion(options),
  },
  {
    type: "IntrospectionOptions",
    valid: () => ({ introspectionUrl: URL_, clientId: "c" }),
    call: (options: Parameters<typeof introspectionVerifier>[0]) => introspectionVerifier(options),
  },
  ...["JwtVerifierOptions", "VerifierOptions"].map((type) => ({
    type,
    valid: () => ({ issuer: URL_ }),
    call: (options: { readonly issuer: string }) => jwtVerifier(options),
  })),
  {
    type: "ExchangeTarget",
    at: "target",
    valid: () => ({ resource: URL_, audience: "api" }),
    call: (target: ExchangeTarget) =>
      tokenExchange({ tokenUrl: URL_, clientId: "c" })({}, target).catch(onlyTypeErrors),
  },
  {
    type: "TokenExchangeOptions",
    valid: () => ({ tokenUrl: URL_, clientId: "c" }),
    call: (options: Parameters<typeof tokenExchange>[0]) => tokenExchange(options),
  },
  { type: "LoopbackOptions", valid: none, call: (options: object) => openLoopback(options) },
  {
    type: "ResourceServerOptions",
    valid: () => ({
      resource: URL_,
      authorizationServers: [URL_],
      verify: () => Promise.resolve(undefined),
    }),
    call: (options: Parameters<typeof resourceServer>[1]) =>
      resourceServer(mcpHandler(server), options),
  },
];

const OPEN_ROWS: readonly OptionsRow[] = [
  { type: "CompleteParams", open: "Parameters that the client sends to the server as they are." },
  { type: "CreateMessageParams", open: "Parameters of a request that the server sends." },
  { type: "HttpInit", open: "The client passes it to fetch(), which has its own members." },
  {
    type: "HttpSessionOptions",
    open: "No function accepts this type; the options of sessions are its partial form.",
  },
  { type: "McpErrorOptions", open: "Init of an error class, like the options of Error." },
  { type: "SendOptions", open: "The client passes them to pipes, which users can implement." },
  { type: "TaskLeaseOptions", open: "serverTasks() passes them to stores, which users implement." },
  {
    type: "TelemetryHistogramOptions",
    open: "mcpTelemetry() passes them to OpenTelemetry.",
  },
  { type: "TelemetrySpanOptions", open: "mcpTelemetry() passes them to OpenTelemetry." },
];

testOptions("mcp", [...SERVER_ROWS, ...CLIENT_ROWS, ...AUTH_ROWS, ...OPEN_ROWS], [
  "CacheHint",
  "McpPrompt",
  "McpPromptArgument",
  "McpResource",
  "McpResourceTemplate",
  "SessionRoute",
  "ExchangeTarget",
  "SubscriptionFilter",
  "ToolDefinition",
  "Upstream",
]);
