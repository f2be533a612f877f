/**
 * Mistakes that users of the client make, and the messages that they see. Each message names the
 * option or argument, the requirement and the value.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  createTransport,
  HttpTransport,
  McpClient,
  McpError,
  SseTransport,
  StdioTransport,
} from "./client.ts";
import { authorizedFetch } from "./auth.ts";
import { spawnServer } from "./process.ts";
import { createMemoryTransport, mcpHandler, McpServer, servePipe } from "./mod.ts";

/**
 * Calls a function or constructor with arguments that its types do not allow, as a JavaScript
 * program can.
 */
function call(target: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown {
  return Reflect.apply(target, undefined, args);
}

function make(target: new (...args: never[]) => unknown, ...args: readonly unknown[]): unknown {
  return Reflect.construct(target, args);
}

const stdio = { type: "stdio" };
const url = "http://127.0.0.1:1/mcp";

const TRANSPORT =
  '"transport" must be a TransportConfig, an McpTransport or the result of spawnServer(), got ';

type Row = readonly [mistake: string, act: () => unknown, error: ErrorConstructor, message: string];

function client(config: unknown): () => unknown {
  return () => make(McpClient, config);
}

function http(options: unknown): () => unknown {
  return () => make(HttpTransport, url, options);
}

function spawn(...args: readonly unknown[]): () => unknown {
  return () => call(spawnServer, ...args);
}

function auth(config: unknown): () => unknown {
  return () => call(authorizedFetch, config, { resource: url });
}

/** Mistakes that are reported synchronously. */
const AT_ONCE: readonly Row[] = [
  [
    "no configuration",
    () => make(McpClient),
    TypeError,
    '"config" must be an object, got undefined',
  ],
  ["a URL as configuration", client(url), TypeError, `"config" must be an object, got "${url}"`],
  ["no transport", client({}), TypeError, `${TRANSPORT}undefined`],
  [
    "a URL as transport",
    client({ transport: url }),
    TypeError,
    `${TRANSPORT}"${url}"; use { type: "http", url }`,
  ],
  [
    "a URL object as transport",
    client({ transport: new URL(url) }),
    TypeError,
    `${TRANSPORT}an instance of URL; use { type: "http", url }`,
  ],
  [
    "a command as transport",
    client({ transport: "npx server" }),
    TypeError,
    `${TRANSPORT}"npx server"`,
  ],
  ["a function as transport", client({ transport: () => {} }), TypeError, `${TRANSPORT}a function`],
  [
    "an incomplete transport",
    client({ transport: { send: () => {} } }),
    TypeError,
    `${TRANSPORT}an object`,
  ],
  [
    "a server as transport",
    client({ transport: new McpServer({ name: "s", version: "1" }) }),
    TypeError,
    `${TRANSPORT}an instance of McpServer`,
  ],
  [
    "an unknown type",
    client({ transport: { type: "ws" } }),
    TypeError,
    '"type" must be "stdio", "sse" or "http", got "ws"',
  ],
  [
    "no url",
    client({ transport: { type: "http" } }),
    TypeError,
    '"url" must be an HTTP or HTTPS URL, got undefined',
  ],
  [
    "a relative url",
    client({ transport: { type: "http", url: "/mcp" } }),
    TypeError,
    '"url" must be an HTTP or HTTPS URL, got "/mcp"',
  ],
  [
    "a ws url",
    client({ transport: { type: "sse", url: "ws://a" } }),
    TypeError,
    '"url" must be an HTTP or HTTPS URL, got "ws://a"',
  ],
  [
    "an unknown protocol",
    client({ transport: stdio, protocol: "2023-01-01" }),
    TypeError,
    '"protocol" must be "auto", "modern", "legacy" or a supported protocol version, got "2023-01-01"',
  ],
  [
    "an unknown era",
    client({ transport: stdio, era: "old" }),
    TypeError,
    '"era" must be a value of ServerEra, got "old"',
  ],
  [
    "a misspelled handler",
    client({ transport: stdio, handlers: { sample: () => {} } }),
    TypeError,
    '"handlers" must have only known options, got "sample"; the options are elicit, elicitUrl, createMessage, listRoots',
  ],
  [
    "a handler that is not a function",
    client({ transport: stdio, handlers: { elicit: true } }),
    TypeError,
    '"handlers.elicit" must be a function, got true',
  ],
  [
    "a function as handlers",
    client({ transport: stdio, handlers: () => {} }),
    TypeError,
    '"handlers" must be an object, got a function',
  ],
  [
    "a single extension instead of an array",
    client({ transport: stdio, extensions: {} }),
    TypeError,
    '"extensions" must be an array of client extensions, got an object',
  ],
  [
    "clientInfo without a version",
    client({ transport: stdio, clientInfo: { name: "a" } }),
    TypeError,
    '"clientInfo.version" must be a string, got undefined',
  ],
  [
    "a name as clientInfo",
    client({ transport: stdio, clientInfo: "a" }),
    TypeError,
    '"clientInfo" must be an object, got "a"',
  ],
  [
    "a token as auth",
    client({ transport: stdio, auth: "token" }),
    TypeError,
    '"auth" must be an object, got "token"',
  ],
  [
    "onError that is not a function",
    client({ transport: stdio, onError: "ignore" }),
    TypeError,
    '"onError" must be a function, got "ignore"',
  ],
  [
    "onNotification that is not a function",
    client({ transport: stdio, onNotification: {} }),
    TypeError,
    '"onNotification" must be a function, got an object',
  ],
  [
    "a string as throwOnToolError",
    client({ transport: stdio, throwOnToolError: "false" }),
    TypeError,
    '"throwOnToolError" must be a boolean, got "false"',
  ],
  [
    "a number as enforceCapabilities",
    client({ transport: stdio, enforceCapabilities: 0 }),
    TypeError,
    '"enforceCapabilities" must be a boolean, got 0',
  ],
  [
    "an array as capabilities",
    client({ transport: stdio, capabilities: [] }),
    TypeError,
    '"capabilities" must be an object, got an array',
  ],
  [
    "a maxConcurrent of 0",
    client({ transport: stdio, maxConcurrent: 0 }),
    RangeError,
    '"maxConcurrent" must be a positive integer, got 0',
  ],
  [
    "a negative maxQueued",
    client({ transport: stdio, maxQueued: -1 }),
    RangeError,
    '"maxQueued" must be a non-negative integer, got -1',
  ],
  [
    "a string as a limit",
    client({ transport: stdio, maxListPages: "10" }),
    RangeError,
    '"maxListPages" must be a positive integer, got "10"',
  ],
  [
    "a limit of NaN",
    client({ transport: stdio, maxListItems: NaN }),
    RangeError,
    '"maxListItems" must be a positive integer, got NaN',
  ],
  [
    "a limit of null",
    client({ transport: stdio, maxListChars: null }),
    RangeError,
    '"maxListChars" must be a positive integer, got null',
  ],
  [
    "a maxInputRequests of 0",
    client({ transport: stdio, maxInputRequests: 0 }),
    RangeError,
    '"maxInputRequests" must be a positive integer, got 0',
  ],
  [
    "a timeout of 0",
    client({ transport: stdio, connectTimeoutMs: 0 }),
    RangeError,
    '"connectTimeoutMs" must be a positive number, got 0',
  ],
  [
    "a timeout with a unit",
    client({ transport: stdio, probeTimeoutMs: "5s" }),
    RangeError,
    '"probeTimeoutMs" must be a positive number, got "5s"',
  ],
  [
    "createTransport() without arguments",
    () => call(createTransport),
    TypeError,
    '"config" must be an object, got undefined',
  ],
  [
    "an array as headers",
    http({ headers: [] }),
    TypeError,
    '"headers" must be an object, got an array',
  ],
  [
    "a header with a line feed",
    http({ headers: { a: "b\nc" } }),
    TypeError,
    '"headers" must contain valid HTTP headers, got an invalid header "a"',
  ],
  [
    "fetch that is not a function",
    http({ fetch: {} }),
    TypeError,
    '"fetch" must be a function, got an object',
  ],
  [
    "negative retries",
    http({ maxRetries: -1 }),
    RangeError,
    '"maxRetries" must be a non-negative integer, got -1',
  ],
  [
    "a message limit of 0",
    http({ maxMessageChars: 0 }),
    RangeError,
    '"maxMessageChars" must be a positive integer, got 0',
  ],
  ["a string as options", http("bearer"), TypeError, '"options" must be an object, got "bearer"'],
  [
    "a URL object for SseTransport",
    () => make(SseTransport, 5),
    TypeError,
    '"url" must be an HTTP or HTTPS URL, got 5',
  ],
  [
    "a stream as reader",
    () => make(StdioTransport, { reader: new ReadableStream() }),
    TypeError,
    '"reader" must be a LineReader, got an instance of ReadableStream',
  ],
  [
    "a stream as writer",
    () => make(StdioTransport, { writer: new WritableStream() }),
    TypeError,
    '"writer" must be a LineWriter, got an instance of WritableStream',
  ],
  [
    "a negative line length",
    () => make(StdioTransport, { maxLineBytes: -1 }),
    RangeError,
    '"maxLineBytes" must be a non-negative integer, got -1',
  ],
  ["no command", spawn(), TypeError, '"command" must be a string, got undefined'],
  ["an empty command", spawn(""), TypeError, '"command" must be the name of a program, got ""'],
  [
    "a string as args",
    spawn("npx", "-y server"),
    TypeError,
    '"args" must be an array of strings, got "-y server"',
  ],
  [
    "an argument that is a number",
    spawn("npx", ["--port", 80]),
    TypeError,
    '"args[1]" must be a string, got 80',
  ],
  [
    "an undefined variable",
    spawn("npx", [], { env: { KEY: undefined } }),
    TypeError,
    '"env.KEY" must be a string, got undefined',
  ],
  [
    "a file name as stderr",
    spawn("npx", [], { stderr: "log.txt" }),
    TypeError,
    '"stderr" must be "pipe" or "inherit", got "log.txt"',
  ],
  [
    "a folder that is not a string",
    spawn("npx", [], { cwd: 5 }),
    TypeError,
    '"cwd" must be a string, got 5',
  ],
  [
    "a grace period of NaN",
    spawn("npx", [], { graceMs: NaN }),
    RangeError,
    '"graceMs" must be a non-negative number, got NaN',
  ],
  [
    "a string as a grace period",
    spawn("npx", [], { graceMs: "2s" }),
    RangeError,
    '"graceMs" must be a non-negative number, got "2s"',
  ],
  [
    "a pipe instead of a function",
    () => call(createMemoryTransport, {}),
    TypeError,
    '"serve" must be a function, got an object',
  ],
  [
    "no authorization settings",
    auth(undefined),
    TypeError,
    '"config" must be an object, got undefined',
  ],
  [
    "empty authorization settings",
    auth({}),
    TypeError,
    '"clientId" must be a string, got undefined; or set "discover" to true',
  ],
  [
    "a number as clientId",
    auth({ clientId: 5 }),
    TypeError,
    '"clientId" must be a string, got 5; or set "discover" to true',
  ],
  [
    "no tokenUrl",
    auth({ clientId: "a", redirectUri: "http://127.0.0.1/", authUrl: "https://a.example" }),
    TypeError,
    '"tokenUrl" must be a string, got undefined; or set "discover" to true',
  ],
  [
    "a grant without a client",
    auth({ discover: true, grant: { type: "client_credentials" } }),
    TypeError,
    '"clientId" must be a string, got undefined',
  ],
  [
    "a redirect without TLS",
    auth({ discover: true, redirectUri: "http://a.example/" }),
    TypeError,
    '"redirectUri" must be an HTTPS, loopback HTTP or custom-scheme URL, got "http://a.example/"',
  ],
  [
    "authorize that is a URL",
    auth({ discover: true, authorize: "https://a.example" }),
    TypeError,
    '"authorize" must be a function, got "https://a.example"',
  ],
  [
    "a login timeout of 0",
    auth({ discover: true, loginTimeoutMs: 0 }),
    RangeError,
    '"loginTimeoutMs" must be a positive number, got 0',
  ],
];

for (const [mistake, act, kind, message] of AT_ONCE) {
  Deno.test(`the message for ${mistake} names the argument, the requirement and the value`, () => {
    let error: unknown;
    try {
      act();
    } catch (thrown) {
      error = thrown;
    }
    assert(error instanceof kind, `${error}`);
    assertEquals(error.message, message);
  });
}

async function connected(): Promise<McpClient> {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  server.registerPrompt({ name: "p", arguments: [] }, () => "");
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  return client;
}

const signal =
  '"signal" must be an AbortSignal, got an instance of AbortController; pass its "signal"';

/** Mistakes in calls: method, arguments, error and message. */
const IN_CALLS:
  readonly (readonly [keyof McpClient, readonly unknown[], ErrorConstructor, string])[] = [
    ["callTool", [], TypeError, '"toolName" must be a string, got undefined'],
    ["callTool", [{ name: "t" }], TypeError, '"toolName" must be a string, got an object'],
    ["callTool", ["t", "text"], TypeError, '"args" must be an object, got "text"'],
    ["callTool", ["t", []], TypeError, '"args" must be an object, got an array'],
    ["callTool", ["t", null], TypeError, '"args" must be an object, got null'],
    ["callTool", ["t", {}, 5000], TypeError, '"options" must be an object, got 5000'],
    [
      "callTool",
      ["t", {}, { timeoutMs: "5000" }],
      RangeError,
      '"timeoutMs" must be a positive number, got "5000"',
    ],
    [
      "callTool",
      ["t", {}, { timeoutMs: 0 }],
      RangeError,
      '"timeoutMs" must be a positive number, got 0',
    ],
    [
      "callTool",
      ["t", {}, { maxTotalMs: NaN }],
      RangeError,
      '"maxTotalMs" must be a positive number, got NaN',
    ],
    ["callTool", ["t", {}, { signal: new AbortController() }], TypeError, signal],
    [
      "callTool",
      ["t", {}, { onProgress: true }],
      TypeError,
      '"onProgress" must be a function, got true',
    ],
    ["listTools", [{ signal: new AbortController() }], TypeError, signal],
    ["listResources", ["cursor"], TypeError, '"options" must be an object, got "cursor"'],
    ["getResource", [], TypeError, '"uri" must be a string, got undefined'],
    ["getResource", [new URL("r:1")], TypeError, '"uri" must be a string, got an instance of URL'],
    ["getPrompt", [5], TypeError, '"name" must be a string, got 5'],
    ["getPrompt", ["p", "text"], TypeError, '"args" must be an object, got "text"'],
    ["complete", [], TypeError, '"params" must be an object, got undefined'],
    ["listen", ["r:1"], TypeError, '"filter" must be an object, got "r:1"'],
    [
      "listen",
      [{ resourceSubscriptions: "r:1" }],
      TypeError,
      '"filter.resourceSubscriptions" must be an array of URIs, got "r:1"',
    ],
    [
      "setLogLevel",
      ["warn"],
      TypeError,
      '"level" must be one of "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", got "warn"',
    ],
  ];

Deno.test("the message for a mistake in a call names the argument, the requirement and the value", async () => {
  const client = await connected();
  for (const [method, args, kind, message] of IN_CALLS) {
    const target: unknown = client[method];
    assert(typeof target === "function");
    const error = await assertRejects(async () => await Reflect.apply(target, client, args));
    assert(error instanceof kind, `${String(method)}: ${error}`);
    assertEquals(error.message, message);
  }
  await client.disconnect();
});

Deno.test("the error of connect() names an invalid option", async () => {
  const client = new McpClient({ transport: { type: "http", url } });
  await assertRejects(
    async () => await call(client.connect.bind(client), { signal: 5 }),
    TypeError,
    '"signal" must be an AbortSignal, got 5',
  );
});

Deno.test("the error of connect() names a missing or unknown setting of auth", async () => {
  const settings = { clientId: "c", redirectUri: url, authUrl: url, tokenUrl: url };
  for (
    const [auth, message] of [
      [{}, '"auth.clientId" must be a string, got undefined; or set "discover" to true'],
      [{ ...settings, isuer: url }, '"auth" must have only known options, got "isuer"'],
      [{ discover: "true" }, '"auth.discover" must be a boolean, got "true"'],
      [{ discover: true, authUrl: url }, '"auth" must have only known options, got "authUrl"'],
      [{ discover: true, grant: {} }, '"auth.grant.type" must be "client_credentials" or'],
    ] as const
  ) {
    const client = new McpClient({ transport: { type: "http", url }, auth: Object(auth) });
    await assertRejects(() => client.connect(), TypeError, message);
  }
});

Deno.test("the error of every request before connect() names connect()", async () => {
  const client = new McpClient({ transport: { type: "http", url } });
  for (
    const act of [() => client.listTools(), () => client.callTool("t", {}), () => client.listen({})]
  ) {
    await assertRejects(act, McpError, "the client is not connected; call connect() first");
  }
});

/** Responses to every request, and the expected end of the error message from connect(). */
const RESPONSES: readonly (readonly [ResponseInit, object, string])[] = [
  [
    { status: 401 },
    {},
    'the server requires authorization (HTTP 401); set the "auth" option (OAuth), or send the server\'s API key with the "headers" option of the transport',
  ],
  [
    {
      status: 401,
      headers: { "www-authenticate": 'Bearer resource_metadata="https://api.example/metadata"' },
    },
    {},
    'the server requires authorization (HTTP 401); set the "auth" option',
  ],
  [
    { status: 401 },
    { headers: { Authorization: "Bearer x" } },
    'the server requires authorization (HTTP 401); check the "authorization" header',
  ],
  [{ status: 403 }, {}, "the server denied access (HTTP 403)"],
  [
    {
      status: 403,
      headers: {
        "www-authenticate": 'Bearer error="insufficient_scope", scope="files:read files:write"',
      },
    },
    {},
    'the server denied access (HTTP 403); required scopes: "files:read files:write"',
  ],
  [
    { status: 404 },
    {},
    'the server returned HTTP status 404; tried POST "server/discover", POST "initialize", GET for an event stream; check that the URL is an MCP endpoint',
  ],
  [
    { status: 405 },
    {},
    'the server returned HTTP status 405; tried POST "server/discover", POST "initialize", GET for an event stream; check that the URL is an MCP endpoint',
  ],
  [
    { status: 501 },
    {},
    'the server returned HTTP status 501; tried POST "server/discover"; check that the URL is an MCP endpoint',
  ],
  [{ status: 500 }, {}, "the server returned HTTP status 500"],
  [{ status: 503 }, {}, "the server returned HTTP status 503"],
  [{ status: 429 }, {}, "the server returned HTTP status 429"],
  [
    { headers: { "content-type": "text/html" } },
    {},
    'unsupported Content-Type "text/html"; tried POST "server/discover", POST "initialize"; check that the URL is an MCP endpoint',
  ],
  [
    { headers: { "content-type": "application/json" } },
    {},
    'Invalid Request: "jsonrpc" must be "2.0"; tried POST "server/discover", POST "initialize"; check that the URL is an MCP endpoint',
  ],
];

Deno.test("the connection error for an HTTP status contains the remedy", async () => {
  let init: ResponseInit = {};
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(
    options,
    () => new Response(init.status === undefined ? "{}" : null, init),
  );
  for (const [response, transport, message] of RESPONSES) {
    init = response;
    const address = `http://127.0.0.1:${server.addr.port}/mcp`;
    const client = new McpClient({ transport: new HttpTransport(address, transport) });
    const error = await assertRejects(() => client.connect(), McpError);
    assert(error.message.endsWith(`: ${message}`), error.message);
  }
  await server.shutdown();
});

Deno.test("the error for HTTP 413 contains the size of the request", async () => {
  for (const protocol of ["modern", "legacy"] as const) {
    const server = new McpServer({ name: "small", version: "1" });
    server.registerTool({ name: "t", description: "" }, () => "ok");
    const handler = mcpHandler(server, { maxBodyBytes: 5000 });
    let size = 0;
    const fetch = (url: string, init?: RequestInit) => {
      const body = typeof init?.body === "string" ? init.body : "";
      size = Math.max(size, new TextEncoder().encode(body).length);
      return handler(new Request(url, init));
    };
    const transport = new HttpTransport("http://localhost/mcp", { fetch });
    const client = new McpClient({ transport, protocol });
    await client.connect();
    const error = await assertRejects(
      () => client.callTool("t", { a: "é".repeat(5000) }),
      McpError,
    );
    assert(size > 10_000);
    assertEquals(
      error.message,
      `Cannot complete the request: the request (${size} bytes) is too large for the server (HTTP 413): Payload too large: maximum is 5000 bytes`,
    );
    await client.disconnect();
    await handler.close();
  }
});

Deno.test("the connection error for a program that does not exist names the program", async () => {
  const client = new McpClient({ transport: spawnServer("no-such-program") });
  const error = await assertRejects(() => client.connect(), McpError);
  assertEquals(error.code, "connection_failed");
  assert(error.message.startsWith('Cannot connect to "no-such-program": '), error.message);
  assert(!error.message.includes('"args"'), error.message);
});

Deno.test("the connection error for a command that contains arguments names args", async () => {
  const client = new McpClient({ transport: spawnServer("deno run server.ts") });
  const error = await assertRejects(() => client.connect(), McpError);
  assertEquals(error.code, "connection_failed");
  const hint = '; pass the arguments of the program in the array "args" instead of in "command"';
  assert(error.message.endsWith(hint), error.message);
});

Deno.test("onError receives a remedy if a server prints other text to standard output", async () => {
  const reply = {
    jsonrpc: "2.0",
    id: 1,
    result: { protocolVersion: "2025-06-18", capabilities: {} },
  };
  const code = `
    console.log("Listening");
    console.log("[info] ready");
    let isAnswered = false;
    for await (const _chunk of Deno.stdin.readable) {
      if (!isAnswered) console.log(${JSON.stringify(JSON.stringify(reply))});
      isAnswered = true;
    }
  `;
  const messages: string[] = [];
  const client = new McpClient({
    transport: spawnServer("deno", ["eval", code]),
    protocol: "legacy",
    onError: (error) => messages.push(error instanceof Error ? error.message : String(error)),
  });
  await client.connect();
  await client.disconnect();
  assertEquals(
    messages,
    ["Listening", "[info] ready"].map((line) =>
      `Cannot read a message from the server: the server printed the line "${line}" to standard ` +
      "output, which must contain only MCP messages; print logs to standard error (a Parley server " +
      'with "redirectConsole: true" does)'
    ),
  );
});
