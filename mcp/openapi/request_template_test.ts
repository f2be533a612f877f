import { assertEquals, assertMatch } from "@std/assert";
import { BASE, parameter, recorder, requestOf, singleTool, textOf } from "../testdata/openapi.ts";

/** Calls a tool with arguments that must be rejected. Returns the text of the result. */
async function refusalOf(
  operation: object,
  args: Record<string, unknown>,
  path = "/users/{id}",
): Promise<string> {
  const { fetch, requests } = recorder();
  const tools = singleTool({ path, operation }, { fetch });
  assertEquals(tools.skipped, []);
  const result = await tools.callTool("op", args);
  assertEquals(requests, []);
  assertEquals(result.isError, true);
  return textOf(result);
}

/** Path templates, style, and a value with which the URL would not belong to the operation. */
const ESCAPES: readonly [string, object, unknown][] = [
  ["/users/{id}", {}, "."],
  ["/users/{id}", {}, ".."],
  ["/users/{id}", {}, ""],
  ["/users/{id}", {}, "../admin"],
  ["/users/{id}", {}, "a/../../admin"],
  ["/users/{id}", {}, "a\\..\\b"],
  ["/users/{id}", {}, "a/."],
  ["/users/{id}", {}, []],
  ["/users/{id}", {}, [".."]],
  ["/users/{id}", {}, ["a", ""]],
  ["/users/{id}", {}, {}],
  ["/users/{id}", {}, { "..": "" }],
  ["/users/{id}", { explode: false }, { a: null }],
  ["/users/{id}", { style: "label" }, ""],
  ["/users/{id}", { style: "label" }, "."],
  ["/users/{id}", { style: "label", explode: true }, ["", ""]],
  ["/users/{id}", { style: "matrix" }, ""],
  ["/users/.{id}", {}, "."],
  ["/users/%2e{id}", {}, "."],
  ["/users/{id}.", {}, "."],
  ["/users/{id}/posts", {}, ".."],
  ["/users/{id}", {}, "..;/admin"],
  ["/users/{id}", {}, ".;a=b"],
  ["/users/.{id}", { style: "label" }, "/admin"],
  ["/users/..{id}", {}, "/admin"],
];

Deno.test("a path argument cannot change the path", async () => {
  for (const [path, members, id] of ESCAPES) {
    const operation = { parameters: [parameter("id", "path", members)] };
    const text = await refusalOf(operation, { id }, path);
    assertMatch(text, /"id" must not|path parameters must not/, JSON.stringify([path, id]));
  }
});

Deno.test("two path arguments cannot form a dot segment", async () => {
  const operation = { parameters: [parameter("a", "path"), parameter("b", "path")] };
  const text = await refusalOf(operation, { a: "x", b: "." }, "/{a}{b}");
  assertMatch(text, /"b" must not contain/);
  const { url } = await requestOf({ path: "/{a}{b}", operation }, { a: ".x", b: "..." });
  assertEquals(url, `${BASE}/.x...`);
});

Deno.test("two path arguments cannot form a dot segment with the text between them", async () => {
  const operation = { parameters: [parameter("a", "path"), parameter("b", "path")] };
  for (const separator of ["..", "."]) {
    const text = await refusalOf(operation, { a: "/", b: "/x" }, `/compare/{a}${separator}{b}`);
    assertMatch(text, /path parameters must not change the path/);
  }
  const { url } = await requestOf({ path: "/compare/{a}...{b}", operation }, { a: "v1.", b: ".a" });
  assertEquals(url, `${BASE}/compare/v1.....a`);
});

Deno.test("a header argument cannot add a header", async () => {
  const operation = { parameters: [parameter("X-Trace", "header")] };
  const values = ["a\r\nx: y", "a\nx: y", "a\0", "a\u2028", ["a", "b\r\nx: y"], { "a\n": 1 }];
  for (const value of values) {
    const text = await refusalOf(operation, { "X-Trace": value }, "/x");
    assertMatch(text, /"X-Trace" must not contain line breaks/);
  }
});

/** Paths of a document that are never offered. */
const INVALID_PATHS = [
  "users",
  "",
  "/../admin",
  "/a/./b",
  "/a/%2e%2E/b",
  "/a/..%2Fb",
  "/a%5c..%2fb",
  "/a/..;b",
  "/a\\..\\b",
  "/a/.\t./b",
  "/a\n",
  "/{id",
  "/id}",
  "/{unknown}",
  "/x?id={id}",
  "https://evil.example/x",
];

Deno.test("an operation whose path could leave the base URL is skipped", () => {
  for (const path of INVALID_PATHS) {
    const operation = { parameters: [parameter("id", "path")] };
    const { tools, skipped } = singleTool({ path, operation });
    assertEquals(tools, [], path);
    assertMatch(skipped[0]?.reason ?? "", /^the path /);
  }
});

Deno.test("the reason of a skipped operation names the parameter that is not declared", () => {
  const { skipped } = singleTool({
    path: "/a/{id}/{page}",
    operation: {
      parameters: [parameter("id", "path")],
    },
  });
  assertEquals(skipped[0]?.reason, 'the path parameter "page" is not declared');
});

/** Base URL, path and URL of the request. */
const URLS: readonly [string, string, string][] = [
  ["https://api.example.com", "/x", "https://api.example.com/x"],
  ["https://api.example.com/", "/x", "https://api.example.com/x"],
  ["https://api.example.com/v1/", "/x", "https://api.example.com/v1/x"],
  ["https://api.example.com/v1", "/", "https://api.example.com/v1/"],
  ["https://api.example.com", "//evil.example/x", "https://api.example.com//evil.example/x"],
  ["http://127.0.0.1:1/v1", "/@evil.example", "http://127.0.0.1:1/v1/@evil.example"],
  ["https://api.example.com", "/a#read", "https://api.example.com/a"],
  ["https://api.example.com", "/a?Action=List", "https://api.example.com/a?Action=List"],
];

Deno.test("the path is appended to the base URL", async () => {
  for (const [baseUrl, path, expected] of URLS) {
    const { url } = await requestOf({ path, operation: {} }, {}, { baseUrl });
    assertEquals(url, expected);
  }
});

Deno.test("a fixed query of a path precedes the arguments", async () => {
  const operation = { parameters: [parameter("q", "query")] };
  const { url } = await requestOf({ path: "/x?a=1", operation }, { q: "2" });
  assertEquals(url, `${BASE}/x?a=1&q=2`);
});

function body(type: string, media: object = {}): object {
  return { requestBody: { required: true, content: { [type]: { schema: {}, ...media } } } };
}

/** Content type, Media Type Object, body, and body and content type of the request. */
const BODIES: readonly [string, object, unknown, string, string][] = [
  ["application/json", {}, { a: [1, "é"] }, '{"a":[1,"é"]}', "application/json"],
  ["application/vnd.api+json", {}, null, "null", "application/vnd.api+json"],
  ["*/*", {}, [1], "[1]", "application/json"],
  ["text/plain", {}, "a\nb", "a\nb", "text/plain"],
  ["text/*", {}, "a", "a", "text/plain"],
  // The example of the OpenAPI Specification for a form without an Encoding Object.
  [
    "application/x-www-form-urlencoded",
    {},
    {
      id: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      address: {
        streetAddress: "123 Example Dr.",
        city: "Somewhere",
        state: "CA",
        zip: "99999+1234",
      },
    },
    "id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6&address=%7B%22streetAddress%22%3A%22123+Example+Dr.%22%2C%22city%22%3A%22Somewhere%22%2C%22state%22%3A%22CA%22%2C%22zip%22%3A%2299999%2B1234%22%7D",
    "application/x-www-form-urlencoded",
  ],
  [
    "application/x-www-form-urlencoded",
    {},
    { tags: ["a b", "c&d"], none: null },
    "tags=a+b&tags=c%26d",
    "application/x-www-form-urlencoded",
  ],
  [
    "application/x-www-form-urlencoded",
    {
      encoding: {
        ids: { style: "form", explode: false },
        deep: { style: "deepObject", explode: true },
      },
    },
    { ids: [1, 2], deep: { a: { b: "c d" } } },
    "ids=1,2&deep%5Ba%5D%5Bb%5D=c+d",
    "application/x-www-form-urlencoded",
  ],
];

Deno.test("a body is sent with its content type", async () => {
  for (const [type, media, value, expected, sentType] of BODIES) {
    const single = { method: "post", operation: body(type, media) };
    const request = await requestOf(single, { body: value });
    assertEquals(request.body, expected);
    assertEquals(request.headers["content-type"], sentType);
    assertEquals(request.method, "POST");
  }
});

Deno.test("an optional body that is not an argument is not sent", async () => {
  const operation = { requestBody: { content: { "application/json": { schema: {} } } } };
  const request = await requestOf({ method: "post", operation }, {});
  assertEquals([request.body, request.headers["content-type"]], [undefined, undefined]);
});

Deno.test("a form must be an object", async () => {
  const { fetch, requests } = recorder();
  const operation = body("application/x-www-form-urlencoded");
  const tools = singleTool({ method: "post", operation }, { fetch });
  const result = await tools.callTool("op", { body: "a=b" });
  assertEquals(requests, []);
  assertMatch(textOf(result), /"body" must be an object/);
});

Deno.test("arguments that are not JSON or too deep are rejected", async () => {
  const nest = (depth: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = [value];
    return value;
  };
  const operation = body("application/json");
  const deepest = nest(99);
  const request = await requestOf({ method: "post", operation }, { body: deepest, x: undefined });
  assertEquals(request.body, `${"[".repeat(99)}1${"]".repeat(99)}`);
  for (const value of [nest(100), nest(100_000), NaN, 1n, [undefined]]) {
    const { fetch, requests } = recorder();
    const tools = singleTool({ method: "post", operation }, { fetch });
    const result = await tools.callTool("op", { body: value as never });
    assertEquals(requests, []);
    assertMatch(textOf(result), /must be JSON with at most 100 levels of nesting/);
  }
});

Deno.test("JSON is preferred to forms, and forms to text", async () => {
  const content = {
    "multipart/form-data": {},
    "text/plain": {},
    "application/x-www-form-urlencoded": {},
    "application/json": {},
  };
  const left: Record<string, object> = { ...content };
  const expected = ["application/json", "application/x-www-form-urlencoded", "text/plain"];
  for (const type of expected) {
    const operation = { requestBody: { content: { ...left } } };
    const request = await requestOf({ method: "put", operation }, { body: { a: 1 } }).catch(() =>
      requestOf({ method: "put", operation }, { body: "text" })
    );
    assertEquals(request.headers["content-type"], type);
    delete left[type];
  }
});

Deno.test("requests do not follow redirects", async () => {
  const { redirect } = await requestOf({ operation: {} }, {});
  assertEquals(redirect, "manual");
});
