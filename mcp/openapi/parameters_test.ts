import { assertEquals, assertMatch } from "@std/assert";
import type { OpenApiTools } from "../openapi.ts";
import {
  BASE,
  documentWith,
  parameter,
  recorder,
  requestOf,
  singleTool,
  toolsOf,
} from "../testdata/openapi.ts";

function inputsOf({ tools }: OpenApiTools): readonly string[] {
  return Object.keys(Object(tools[0]?.definition.inputSchema.properties));
}

Deno.test("inputs have names that model providers accept and are sent with their own", async () => {
  const parameters = [
    parameter("filter[name]", "query"),
    parameter("$top", "query"),
    parameter("StartTime<", "query"),
    parameter("é", "query"),
    parameter("a".repeat(70), "query"),
    parameter("__proto__", "query"),
  ];
  const args = {
    filter_name_: 1,
    _top: 2,
    StartTime_: 3,
    _: 4,
    ["a".repeat(64)]: 5,
    proto: 6,
  };
  assertEquals(inputsOf(singleTool({ operation: { parameters } })), Object.keys(args));
  const { url } = await requestOf({ operation: { parameters } }, args);
  assertEquals(
    url,
    `${BASE}/x?filter%5Bname%5D=1&%24top=2&StartTime%3C=3&%C3%A9=4&${"a".repeat(70)}=5&__proto__=6`,
  );
});

Deno.test("of parameters with one name, the path parameter keeps it", async () => {
  const single = {
    path: "/{id}",
    operation: {
      parameters: [
        parameter("id", "header"),
        parameter("id", "query"),
        parameter("id", "path"),
        parameter("i[d", "query"),
        parameter("i]d", "query"),
        parameter("i d", "query"),
      ],
    },
  };
  const [path, ...rest] = inputsOf(singleTool(single));
  const [query, bracket, second, third, header] = rest;
  assertEquals([path, query, bracket, second, header], [
    "id",
    "query_id",
    "i_d",
    "query_i_d",
    "header_id",
  ]);
  assertMatch(third ?? "", /^query_i_d_[0-9a-f]{8}$/);
  const { url, headers } = await requestOf(single, { id: 1, query_id: 2, header_id: 3 });
  assertEquals([url, headers.id], [`${BASE}/1?id=2`, "3"]);
});

Deno.test("a parameter named body is distinct from the body", async () => {
  const operation = {
    parameters: [parameter("body", "query")],
    requestBody: { content: { "application/json": {} } },
  };
  const single = { method: "post", operation };
  assertEquals(inputsOf(singleTool(single)), ["query_body", "body"]);
  const { url, body } = await requestOf(single, { query_body: "q", body: { b: 1 } });
  assertEquals([url, body], [`${BASE}/x?body=q`, '{"b":1}']);
  assertEquals(inputsOf(singleTool({ operation: { parameters: operation.parameters } })), ["body"]);
});

/** Parameters that are never inputs. */
const NEVER: readonly (readonly [string, string])[] = [
  ["Authorization", "header"],
  ["authorization", "header"],
  ["Accept", "header"],
  ["Content-Type", "header"],
  ["Content-Length", "header"],
  ["Cookie", "header"],
  ["Host", "header"],
  ["Origin", "header"],
  ["Transfer-Encoding", "header"],
  ["Proxy-Authorization", "header"],
  ["X-Forwarded-Host", "header"],
  ["X-HTTP-Method-Override", "header"],
  ["Sec-Fetch-Site", "header"],
  ["X-Original-URL", "header"],
  ["X-Rewrite-URL", "header"],
  ["session", "cookie"],
  ["api_key", "query"],
  ["API_KEY", "query"],
  ["X-Api-Key", "header"],
  ["x-api-key", "header"],
];

const KEYS = {
  components: {
    securitySchemes: {
      query: { type: "apiKey", in: "query", name: "api_key" },
      header: { $ref: "#/components/securitySchemes/real" },
      real: { type: "apiKey", in: "header", name: "X-Api-Key" },
      external: { $ref: "https://evil.example" },
    },
  },
};

Deno.test("credentials and headers of the transport are never inputs", () => {
  for (const [name, location] of NEVER) {
    const required = location !== "cookie";
    const operation = { parameters: [parameter(name, location, { required })] };
    const tools = singleTool({ operation }, {}, KEYS);
    assertEquals([inputsOf(tools), tools.skipped], [[], []], name);
  }
  const operation = {
    parameters: [parameter("api_key", "header"), parameter("Content-Language", "header")],
  };
  assertEquals(inputsOf(singleTool({ operation }, {}, KEYS)), ["api_key", "Content-Language"]);
});

Deno.test("an argument cannot add a query parameter with the name of an API key", async () => {
  const { fetch, requests } = recorder();
  const operation = { parameters: [parameter("filter", "query")] };
  const tools = singleTool({ operation }, { fetch, query: () => ({ tenant: "ours" }) }, KEYS);
  await tools.callTool("op", { filter: { Api_Key: "x", Tenant: "theirs", a: "b" } });
  assertEquals(requests[0]?.url, `${BASE}/x?a=b&tenant=ours`);
});

Deno.test("parameters of the operation replace those of the path item", async () => {
  const item = {
    parameters: [
      parameter("id", "path"),
      parameter("q", "query", { style: "pipeDelimited", explode: false }),
      parameter("X-A", "header", { description: "from the path item" }),
    ],
    get: {
      operationId: "op",
      parameters: [
        parameter("q", "query", { explode: false }),
        parameter("x-a", "header", { description: "from the operation" }),
      ],
    },
  };
  const { fetch, requests } = recorder();
  const tools = toolsOf(documentWith({ "/{id}": item }), { fetch });
  const properties = Object(tools.tools[0]?.definition.inputSchema.properties);
  assertEquals(properties["x-a"], { description: "from the operation" });
  await tools.callTool("op", { id: 1, q: ["a", "b"] });
  assertEquals(requests[0]?.url, `${BASE}/1?q=a,b`);
});

Deno.test("parameters and bodies can be references", async () => {
  const members = {
    components: {
      parameters: { q: parameter("q", "query", { description: "Query" }) },
      requestBodies: {
        b: {
          required: true,
          content: { "application/json": { $ref: "#/components/mediaTypes/m" } },
        },
      },
      mediaTypes: { m: { schema: { type: "string" } } },
    },
  };
  const operation = {
    parameters: [
      { $ref: "#/components/parameters/q" },
      parameter("n", "query", {
        content: { "application/json": { $ref: "#/components/mediaTypes/m" } },
      }),
    ],
    requestBody: { $ref: "#/components/requestBodies/b" },
  };
  const { fetch, requests } = recorder();
  const tools = singleTool({ method: "post", operation }, { fetch }, members);
  assertEquals(tools.tools[0]?.definition.inputSchema, {
    type: "object",
    properties: { q: { description: "Query" }, n: { type: "string" }, body: { type: "string" } },
    required: ["body"],
    additionalProperties: false,
  });
  await tools.callTool("op", { q: "1", body: "text" });
  assertEquals([requests[0]?.url, requests[0]?.body], [`${BASE}/x?q=1`, '"text"']);
});

function content(type: string): object {
  return { content: { [type]: { schema: {} } } };
}

/** Operations that cannot be tools: method, operation and reason. */
const SKIPPED: readonly [string, object, RegExp][] = [
  ["get", { parameters: [parameter("s", "cookie", { required: true })] }, /the cookie "s" is req/],
  ["get", { parameters: [parameter("s", "querystring")] }, /has the location "querystring"/],
  ["get", { parameters: [parameter("s", "query", { style: "matrix" })] }, /has the style "matrix"/],
  ["get", { parameters: [parameter("s", "path", { style: "form" })] }, /has the style "form"/],
  ["get", { parameters: [parameter("a b", "header")] }, /"a b" is not a header name/],
  ["get", { parameters: [parameter("a\r\nb", "header")] }, /is not a header name/],
  ["get", { parameters: [{ in: "query" }] }, /no name or no location/],
  ["get", { parameters: ["q"] }, /no name or no location/],
  ["get", { parameters: [{ $ref: "#/nothing" }] }, /"#\/nothing" has no target/],
  ["get", { parameters: [{ $ref: "https://evil.example" }] }, /is not a JSON Pointer/],
  ["get", { parameters: [parameter("q", "query", content("application/xml"))] }, /content type/],
  ["post", { requestBody: content("multipart/form-data") }, /type "multipart\/form-data"/],
  ["post", { requestBody: content("application/octet-stream") }, /octet-stream/],
  ["post", { requestBody: content("application/xml") }, /application\/xml/],
  ["post", { requestBody: content("application/json\r\nx: y") }, /content type/],
  ["post", { requestBody: { $ref: "bodies.json" } }, /is not a JSON Pointer/],
  [
    "get",
    { requestBody: { required: true, ...content("application/json") } },
    /cannot have a body/,
  ],
  [
    "post",
    {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": { encoding: { a: { style: "matrix" } } },
        },
      },
    },
    /the member "a" has the style "matrix"/,
  ],
];

Deno.test("an operation whose request cannot be built is skipped", () => {
  for (const [method, operation, reason] of SKIPPED) {
    const { tools, skipped } = singleTool({ method, operation });
    assertEquals(tools, []);
    assertMatch(skipped[0]?.reason ?? "", reason);
  }
});

Deno.test("an operation with too many parameters is skipped before they are read", () => {
  const shared = Array.from({ length: 400 }, (_, index) => parameter(`a${index}`, "query"));
  const unread = Object.defineProperty({}, "name", {
    get: () => {
      throw new Error("the parameter was read");
    },
  });
  const skippedWith = (parameters: object[]): readonly unknown[] =>
    toolsOf(documentWith({ "/x": { parameters: shared, get: { parameters } } })).skipped;
  const own = Array.from({ length: 100 }, (_, index) => parameter(`b${index}`, "query"));
  assertEquals(skippedWith(own), []);
  assertEquals(skippedWith([...own, unread]), [{
    operation: "GET /x",
    reason: "the operation has more than 500 parameters",
  }]);
});

Deno.test("cyclic references are skipped", () => {
  const members = { a: { $ref: "#/b" }, b: { $ref: "#/a" } };
  const { skipped } = singleTool({ operation: { parameters: [{ $ref: "#/a" }] } }, {}, members);
  assertEquals(skipped[0]?.reason, "references form a cycle");
});

Deno.test("a path parameter that is not in the path is not an input", () => {
  const operation = { parameters: [parameter("id", "path")] };
  assertEquals(inputsOf(singleTool({ operation })), []);
});

Deno.test("the optional body of a GET request is not an input", () => {
  const tools = singleTool({ operation: { requestBody: content("application/json") } });
  assertEquals([inputsOf(tools), tools.skipped], [[], []]);
});
