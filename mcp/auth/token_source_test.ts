import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient } from "../client.ts";
import { mcpHandler, McpServer } from "../server.ts";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import { resourceServer } from "./resource_server.ts";
import type { TokenSourceConfig, WantedToken } from "./token_source_config.ts";

type Wanted = Omit<WantedToken, "signal">;

/** A source that returns `token-1`, `token-2` and so on, and a server that accepts some of them. */
function setUp(
  accepts: (token: string) => Response | undefined,
  options: Partial<TokenSourceConfig> = {},
) {
  const wanted: Wanted[] = [];
  const presented: (string | null)[] = [];
  const server: HttpFetch = (_url, init) => {
    const header = new Headers(init.headers).get("authorization");
    presented.push(header);
    const [, token = ""] = (header ?? "").split(" ");
    return Promise.resolve(accepts(token) ?? new Response(token));
  };
  const fetch = authorizedFetch({
    token: ({ signal: _signal, ...rest }) => {
      wanted.push(rest);
      return `token-${wanted.length}`;
    },
    ...options,
  }, { resource: RESOURCE, fetch: server });
  const post = () => fetch(RESOURCE, { method: "POST", body: "{}" });
  return { fetch, post, wanted, presented };
}

function challenge(status: number, parameters: string): Response {
  const headers = { "www-authenticate": `Bearer ${parameters}` };
  return new Response(`no ${status}`, { status, headers });
}

Deno.test("a token source is called for each request, with the URL of the server", async () => {
  const { post, wanted, presented } = setUp(() => undefined);
  assertEquals(await (await post()).text(), "token-1");
  assertEquals(await (await post()).text(), "token-2");
  assertEquals(wanted, [{ resource: RESOURCE }, { resource: RESOURCE }]);
  assertEquals(presented, ["Bearer token-1", "Bearer token-2"]);
});

Deno.test("after HTTP 401, a token source receives the rejected token and the scopes", async () => {
  const accepts = (token: string) =>
    token === "token-1" ? challenge(401, 'scope="use"') : undefined;
  const { post, wanted } = setUp(accepts);
  assertEquals(await (await post()).text(), "token-2");
  assertEquals(await (await post()).text(), "token-3");
  assertEquals(wanted, [
    { resource: RESOURCE },
    { resource: RESOURCE, scope: "use", refused: "token-1" },
    { resource: RESOURCE, scope: "use" },
  ]);
});

Deno.test("after HTTP 403, a token source receives all scopes that the server has demanded", async () => {
  const demands = new Map([["token-1", "read"], ["token-3", "write"]]);
  const accepts = (token: string) => {
    const scope = demands.get(token);
    return scope && challenge(403, `error="insufficient_scope", scope="${scope}"`) || undefined;
  };
  const { post, wanted } = setUp(accepts);
  await post();
  await post();
  assertEquals(wanted, [
    { resource: RESOURCE },
    { resource: RESOURCE, scope: "read" },
    { resource: RESOURCE, scope: "read" },
    { resource: RESOURCE, scope: "read write" },
  ]);
});

Deno.test("a request is not repeated with the same token", async () => {
  const { post, presented } = setUp(() => challenge(401, ""), { token: () => "planted-token" });
  const response = await post();
  assertEquals([response.status, await response.text()], [401, "no 401"]);
  assertEquals(presented, ["Bearer planted-token"]);
});

Deno.test("a request is repeated at most maxAttempts times", async () => {
  const few = setUp(() => challenge(401, ""), { maxAttempts: 1 });
  assertEquals((await few.post()).status, 401);
  assertEquals(few.presented.length, 2);
  const usual = setUp(() => challenge(401, ""));
  assertEquals((await usual.post()).status, 401);
  assertEquals(usual.presented.length, 4);
});

Deno.test("a DELETE request and a stream are not repeated", async () => {
  const { fetch, presented } = setUp(() => challenge(401, ""));
  assertEquals((await fetch(RESOURCE, { method: "DELETE" })).status, 401);
  const body = new ReadableStream({ start: (controller) => controller.close() });
  assertEquals((await fetch(RESOURCE, { method: "POST", body })).status, 401);
  assertEquals(presented.length, 2);
});

Deno.test("a token is not sent to another origin", async () => {
  const { fetch, wanted, presented } = setUp(() => undefined);
  await fetch("https://other.example/mcp", { method: "POST" });
  assertEquals([wanted, presented], [[], [null]]);
});

Deno.test("scopes that the server demands at the same time are all remembered", async () => {
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const demands = new Map([["token-1", "read"], ["token-2", "write"]]);
  const accepts = (token: string) => {
    const scope = demands.get(token);
    return scope && challenge(403, `error="insufficient_scope", scope="${scope}"`) || undefined;
  };
  let calls = 0;
  const scopes: (string | undefined)[] = [];
  const { post } = setUp(accepts, {
    token: async ({ scope }) => {
      const call = ++calls;
      scopes.push(scope);
      if (call === 3) begun[0]?.resolve();
      // Both demands wait until the other one has arrived.
      if (call === 4) begun[1]?.resolve();
      if (call === 3) await begun[1]?.promise;
      if (call === 4) await begun[0]?.promise;
      return `token-${call}`;
    },
  });
  await Promise.all([post(), post()]);
  await post();
  const last = scopes.pop()?.split(" ").toSorted();
  assertEquals([scopes, last], [[undefined, undefined, "read", "write"], ["read", "write"]]);
});

Deno.test("demanded scopes are not remembered without limit", async () => {
  let count = 0;
  const accepts = () =>
    ++count % 2 === 1
      ? challenge(403, `error="insufficient_scope", scope="${"x".repeat(4000)}${count}"`)
      : undefined;
  const { post, wanted } = setUp(accepts);
  for (let call = 0; call < 10; call++) await post();
  assert(wanted.every(({ scope = "" }) => scope.length <= 8192));
});

/** Test cases: a function that returns no token, and the expected error. */
const FAILURES: readonly (readonly [() => unknown, string])[] = [
  [() => Promise.reject(new Error("planted")), '"token" failed'],
  [() => undefined, '"token" must return the text of an access token'],
  [() => "", '"token" must return the text of an access token'],
  [() => "Bearer planted", '"token" must return the text of an access token'],
  [() => new Promise(() => {}), '"token" timed out after 1000 ms'],
];

for (const [token, text] of FAILURES) {
  Deno.test(`a request without a token is not sent: ${text} (${token})`, async () => {
    using time = new FakeTime();
    const called = Promise.withResolvers<void>();
    const { post, presented } = setUp(() => undefined, {
      requestTimeoutMs: 1000,
      token: () => {
        called.resolve();
        // Programs without type checks can return any value.
        return token() as never;
      },
    });
    const failing = assertRejects(post, McpError, text);
    await called.promise;
    await time.tickAsync(1000);
    const error = await failing;
    assertEquals([error.code, error.message.includes("planted")], ["auth_error", false]);
    assertEquals(presented, []);
  });
}

Deno.test("an McpError of a token source is passed on", async () => {
  const details = { reason: "r", exchange: "refused" } as const;
  const failure = new McpError("auth_error", details, "Cannot exchange the access token: r");
  const { post } = setUp(() => undefined, { token: () => Promise.reject(failure) });
  const error = await assertRejects(post, McpError, "Cannot exchange");
  assertEquals(error.details, details);
});

Deno.test("a failure after a challenge rejects the request", async () => {
  let calls = 0;
  const token = () => ++calls === 1 ? "token-1" : Promise.reject(new Error("down"));
  const { post } = setUp(() => challenge(401, ""), { token });
  await assertRejects(post, McpError, '"token" failed');
});

Deno.test("an abort ends the call of a token source", async () => {
  const stop = new AbortController();
  const seen: AbortSignal[] = [];
  const { fetch } = setUp(() => undefined, {
    token: ({ signal }) => {
      seen.push(signal);
      stop.abort(new Error("client left"));
      return new Promise(() => {});
    },
  });
  const { signal } = stop;
  await assertRejects(() => fetch(RESOURCE, { method: "POST", signal }), Error, "client left");
  assertEquals(seen[0]?.aborted, true);
});

Deno.test("tokens of a source are removed from error responses", async () => {
  const { post } = setUp((token) => new Response(`bad ${token}`, { status: 500 }), {
    token: () => "planted-token-1",
  });
  assertEquals(await (await post()).text(), "bad ...");
});

Deno.test("a token source has its own options", () => {
  const create = (config: object) => () =>
    authorizedFetch(config as TokenSourceConfig, { resource: RESOURCE });
  assertThrows(create({ token: "t" }), TypeError, '"token" must be a function');
  assertThrows(create({ token: () => "t", clientId: "c" }), TypeError, '"clientId"');
  assertThrows(create({ token: () => "t", maxAttempts: 0 }), RangeError, '"maxAttempts"');
  const insecure = () =>
    authorizedFetch({ token: () => "t" }, { resource: "http://mcp.example/mcp" });
  assertThrows(insecure, McpError, "HTTPS");
});

Deno.test("an McpClient obtains its tokens from a source", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  server.registerTool(
    { name: "whoami", description: "" },
    (_args, { principal }) => String(principal?.subject),
  );
  server.registerTool({ name: "write", description: "", scopes: ["write"] }, () => "written");
  const handler = mcpHandler(server, { allowedHosts: ["mcp.example"] });
  const guarded = resourceServer(handler, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: ({ token }) =>
      Promise.resolve({ subject: token, scopes: token === "writer" ? ["write"] : [] }),
  });
  await using client = new McpClient({
    transport: new HttpTransport(RESOURCE, {
      fetch: (url, init) => guarded(new Request(url, init)),
    }),
    auth: { token: ({ scope }) => scope === undefined ? "reader" : "writer" },
  });
  await client.connect();
  const { content } = await client.callTool("whoami", {});
  assertEquals(content, [{ type: "text", text: "reader" }]);
  const written = await client.callTool("write", {});
  assertEquals(written.content, [{ type: "text", text: "written" }]);
  await client.disconnect();
  await handler.close();
});
