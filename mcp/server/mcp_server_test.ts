import { assert, assertEquals, assertThrows } from "@std/assert";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { McpRequest } from "../jsonrpc/message.ts";
import { Answer, listOf, objectOf } from "../testdata/answer.ts";
import { meta } from "../testdata/pipes.ts";
import type { ServerExtension } from "./extension.ts";
import { McpServer } from "./mcp_server.ts";
import type { ServerRegistration } from "./registration.ts";
import type { McpServerConfig } from "./server_config.ts";
import type { StandardSchema } from "./schema.ts";

function make(config: Partial<McpServerConfig> = {}): McpServer {
  return new McpServer({ name: "s", version: "1", ...config });
}

async function ask(server: McpServer, method: string, params: JsonObject = {}): Promise<Answer> {
  return new Answer(await server.handleRequest({ jsonrpc: "2.0", id: 1, method, params }));
}

async function call(server: McpServer, name: string, args: JsonObject = {}): Promise<Answer> {
  return await ask(server, "tools/call", { name, arguments: args });
}

Deno.test("handleRequest() handles modern and legacy requests without a session", async () => {
  const server = make({ instructions: "Be kind", title: "S" });
  server.registerTool({ name: "t", description: "" }, () => "x");
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo };
  const request = { jsonrpc: "2.0", id: 1, method: "initialize", params } as const;
  assertEquals<unknown>(await server.handleRequest(request), {
    jsonrpc: "2.0",
    id: 1,
    result: {
      protocolVersion: "2025-03-26",
      capabilities: { logging: {}, tools: {} },
      serverInfo: { name: "s", version: "1", title: "S" },
      instructions: "Be kind",
    },
  });
  const other = await ask(server, "initialize", { ...params, protocolVersion: "2026-07-28" });
  assertEquals(other.result.protocolVersion, "2025-11-25");
  assertEquals((await ask(server, "ping")).result, {});
  const { result } = await ask(server, "server/discover", { _meta: meta() });
  assertEquals(result, {
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    supportedVersions: ["2026-07-28"],
    capabilities: { logging: {}, tools: { listChanged: true } },
    instructions: "Be kind",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1", title: "S" } },
  });
});

const clientInfo = { name: "c", version: "1" };

function initialize(params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

/** Test cases: request, expected error code, and expected response id. */
const WRONG: readonly [unknown, number, unknown][] = [
  [{ jsonrpc: "2.0", id: null, method: "ping" }, -32600, null],
  [{ jsonrpc: "2.0", method: "ping" }, -32600, null],
  [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600, 1],
  [undefined, -32600, null],
  [{ jsonrpc: "2.0", id: 1, method: "no/such" }, -32601, 1],
  [{ jsonrpc: "2.0", id: 1, method: "tools/list" }, -32601, 1],
  [{ jsonrpc: "2.0", id: 1, method: "server/discover" }, -32601, 1],
  [{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { _meta: meta() } }, -32601, 1],
  [{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, -32602, 1],
  [initialize({ capabilities: {}, clientInfo }), -32602, 1],
  [initialize({ protocolVersion: "2025-11-25", clientInfo }), -32602, 1],
  [initialize({ protocolVersion: "2025-11-25", capabilities: {} }), -32602, 1],
  [
    initialize({ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c" } }),
    -32602,
    1,
  ],
  [{ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "loud" } }, -32602, 1],
];

Deno.test("handleRequest() never rejects", async () => {
  for (const [request, code, id] of WRONG) {
    const response = await make().handleRequest(request as McpRequest);
    assertEquals([response.error?.code, response.id], [code, id], JSON.stringify(request));
  }
});

/** A value that throws when any of its members is read. */
function hostile(target: object = {}): object {
  const trap = () => {
    throw hostileError;
  };
  return new Proxy(target, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });
}

const hostileError: object = new Proxy({}, {
  get: () => {
    throw new Error("trap");
  },
  getPrototypeOf: () => {
    throw new Error("trap");
  },
});

Deno.test("handleRequest() never rejects, even if reading the request throws", async () => {
  const errors: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1", onError: (error) => errors.push(error) });
  server.registerTool({ name: "t", description: "" }, () => {
    throw hostileError;
  });
  server.registerTool({ name: "get", description: "" }, ({ a }) => `${a}`);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const rows: readonly (readonly [object, unknown])[] = [
    [hostile(), null],
    [hostile([]), null],
    [{ ...call, params: hostile() }, 1],
    [{ ...call, params: { name: "t", _meta: hostile() } }, 1],
    [{ ...call, params: { name: "t" } }, 1],
    [{ ...call, params: { name: "t", arguments: hostile() } }, 1],
    [{ jsonrpc: "2.0", id: 1, method: "initialize", params: hostile() }, 1],
  ];
  for (const [request, id] of rows) {
    const response = await server.handleRequest(request as McpRequest);
    assertEquals(response.id, id);
  }
  assert(errors.length > 0);
});

/** Test cases: return value of the handler, and expected result. */
const RETURNED: readonly [unknown, JsonObject][] = [
  ["text", { content: [{ type: "text", text: "text" }] }],
  [undefined, { content: [] }],
  [7, { content: [{ type: "text", text: "7" }], structuredContent: 7 }],
  [null, { content: [{ type: "text", text: "null" }], structuredContent: null }],
  [{ a: 1 }, { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } }],
  [{ content: "no list" }, {
    content: [{ type: "text", text: '{"content":"no list"}' }],
    structuredContent: { content: "no list" },
  }],
  [{ content: [{ type: "text", text: "x" }], isError: true }, {
    content: [{ type: "text", text: "x" }],
    isError: true,
  }],
  [{ type: "text", text: "x" }, { content: [{ type: "text", text: "x" }] }],
  [[{ type: "text", text: "x" }, { type: "image", data: "AQI=", mimeType: "image/png" }], {
    content: [
      { type: "text", text: "x" },
      { type: "image", data: "AQI=", mimeType: "image/png" },
    ],
  }],
  [{ type: "resource_link", uri: "r:1", name: "r" }, {
    content: [{ type: "resource_link", uri: "r:1", name: "r" }],
  }],
  [{ type: "resource", resource: { uri: "r:1", text: "x" }, annotations: { priority: 1 } }, {
    content: [{
      type: "resource",
      resource: { uri: "r:1", text: "x" },
      annotations: { priority: 1 },
    }],
  }],
  ...[
    { type: "text" },
    { type: "text", text: 1 },
    { type: "text", text: "x", language: "en" },
    { type: "image", data: "AQI=" },
    { type: "resource", resource: { uri: "r:1" } },
    { type: "point", x: 1 },
    [],
    ["x"],
    [{ type: "text", text: "x" }, { x: 1 }],
  ].map((value): [unknown, JsonObject] => [value, {
    content: [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: value,
  }]),
  [new Date(0), { content: [{ type: "text", text: "1970-01-01T00:00:00.000Z" }] }],
  [{ at: new Date(0), none: undefined }, {
    content: [{ type: "text", text: '{"at":"1970-01-01T00:00:00.000Z"}' }],
    structuredContent: { at: "1970-01-01T00:00:00.000Z" },
  }],
  [new Uint8Array([1, 2]), {
    content: [{
      type: "resource",
      resource: { uri: "result:t", mimeType: "application/octet-stream", blob: "AQI=" },
    }],
  }],
];

Deno.test("a tool can return a string, content, JSON, bytes or undefined", async () => {
  for (const [value, expected] of RETURNED) {
    const server = make();
    server.registerTool({ name: "t", description: "" }, () => value);
    const { result } = await ask(server, "tools/call", { name: "t", _meta: meta() });
    const { resultType: _type, _meta, ...rest } = result;
    assertEquals(rest, expected, JSON.stringify(value));
  }
});

Deno.test("structured content that is not an object is omitted for legacy clients", async () => {
  const server = make();
  const outputSchema = { type: "array" };
  server.registerTool({ name: "list", description: "", outputSchema }, () => [1]);
  assertEquals((await call(server, "list")).result, { content: [{ type: "text", text: "[1]" }] });
  assertEquals(
    "outputSchema" in objectOf(listOf((await ask(server, "tools/list")).result.tools)[0]),
    false,
  );
  const { result } = await ask(server, "tools/list", { _meta: meta() });
  assertEquals(listOf(result.tools)[0]?.outputSchema, outputSchema);
});

Deno.test("onError receives the failures of change listeners, and all listeners are called", async () => {
  const reported: unknown[] = [];
  const failures = [new Error("thrown"), new Error("rejected")];
  const server = make({ onError: (error) => void reported.push(error) });
  server.changes.listen(() => {
    throw failures[0];
  });
  server.changes.listen(() => Promise.reject(failures[1]));
  const changes: unknown[] = [];
  server.changes.listen((change) => changes.push(change));
  server.registerTool({ name: "t", description: "" }, () => "");
  await Promise.resolve();
  assertEquals([reported, changes], [failures, [{ kind: "tools" }]]);
});

Deno.test("a tool that throws returns a result with isError and without a stack trace", async () => {
  const server = make();
  server.registerTool({ name: "t", description: "" }, () => {
    throw new Error("out of paper");
  });
  server.registerTool({ name: "odd", description: "" }, () => Promise.reject("just text"));
  assertEquals((await call(server, "t")).result, {
    content: [{ type: "text", text: "out of paper" }],
    isError: true,
  });
  assertEquals((await call(server, "odd")).result.content, [{ type: "text", text: "just text" }]);
});

Deno.test("a handler can use a custom error code, but not a reserved one", async () => {
  const server = make();
  server.registerTool({ name: "t", description: "" }, ({ code }: { code: number }) => {
    throw McpError.protocolError("mine", { rpcCode: code, data: { a: 1 } });
  });
  const error = { code: 42, message: "mine", data: { a: 1 } };
  assertEquals((await call(server, "t", { code: 42 })).error, error);
  assertEquals((await call(server, "t", { code: -32602 })).error.code, -32602);
  for (const code of [-32700, -32600, -32601, -32000, -32020, 1.5]) {
    assertEquals((await call(server, "t", { code })).result.isError, true, `${code}`);
  }
});

Deno.test("errors from resources and prompts are reported to onError but not sent to the client", async () => {
  const reported: unknown[] = [];
  const server = make({ onError: (error) => reported.push(error) });
  const secret = new Error("password is 1234");
  const fail = () => {
    throw secret;
  };
  server.registerResource({ uri: "r:1", name: "r" }, fail);
  server.registerPrompt({ name: "p", arguments: [] }, fail);
  server.registerPrompt({ name: "odd", arguments: [] }, () => 17);
  const error = { code: -32603, message: "Internal error" };
  assertEquals((await ask(server, "resources/read", { uri: "r:1" })).error, error);
  assertEquals((await ask(server, "prompts/get", { name: "p" })).error, error);
  assertEquals((await ask(server, "prompts/get", { name: "odd" })).error, error);
  assertEquals([reported[0], reported[1], reported[2] instanceof TypeError], [
    secret,
    secret,
    true,
  ]);
});

Deno.test("arguments are validated with JSON Schema before the tool runs", async () => {
  const server = make();
  let runs = 0;
  const inputSchema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 }, to: { $ref: "#/$defs/place" } },
    required: ["n"],
    $defs: { place: { enum: ["here", "there"] } },
  };
  server.registerTool({ name: "t", description: "", inputSchema }, () => `${++runs}`);
  assertEquals((await call(server, "t", { n: 1, to: "here" })).result.isError, undefined);
  for (const args of [{}, { n: 0 }, { n: "1" }, { n: 1, to: "nowhere" }]) {
    const { result } = await call(server, "t", args);
    assertEquals(result.isError, true);
    assert(`${listOf(result.content)[0]?.text}`.startsWith('Invalid input for tool "t": /'));
  }
  assertEquals(runs, 1);
  const { error } = await ask(server, "tools/call", { name: "t", arguments: [1] });
  assertEquals(error.code, -32602);
});

/** A Standard Schema for `{ n: number }` that converts strings to numbers. */
const NUMBER: StandardSchema<{ n: string }, { n: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const n = Number((value as { n?: unknown }).n);
      return Number.isNaN(n)
        ? { issues: [{ message: "no number", path: ["n", { key: 0 }] }] }
        : Promise.resolve({ value: { n } });
    },
    jsonSchema: {
      input: () => ({ type: "object", properties: { n: { type: "string" } } }),
      output: () => ({ type: "object", properties: { n: { type: "number" } } }),
    },
  },
};

Deno.test("arguments are validated and converted with a Standard Schema", async () => {
  const server = make();
  server.registerTool(
    { name: "t", description: "", inputSchema: NUMBER, outputSchema: NUMBER },
    ({ n }) => ({ n: n + 1 }),
  );
  const { result } = await ask(server, "tools/list");
  const [tool] = listOf(result.tools);
  const typeOf = (schema: unknown) => objectOf(objectOf(objectOf(schema).properties).n).type;
  assertEquals([typeOf(tool?.inputSchema), typeOf(tool?.outputSchema)], ["string", "number"]);
  assertEquals((await call(server, "t", { n: "41" })).result.structuredContent, { n: 42 });
  assertEquals(
    listOf((await call(server, "t", { n: "x" })).result.content)[0]?.text,
    'Invalid input for tool "t": /n/0: no number. Correct the input and call the tool again.',
  );
});

Deno.test("registerTool() throws if a Standard Schema cannot be converted to JSON Schema", () => {
  const old = { "~standard": { version: 1, vendor: "old", validate: () => ({ issues: [] }) } };
  assertThrows(
    () => make().registerTool({ name: "t", description: "", inputSchema: old }, () => ""),
    TypeError,
    "old",
  );
});

Deno.test("a custom validator replaces the default one", async () => {
  const schemas: JsonObject[] = [];
  const server = make({
    validator: {
      compile: (schema) => {
        schemas.push(schema);
        return () => [{ path: "", message: "never good enough" }];
      },
    },
  });
  const inputSchema = { type: "object", properties: {} };
  server.registerTool({ name: "t", description: "", inputSchema }, () => "");
  const { result } = await call(server, "t");
  assertEquals(
    listOf(result.content)[0]?.text,
    'Invalid input for tool "t": /: never good enough. Correct the input and call the tool again.',
  );
  assertEquals(schemas, [inputSchema]);
});

Deno.test("a change to the schemas of a registered tool has no effect", async () => {
  const server = make();
  const inputSchema = { type: "object", properties: { a: { type: "number" } } };
  const outputSchema = { type: "object", properties: { b: { type: "number" } } };
  const before = structuredClone({ inputSchema, outputSchema });
  server.registerTool({ name: "t", description: "", inputSchema, outputSchema }, () => ({ b: 1 }));
  inputSchema.properties.a.type = "string";
  outputSchema.properties.b.type = "string";
  const { result } = await ask(server, "tools/list", {});
  assertEquals(listOf(result.tools)[0]?.inputSchema, before.inputSchema);
  assertEquals(listOf(result.tools)[0]?.outputSchema, before.outputSchema);
});

const UNUSABLE: readonly [unknown, string][] = [
  [{ type: "array" }, '"inputSchema.type" must be "object", got "array"'],
  [{ properties: { a: { type: "strnig" } } }, '"/properties/a/type" must be one of "array"'],
  [{ properties: { a: { $ref: "#/$defs/a" } } }, '"/properties/a/$ref" must be a reference'],
  [{ $schema: "https://example.com/dialect" }, '"/$schema" must be one of'],
  [{ n: NUMBER }, "wrap it, for example in z.object(…)"],
];
for (const [inputSchema, message] of UNUSABLE) {
  Deno.test(`registerTool() throws for a schema: ${message}`, () => {
    const tool = { name: "t", description: "", inputSchema: inputSchema as JsonObject };
    const error = assertThrows(() => make().registerTool(tool, () => ""), TypeError, message);
    assert(error.message.startsWith('Cannot register tool "t": '));
  });
}

Deno.test("registerTool() accepts an empty schema and sends its type", async () => {
  const server = make();
  server.registerTool({ name: "t", description: "", inputSchema: {} }, (args) => args);
  const { result } = await ask(server, "tools/list");
  assertEquals(listOf(result.tools)[0]?.inputSchema, { type: "object" });
  assertEquals((await call(server, "t", { a: 1 })).result.structuredContent, { a: 1 });
});

Deno.test("registerTool() accepts a frozen schema", async () => {
  const inputSchema = Object.freeze({
    type: "object",
    properties: Object.freeze({ n: Object.freeze({ $ref: "#/$defs/n" }) }),
    $defs: Object.freeze({ n: Object.freeze({ type: "number" }) }),
  });
  const server = make();
  server.registerTool({ name: "t", description: "", inputSchema }, () => "ran");
  assertEquals((await call(server, "t", { n: 1 })).result.isError, undefined);
  assertEquals((await call(server, "t", { n: "1" })).result.isError, true);
});

Deno.test("a tool does not run if its schema returns a thenable that resolves with issues", async () => {
  const issues = [{ message: "bad" }];
  const { jsonSchema } = NUMBER["~standard"];
  const inputSchema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({
        then: (resolve, reject) => Promise.resolve({ issues }).then(resolve, reject),
      }),
      jsonSchema,
    },
  };
  const server = make();
  let runs = 0;
  server.registerTool({ name: "t", description: "", inputSchema }, () => `${++runs}`);
  assertEquals((await call(server, "t", { n: "1" })).result.isError, true);
  assertEquals(runs, 0);
});

Deno.test("a result that does not match the output schema becomes a result with isError", async () => {
  const server = make();
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  for (
    const [name, value] of [["good", { n: 1 }], ["bad", { n: "1" }], ["none", "text"]] as const
  ) {
    server.registerTool({ name, description: "", outputSchema }, () => value);
  }
  assertEquals((await call(server, "good")).result.structuredContent, { n: 1 });
  assertEquals((await call(server, "bad")).result.isError, true);
  assertEquals((await call(server, "none")).result.isError, true);
});

Deno.test("lists contain the registered items in order until they are removed", async () => {
  const server = make();
  assertEquals(server.capabilities(), { tools: false, resources: false, prompts: false });
  for (const name of ["b", "a"]) server.registerTool({ name, description: "" }, () => "");
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  server.registerPrompt({ name: "p", arguments: [] }, () => "");
  assertEquals(server.capabilities(), { tools: true, resources: true, prompts: true });
  const names = async () =>
    listOf((await ask(server, "tools/list")).result.tools).map(({ name }) => name);
  assertEquals(await names(), ["b", "a"]);
  assertEquals([server.removeTool("b"), server.removeTool("b")], [true, false]);
  assertEquals(await names(), ["a"]);
  assertEquals([server.removeTool("a"), await names()], [true, []]);
  assertEquals([server.removeResource("r:1"), server.removePrompt("p")], [true, true]);
  assertEquals(server.capabilities(), { tools: true, resources: true, prompts: true });
});

Deno.test("registration throws for a duplicate, an empty name or an invalid annotation", () => {
  const server = make();
  const tool = { name: "t", description: "" };
  server.registerTool(tool, () => "");
  server.registerResource({ uri: "r:1", name: "" }, () => "");
  server.registerPrompt({ name: "p", arguments: [] }, () => "");
  server.registerResourceTemplate({ uriTemplate: "r:{x}", name: "" }, () => "");
  const code = (register: () => void) => assertThrows(register, McpError).code;
  assertEquals(code(() => server.registerTool(tool, () => "")), "protocol_error");
  assertEquals(
    code(() => server.registerResource({ uri: "r:1", name: "" }, () => "")),
    "protocol_error",
  );
  assertEquals(
    code(() => server.registerPrompt({ name: "p", arguments: [] }, () => "")),
    "protocol_error",
  );
  assertThrows(() => server.registerTool({ name: "", description: "" }, () => ""), TypeError);
  assertThrows(
    () => server.registerResourceTemplate({ uriTemplate: "r:{", name: "" }, () => ""),
    TypeError,
  );
  const inputSchema = {
    type: "object",
    properties: { a: { type: "number", "x-mcp-header": "A" } },
  };
  assertThrows(
    () => server.registerTool({ name: "h", description: "", inputSchema }, () => ""),
    TypeError,
  );
});

Deno.test("McpServer throws for invalid limits and an empty name or version", () => {
  assertThrows(() => make({ name: "" }), TypeError);
  assertThrows(() => make({ version: undefined as unknown as string }), TypeError);
  for (const pageSize of [0, 1.5, NaN]) assertThrows(() => make({ pageSize }), RangeError);
  assertThrows(() => make({ maxQueuedNotifications: 0 }), RangeError);
  assertThrows(() => make({ maxSubscriptionChars: 0 }), RangeError, '"maxSubscriptionChars"');
  assertThrows(() => make({ requestState: { keys: [new Uint8Array(5)] } }), RangeError);
});

Deno.test("lists are paginated, and a cursor is valid until its item is removed", async () => {
  const server = make({ pageSize: 2 });
  for (const name of ["a", "b", "c", "d", "e"]) {
    server.registerTool({ name, description: "" }, () => "");
  }
  const page = async (cursor?: unknown) => {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await ask(server, "tools/list", params);
    if (answer.isError) return [answer.error.code];
    const { tools, nextCursor } = answer.result;
    return [listOf(tools).map(({ name }) => name), nextCursor];
  };
  const [names, cursor] = await page();
  assertEquals(names, ["a", "b"]);
  server.removeTool("a");
  const [next, last] = await page(cursor);
  assertEquals(next, ["c", "d"]);
  assertEquals(await page(last), [["e"], undefined]);
  server.removeTool("d");
  assertEquals([await page(last), await page("x"), await page(1)], [[-32602], [-32602], [-32602]]);
});

Deno.test("prompts/get returns the messages, or an error if a required argument is missing", async () => {
  const server = make();
  const args = [{ name: "who", required: true }, { name: "how", required: false }];
  server.registerPrompt(
    { name: "p", description: "Greets", arguments: args },
    ({ who, how = "warmly" }) => `Greet ${who} ${how}`,
  );
  const messages = [{ role: "user", content: { type: "text", text: "Greet Ada warmly" } }];
  const get = (params: JsonObject) => ask(server, "prompts/get", params);
  assertEquals((await get({ name: "p", arguments: { who: "Ada" } })).result, {
    description: "Greets",
    messages,
  });
  for (
    const params of [
      {},
      { name: "none" },
      { name: "p" },
      { name: "p", arguments: { how: "x" } },
      { name: "p", arguments: { who: 1 } },
      { name: "p", arguments: [] },
    ]
  ) assertEquals((await get(params)).error.code, -32602, JSON.stringify(params));
});

Deno.test("resources/read returns text, bytes or JSON for a URI or URI template", async () => {
  const server = make();
  server.registerResource({ uri: "r:text", name: "", mimeType: "text/plain" }, () => "hi");
  server.registerResource({ uri: "r:bytes", name: "" }, () => new Uint8Array([1]));
  server.registerResource({ uri: "r:whole", name: "" }, () => ({
    contents: [{ uri: "r:part", text: "x" }],
  }));
  server.registerResource({ uri: "r:empty", name: "" }, () => undefined);
  server.registerResourceTemplate(
    { uriTemplate: "r:{id}", name: "" },
    (uri, { id }) => ({ uri, id }),
  );
  const read = async (uri: unknown) => {
    const answer = await ask(server, "resources/read", { uri });
    return answer.isError ? answer.error : answer.result.contents;
  };
  assertEquals(await read("r:text"), [{ uri: "r:text", mimeType: "text/plain", text: "hi" }]);
  assertEquals(await read("r:bytes"), [{ uri: "r:bytes", blob: "AQ==" }]);
  assertEquals(await read("r:whole"), [{ uri: "r:part", text: "x" }]);
  assertEquals(await read("r:7"), [
    { mimeType: "application/json", uri: "r:7", text: '{"uri":"r:7","id":"7"}' },
  ]);
  const missing = { code: -32602, message: 'Resource not found: "q:1"', data: { uri: "q:1" } };
  assertEquals(await read("q:1"), missing);
  assertEquals([objectOf(await read("r:empty")).code, objectOf(await read(1)).code], [
    -32602,
    -32602,
  ]);
  const { result } = await ask(server, "resources/templates/list");
  assertEquals(result.resourceTemplates, [{ uriTemplate: "r:{id}", name: "" }]);
  assertEquals(server.removeResourceTemplate("r:{id}"), true);
  assertEquals(objectOf(await read("r:7")).code, -32602);
});

Deno.test("completion/complete returns at most 100 values", async () => {
  const server = make();
  assertEquals((await ask(server, "completion/complete")).error.code, -32601);
  const many = Array.from({ length: 150 }, (_, index) => `v${index}`);
  server.registerPrompt(
    { name: "p", arguments: [{ name: "a", required: false }] },
    () => "",
    { complete: { a: (typed, { b = "" }) => many.map((value) => `${typed}${b}${value}`) } },
  );
  server.registerResourceTemplate({ uriTemplate: "r:{x}", name: "" }, () => "");
  const complete = async (ref: unknown, argument: unknown, context?: unknown) => {
    const params = { ref, argument, ...(context === undefined ? {} : { context }) };
    const answer = await ask(server, "completion/complete", params);
    return answer.isError ? answer.error.code : answer.result.completion;
  };
  const ref = { type: "ref/prompt", name: "p" };
  const context = { arguments: { b: "-", c: 1 } };
  const completion = objectOf(await complete(ref, { name: "a", value: "x" }, context));
  const { values, total, hasMore } = completion;
  assert(Array.isArray(values));
  assertEquals([values.length, values[0], total, hasMore], [100, "x-v0", 150, true]);
  const none = { values: [], total: 0, hasMore: false };
  assertEquals(await complete(ref, { name: "toString", value: "" }), none);
  const template = { type: "ref/resource", uri: "r:{x}" };
  assertEquals(await complete(template, { name: "x", value: "" }), none);
  for (
    const [wrong, argument] of [
      [{ type: "ref/prompt", name: "none" }, { name: "a", value: "" }],
      [{ type: "ref/odd" }, { name: "a", value: "" }],
      [ref, { name: "a" }],
      [ref, "a"],
      [undefined, { name: "a", value: "" }],
    ]
  ) assertEquals(await complete(wrong, argument), -32602);
});

const EXTENSION = "example.org/echo";

function echoExtension(): ServerExtension {
  return {
    id: EXTENSION,
    settings: { loud: true },
    methods: { "echo/say": ({ text }) => ({ text }) },
    nameKeys: { "echo/say": "text" },
    wrap: {
      "tools/call": (next) => async (params, context) => ({
        ...await next(params, context),
        seen: true,
      }),
    },
  };
}

Deno.test("an extension adds methods and capabilities, and wraps tool calls", async () => {
  const server = make({ extensions: [echoExtension()] });
  server.registerTool({ name: "t", description: "" }, () => "x");
  const { result } = await ask(server, "server/discover", { _meta: meta() });
  assertEquals(objectOf(result.capabilities).extensions, { [EXTENSION]: { loud: true } });
  const _meta = meta({ extensions: { [EXTENSION]: {} } });
  assertEquals((await ask(server, "echo/say", { text: "hi", _meta })).result.text, "hi");
  assertEquals((await ask(server, "tools/call", { name: "t", _meta })).result.seen, true);
  assertEquals([...server.nameKeys], [["echo/say", "text"]]);
  const { error } = await ask(server, "echo/say", { text: "hi", _meta: meta() });
  assertEquals([error.code, error.data], [
    -32021,
    { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
  ]);
  const methods = { "tools/list": () => ({}) };
  assertThrows(() => make({ extensions: [{ id: "x/y", methods }] }), TypeError);
});

Deno.test("clients that do not declare an extension can call its methods if open is true", async () => {
  const server = make({ extensions: [{ ...echoExtension(), open: true }] });
  const { result } = await ask(server, "echo/say", { text: "hi", _meta: meta() });
  assertEquals(result.text, "hi");
  const open: object = { open: 1 };
  const odd = { ...echoExtension(), ...open };
  assertThrows(
    () => make({ extensions: [odd] }),
    TypeError,
    '"extensions[0].open" must be a boolean',
  );
});

Deno.test("an extension registers its own tools in attach()", async () => {
  const attached: ServerRegistration[] = [];
  const extension: ServerExtension = {
    id: EXTENSION,
    attach: (server) => {
      attached.push(server);
      server.registerTool({ name: "own", description: "" }, () => "x");
    },
  };
  const server = make({ extensions: [extension] });
  assertEquals(attached, [server]);
  const { result } = await ask(server, "tools/list", { _meta: meta() });
  assertEquals(objectOf(listOf(result.tools)[0]).name, "own");
  const failing = { id: EXTENSION, attach: () => fail() };
  assertThrows(() => make({ extensions: [failing] }), Error, "cannot attach");
});

function fail(): never {
  throw new Error("cannot attach");
}

Deno.test("an extension adds items to a list with wrap, capabilities and listChanged()", async () => {
  let attached: ServerRegistration | undefined;
  const info = { parameterHeaders: [], scopes: ["s"] };
  const server = make({
    extensions: [{
      id: EXTENSION,
      attach: (to) => void (attached = to),
      capabilities: () => ({ tools: { listChanged: true } }),
      wrap: {
        "tools/list": (next) => async (params, context) => {
          const { tools } = await next(params, context);
          return { tools: [...listOf(tools), { name: "added" }] };
        },
      },
      toolHttpInfo: (name) => name === "added" ? info : undefined,
    }],
  });
  const { result } = await ask(server, "tools/list", { _meta: meta() });
  assertEquals(result.tools, [{ name: "added" }]);
  assertEquals(server.describe().capabilities.tools, { listChanged: true });
  assertEquals(server.toolHttpInfo("added", undefined), info);
  assertEquals(server.toolHttpInfo("other", undefined), undefined);
  const changes: unknown[] = [];
  server.changes.listen((change) => changes.push(change));
  attached?.listChanged("tools");
  assertEquals(changes, [{ kind: "tools" }]);
  assertThrows(
    () => make({ extensions: [{ id: EXTENSION, wrap: { "tools/none": (next) => next } }] }),
    TypeError,
    'method "tools/none" is unknown',
  );
});

/** Test cases: return value that is not JSON, and the text for the model. */
const NOT_JSON: readonly [unknown, string][] = [
  [new Map([["a", 1]]), "the value is an instance of Map"],
  [new Response("x"), "the value is an instance of Response"],
  [NaN, "the value is NaN"],
  [Symbol("s"), "the value is a symbol"],
  [() => 1, "the value is a function"],
  [{ items: [{ size: 1n }] }, '"/items/0/size" is a bigint'],
  [{ content: [], structuredContent: { at: NaN } }, '"/structuredContent/at" is NaN'],
];

Deno.test("a tool result that is not JSON names the path and is reported to onError", async () => {
  for (const [value, problem] of NOT_JSON) {
    for (const returned of [value, Promise.resolve(value)]) {
      const reported: unknown[] = [];
      const server = make({ onError: (error) => reported.push(error) });
      server.registerTool({ name: "t", description: "" }, () => returned);
      const text = `Tool "t" returned a result that is not JSON: ${problem}`;
      const { result } = await call(server, "t");
      assertEquals(result, { content: [{ type: "text", text }], isError: true });
      assertEquals(reported.map(String), [`TypeError: ${text}`]);
    }
  }
});

Deno.test("structured content is validated as the JSON that the client receives", async () => {
  const outputSchema = {
    type: "object",
    properties: { at: { type: "string" }, none: { type: "string" } },
    required: ["at"],
  };
  const server = make();
  server.registerTool({ name: "t", description: "", outputSchema }, () => {
    return { at: new Date(0), none: undefined };
  });
  assertEquals((await call(server, "t")).result, {
    content: [{ type: "text", text: '{"at":"1970-01-01T00:00:00.000Z"}' }],
    structuredContent: { at: "1970-01-01T00:00:00.000Z" },
  });
});

Deno.test("a tool with an output schema returns content blocks as structured content", async () => {
  const server = make();
  const outputSchema = { type: "object", required: ["type"] };
  const block = { type: "text", text: "x" };
  server.registerTool({ name: "t", description: "", outputSchema }, () => block);
  assertEquals((await call(server, "t")).result.structuredContent, block);
});

Deno.test("the value that an output schema converts is sent", async () => {
  const schema: StandardSchema<unknown, unknown> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value: { converted: value } }),
      jsonSchema: { input: () => ({}), output: () => ({ type: "object" }) },
    },
  };
  const server = make();
  server.registerTool({ name: "t", description: "", outputSchema: schema }, () => 1);
  server.registerTool({ name: "result", description: "", outputSchema: schema }, () => {
    return { content: [{ type: "text", text: "own" }], structuredContent: 1 };
  });
  assertEquals((await call(server, "t")).result, {
    content: [{ type: "text", text: '{"converted":1}' }],
    structuredContent: { converted: 1 },
  });
  assertEquals((await call(server, "result")).result, {
    content: [{ type: "text", text: "own" }],
    structuredContent: { converted: 1 },
  });
});

Deno.test("McpServer.registerTool() throws for an object of schemas, which its type also rejects", () => {
  const register = (): void => {
    const tool = { name: "t", description: "", inputSchema: { n: NUMBER } };
    // @ts-expect-error: the schemas have to be wrapped in an object schema
    make().registerTool(tool, () => 1);
  };
  assertThrows(register, TypeError, "wrap it, for example in z.object(…)");
});

Deno.test("a result that does not match the output schema is reported to onError", async () => {
  const reported: unknown[] = [];
  const server = make({ onError: (error) => reported.push(error) });
  const outputSchema = { type: "object", properties: { a: { type: "number" } } };
  server.registerTool({ name: "t", description: "", outputSchema }, () => ({ a: "x" }));
  await call(server, "t");
  assertEquals(reported.map(String), [
    'TypeError: Tool "t" returned a result that does not match its output schema: /a: must be number, got string',
  ]);
});

/** Test cases: return value of a resource handler, and the expected contents. */
const CONTENTS: readonly [unknown, readonly JsonObject[]][] = [
  ["x", [{ uri: "r:1", mimeType: "a/b", text: "x" }]],
  [new Uint8Array([1, 2]), [{ uri: "r:1", mimeType: "a/b", blob: "AQI=" }]],
  [{ uri: "r:1", text: "x" }, [{ uri: "r:1", mimeType: "a/b", text: "x" }]],
  [{ uri: "r:1", mimeType: "c/d", blob: "AQI=" }, [{
    uri: "r:1",
    mimeType: "c/d",
    blob: "AQI=",
  }]],
  [{ uri: "r:2", blob: new Uint8Array([1, 2]) }, [{ uri: "r:2", blob: "AQI=" }]],
  [[{ uri: "r:1", text: "x" }, { uri: "r:2", text: "y" }], [
    { uri: "r:1", mimeType: "a/b", text: "x" },
    { uri: "r:2", text: "y" },
  ]],
  [{ contents: [{ uri: "r:3", text: "x" }] }, [{ uri: "r:3", text: "x" }]],
  ...[
    { uri: "r:1" },
    { uri: "r:1", text: "x", author: "y" },
    { uri: "r:1", text: "x", blob: "AQI=" },
    { text: "x" },
    ["x"],
    [],
    7,
  ].map((value): [unknown, readonly JsonObject[]] => [value, [{
    uri: "r:1",
    mimeType: "a/b",
    text: JSON.stringify(value),
  }]]),
];

Deno.test("a resource handler can return text, bytes, contents, an array of contents or JSON", async () => {
  for (const [value, contents] of CONTENTS) {
    const server = make();
    server.registerResource({ uri: "r:1", name: "r", mimeType: "a/b" }, () => value);
    const { result } = await ask(server, "resources/read", { uri: "r:1" });
    assertEquals(result.contents, contents, JSON.stringify(value));
  }
});

Deno.test("McpServer rejects an unknown option and sends only its identity to clients", async () => {
  const config = { name: "s", version: "1", title: "S", instructions: "Use the tools" };
  const misspelled: object = { requestStates: { keys: ["a secret"] } };
  const error = assertThrows(() => new McpServer({ ...config, ...misspelled }), TypeError);
  assertEquals(
    error.message,
    '"config" must have only known options, got "requestStates"; did you mean "requestState"?',
  );
  const { result } = await ask(new McpServer(config), "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  });
  assertEquals(result.serverInfo, { name: "s", version: "1", title: "S" });
});

/** Calls a function as a caller without a type check does. */
function register(method: "registerTool" | "registerResource" | "registerPrompt", item: object) {
  const server = make();
  return Reflect.apply(server[method], server, [item, () => "text"]);
}

Deno.test("a misspelled scope or schema of a tool does not leave the tool unprotected", () => {
  for (
    const [name, hint] of [
      ["scope", "scopes"],
      ["requiredScopes", "scopes"],
      ["inputschema", "inputSchema"],
      ["input_schema", "inputSchema"],
      ["parameters", "inputSchema"],
    ] as const
  ) {
    const error = assertThrows(() => register("registerTool", { name: "t", [name]: ["a"] }));
    assertEquals(
      String(error),
      `TypeError: "tool" must have only known options, got "${name}"; did you mean "${hint}"?`,
    );
  }
});

Deno.test("the description of a resource or prompt has only known members", () => {
  const misspelled = { uri: "r:1", name: "r", mimetype: "a/b" };
  assertThrows(() => register("registerResource", misspelled), TypeError, '"mimeType"?');
  const prompt = { name: "p", arguments: [{ name: "a", require: true }] };
  assertThrows(() => register("registerPrompt", prompt), TypeError, '"prompt.arguments[0]" must');
});

Deno.test("handleRequest() validates the values that the handler receives", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const seen: unknown[] = [];
  const properties = { user: { const: "ann" } };
  server.registerTool(
    { name: "t", inputSchema: { type: "object", properties, required: ["user"] } },
    ({ user }) => void seen.push(user),
  );
  for (let first = 0; first < 10; first++) {
    let reads = 0;
    const args = {
      get user() {
        return reads++ < first ? "ann" : "eve";
      },
    };
    const params = { name: "t", arguments: args };
    await server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  }
  assertEquals(new Set(seen), new Set(["ann"]));
});

Deno.test("handleRequest() rejects a cyclic request", async () => {
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push(String(error));
  const server = new McpServer({ name: "s", version: "1", onError });
  const params: Record<string, unknown> = {};
  params.self = params;
  // The types do not permit a cyclic value, but programs in JavaScript can pass one.
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list", params } as never;
  const response = await server.handleRequest(request);
  assertEquals("error" in response && response.error.code, -32603);
  assertEquals(errors, ['TypeError: "request" must have at most 1000 levels']);
});
