import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { Principal } from "../server/exchange_context.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { resourceServer } from "./resource_server.ts";
import { type ExchangeTarget, tokenExchange, type TokenExchangeOptions } from "./token_exchange.ts";
import type { VerifiedToken } from "./token_verifier.ts";

const NOW = 1_700_000_000_000;
const API = "https://api.example";
const TOKEN_URL = `${ISSUER}/token`;

/** Returns a function that passes a token through a resource server, and returns the principal. */
function door() {
  const tokens = new Map<string, VerifiedToken>();
  let principal: Principal | undefined;
  const handle = resourceServer((_request, context) => {
    principal = context?.principal;
    return Promise.resolve(new Response());
  }, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: ({ token }) => Promise.resolve(tokens.get(token)),
  });
  return async (token: string, verified: Partial<VerifiedToken> = {}): Promise<Principal> => {
    tokens.set(token, {
      subject: "ada",
      scopes: ["use"],
      issuer: ISSUER,
      clientId: "desktop",
      expiresAt: NOW + 3_600_000,
      ...verified,
    });
    principal = undefined;
    const headers = { authorization: `Bearer ${token}` };
    await handle(new Request(RESOURCE, { method: "POST", headers }));
    assert(principal !== undefined);
    return principal;
  };
}

/** An exchange at a token endpoint whose responses the test determines. */
function setUp(options: Partial<TokenExchangeOptions> = {}) {
  const sent: Record<string, string>[] = [];
  const state: { answer: object; status: number; hold: Promise<void> } = {
    answer: {},
    status: 200,
    hold: Promise.resolve(),
  };
  const exchange = tokenExchange({
    tokenUrl: TOKEN_URL,
    clientId: "mcp-server",
    clientSecret: "s3cret",
    fetch: async (url, init) => {
      assertEquals([url, init?.method], [TOKEN_URL, "POST"]);
      sent.push({
        authorization: new Headers(init?.headers).get("authorization") ?? "",
        ...Object.fromEntries(new URLSearchParams(String(init?.body))),
      });
      const count = sent.length;
      await state.hold;
      const answer = { access_token: `new-${count}`, token_type: "Bearer", expires_in: 600 };
      const body = state.status === 200 ? { ...answer, ...state.answer } : state.answer;
      return Response.json(body, { status: state.status });
    },
    ...options,
  });
  return { exchange, sent, state, enter: door() };
}

function failureOf(error: McpError): unknown {
  return error.is("auth_error") ? error.details.exchange : error.code;
}

Deno.test("tokenExchange() exchanges the token of the caller for a token of another server", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  const ada = await enter("token-of-ada");
  assertEquals(await exchange(ada, { resource: API, scope: "read" }), "new-1");
  assertEquals(sent, [{
    authorization: `Basic ${btoa("mcp-server:s3cret")}`,
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: "token-of-ada",
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    resource: API,
    scope: "read",
  }]);
});

Deno.test("tokenExchange() names this server as the actor", async () => {
  const { exchange, sent, enter } = setUp({ actorToken: () => "token-of-server" });
  await exchange(await enter("t", { expiresAt: Date.now() + 60_000 }), { audience: "api" });
  const [{ actor_token, actor_token_type, audience } = {}] = sent;
  assertEquals([actor_token, actor_token_type, audience], [
    "token-of-server",
    "urn:ietf:params:oauth:token-type:access_token",
    "api",
  ]);
});

Deno.test("tokenExchange() uses the on-behalf-of flow of Entra ID", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp({ form: "on_behalf_of" });
  const ada = await enter("token-of-ada");
  await exchange(ada, { resource: API, scope: "api://1/.default" });
  assertEquals(sent, [{
    authorization: `Basic ${btoa("mcp-server:s3cret")}`,
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: "token-of-ada",
    requested_token_use: "on_behalf_of",
    scope: "api://1/.default",
  }]);
  await assertRejects(() => exchange(ada, { resource: API }), TypeError, '"target.scope"');
});

Deno.test("a new token is used until 30 seconds before it expires, and shared by calls", async () => {
  using time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  const ada = await enter("t1");
  const many = () =>
    Promise.all(Array.from({ length: 50 }, () => exchange(ada, { resource: API })));
  assertEquals(new Set(await many()), new Set(["new-1"]));
  time.tick(569_999);
  assertEquals(new Set(await many()), new Set(["new-1"]));
  time.tick(1);
  assertEquals(new Set(await many()), new Set(["new-2"]));
  assertEquals(sent.length, 2);
});

Deno.test("a new token without an expiration time is used for 30 seconds", async () => {
  using time = new FakeTime(NOW);
  const { exchange, state, enter } = setUp();
  state.answer = { expires_in: undefined };
  const ada = await enter("t1");
  assertEquals(await exchange(ada, { resource: API }), "new-1");
  time.tick(29_999);
  assertEquals(await exchange(ada, { resource: API }), "new-1");
  time.tick(1);
  assertEquals(await exchange(ada, { resource: API }), "new-2");
});

Deno.test("a new token is not used longer than the token of the caller", async () => {
  using time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  const ada = await enter("t1", { expiresAt: NOW + 100_000 });
  assertEquals(await exchange(ada, { resource: API }), "new-1");
  time.tick(100_000);
  const error = await assertRejects(
    () => exchange(ada, { resource: API }),
    McpError,
    "has expired",
  );
  assertEquals(failureOf(error), "no_token");
  // The holder is shared, so the next request of the caller renews the token.
  await enter("t2", { expiresAt: NOW + 200_000 });
  assertEquals(sent.length, 1);
});

Deno.test("tokens of other targets, callers and tokens are not reused", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, enter } = setUp();
  const ada = await enter("t1");
  const bob = await enter("t2", { subject: "bob" });
  const targets: ExchangeTarget[] = [
    { resource: API },
    { audience: API },
    { scope: API },
    { resource: API, scope: "read" },
    { resource: API, scope: "write" },
  ];
  const found = [];
  for (const principal of [ada, bob]) {
    for (const target of targets) found.push(await exchange(principal, target));
  }
  assertEquals(found, Array.from({ length: 10 }, (_, index) => `new-${index + 1}`));
});

Deno.test("requests with equal rights share the token that expires last, and others do not", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  const first = await enter("t1", { expiresAt: NOW + 100_000 });
  await enter("t2", { expiresAt: NOW + 200_000 });
  await enter("t3", { expiresAt: NOW + 150_000 });
  await enter("t4", { expiresAt: NOW + 300_000, scopes: ["use", "admin"] });
  await enter("t5", { expiresAt: NOW + 300_000, clientId: "phone" });
  await enter("t6", { expiresAt: NOW + 300_000, issuer: "https://other.example" });
  await enter("t7", { expiresAt: NOW + 300_000, subject: "bob" });
  await enter("t8", { expiresAt: NOW + 300_000, claims: { org: "acme" } });
  await exchange(first, { resource: API });
  assertEquals(sent.map(({ subject_token }) => subject_token), ["t2"]);
});

Deno.test("a principal has a key for its issuer, client, claims and scopes, in any order", async () => {
  const enter = door();
  const { key } = await enter("t1", { scopes: ["b", "a"] });
  assertEquals(key, '["https://login.example","ada","desktop",{},"a","b"]');
  assertEquals((await enter("t2", { scopes: ["a", "b"] })).key, key);
  assert((await enter("t3", { scopes: ["a"] })).key !== key);
  const scopes: string[] = [];
  const acme = await enter("t4", { scopes, claims: { org: "acme", roles: ["a"], x: undefined } });
  assertEquals(acme.key, '["https://login.example","ada","desktop",{"org":"acme","roles":["a"]}]');
});

Deno.test("claims that identify one token are not part of the key", async () => {
  const enter = door();
  const claims = { jti: "1", iat: 1, nbf: 1, exp: 2, org: "acme" };
  const { key } = await enter("t1", { scopes: [], claims });
  assertEquals(key, '["https://login.example","ada","desktop",{"org":"acme"}]');
});

Deno.test("claims that are not JSON are not shared", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  for (const org of [1n, new Map([["acme", 1]]), () => {}]) {
    const first = await enter("t1", { claims: { org } });
    const second = await enter("t2", { claims: { org }, expiresAt: NOW + 7_200_000 });
    assert(first.key !== second.key);
    sent.length = 0;
    await exchange(first, { audience: typeof org });
    assertEquals(sent.map(({ subject_token }) => subject_token), ["t1"]);
  }
});

Deno.test("a handler cannot reach the token of its caller", async () => {
  const ada = await door()("planted-token", { claims: { tid: "t" } });
  const seen = new Set<unknown>();
  const walk = (value: unknown): void => {
    if (typeof value === "string") assertEquals(value.includes("planted"), false);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) walk(Reflect.get(value, key));
  };
  walk(ada);
  assertEquals(Deno.inspect(ada, { depth: 20, showHidden: true }).includes("planted"), false);
  const { exchange } = setUp();
  for (const principal of [undefined, { subject: "ada" }, { ...ada }]) {
    const error = await assertRejects(() => exchange(principal, { resource: API }), McpError);
    assertEquals(failureOf(error), "no_token");
  }
});

/** Test cases: a response, the expected failure, and whether the next call sends a request. */
const FAILURES: Readonly<Record<string, readonly [number, object, string, boolean]>> = {
  "rejects the token": [400, { error: "invalid_request" }, "refused", false],
  "rejects the target": [400, { error: "invalid_target" }, "refused", false],
  "rejects the client": [401, { error: "invalid_client" }, "refused", false],
  "requires consent": [400, { error: "consent_required" }, "consent_required", true],
  "requires an interaction": [400, { error: "interaction_required" }, "consent_required", true],
  "grants other scopes": [200, { scope: "read admin" }, "wider", false],
  "fails": [500, { error: "server_error" }, "unavailable", true],
  "is overloaded": [429, {}, "unavailable", true],
  "returns no token": [200, { access_token: undefined }, "unavailable", true],
  "returns a bound token": [200, { token_type: "DPoP" }, "unavailable", true],
  "returns the token of the caller": [200, { access_token: "planted-token" }, "unavailable", true],
  "returns a token with a line break": [200, { access_token: "a\nb" }, "unavailable", true],
};

for (const [name, [status, answer, failure, isRepeated]] of Object.entries(FAILURES)) {
  Deno.test(`tokenExchange() fails if the authorization server ${name}`, async () => {
    using time = new FakeTime(NOW);
    const { exchange, sent, state, enter } = setUp();
    const ada = await enter("planted-token");
    Object.assign(state, { status, answer });
    const target = { resource: API, scope: "read" };
    for (let call = 0; call < 2; call++) {
      const error = await assertRejects(() => exchange(ada, target), McpError);
      assertEquals(failureOf(error), failure);
      const text = Deno.inspect(error, { depth: 20, strAbbreviateSize: Infinity });
      assertEquals([text.includes("planted"), text.includes("s3cret")], [false, false]);
    }
    assertEquals(sent.length, isRepeated ? 2 : 1);
    time.tick(5000);
    await assertRejects(() => exchange(ada, target), McpError);
    assertEquals(sent.length, isRepeated ? 3 : 2);
  });
}

Deno.test("calls without the consent of the user cause at most five exchanges in 5 seconds", async () => {
  using time = new FakeTime(NOW);
  const { exchange, sent, state, enter } = setUp();
  const ada = await enter("t");
  Object.assign(state, { status: 400, answer: { error: "consent_required" } });
  const fail = async (count: number) => {
    for (let call = 0; call < count; call++) {
      const error = await assertRejects(() => exchange(ada, { resource: API }), McpError);
      assertEquals(failureOf(error), "consent_required");
    }
  };
  await fail(50);
  assertEquals(sent.length, 5);
  time.tick(5000);
  await fail(50);
  assertEquals(sent.length, 10);
  time.tick(5000);
  Object.assign(state, { status: 200, answer: {} });
  assertEquals(await exchange(ada, { resource: API }), "new-11");
  time.tick(570_000);
  Object.assign(state, { status: 400, answer: { error: "consent_required" } });
  await fail(4);
  // A success starts a new count.
  Object.assign(state, { status: 200, answer: {} });
  assertEquals(await exchange(ada, { resource: API }), "new-16");
});

Deno.test("a subset of the requested scopes is accepted", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, state, enter } = setUp();
  state.answer = { scope: "read" };
  assertEquals(await exchange(await enter("t"), { scope: "read write" }), "new-1");
});

/** Test cases: a requested scope, the scope in the response, and whether the token is accepted. */
const SCOPES: readonly (readonly [string, string, boolean])[] = [
  ["api://1/.default", "api://1/Files.Read api://1/Mail.Read", true],
  [".default", "Files.Read", true],
  ["openid api://1/.default", "api://1/Files.Read", true],
  ["api://1/x.default", "api://1/Files.Read", false],
  ["api://1/.defaults", "api://1/Files.Read", false],
];

for (const [scope, granted, isAccepted] of SCOPES) {
  Deno.test(`a token with "${granted}" for "${scope}" is ${isAccepted ? "accepted" : "rejected"}`, async () => {
    using _time = new FakeTime(NOW);
    const { exchange, state, enter } = setUp({ form: "on_behalf_of" });
    state.answer = { scope: granted };
    const ada = await enter("t");
    if (isAccepted) assertEquals(await exchange(ada, { scope }), "new-1");
    else await assertRejects(() => exchange(ada, { scope }), McpError, "were not requested");
  });
}

Deno.test("tokenExchange() compares the scope /.default with RFC 8693", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, state, enter } = setUp();
  state.answer = { scope: "admin" };
  const ada = await enter("t");
  await assertRejects(() => exchange(ada, { scope: "/.default" }), McpError, "not requested");
});

Deno.test("an error response that contains the actor token is quoted without it", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, state, enter } = setUp({ actorToken: () => "planted-actor" });
  Object.assign(state, {
    status: 400,
    answer: { error: "invalid_request", error_description: "bad actor planted-actor" },
  });
  const ada = await enter("t");
  const error = await assertRejects(() => exchange(ada, { scope: "a" }), McpError, "bad actor");
  assertEquals(Deno.inspect(error, { depth: 20 }).includes("planted"), false);
});

Deno.test("an aborted call does not end the request for others", async () => {
  using _time = new FakeTime(NOW);
  const { exchange, sent, state, enter } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.hold = promise;
  const ada = await enter("t");
  const stop = new AbortController();
  const first = exchange(ada, { resource: API, signal: stop.signal });
  const second = exchange(ada, { resource: API });
  const aborted = assertRejects(() => first, Error, "client left");
  stop.abort(new Error("client left"));
  await aborted;
  resolve();
  assertEquals(await second, "new-1");
  assertEquals(sent.length, 1);
});

Deno.test("beyond its limits, tokenExchange() requests a token for each call", async () => {
  using time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp({ maxEntries: 4, maxSharePerPrincipal: 0.5 });
  const ada = await enter("t1");
  for (const scope of ["a", "b", "c", "c"]) await exchange(ada, { scope });
  assertEquals(sent.length, 4);
  for (const scope of ["a", "b"]) await exchange(ada, { scope });
  assertEquals(sent.length, 4);
  await exchange(await enter("t2", { subject: "bob" }), { scope: "a" });
  time.tick(570_000);
  for (const scope of ["c", "c"]) await exchange(ada, { scope });
  assertEquals(sent.length, 6);
});

/** Test cases: a function that returns no actor token, and the expected error. */
const ACTORS: readonly (readonly [() => Promise<string>, string])[] = [
  [() => Promise.reject(new Error("planted")), '"actorToken" failed'],
  [() => 1 as never, "must return a string"],
  [() => new Promise(() => {}), "timed out after 1000 ms"],
];

for (const [getToken, text] of ACTORS) {
  Deno.test(`tokenExchange() fails if the actor token is not available: ${text}`, async () => {
    using time = new FakeTime(NOW);
    const called = Promise.withResolvers<void>();
    const actorToken = () => {
      called.resolve();
      return getToken();
    };
    const { exchange, enter } = setUp({ actorToken, requestTimeoutMs: 1000 });
    const ada = await enter("t");
    const failing = assertRejects(() => exchange(ada, { scope: "a" }), McpError, text);
    await called.promise;
    await time.tickAsync(1000);
    const error = await failing;
    assertEquals([failureOf(error), error.message.includes("planted")], ["unavailable", false]);
  });
}

Deno.test("tokenExchange() rejects invalid options and targets", async () => {
  assertThrows(() => setUp({ tokenUrl: "http://login.example/token" }), McpError, '"tokenUrl"');
  assertThrows(() => setUp({ form: "obo" as never }), TypeError, '"form"');
  assertThrows(() => setUp({ maxSharePerPrincipal: 0 }), RangeError, '"maxSharePerPrincipal"');
  const { exchange } = setUp();
  await assertRejects(
    () => exchange(undefined, {}),
    TypeError,
    '"resource", "audience" or "scope"',
  );
});

Deno.test("a token that its server rejects is exchanged again, at most every 5 seconds", async () => {
  using time = new FakeTime(NOW);
  const { exchange, sent, enter } = setUp();
  const ada = await enter("t");
  assertEquals(await exchange(ada, { resource: API }), "new-1");
  // A token that has just arrived would be rejected again.
  assertEquals(await exchange(ada, { resource: API, refused: "new-1" }), "new-1");
  time.tick(5000);
  assertEquals(await exchange(ada, { resource: API, refused: "other" }), "new-1");
  const many = Array.from({ length: 9 }, () => exchange(ada, { resource: API, refused: "new-1" }));
  assertEquals(new Set(await Promise.all(many)), new Set(["new-2"]));
  assertEquals(await exchange(ada, { resource: API, refused: "new-1" }), "new-2");
  assertEquals(sent.length, 2);
});

Deno.test("a rejected token that is not a string is not quoted", async () => {
  const { exchange } = setUp();
  const target = { resource: API, refused: ["planted"] as never };
  const error = await assertRejects(
    () => exchange(undefined, target),
    TypeError,
    '"target.refused"',
  );
  assertEquals(error.message.includes("planted"), false);
});
