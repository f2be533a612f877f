import { assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { McpError, type OpenApiCall, type OpenApiOptions } from "../openapi.ts";
import { mcpHandler, McpServer } from "../server.ts";
import { modern } from "../testdata/http.ts";
import { BASE, parameter, recorder, singleTool } from "../testdata/openapi.ts";

const SECRET = "sk-0123456789abcdef";

const OPERATION = { parameters: [parameter("X-Trace", "header"), parameter("q", "query")] };

Deno.test("headers and query parameters are added to each request", async () => {
  const { fetch, requests } = recorder();
  const api = singleTool({ operation: OPERATION }, {
    fetch,
    headers: () => Promise.resolve([["Authorization", `Bearer ${SECRET}`], ["x-trace", "ours"]]),
    query: () => Promise.resolve({ "a b": "c&d", q: "ours" }),
  });
  await api.callTool("op", { "X-Trace": "theirs", q: "theirs" });
  assertEquals(requests[0]?.url, `${BASE}/x?a%20b=c%26d&q=ours`);
  assertEquals(requests[0]?.headers.authorization, `Bearer ${SECRET}`);
  assertEquals(requests[0]?.headers["x-trace"], "ours");
});

Deno.test("headers() and query() receive the call", async () => {
  const { fetch } = recorder();
  const calls: OpenApiCall[] = [];
  const api = singleTool({ operation: OPERATION }, {
    fetch,
    headers: (call) => {
      calls.push(call);
      return new Headers();
    },
    query: (call) => {
      calls.push(call);
      return {};
    },
  });
  const principal = { subject: "ada" };
  const meta = { key: 1 };
  await api.callTool("op", {}, { principal, meta });
  await api.callTool("op", {});
  const seen = calls.map(({ operation, principal, meta, signal }) => [
    operation.operationId,
    principal,
    meta,
    signal instanceof AbortSignal,
  ]);
  assertEquals(seen, [
    ["op", principal, meta, true],
    ["op", principal, meta, true],
    ["op", undefined, {}, true],
    ["op", undefined, {}, true],
  ]);
});

Deno.test("headers() receives the principal object of the request, to which its token is bound", async () => {
  const { fetch } = recorder();
  const seen: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1" });
  singleTool({ operation: OPERATION }, {
    fetch,
    headers: ({ principal }) => {
      seen.push(principal);
      return {};
    },
  }).register(server);
  const handler = mcpHandler(server);
  const principal = { subject: "ada" };
  const request = modern("tools/call", { name: "op", arguments: {} });
  assertEquals((await (await handler(request, { principal })).json()).result.isError, undefined);
  assertStrictEquals(seen[0], principal);
  await handler.close();
});

/** Values that are not headers. A program without type checks can return them. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  "Authorization: x",
  1,
  { authorization: undefined },
  { authorization: Promise.resolve("x") },
  { authorization: "a\r\nb: c" },
  { "a b": "c" },
  [["authorization"]],
  ["authorization"],
];

Deno.test("a call without valid headers is not sent", async () => {
  for (const value of WRONG) {
    const { fetch, requests } = recorder();
    const headers = (() => value) as unknown as NonNullable<OpenApiOptions["headers"]>;
    const api = singleTool({ operation: OPERATION }, { fetch, headers });
    const error = await assertRejects(() => api.callTool("op", {}), McpError);
    assertEquals(error.code, "auth_error");
    assertEquals(error.message, 'Cannot authorize the request: the option "headers" failed');
    assertEquals(requests, []);
  }
});

Deno.test("a call is not sent if headers() or query() throws", async () => {
  const failure = new Error(`the token ${SECRET} has expired`);
  const failing: readonly Partial<OpenApiOptions>[] = [
    {
      headers: () => {
        throw failure;
      },
    },
    { headers: () => Promise.reject(failure) },
    { query: () => Promise.reject(failure) },
    { query: (() => ({ key: 1 })) as unknown as NonNullable<OpenApiOptions["query"]> },
    { query: (() => undefined) as unknown as NonNullable<OpenApiOptions["query"]> },
  ];
  for (const options of failing) {
    const { fetch, requests } = recorder();
    const api = singleTool({ operation: OPERATION }, { fetch, ...options });
    const error = await assertRejects(() => api.callTool("op", {}), McpError);
    assertEquals(error.code, "auth_error");
    assertEquals(error.message.includes(SECRET), false);
    assertEquals(requests, []);
  }
});

/** Values with a secret that are neither headers nor query parameters. */
const WRONG_SECRETS: readonly unknown[] = [
  SECRET,
  [SECRET],
  { authorization: `Bearer ${SECRET}\nx` },
  { authorization: `${SECRET}\u2028` },
  { [`authorization: ${SECRET}`]: "" },
];

Deno.test("the error of a wrong value does not contain the value", async () => {
  const { fetch } = recorder();
  for (const value of WRONG_SECRETS) {
    const returned = (() => value) as unknown as NonNullable<OpenApiOptions["headers"]>;
    const api = singleTool({ operation: OPERATION }, { fetch, headers: returned });
    const error = await assertRejects(() => api.callTool("op", {}), McpError);
    const text = Deno.inspect(error, { depth: 20, strAbbreviateSize: Infinity });
    assertEquals(text.includes(SECRET), false, text);
    assertMatch(String(error.cause), /^TypeError: "headers\(\)" must return /);
  }
  const query = (() => SECRET) as unknown as NonNullable<OpenApiOptions["query"]>;
  const api = singleTool({ operation: OPERATION }, { fetch, query });
  const error = await assertRejects(() => api.callTool("op", {}), McpError);
  const wrong = '"query()" must return an object whose values are strings';
  assertEquals(String(error.cause), `TypeError: ${wrong}`);
});

/** Options with a secret, and the texts of a server that repeats it. */
const ECHOES: readonly [Partial<OpenApiOptions>, string][] = [
  [{ headers: () => ({ authorization: `Bearer ${SECRET}` }) }, `Bearer ${SECRET}`],
  [{ headers: () => ({ authorization: `Bearer ${SECRET}` }) }, SECRET],
  [{ headers: () => ({ authorization: `Bearer ${SECRET}` }) }, btoa(SECRET)],
  [{ headers: () => ({ "x-api-key": SECRET }) }, SECRET],
  [{ headers: () => ({ "x-own": SECRET }) }, SECRET],
  [{ headers: () => ({ cookie: `session=${SECRET}` }) }, `session=${SECRET}`],
  [{ headers: () => ({ cookie: `lang=en; session=${SECRET}; a=b` }) }, SECRET],
  [{ headers: () => ({ authorization: `Token token="${SECRET}", id="1"` }) }, SECRET],
  [{ headers: () => ({ authorization: `Basic ${btoa(`me:${SECRET}`)}` }) }, SECRET],
  [{ query: () => ({ access_token: SECRET }) }, SECRET],
  [{ query: () => ({ own: SECRET }) }, SECRET],
  [{ query: () => ({ sig: SECRET }) }, SECRET],
  [{ headers: () => ({ "X-Passphrase": SECRET }) }, SECRET],
  [{ headers: () => ({ "x-pwd": SECRET }) }, SECRET],
];

const SCHEMES = {
  components: {
    securitySchemes: {
      header: { type: "apiKey", in: "header", name: "X-Own" },
      query: { type: "apiKey", in: "query", name: "own" },
    },
  },
};

Deno.test("results do not contain the credentials", async () => {
  for (const [options, echo] of ECHOES) {
    for (const status of [200, 401]) {
      for (const type of ["application/json", "text/plain", `application/x; a=${echo}`]) {
        const respond = (): Response =>
          new Response(JSON.stringify({ echo, ok: 1 }), {
            status,
            headers: { "content-type": type },
          });
        const { fetch } = recorder(respond);
        const api = singleTool({ operation: OPERATION }, { fetch, ...options }, SCHEMES);
        const text = JSON.stringify(await api.callTool("op", {}));
        assertEquals(text.includes(echo), false, text);
      }
    }
  }
});

Deno.test("the rest of a result with credentials is not changed", async () => {
  const { fetch } = recorder(() => Response.json({ token: SECRET, version: "2022-11-28" }));
  const api = singleTool({ operation: OPERATION }, {
    fetch,
    headers: () => ({ authorization: `Bearer ${SECRET}`, "x-version": "2022-11-28" }),
  });
  const { structuredContent } = await api.callTool("op", {});
  assertEquals(structuredContent, { token: "...", version: "2022-11-28" });
});

Deno.test("the error of a failed request does not contain the credentials", async () => {
  const api = singleTool({ operation: OPERATION }, {
    fetch: (url) => Promise.reject(new TypeError(`error sending request for url (${url})`)),
    query: () => ({ key: SECRET }),
  });
  const error = await assertRejects(() => api.callTool("op", {}), McpError);
  assertEquals(error.code, "connection_failed");
  assertEquals(error.message, 'Cannot connect to "https://api.example.com": the request failed');
  assertEquals(
    String(error.cause),
    "TypeError: error sending request for url (https://api.example.com/v1/x?key=...)",
  );
});
