import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createServer } from "node:http";
import { HttpTransport, McpClient, type McpClientConfig } from "../client.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import { toNodeListener } from "../node.ts";
import { mcpHandler } from "../server.ts";
import { McpServer } from "../server/mcp_server.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, OAuthWorld, RESOURCE, type Sent } from "../testdata/oauth.ts";
import type { DiscoveryConfig } from "./config.ts";
import {
  type ProtectedHandler,
  resourceServer,
  type ResourceServerOptions,
} from "./resource_server.ts";
import { jwtVerifier } from "./jwt_verifier.ts";
import type { RefusedToken, VerifiedToken } from "./token_verifier.ts";

const WHERE = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';

const INVALID = 'error_description="The access token is invalid"';
const EXPIRED = 'error_description="The access token expired"';

const TOKENS: Readonly<Record<string, VerifiedToken | RefusedToken>> = {
  reader: { subject: "ada", scopes: ["read"] },
  nobody: { subject: "eve", scopes: [] },
  old: { refused: { reason: "expired" } },
  early: { refused: { reason: "not_yet_valid" } },
  stray: { refused: { reason: "audience" } },
  replay: { refused: { reason: "replayed" } },
};

const greet: ProtectedHandler = function (_request, context) {
  return Promise.resolve(new Response(`hello ${context?.principal?.subject}`));
};

/** A handler that fails the test if it is called with a `Request` object. */
const plainly: ProtectedHandler = Object.assign(
  function (): Promise<Response> {
    return Promise.reject(new Error("a Request object was created"));
  },
  {
    respond: (_request: unknown, context?: Parameters<ProtectedHandler>[1]) =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: `hello ${context?.principal?.subject}`,
      }),
  },
);

function guarded(options: Partial<ResourceServerOptions> = {}, handler = greet) {
  return resourceServer(handler, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: ({ token }) => Promise.resolve(TOKENS[token]),
    ...options,
  });
}

function requestWith(authorization?: string, init: RequestInit = {}): Request {
  const headers: HeadersInit = authorization === undefined ? {} : { authorization };
  return new Request(RESOURCE, { method: "POST", headers, ...init });
}

/**
 * Test cases: the `Authorization` header, the server options, and the expected status and
 * challenge.
 */
const SHOWN: readonly (readonly [
  string | undefined,
  Partial<ResourceServerOptions>,
  number,
  string | null,
])[] = [
  [undefined, {}, 401, `Bearer ${WHERE}`],
  [undefined, { requiredScopes: ["read", "x"] }, 401, `Bearer scope="read x", ${WHERE}`],
  [undefined, { requireDpop: true }, 401, `DPoP ${WHERE}`],
  ["Bearer reader", {}, 200, null],
  ["bearer  reader", {}, 200, null],
  ["DPoP reader", {}, 200, null],
  ["Bearer reader", { requiredScopes: ["read"] }, 200, null],
  ["Bearer guess", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer old", {}, 401, `Bearer error="invalid_token", ${EXPIRED}, ${WHERE}`],
  ["DPoP old", { requireDpop: true }, 401, `DPoP error="invalid_token", ${EXPIRED}, ${WHERE}`],
  [
    "Bearer old",
    { requiredScopes: ["read"] },
    401,
    `Bearer error="invalid_token", ${EXPIRED}, scope="read", ${WHERE}`,
  ],
  ["Bearer early", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer stray", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["DPoP replay", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer a b", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer r\u00e9ader", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  [`Bearer ${"x".repeat(17_000)}`, {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Basic cmVhZGVy", {}, 401, `Bearer error="invalid_token", ${INVALID}, ${WHERE}`],
  ["Bearer reader", { requireDpop: true }, 401, `DPoP error="invalid_token", ${INVALID}, ${WHERE}`],
  [
    "Bearer nobody",
    { requiredScopes: ["read"] },
    403,
    `Bearer error="insufficient_scope", scope="read", ${WHERE}`,
  ],
];

for (const [authorization, options, status, challenge] of SHOWN) {
  const shown = authorization?.slice(0, 20) ?? "nothing";
  Deno.test(`a request with Authorization "${shown}" results in status ${status} with options ${JSON.stringify(options)}`, async () => {
    const response = await guarded(options)(requestWith(authorization));
    assertEquals(response.status, status);
    assertEquals(response.headers.get("www-authenticate"), challenge);
    if (status === 200) assertEquals(await response.text(), "hello ada");
    else assertEquals((await response.json()).jsonrpc, "2.0");

    const plain = await guarded(options, plainly).respond?.(requestWith(authorization));
    assertEquals([plain?.status, plain?.headers["www-authenticate"] ?? null], [status, challenge]);
    if (status === 200) assertEquals(plain?.body, "hello ada");
    else assertEquals(JSON.parse(String(plain?.body)).jsonrpc, "2.0");
  });
}

Deno.test("on node:http, resourceServer() creates a Request only if the verifier reads the request property", async () => {
  const seen: (string | null)[] = [];
  const door = guarded({
    verify: (shown) => {
      if (shown.token === "curious") {
        const { request } = shown;
        assertEquals(request, shown.request);
        seen.push(request.method, request.url, request.headers.get("dpop"));
      }
      return Promise.resolve({ subject: "ada", scopes: [], status: "odd" });
    },
  }, plainly);
  const http = createServer(toNodeListener(door));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  for (const [authorization, status] of [["Bearer any", 200], ["DPoP curious", 200], ["", 401]]) {
    const headers = { authorization: String(authorization), dpop: "proof" };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers });
    assertEquals(response.status, status);
    await response.body?.cancel();
  }
  assertEquals(seen, ["POST", RESOURCE, "proof"]);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

Deno.test("resourceServer() has no respond() if the handler has none", () => {
  assertEquals(guarded().respond, undefined);
});

Deno.test("an access token in the query is ignored", async () => {
  const request = new Request(`${RESOURCE}?access_token=reader`, { method: "POST" });
  assertEquals((await guarded()(request)).status, 401);
});

Deno.test("a CORS preflight request does not require a token", async () => {
  const response = await guarded()(requestWith(undefined, { method: "OPTIONS" }));
  assertEquals(await response.text(), "hello undefined");
});

Deno.test("a method that no Request can have is rejected before the token is verified", async () => {
  const errors: unknown[] = [];
  const handler = guarded({
    verify: ({ request }) => Promise.reject(new Error(request.method)),
    onError: (error) => errors.push(error),
  }, plainly);
  for (const method of ["TRACE", "CONNECT", "TRACK"]) {
    const response = await handler.respond?.({
      method,
      url: RESOURCE,
      headers: new Headers({ authorization: "Bearer reader" }),
      body: null,
      signal: new AbortController().signal,
      arrayBuffer: () => Promise.resolve(new ArrayBuffer()),
    });
    assertEquals([response?.status, response?.headers["www-authenticate"]], [501, undefined]);
  }
  assertEquals(errors, []);
});

Deno.test("a rejected token is not accepted, even if the verifier also returns a subject", async () => {
  const found = { refused: { reason: "audience" }, subject: "eve", scopes: ["read"] } as const;
  const response = await guarded({ verify: () => Promise.resolve(found) })(
    requestWith("Bearer reader"),
  );
  assertEquals(response.status, 401);
  assertEquals((await response.json()).error.message, "The access token is invalid");
});

Deno.test("an error thrown by the verifier results in status 503", async () => {
  const reported: unknown[] = [];
  const error = new Error("no network");
  const handler = guarded({
    verify: () => Promise.reject(error),
    onError: (each) => reported.push(each),
  });
  const response = await handler(requestWith("Bearer reader"));
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("www-authenticate"), null);
  assertEquals(reported, [error]);
});

Deno.test("a verifier that throws synchronously results in status 503", async () => {
  const reported: unknown[] = [];
  const verify = (): never => {
    throw new Error("broken");
  };
  const handler = guarded({ verify, onError: (each) => reported.push(each) });
  assertEquals((await handler(requestWith("Bearer reader"))).status, 503);
  assertEquals(reported.map(String), ["Error: broken"]);
});

Deno.test("a verifier that never settles results in status 503 after verifyTimeoutMs", async () => {
  using time = new FakeTime();
  const reported: unknown[] = [];
  const verify = () => new Promise<never>(() => {});
  const handler = guarded({
    verify,
    verifyTimeoutMs: 2000,
    onError: (each) => reported.push(each),
  });
  const response = handler(requestWith("Bearer reader"));
  await time.tickAsync(2000);
  assertEquals((await response).status, 503);
  assertEquals(reported.map(String), [
    'McpError: Cannot authorize the request: "verify" timed out after 2000 ms ("verifyTimeoutMs")',
  ]);
});

Deno.test("a verifier that never settles is not awaited after the client has disconnected", async () => {
  const reported: unknown[] = [];
  const verify = () => new Promise<never>(() => {});
  const handler = guarded({ verify, onError: (each) => reported.push(each) });
  const stop = new AbortController();
  const headers = { authorization: "Bearer reader" };
  const request = new Request(RESOURCE, { method: "POST", headers, signal: stop.signal });
  const response = handler(request);
  stop.abort();
  assertEquals((await response).status, 503);
  assertEquals(reported, []);
});

Deno.test("a reported error of the verifier does not contain the access token", async () => {
  const reported: unknown[] = [];
  const cause = new Error(`GET /introspect?token=${encodeURIComponent("planted+token/1=")}`);
  const handler = guarded({
    verify: ({ request }) => Promise.reject(Object.assign(new Error("a", { cause }), { request })),
    onError: (each) => reported.push(each),
  });
  assertEquals((await handler(requestWith("Bearer planted+token/1="))).status, 503);
  const text = Deno.inspect(reported, { depth: 20, strAbbreviateSize: Infinity });
  assertEquals([reported.length, text.includes("planted")], [1, false]);
});

const HOSTILE_ERROR = new Proxy(new Error("hostile"), {
  get() {
    throw new Error("unreadable");
  },
});

/** Test cases: a title and a verifier that fails or returns a value that is not a token. */
const ODD_VERIFIERS: readonly (readonly [string, () => unknown])[] = [
  ["throws an error that cannot be inspected", () => {
    throw HOSTILE_ERROR;
  }],
  ["rejects with an error that cannot be inspected", () => Promise.reject(HOSTILE_ERROR)],
  ["returns true", () => true],
  ["returns null", () => null],
  ["returns no subject", () => ({ scopes: ["admin"] })],
  ["returns no scopes", () => ({ subject: "eve" })],
  ["returns a refusal that is not an object", () => ({ refused: "expired" })],
  ["returns a refusal that cannot be inspected", () => ({
    get refused() {
      throw new Error("unreadable");
    },
  })],
  ["returns scopes as a string", () => ({ subject: "eve", scopes: "superadmin" })],
  ["returns a scope that is not a string", () => ({ subject: "eve", scopes: ["admin", 1] })],
  ["returns a token that cannot be inspected", () => ({
    subject: "eve",
    get scopes() {
      throw new Error("unreadable");
    },
  })],
];

for (const [title, verify] of ODD_VERIFIERS) {
  Deno.test(`a verifier that ${title} results in status 503`, async () => {
    const reported: unknown[] = [];
    const handler = guarded({
      // The types do not permit the result, but verifiers in JavaScript can return it.
      verify: verify as never,
      requiredScopes: ["admin"],
      onError: (error) => reported.push(error),
    });
    assertEquals((await handler(requestWith("Bearer reader"))).status, 503);
    assertEquals(reported.length, 1);
  });
}

/** Test cases: a server URL and the expected URL of its metadata. */
const PLACES: readonly (readonly [string, string])[] = [
  ["https://mcp.example", "https://mcp.example/.well-known/oauth-protected-resource"],
  ["https://mcp.example/", "https://mcp.example/.well-known/oauth-protected-resource"],
  ["https://mcp.example/a/b", "https://mcp.example/.well-known/oauth-protected-resource/a/b"],
];

for (const [resource, place] of PLACES) {
  Deno.test(`resourceServer() serves the metadata of ${resource}`, async () => {
    const handler = guarded({ resource, requiredScopes: ["read"], resourceName: "mine" });
    const response = await handler(new Request(place));
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    assertEquals(await response.json(), {
      resource,
      authorization_servers: [ISSUER],
      scopes_supported: ["read"],
      bearer_methods_supported: ["header"],
      resource_name: "mine",
    });
    const other = await handler(new Request(place, { method: "POST" }));
    assertEquals(other.status, 405);
  });
}

Deno.test("the metadata URL is added to a challenge from the handler", async () => {
  const challenges = [
    [
      'Bearer error="insufficient_scope", scope="write"',
      `Bearer error="insufficient_scope", scope="write", ${WHERE}`,
    ],
    [
      'Bearer resource_metadata="https://x.example"',
      'Bearer resource_metadata="https://x.example"',
    ],
  ];
  for (const [given = "", expected] of challenges) {
    const handler = guarded({}, () =>
      Promise.resolve(
        new Response("no", { status: 403, headers: { "www-authenticate": given } }),
      ));
    const response = await handler(requestWith("Bearer reader"));
    assertEquals(response.status, 403);
    assertEquals(response.headers.get("www-authenticate"), expected);
    assertEquals(await response.text(), "no");

    const respond = () =>
      Promise.resolve({ status: 403, headers: { "www-authenticate": given }, body: "no" });
    const plain = await guarded({}, Object.assign(greet.bind(null), { respond }))
      .respond?.(requestWith("Bearer reader"));
    assertEquals([plain?.headers["www-authenticate"], plain?.body], [expected, "no"]);
  }
});

Deno.test("resourceServer() rejects an insecure URL and an empty list of authorization servers", () => {
  assertThrows(() => guarded({ resource: "http://mcp.example" }), McpError, '"resource"');
  assertThrows(() => guarded({ authorizationServers: [] }), RangeError, "at least one entry");
});

/** A client, a server and an authorization server that issues signed tokens. */
async function company(options: Partial<ResourceServerOptions> = {}) {
  const issuer = await SigningIssuer.make(ISSUER);
  const server = new McpServer({ name: "private", version: "1.0.0" });
  server.registerTool(
    { name: "whoami", description: "" },
    (_args, { principal }) => `${principal?.subject}: ${principal?.scopes?.join(" ")}`,
  );
  server.registerTool({ name: "write", description: "", scopes: ["write"] }, () => "written");
  const handler = mcpHandler(server, { allowedHosts: ["mcp.example"] });
  const world = new OAuthWorld();
  const door = resourceServer(handler, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: jwtVerifier({ issuer: ISSUER, jwksUri: `${ISSUER}/keys`, fetch: world.fetch }),
    requiredScopes: ["use"],
    ...options,
  });
  const running = new Set<Promise<Response>>();
  const enter = ({ url, method, headers, body }: Sent): Promise<Response> => {
    const init = { method, headers, ...(method === "POST" ? { body } : {}) };
    const answered = door(new Request(url, init));
    running.add(answered);
    return answered;
  };
  const place = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
  for (
    const route of [`POST ${RESOURCE}`, `GET ${RESOURCE}`, `DELETE ${RESOURCE}`, `GET ${place}`]
  ) {
    world.answers[route] = enter;
  }
  world.answers[`GET ${ISSUER}/keys`] = () => issuer.keys();
  const claims: Record<string, unknown> = {};
  world.answers[`POST ${ISSUER}/token`] = async ({ headers }) => {
    const jkt = await thumbprintOf(headers.get("dpop"));
    const bound = jkt === undefined ? {} : { cnf: { jkt } };
    const scope = world.logins.at(-1)?.searchParams.get("scope");
    const access_token = await issuer.token({ scope, ...bound, ...claims });
    return Response.json({ access_token, token_type: jkt === undefined ? "Bearer" : "DPoP" });
  };
  const clientWith = (
    more: Partial<DiscoveryConfig> = {},
    protocol: McpClientConfig["protocol"] = "auto",
  ): McpClient =>
    new McpClient({
      transport: new HttpTransport(RESOURCE, { fetch: world.fetch }),
      auth: { ...world.config, ...more },
      protocol,
    });
  const close = async (): Promise<void> => {
    await handler.close();
    // Wait for requests in progress: the server may still be verifying the token of a background
    // stream.
    await Promise.allSettled(running);
  };
  return { world, claims, clientWith, close };
}

for (const protocol of ["modern", "2025-11-25"] as const) {
  for (const dpop of [false, true]) {
    const kind = dpop ? "a DPoP-bound token" : "a bearer token";
    Deno.test(`McpClient connects to a protected server with ${kind} (${protocol})`, async () => {
      const { world, clientWith, close } = await company({ requireDpop: dpop });
      const client = clientWith(dpop ? { dpop: true } : {}, protocol);
      try {
        await client.connect();
        const { content } = await client.callTool("whoami", {});
        assertEquals(content, [{ type: "text", text: "ada: use" }]);
        assertEquals(world.logins.length, 1);
      } finally {
        await client.disconnect();
        await close();
      }
    });
  }
}

for (const protocol of ["modern", "2025-11-25"] as const) {
  Deno.test(`a tool that requires additional scopes triggers another login (${protocol})`, async () => {
    const { world, clientWith, close } = await company();
    const client = clientWith({}, protocol);
    try {
      await client.connect();
      const { content } = await client.callTool("write", {});
      assertEquals(content, [{ type: "text", text: "written" }]);
      const scopes = world.logins.map(({ searchParams }) => searchParams.get("scope"));
      assertEquals(scopes, ["use", "use write"]);
    } finally {
      await client.disconnect();
      await close();
    }
  });
}

Deno.test("a replayed DPoP proof is rejected", async () => {
  const { world, clientWith, close } = await company({ requireDpop: true });
  const client = clientWith({ dpop: true }, "modern");
  await client.connect();
  await client.disconnect();
  const last = world.to(RESOURCE).at(-1);
  assertEquals(last?.headers.get("authorization")?.startsWith("DPoP "), true);
  const again = await world.answers[`POST ${RESOURCE}`]?.(last as Sent);
  assertEquals(again?.status, 401);
  await again?.body?.cancel();
  await close();
});

Deno.test("McpClient reports a token that the server rejects", async () => {
  const { world, claims, clientWith, close } = await company();
  claims.aud = "https://other.example";
  const error = await assertRejects(() => clientWith().connect(), McpError);
  assertEquals(error.code, McpErrorCode.AuthError);
  assertEquals(error.httpStatus, 401);
  assertEquals(world.logins.length, 1);
  await close();
});

async function thumbprintOf(proof: string | null): Promise<string | undefined> {
  if (proof === null) return undefined;
  const decode = (part: string) => atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  const { crv, kty, x, y } = JSON.parse(decode(proof.split(".")[0] ?? "")).jwk;
  const bytes = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...hash)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}
