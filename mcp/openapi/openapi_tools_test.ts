import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { McpError, type OpenApiOperation, type OpenApiOptions, openApiTools } from "../openapi.ts";
import { McpServer } from "../server.ts";
import {
  BASE,
  documentWith,
  parameter,
  recorder,
  singleTool,
  toolsOf,
} from "../testdata/openapi.ts";

const OPERATION = { responses: {} };

const SHOP = documentWith({
  "/orders": {
    get: { operationId: "listOrders", summary: "Lists orders", tags: ["orders", 1] },
    post: { operationId: "createOrder", deprecated: true },
  },
  "/orders/{id}": {
    parameters: [parameter("id", "path")],
    get: { operationId: "getOrder" },
    put: { description: "Replaces an order" },
    delete: {},
    patch: {},
  },
});

function namesOf(document: unknown, options: Partial<OpenApiOptions> = {}): readonly string[] {
  const { skipped, tools } = toolsOf(document, options);
  assertEquals(skipped, []);
  return tools.map(({ definition: { name } }) => name);
}

Deno.test("openApiTools() offers the listed operations in the order of the document", () => {
  const operations = ["PUT /orders/{id}", "listOrders", "GET /orders"];
  assertEquals(namesOf(SHOP, { operations }), ["listOrders", "put_orders_id"]);
  assertEquals(namesOf(SHOP, { operations: [] }), []);
});

Deno.test("openApiTools() offers an operation only if the function returns true", () => {
  const seen: OpenApiOperation[] = [];
  const select = (value: unknown) => (operation: OpenApiOperation): boolean => {
    seen.push(operation);
    return value as boolean;
  };
  for (const value of [false, undefined, 1, "yes", {}, Promise.resolve(true)]) {
    assertEquals(namesOf(SHOP, { operations: select(value) }), []);
  }
  assertEquals(seen.slice(0, 3), [
    {
      method: "GET",
      path: "/orders",
      operationId: "listOrders",
      summary: "Lists orders",
      tags: ["orders"],
      deprecated: false,
    },
    {
      method: "POST",
      path: "/orders",
      operationId: "createOrder",
      tags: [],
      deprecated: true,
    },
    { method: "GET", path: "/orders/{id}", operationId: "getOrder", tags: [], deprecated: false },
  ]);
  const isRead = ({ method }: OpenApiOperation): boolean => method === "GET";
  assertEquals(namesOf(SHOP, { operations: isRead }), ["listOrders", "getOrder"]);
});

/** Mistakes in arguments: document, options and the message. */
const MISTAKES: readonly [unknown, Record<string, unknown>, string][] = [
  [undefined, {}, '"document" must be an object, got undefined'],
  [
    "openapi: 3.1.0",
    {},
    '"document" must be a parsed OpenAPI document, got a string; parse the text with JSON.parse() or a YAML parser',
  ],
  [
    { swagger: "2.0" },
    {},
    '"document" must be an OpenAPI document of version 3.0, 3.1 or 3.2, got Swagger "2.0"; convert it to OpenAPI 3',
  ],
  [{}, {}, '"document.openapi" must be version 3.0, 3.1 or 3.2, got undefined'],
  [{ openapi: "4.0.0" }, {}, '"document.openapi" must be version 3.0, 3.1 or 3.2, got "4.0.0"'],
  [{ openapi: "3.10.0" }, {}, '"document.openapi" must be version 3.0, 3.1 or 3.2, got "3.10.0"'],
  [
    SHOP,
    { operations: undefined },
    '"operations" must be an array of operation ids or a function, got undefined',
  ],
  [
    SHOP,
    { operations: "listOrders" },
    '"operations" must be an array of operation ids or a function, got "listOrders"',
  ],
  [
    SHOP,
    { operations: ["listOrder"] },
    '"operations[0]" must be an operation of the document, got "listOrder"; did you mean "listOrders"?',
  ],
  [
    SHOP,
    { operations: ["GET /nothing/like/this"] },
    '"operations[0]" must be an operation of the document, got "GET /nothing/like/this"',
  ],
  [
    SHOP,
    { names: { getOrders: "x" } },
    '"names.getOrders" must be an operation of the document, got "getOrders"; did you mean "getOrder"?',
  ],
  [
    SHOP,
    { names: { getOrder: "get order" } },
    '"names.getOrder" must be a name of at most 64 characters A-Z a-z 0-9 _ -, got "get order"',
  ],
  [
    SHOP,
    { names: { getOrder: "x", listOrders: "x" } },
    '"names" must be an object with different names, got "x"',
  ],
  [
    documentWith({
      "/a": { get: { operationId: "same" } },
      "/b": { get: { operationId: "same" } },
    }),
    { operations: ["same"] },
    '"operations[0]" must name one operation, got "same", which is the id of "GET /a", "GET /b"; use the method and the path',
  ],
  [
    SHOP,
    { baseURL: BASE },
    '"options" must have only known options, got "baseURL"; did you mean "baseUrl"?',
  ],
  [
    SHOP,
    { maxTool: 1 },
    '"options" must have only known options, got "maxTool"; did you mean "maxTools"?',
  ],
  [SHOP, { headers: { authorization: "x" } }, '"headers" must be a function, got an object'],
  [SHOP, { query: "key=1" }, '"query" must be a function, got "key=1"'],
];

Deno.test("openApiTools() rejects wrong arguments", () => {
  for (const [document, options, message] of MISTAKES) {
    const all = { baseUrl: BASE, operations: () => true, onError: () => {}, ...options };
    const error = assertThrows(() => openApiTools(document, all as OpenApiOptions), TypeError);
    assertEquals(error.message, message);
  }
  assertThrows(() => Reflect.apply(openApiTools, undefined, [SHOP]), TypeError, '"options" must');
});

Deno.test("openApiTools() requires a safe base URL and does not repeat its credentials", () => {
  const valid = [BASE, "http://localhost:1", "http://127.0.0.1/x", "http://[::1]:8000/"];
  for (const baseUrl of valid) toolsOf(SHOP, { baseUrl });
  const invalid = [
    "http://api.example.com",
    "http://10.0.0.1",
    "ftp://api.example.com",
    "file:///etc/passwd",
    "/v1",
    "",
    "https://user:hunter22@api.example.com",
    "https://api.example.com?key=hunter22",
    "https://api.example.com/#hunter22",
  ];
  for (const baseUrl of invalid) {
    const error = assertThrows(() => toolsOf(SHOP, { baseUrl }), TypeError);
    assertMatch(error.message, /^"baseUrl" must be an HTTPS URL or a loopback HTTP URL/);
    assertEquals(error.message.includes("hunter22"), false);
  }
});

Deno.test("openApiTools() limits the number of tools", () => {
  assertEquals(toolsOf(SHOP, { maxTools: 6 }).tools.length, 6);
  const error = assertThrows(() => toolsOf(SHOP, { maxTools: 5 }), RangeError);
  assertEquals(
    error.message,
    '"operations" must select at most 5 operations ("maxTools"), got 6',
  );
  for (const name of ["maxTools", "maxSchemaChars", "maxResponseBytes", "maxResultChars"]) {
    assertThrows(() => toolsOf(SHOP, { [name]: 0 }), RangeError, name);
  }
  assertThrows(() => toolsOf(SHOP, { timeoutMs: Infinity }), RangeError, "timeoutMs");
});

/** Operation id, path and the name of the tool. */
const NAMES: readonly [string | undefined, string, string][] = [
  ["getOrder", "/a", "getOrder"],
  ["get-order_2", "/a", "get-order_2"],
  ["repos/get content", "/a", "repos_get_content"],
  ["_x", "/a", "_x"],
  ["/x/", "/a", "x"],
  ["éé", "/a", "operation"],
  ["", "/a", "get_a"],
  [undefined, "/users/{id}/posts", "get_users_id_posts"],
  [undefined, "/", "get"],
  ["a".repeat(64), "/a", "a".repeat(64)],
  // The FNV-1a hash of "GET /a" is bf97e35d.
  ["a".repeat(65), "/a", `${"a".repeat(55)}_bf97e35d`],
];

Deno.test("tools have names that model providers accept", () => {
  for (const [operationId, path, name] of NAMES) {
    const get = { operationId, parameters: [parameter("id", "path")] };
    assertEquals(namesOf(documentWith({ [path]: { get } })), [name]);
  }
});

Deno.test("a name that is taken ends in a hash, and valid names take precedence", () => {
  const paths = {
    "/a": { get: { operationId: "a/b" } },
    "/b": { get: { operationId: "a b" } },
    "/c": { get: { operationId: "a_b" } },
  };
  const [first, second, third] = namesOf(documentWith(paths));
  assertMatch(first ?? "", /^a_b_[0-9a-f]{8}$/);
  assertMatch(second ?? "", /^a_b_[0-9a-f]{8}$/);
  assertEquals([third, first === second], ["a_b", false]);
  const names = { "GET /a": "a_b", "a_b": "c" };
  assertEquals(namesOf(documentWith(paths), { names })[0], "a_b");
  assertEquals(namesOf(documentWith(paths), { names })[2], "c");
});

Deno.test("the prefix precedes names from the document only", () => {
  const names = { getOrder: "order" };
  const operations = ["listOrders", "getOrder"];
  assertEquals(namesOf(SHOP, { prefix: "shop_", names, operations }), ["shop_listOrders", "order"]);
  assertEquals(namesOf(SHOP, { prefix: "my.shop/", operations }), [
    "my_shop_listOrders",
    "my_shop_getOrder",
  ]);
});

Deno.test("hints follow from the method", () => {
  const hints = ["get", "head", "put", "delete", "post", "patch", "options"].map((method) => {
    const { tools } = singleTool({ method, operation: OPERATION });
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } =
      tools[0]?.definition.annotations ?? {};
    return [method, readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
  });
  assertEquals(hints, [
    ["get", true, false, true, true],
    ["head", true, false, true, true],
    ["put", false, true, true, true],
    ["delete", false, true, true, true],
    ["post", false, false, false, true],
    ["patch", false, true, false, true],
    ["options", false, true, false, true],
  ]);
});

Deno.test("a tool is described by the summary and the description", () => {
  const rows: readonly [object, string | undefined, string][] = [
    [{ summary: "Lists", description: "Lists all" }, "Lists", "Lists\n\nLists all"],
    [{ summary: "Same", description: "Same" }, "Same", "Same"],
    [{ description: "Only" }, undefined, "Only"],
    [{ summary: 1, description: {} }, undefined, "GET /x"],
    [{ description: "a".repeat(2000) }, undefined, `${"a".repeat(1024)}…`],
    [{ description: "a\ud800" }, undefined, "a\ufffd"],
  ];
  for (const [operation, title, description] of rows) {
    const definition = singleTool({ operation }).tools[0]?.definition;
    assertEquals([definition?.title, definition?.description], [title, description]);
  }
});

Deno.test("skipped operations are listed and reported", () => {
  const errors: unknown[] = [];
  const document = documentWith({
    "/file": { post: { requestBody: { content: { "multipart/form-data": {} } } } },
    "/other": { $ref: "https://evil.example/paths.json" },
    "/ok": { get: {} },
  });
  const { tools, skipped } = toolsOf(document, { onError: (error) => errors.push(error) });
  assertEquals(tools.map(({ definition }) => definition.name), ["get_ok"]);
  assertEquals(skipped, [
    {
      operation: "/other",
      reason:
        'the reference "https://evil.example/paths.json" is not a JSON Pointer into the document',
    },
    {
      operation: "POST /file",
      reason: 'the request body has the content type "multipart/form-data"',
    },
  ]);
  assertEquals(errors.map((error) => error instanceof McpError && [error.code, error.message]), [
    [
      "core",
      'Cannot complete the operation: the operation "/other" is not offered: the reference "https://evil.example/paths.json" is not a JSON Pointer into the document',
    ],
    [
      "core",
      'Cannot complete the operation: the operation "POST /file" is not offered: the request body has the content type "multipart/form-data"',
    ],
  ]);
  const split = toolsOf(documentWith({ $ref: "paths.yaml" }));
  assertEquals(split.skipped, [{
    operation: "paths",
    reason: 'the reference "paths.yaml" is not a JSON Pointer into the document',
  }]);
  const listed = toolsOf(document, { operations: ["GET /other", "GET /ok"] });
  assertEquals([listed.tools.length, listed.skipped.length], [1, 1]);
});

Deno.test("path items can refer to other path items of the document", () => {
  const paths = { "/a": { $ref: "#/x-items/a" } };
  const document = documentWith(paths, { "x-items": { a: { get: { operationId: "op" } } } });
  assertEquals(namesOf(document), ["op"]);
});

Deno.test("an operation can be a reference, and one to another document is skipped", () => {
  const paths = {
    "/a": { get: { $ref: "#/x-operations/a" } },
    "/b": { get: { $ref: "resources/b.yml" }, post: { $ref: "#/missing" } },
  };
  const members = { "x-operations": { a: { operationId: "op" } } };
  const { tools, skipped } = toolsOf(documentWith(paths, members));
  assertEquals(tools.map(({ definition }) => definition.name), ["op"]);
  assertEquals(skipped, [
    {
      operation: "GET /b",
      reason: 'the reference "resources/b.yml" is not a JSON Pointer into the document',
    },
    { operation: "POST /b", reason: 'the reference "#/missing" has no target' },
  ]);
});

Deno.test("version 3.2 has more operations, and methods that cannot be sent are skipped", () => {
  const paths = {
    "/x": {
      query: { operationId: "search" },
      trace: {},
      additionalOperations: { LINK: {}, get: { operationId: "twice" }, "A B": {}, CONNECT: {} },
    },
  };
  const { tools, skipped } = toolsOf(documentWith(paths, { openapi: 3.2 }));
  assertEquals(tools.map(({ definition }) => definition.name), ["search", "link_x"]);
  assertEquals(skipped.map(({ reason }) => reason), [
    'the method "TRACE" cannot be sent',
    'the method "A B" cannot be sent',
    'the method "CONNECT" cannot be sent',
  ]);
});

function call(server: McpServer, name: string, args: object): Promise<unknown> {
  const params = { name, arguments: args };
  return Promise.resolve(
    server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  );
}

Deno.test("register() adds the tools to a server", async () => {
  const { fetch, requests } = recorder(() => Response.json({ id: "7" }));
  const server = new McpServer({ name: "s", version: "1" });
  const api = toolsOf(SHOP, { fetch, operations: ["getOrder"] });
  api.register(server);
  const listed = await server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  assertEquals(JSON.parse(JSON.stringify(listed)).result.tools, [api.tools[0]?.definition]);
  const response = await call(server, "getOrder", { id: "7" });
  assertEquals(JSON.parse(JSON.stringify(response)).result, {
    content: [{ type: "text", text: '{"id":"7"}' }],
    structuredContent: { id: "7" },
  });
  assertEquals(requests.map(({ url }) => url), [`${BASE}/orders/7`]);
});

Deno.test("register() adds all tools or none", () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "getOrder" }, () => "");
  const error = assertThrows(() => toolsOf(SHOP).register(server), McpError);
  assertEquals(error.code, "protocol_error");
  assertEquals([...server.registered("tool").names()], ["getOrder"]);
  assertThrows(
    () => Reflect.apply(toolsOf(SHOP).register, undefined, [{}]),
    TypeError,
    '"server" must be an McpServer, got an object',
  );
});

Deno.test("register() reports the errors of calls, whose cause no client receives", async () => {
  const errors: unknown[] = [];
  const cause = new Error("connection refused");
  const server = new McpServer({ name: "s", version: "1" });
  toolsOf(SHOP, {
    operations: ["getOrder"],
    fetch: () => Promise.reject(cause),
    onError: (error) => errors.push(error),
  }).register(server);
  const response = await call(server, "getOrder", { id: "7" });
  assertEquals(JSON.parse(JSON.stringify(response)).result, {
    content: [{
      type: "text",
      text: 'Cannot connect to "https://api.example.com": the request failed',
    }],
    isError: true,
  });
  assertEquals(errors.map((error) => error instanceof McpError && error.cause), [cause]);
});

Deno.test("listTools() and callTool() are those of an MCP client", async () => {
  const { fetch } = recorder();
  const api = toolsOf(SHOP, { fetch });
  assertEquals(await api.listTools(), api.tools.map(({ definition }) => definition));
  const error = await assertRejects(() => api.callTool("getorder", {}), McpError);
  assertEquals(error.code, "tool_not_found");
  await assertRejects(() => Reflect.apply(api.callTool, api, [1, {}]), TypeError, '"name" must');
  await assertRejects(
    () => Reflect.apply(api.callTool, api, ["getOrder", "id=1"]),
    TypeError,
    '"args" must be an object, got "id=1"',
  );
  await assertRejects(
    () => Reflect.apply(api.callTool, api, ["getOrder", {}, { abortSignal: 1 }]),
    TypeError,
    'got "abortSignal"; did you mean "signal"?',
  );
  const signal = AbortSignal.abort(new Error("stop"));
  await assertRejects(() => api.listTools({ signal }), Error, "stop");
});

Deno.test("arguments that do not match the schema are rejected before a request is sent", async () => {
  const { fetch, requests } = recorder();
  const operation = {
    parameters: [{ name: "n", in: "query", required: true, schema: { type: "integer" } }],
  };
  const api = singleTool({ operation }, { fetch });
  const wrong = [{}, { n: "1" }, { n: 1, other: 2 }];
  for (const args of wrong) {
    const { isError, content } = await api.callTool("op", args);
    assertEquals(isError, true);
    assertMatch(JSON.stringify(content), /Invalid input for tool \\"op\\": .*Correct the input/);
  }
  assertEquals(requests, []);
});
