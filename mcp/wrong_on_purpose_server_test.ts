import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { introspectionVerifier, jwtVerifier, resourceServer, type VerifiedToken } from "./auth.ts";
import { McpError } from "./shared/error.ts";
import { mcpGateway } from "./gateway.ts";
import { toNodeListener } from "./node.ts";
import { mcpHandler, McpServer, type McpServerConfig, servePipe, serveStdio } from "./server.ts";
import { memoryTaskStore, serverTasks } from "./tasks.ts";
import { objectOf } from "./testdata/answer.ts";
import { modern, post } from "./testdata/http.ts";
import { meta } from "./testdata/pipes.ts";

/** Any value that a program without type checks can pass. */
type Anything = ReturnType<typeof JSON.parse>;

function wrong(value?: unknown): Anything {
  return value;
}

function serverWith(config: Partial<McpServerConfig> | Record<string, unknown> = {}): McpServer {
  return new McpServer(wrong({ name: "s", version: "1", ...config }));
}

/** Returns a server on which every kind of item can be registered without type checks. */
function untyped(): Anything {
  return serverWith();
}

const TOOL = { name: "slow", description: "" };
const RESOURCE = { uri: "r:1", name: "r" };
const TEMPLATE = { uriTemplate: "r:{id}", name: "r" };
const PROMPT = { name: "p", arguments: [{ name: "day", required: true }] };
function run(): string {
  return "done";
}

function handle(): Promise<Response> {
  return Promise.resolve(new Response());
}

const AUTH = {
  resource: "https://mcp.example/mcp",
  authorizationServers: ["https://login.example"],
  verify: () => Promise.resolve(undefined),
};

/** Mistakes in arguments: the mistake, the call, and the whole message. */
const MISTAKES: readonly [string, () => unknown, string][] = [
  [
    "new McpServer() without a configuration",
    () => new McpServer(wrong()),
    '"config" must be an object, got undefined',
  ],
  [
    "options in a second argument",
    () => Reflect.construct(McpServer, [{ name: "s", version: "1" }, { instructions: "Be brief" }]),
    '"McpServer" must have one argument; add the options to the first',
  ],
  [
    "a server without a name",
    () => new McpServer(wrong({ version: "1" })),
    '"name" must be a non-empty string, got undefined',
  ],
  [
    "a version that is a number",
    () => serverWith({ version: 1 }),
    '"version" must be a non-empty string, got 1',
  ],
  [
    "a page size as a string",
    () => serverWith({ pageSize: "10" }),
    '"pageSize" must be a positive integer, got "10"',
  ],
  [
    "a share above 1",
    () => serverWith({ maxSharePerPrincipal: 25 }),
    '"maxSharePerPrincipal" must be greater than 0 and at most 1, got 25',
  ],
  [
    "a key as a string",
    () => serverWith({ requestState: { keys: ["k".repeat(32)] } }),
    '"requestState.keys[0]" must be a Uint8Array, got a string',
  ],
  [
    "one key instead of an array",
    () => serverWith({ requestState: { keys: "k".repeat(32) } }),
    '"requestState.keys" must be an array, got a string',
  ],
  [
    "no key",
    () => serverWith({ requestState: { keys: [] } }),
    '"requestState.keys" must contain 1 to 8 keys, got 0',
  ],
  [
    "nine keys",
    () => serverWith({ requestState: { keys: Array(9).fill(new Uint8Array(32)) } }),
    '"requestState.keys" must contain 1 to 8 keys, got 9',
  ],
  [
    "a key of 16 bytes",
    () => serverWith({ requestState: { keys: [new Uint8Array(16)] } }),
    '"requestState.keys[0]" must be 32 bytes long, got 16',
  ],
  [
    "a lifetime of 0",
    () => serverWith({ requestState: { ttlMs: 0 } }),
    '"requestState.ttlMs" must be a positive integer, got 0',
  ],
  [
    "a validator that is a function",
    () => serverWith({ validator: () => [] }),
    '"validator" must be a SchemaValidator, got a function',
  ],
  [
    "a single extension",
    () => serverWith({ extensions: serverTasks() }),
    '"extensions" must be an array of server extensions, got an instance of TaskServer',
  ],
  [
    "an extension function that was not called",
    () => serverWith({ extensions: [serverTasks] }),
    '"extensions[0]" must be an object, got a function',
  ],
  [
    "the same extension twice",
    () => serverWith({ extensions: [serverTasks(), serverTasks()] }),
    'Cannot add extension "io.modelcontextprotocol/tasks": method "tasks/get" is already registered',
  ],
  [
    "an onError that is not a function",
    () => serverWith({ onError: "console" }),
    '"onError" must be a function, got "console"',
  ],
  [
    "a negative cache lifetime",
    () => serverWith({ cache: { ttlMs: -1, cacheScope: "public" } }),
    '"cache.ttlMs" must be a non-negative integer, got -1',
  ],
  [
    "an unknown cache scope",
    () => serverWith({ cache: { ttlMs: 0, cacheScope: "all" } }),
    '"cache.cacheScope" must be "public" or "private", got "all"',
  ],

  [
    "registerTool() with a name instead of an object",
    () => untyped().registerTool("slow", run),
    '"tool" must be an object, got "slow"',
  ],
  [
    "a tool without a name",
    () => untyped().registerTool({ description: "" }, run),
    '"tool.name" must be a non-empty string, got undefined',
  ],
  [
    "a tool without a handler",
    () => untyped().registerTool(TOOL),
    '"handler" must be a function, got undefined',
  ],
  [
    "a tool whose handler is in the definition",
    () => untyped().registerTool({ ...TOOL, run }),
    '"handler" must be a function, got undefined',
  ],
  [
    "a tool with a raw shape",
    () => untyped().registerTool({ ...TOOL, inputSchema: { a: { "~standard": {} } } }, run),
    'Cannot register tool "slow": "inputSchema" must be a JSON Schema object or a Standard Schema, got an object ' +
    'whose property "a" is a schema; wrap it, for example in z.object(…)',
  ],
  [
    "a tool whose input is an array",
    () => untyped().registerTool({ ...TOOL, inputSchema: { type: "array" } }, run),
    'Cannot register tool "slow": "inputSchema.type" must be "object", got "array"',
  ],
  [
    "a tool with a string as scopes",
    () => untyped().registerTool({ ...TOOL, scopes: "files" }, run),
    '"tool.scopes" must be an array of strings, got "files"',
  ],
  [
    "a tool whose description is an object",
    () => untyped().registerTool({ ...TOOL, description: {} }, run),
    '"tool.description" must be a string, got an object',
  ],
  [
    "a tool whose metadata is not JSON",
    () => untyped().registerTool({ ...TOOL, _meta: { a: 1n } }, run),
    'Cannot register tool "slow": "tool" must be JSON: "/_meta/a" is a bigint',
  ],
  ["a tool that is registered twice", () => {
    const server = serverWith();
    server.registerTool(TOOL, run);
    server.registerTool(TOOL, run);
  }, 'Cannot register tool "slow": already registered; update it, or remove it first'],

  [
    "a resource without a URI",
    () => untyped().registerResource({ name: "r" }, run),
    '"resource.uri" must be a non-empty string, got undefined',
  ],
  [
    "a resource without a name",
    () => untyped().registerResource({ uri: "r:1" }, run),
    '"resource.name" must be a string, got undefined',
  ],
  [
    "a resource without a handler",
    () => untyped().registerResource(RESOURCE),
    '"handler" must be a function, got undefined',
  ],
  [
    "a resource whose handler is a string",
    () => untyped().registerResource(RESOURCE, "text"),
    '"handler" must be a function, got "text"',
  ],
  ["a resource that is registered twice", () => {
    const server = serverWith();
    server.registerResource(RESOURCE, run);
    server.registerResource(RESOURCE, run);
  }, 'Cannot register resource "r:1": already registered; update it, or remove it first'],
  [
    "a resource template without a handler",
    () => untyped().registerResourceTemplate(TEMPLATE),
    '"handler" must be a function, got undefined',
  ],
  [
    "a completer for an unknown variable",
    () => untyped().registerResourceTemplate(TEMPLATE, run, { complete: { name: () => [] } }),
    '"complete.name" must belong to a registered variable ("id")',
  ],
  [
    "an array instead of a completer",
    () => untyped().registerResourceTemplate(TEMPLATE, run, { complete: { id: ["a"] } }),
    '"complete.id" must be a function, got an array',
  ],
  [
    "a prompt without arguments",
    () => untyped().registerPrompt({ name: "p" }, run),
    '"prompt.arguments" must be an array of arguments, or [] for a prompt without arguments, got undefined',
  ],
  [
    "a prompt whose arguments are a schema",
    () => untyped().registerPrompt({ name: "p", arguments: {} }, run),
    '"prompt.arguments" must be an array of arguments, or [] for a prompt without arguments, got an object',
  ],
  [
    "a prompt whose arguments are strings",
    () => untyped().registerPrompt({ name: "p", arguments: ["day"] }, run),
    '"prompt.arguments[0]" must be an object, got "day"',
  ],
  [
    "a prompt without a handler",
    () => untyped().registerPrompt(PROMPT),
    '"handler" must be a function, got undefined',
  ],
  [
    "a completer for an unknown argument",
    () => untyped().registerPrompt(PROMPT, run, { complete: { dya: run } }),
    '"complete.dya" must belong to a registered argument ("day")',
  ],

  [
    "mcpHandler() without a server",
    () => mcpHandler(wrong()),
    '"server" must be an object, got undefined',
  ],
  [
    "mcpHandler() with a configuration",
    () => mcpHandler(wrong({ name: "s", version: "1" })),
    '"server.exchange" must be a function, got undefined',
  ],
  [
    "a string as allowedHosts",
    () => mcpHandler(serverWith(), { allowedHosts: wrong("mcp.example") }),
    '"allowedHosts" must be an array of strings or "any", got "mcp.example"',
  ],
  [
    "an allowed host with a port",
    () => mcpHandler(serverWith(), { allowedHosts: ["mcp.example:8000"] }),
    '"allowedHosts[0]" must be a host name without a scheme, port or wildcard, got "mcp.example:8000"',
  ],
  [
    "an allowed host with a wildcard",
    () => mcpHandler(serverWith(), { allowedHosts: ["*.example.com"] }),
    '"allowedHosts[0]" must be a host name without a scheme, port or wildcard, got "*.example.com"',
  ],
  [
    "an allowed origin with a wildcard",
    () => mcpHandler(serverWith(), { allowedOrigins: ["https://*.example.com"] }),
    '"allowedOrigins[0]" must be an origin such as https://app.example, without a path or wildcard, ' +
    'got "https://*.example.com"',
  ],
  [
    "an allowed host with a scheme",
    () => mcpHandler(serverWith(), { allowedHosts: ["localhost", "https://a.example"] }),
    '"allowedHosts[1]" must be a host name without a scheme, port or wildcard, got "https://a.example"',
  ],
  [
    "an allowed origin with a path",
    () => mcpHandler(serverWith(), { allowedOrigins: ["https://app.example/"] }),
    '"allowedOrigins[0]" must be an origin such as https://app.example, without a path or wildcard, got "https://app.example/"',
  ],
  [
    "an allowed origin without a scheme",
    () => mcpHandler(serverWith(), { allowedOrigins: ["app.example"] }),
    '"allowedOrigins[0]" must be an origin such as https://app.example, without a path or wildcard, got "app.example"',
  ],
  [
    "a size with a unit",
    () => mcpHandler(serverWith(), { maxBodyBytes: wrong("4mb") }),
    '"maxBodyBytes" must be an integer from 1 to 2147483647, got "4mb"',
  ],
  [
    "a session limit of 0",
    () => mcpHandler(serverWith(), { sessions: { maxSessions: 0 } }),
    '"sessions.maxSessions" must be an integer from 1 to 2147483647, got 0',
  ],

  [
    "toNodeListener() with a server",
    () => toNodeListener(wrong(serverWith())),
    '"handler" must be a function such as the return value of mcpHandler(), got an instance of McpServer',
  ],
  [
    "toNodeListener() with an onError that is not a function",
    () => toNodeListener(handle, { onError: wrong(1) }),
    '"onError" must be a function, got 1',
  ],

  [
    "a time to live with a unit",
    () => serverTasks({ ttlMs: wrong("1h") }),
    '"ttlMs" must be a positive integer, got "1h"',
  ],
  [
    "a task store that is a Map",
    () => serverTasks({ store: wrong({ get: run }) }),
    '"store" must be a TaskStore, got an object',
  ],
  [
    "a task limit of 0",
    () => serverTasks({ maxRunning: 0 }),
    '"maxRunning" must be a positive integer, got 0',
  ],
  [
    "a task store without capacity",
    () => memoryTaskStore({ maxTasks: 0 }),
    '"maxTasks" must be a positive integer, got 0',
  ],

  [
    "resourceServer() with a server",
    () => resourceServer(wrong(serverWith()), AUTH),
    '"handler" must be a function such as the return value of mcpHandler(), got an instance of McpServer',
  ],
  [
    "resourceServer() without options",
    () => resourceServer(handle, wrong()),
    '"options" must be an object, got undefined',
  ],
  [
    "a resource that is not a URL",
    () => resourceServer(handle, { ...AUTH, resource: "mcp.example" }),
    'Cannot authorize the request: "resource" must be an HTTPS or loopback HTTP URL without credentials, got "mcp.example"',
  ],
  [
    "a resource without HTTPS",
    () => resourceServer(handle, { ...AUTH, resource: "http://mcp.example" }),
    'Cannot authorize the request: "resource" must be an HTTPS or loopback HTTP URL without credentials, got "http://mcp.example"',
  ],
  [
    "a resource with credentials",
    () => resourceServer(handle, { ...AUTH, resource: "https://a:b@mcp.example" }),
    'Cannot authorize the request: "resource" must be an HTTPS or loopback HTTP URL without credentials, got a URL with credentials',
  ],
  [
    "no authorization servers",
    () => resourceServer(handle, wrong({ ...AUTH, authorizationServers: undefined })),
    '"authorizationServers" must be an array of strings, got undefined',
  ],
  [
    "an empty list of authorization servers",
    () => resourceServer(handle, { ...AUTH, authorizationServers: [] }),
    '"authorizationServers" must have at least one entry, got []; for API keys, pass the principal as the second argument to the handler instead',
  ],
  [
    "no verifier",
    () => resourceServer(handle, wrong({ ...AUTH, verify: undefined })),
    '"verify" must be a function such as the return value of jwtVerifier(), got undefined',
  ],
  [
    "a string as requiredScopes",
    () => resourceServer(handle, { ...AUTH, requiredScopes: wrong("mcp") }),
    '"requiredScopes" must be an array of strings, got "mcp"',
  ],
  [
    "a JWT verifier without an issuer",
    () => jwtVerifier(wrong({})),
    '"issuer" must be a string, got undefined',
  ],
  [
    "an introspection URL that is not a URL",
    () => introspectionVerifier({ introspectionUrl: "/introspect", clientId: "c" }),
    'Cannot authorize the request: "introspectionUrl" must be an HTTPS or loopback HTTP URL without credentials, got "/introspect"',
  ],
];

for (const [mistake, call, message] of MISTAKES) {
  Deno.test(`${mistake} is an error that names the argument, the requirement and the value`, () => {
    const error = assertThrows(call, Error);
    assertEquals(error.message, message);
    assert(error instanceof TypeError || error instanceof RangeError || error instanceof McpError);
  });
}

Deno.test("serveStdio() and servePipe() without a server or a pipe are errors that name the argument", async () => {
  const messages: string[] = [];
  const calls = [
    () => serveStdio(wrong()),
    () => servePipe(wrong({}), wrong()),
    () => servePipe(serverWith(), wrong()),
  ];
  for (const call of calls) await call().catch((error) => messages.push(error.message));
  assertEquals(messages, [
    '"server" must be an object, got undefined',
    '"server.exchange" must be a function, got undefined',
    '"pipe" must be an object, got undefined',
  ]);
});

/** Faults in handlers: the fault, the request, and the error that the author of the server sees. */
const FAULTS: readonly [string, (server: Anything) => readonly [string, object], string][] = [
  ["a resource handler that throws", (server) => {
    server.registerResource(RESOURCE, () => {
      throw new Error("disk gone");
    });
    return ["resources/read", { uri: "r:1" }];
  }, "Error: disk gone"],
  [
    "a resource handler that returns a Map",
    (server) => {
      server.registerResource(RESOURCE, () => new Map());
      return ["resources/read", { uri: "r:1" }];
    },
    'TypeError: Cannot read resource "r:1": the handler must return JSON: the value is an instance of Map',
  ],
  ["a prompt handler that throws", (server) => {
    server.registerPrompt(
      { name: "p", arguments: [] },
      () => Promise.reject(new Error("prompt gone")),
    );
    return ["prompts/get", { name: "p" }];
  }, "Error: prompt gone"],
  [
    "a prompt handler that returns no messages",
    (server) => {
      server.registerPrompt({ name: "p", arguments: [] }, () => ({ text: "hi" }));
      return ["prompts/get", { name: "p" }];
    },
    'TypeError: Cannot get prompt "p": the handler must return a string or an object with "messages", got an object',
  ],
  ["a prompt handler without a return value", (server) => {
    server.registerPrompt({ name: "p", arguments: [] }, () => {});
    return ["prompts/get", { name: "p" }];
  }, 'TypeError: Cannot get prompt "p": the handler must return JSON: the value is undefined'],
  ["a completer that returns a string", (server) => {
    server.registerPrompt(PROMPT, run, { complete: { day: () => "Monday" } });
    return ["completion/complete", {
      ref: { type: "ref/prompt", name: "p" },
      argument: { name: "day", value: "" },
    }];
  }, 'TypeError: Cannot complete "day": the completer must return an array of strings'],
  ["a tool result that is not JSON", (server) => {
    server.registerTool(TOOL, () => ({ rows: [{ at: NaN }] }));
    return ["tools/call", { name: "slow" }];
  }, 'TypeError: Tool "slow" returned a result that is not JSON: "/rows/0/at" is NaN'],
  [
    "a tool result that does not match its schema",
    (server) => {
      const outputSchema = { type: "object", properties: { a: { type: "number" } } };
      server.registerTool({ ...TOOL, outputSchema }, () => ({ a: "1" }));
      return ["tools/call", { name: "slow" }];
    },
    'TypeError: Tool "slow" returned a result that does not match its output schema: /a: must be number, got string',
  ],
  [
    "a saved state that is not JSON",
    (server) => {
      server.registerTool(TOOL, async (_args: unknown, context: Anything) => {
        context.saveState({ big: 1n });
        await context.ask("a", {
          method: "elicitation/create",
          params: { message: "?", requestedSchema: { type: "object" } },
        });
      });
      return ["tools/call", { name: "slow", _meta: meta({ elicitation: {} }) }];
    },
    'TypeError: Cannot save state: the value passed to saveState() must be JSON: "/big" is a bigint',
  ],
];

for (const [fault, prepare, message] of FAULTS) {
  Deno.test(`${fault} is printed by default and reported to onError`, async () => {
    const reported: unknown[] = [];
    const printed: string[] = [];
    const print = console.error;
    console.error = (text) => printed.push(text);
    try {
      for (const config of [{}, { onError: (error: unknown) => reported.push(error) }]) {
        const server = serverWith(config);
        const [method, params] = prepare(server);
        const request = {
          jsonrpc: "2.0",
          id: 1,
          method,
          params: { _meta: meta(), ...params },
        } as const;
        await server.handleRequest(request);
      }
    } finally {
      console.error = print;
    }
    assertEquals(reported.map(String), [message]);
    assertEquals(printed.map((text) => text.split("\n")[0]), [`McpServer: ${message}`]);
  });
}

/** Faulty verifiers: the fault, the verifier, and the error that the author of the server sees. */
const VERIFIERS: readonly [string, () => Promise<VerifiedToken | undefined>, string][] = [
  ["throws", () => Promise.reject(new Error("db down")), "Error: db down"],
  [
    "returns true",
    () => Promise.resolve(wrong(true)),
    'TypeError: "verify" must return undefined or an object with "subject" (a non-empty string) and "scopes" (an array of strings), got true',
  ],
  [
    "returns a token without scopes",
    () => Promise.resolve(wrong({ subject: "ada" })),
    'TypeError: "verify" must return undefined or an object with "subject" (a non-empty string) and "scopes" (an array of strings), got an object',
  ],
];

for (const [fault, verify, message] of VERIFIERS) {
  Deno.test(`the error of a token verifier that ${fault} is printed by default`, async () => {
    const printed: string[] = [];
    const print = console.error;
    console.error = (text) => printed.push(text);
    try {
      const guarded = resourceServer(handle, { ...AUTH, verify });
      const headers = { authorization: "Bearer t" };
      const response = await guarded(new Request(AUTH.resource, { method: "POST", headers }));
      assertEquals(response.status, 503);
      await response.body?.cancel();
    } finally {
      console.error = print;
    }
    assertEquals(printed.map((text) => text.split("\n")[0]), [`resourceServer: ${message}`]);
  });
}

/** Mistakes in requests: the mistake, the request, and the error that the client receives. */
const REQUESTS: readonly [string, Request, number, string][] = [
  [
    "a browser that opens the endpoint",
    new Request("http://localhost/mcp", { headers: { accept: "text/html,*/*;q=0.8" } }),
    405,
    "This is a Model Context Protocol (MCP) endpoint; connect to it with an MCP client instead of a browser",
  ],
  [
    "an unsupported HTTP method",
    new Request("http://localhost/mcp", { method: "PUT" }),
    405,
    "Method not allowed",
  ],
  [
    "a host that is not allowed",
    new Request("http://mcp.example/mcp", { method: "POST" }),
    403,
    'Forbidden: host "mcp.example" is not in "allowedHosts"',
  ],
  [
    "an origin that is not allowed",
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { origin: "https://app.example" },
    }),
    403,
    'Forbidden: origin "https://app.example" is not in "allowedOrigins"',
  ],
  [
    "a body that is not declared as JSON",
    post("{}", { "content-type": "text/plain" }),
    415,
    "Unsupported media type: Content-Type must be application/json",
  ],
  [
    "a body that is too large",
    post("x".repeat(2000)),
    413,
    "Payload too large: maximum is 1000 bytes",
  ],
  ["an unknown tool", modern("tools/call", { name: "nope" }), 200, 'Unknown tool: "nope"'],
  ["an unknown prompt", modern("prompts/get", { name: "nope" }), 200, 'Unknown prompt: "nope"'],
  [
    "an unknown resource",
    modern("resources/read", { uri: "r:9" }),
    200,
    'Resource not found: "r:9"',
  ],
  [
    "a missing prompt argument",
    modern("prompts/get", { name: "p" }),
    200,
    'Missing required argument: "day"',
  ],
  [
    "a missing scope",
    modern("tools/call", { name: "write" }),
    403,
    'Insufficient scope: requires scope="files:write"',
  ],
  ["an unknown method", modern("tools/run"), 404, 'Method not found: "tools/run"'],
];

for (const [mistake, request, status, message] of REQUESTS) {
  Deno.test(`the response to ${mistake} names the cause`, async () => {
    const server = serverWith();
    server.registerTool({ ...TOOL, name: "write", scopes: ["files:write"] }, run);
    server.registerPrompt(PROMPT, run);
    server.registerResource(RESOURCE, run);
    const handler = mcpHandler(server, { maxBodyBytes: 1000 });
    const response = await handler(request, { principal: { subject: "ada", scopes: [] } });
    const { error } = await response.json();
    assertEquals([response.status, error.message], [status, message]);
    await handler.close();
  });
}

Deno.test("start() with a copy of the context is an error that names the argument", async () => {
  const jobs = serverTasks();
  const server = serverWith({ extensions: [jobs] });
  server.registerTool(TOOL, async (_args, context) => {
    await jobs.start({ ...context });
  });
  const _meta = meta({ extensions: { [jobs.id]: {} } });
  const params = { name: "slow", _meta };
  const { result } = await server.handleRequest({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params,
  });
  const text =
    '"context" must be the context that the tool handler received, not a copy, and the extension must be in "extensions" of the server';
  assertEquals(result, {
    ...objectOf(result),
    content: [{ type: "text", text }],
    isError: true,
  });
  await server.close();
});

Deno.test("a change listener that throws is reported and does not affect registrations or other listeners", async () => {
  const reported: unknown[] = [];
  const server = serverWith({ onError: (error) => reported.push(error) });
  const changes: string[] = [];
  const bug = new Error("bug in the listener");
  server.changes.listen(() => {
    throw bug;
  });
  server.changes.listen(({ kind }) => changes.push(kind));
  server.registerTool(TOOL, run);
  assertEquals([reported, changes], [[bug], ["tools"]]);
  await server.close();
});

/** Options that restrict, each set in a function that reads it. */
const RESTRICTIONS: Readonly<Record<string, (options: Anything) => unknown>> = {
  visible: (options) => serverWith(options),
  scopes: (options) => untyped().registerTool({ ...TOOL, ...options }, run),
  inputSchema: (options) => untyped().registerTool({ ...TOOL, ...options }, run),
  allowedHosts: (options) => mcpHandler(serverWith(), options),
  allowedOrigins: (options) => mcpHandler(serverWith(), options),
  maxBodyBytes: (options) => mcpHandler(serverWith(), options),
  principal: (options) => toNodeListener(handle, options),
  verify: (options) => resourceServer(handle, { ...AUTH, ...options }),
  resource: (options) => resourceServer(handle, { ...AUTH, ...options }),
  requiredScopes: (options) => resourceServer(handle, { ...AUTH, ...options }),
  requireDpop: (options) => resourceServer(handle, { ...AUTH, ...options }),
  algorithms: (options) => jwtVerifier({ issuer: "https://login.example", ...options }),
  replayStore: (options) => jwtVerifier({ issuer: "https://login.example", ...options }),
};

Deno.test("null is not a way to leave out an option that restricts", () => {
  for (const [name, call] of Object.entries(RESTRICTIONS)) {
    const error = assertThrows(() => call({ [name]: null }), Error, name);
    assert(error instanceof TypeError || error instanceof RangeError, `${name}: ${error}`);
  }
});

Deno.test("null is not a way to leave out an option of a gateway that restricts", async () => {
  const client = () => Promise.reject(new Error("offline"));
  for (
    const [options, name] of [
      [{ upstreams: null }, "upstreams"],
      [{ upstreams: {}, fingerprints: null }, "fingerprints"],
      [{ upstreams: {}, visible: null }, "visible"],
      [{ upstreams: { a: { client, allow: null } } }, "upstreams.a.allow"],
    ] as const
  ) {
    const rejected = () => mcpGateway(wrong({ name: "g", version: "1", ...options }));
    await assertRejects(rejected, TypeError, `"${name}" must be`);
  }
});
