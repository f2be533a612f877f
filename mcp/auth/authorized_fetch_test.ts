import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, REDIRECT, RESOURCE, type Sent } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { AuthConfig } from "./config.ts";
import { challengeOf } from "./pkce.ts";
import { memoryStore } from "./credential_store.ts";

const TOKEN_ENDPOINT = `${ISSUER}/token`;

function fetchIn(world: OAuthWorld, config: AuthConfig = world.config) {
  const fetch = authorizedFetch(config, { resource: RESOURCE, fetch: world.fetch });
  return (init: Parameters<typeof fetch>[1] = {}) => fetch(RESOURCE, { method: "POST", ...init });
}

async function tokenOf(response: Promise<Response>): Promise<string> {
  return await (await response).text();
}

Deno.test("authorizedFetch() logs in once and sends the token with all later requests", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  assertEquals(await tokenOf(call()), "token-1");
  assertEquals(await tokenOf(call()), "token-1");
  assertEquals(world.logins.length, 1);

  const [login] = world.logins;
  const asked = login?.searchParams;
  assertEquals(login?.origin, ISSUER);
  assertEquals(asked?.get("response_type"), "code");
  assertEquals(asked?.get("client_id"), "registered-1");
  assertEquals(asked?.get("redirect_uri"), REDIRECT);
  assertEquals(asked?.get("resource"), RESOURCE);
  assertEquals(asked?.get("code_challenge_method"), "S256");
  assertEquals(asked?.get("scope"), null);

  const [exchange] = world.to(TOKEN_ENDPOINT);
  const verifier = exchange?.form.get("code_verifier") ?? "";
  assertEquals(asked?.get("code_challenge"), await challengeOf(verifier));
  const { code_verifier: _, ...form } = Object.fromEntries(exchange?.form ?? []);
  assertEquals(form, {
    grant_type: "authorization_code",
    code: "code-1",
    redirect_uri: REDIRECT,
    client_id: "registered-1",
    resource: RESOURCE,
  });
});

Deno.test("an OAuthConfig uses its endpoints without discovery", async () => {
  const world = new OAuthWorld();
  world.challenge = "Bearer";
  const call = fetchIn(world, {
    clientId: "fixed",
    clientSecret: "s3cret +/",
    redirectUri: REDIRECT,
    authUrl: `${ISSUER}/authorize?tenant=1`,
    tokenUrl: TOKEN_ENDPOINT,
    scope: "read",
    authorize: world.authorize,
  });
  assertEquals(await tokenOf(call()), "token-1");
  assertEquals(world.logins[0]?.searchParams.get("tenant"), "1");
  assertEquals(world.logins[0]?.searchParams.get("scope"), "read");
  const [exchange] = world.to(TOKEN_ENDPOINT);
  // The client secret is form-encoded, which represents a space as a plus sign.
  const credentials = atob(exchange?.headers.get("authorization")?.slice("Basic ".length) ?? "");
  assertEquals(credentials, "fixed:s3cret+%2B%2F");
  assertEquals(exchange?.form.get("client_secret"), null);
  assertEquals(world.sent.filter(({ method }) => method === "GET"), []);
});

Deno.test("an OAuthConfig must match the protected resource metadata of a challenge", async () => {
  const config = (world: OAuthWorld) => ({
    clientId: "fixed",
    redirectUri: REDIRECT,
    authUrl: `${ISSUER}/authorize`,
    tokenUrl: TOKEN_ENDPOINT,
    authorize: world.authorize,
  });
  const other = new OAuthWorld();
  other.resource = { authorization_servers: ["https://other.example"] };
  await assertRejects(
    () => fetchIn(other, { ...config(other), issuer: ISSUER })(),
    McpError,
    `expected authorization server "${ISSUER}", got "https://other.example"`,
  );
  assertEquals(other.logins, []);

  const same = new OAuthWorld();
  await fetchIn(same, { ...config(same), issuer: ISSUER })();
  assertEquals(same.logins.length, 1);
});

Deno.test("concurrent calls share one login", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  const tokens = await Promise.all([call(), call(), call()].map(tokenOf));
  assertEquals(tokens, ["token-1", "token-1", "token-1"]);
  assertEquals(world.logins.length, 1);
});

Deno.test("a rejected token is refreshed once for all calls, and the refresh token rotates", async () => {
  const world = new OAuthWorld();
  let good = "token-1";
  world.accepts = (token) => token === good;
  const call = fetchIn(world);
  await call();
  good = "token-2";
  world.grant = { refresh_token: "refresh-2" };
  assertEquals(await Promise.all([call(), call()].map(tokenOf)), ["token-2", "token-2"]);
  good = "token-3";
  // If the response contains no new refresh token, the old refresh token remains valid (RFC 6749,
  // section 6).
  world.grant = {};
  assertEquals(await tokenOf(call()), "token-3");
  good = "token-4";
  assertEquals(await tokenOf(call()), "token-4");
  assertEquals(world.logins.length, 1);
  const refreshes = world.to(TOKEN_ENDPOINT).slice(1).map(({ form }) => Object.fromEntries(form));
  const rest = { grant_type: "refresh_token", client_id: "registered-1", resource: RESOURCE };
  assertEquals(refreshes, [
    { ...rest, refresh_token: "refresh-1" },
    { ...rest, refresh_token: "refresh-2" },
    { ...rest, refresh_token: "refresh-2" },
  ]);
});

Deno.test("a token is refreshed before it expires", async () => {
  using time = new FakeTime();
  const world = new OAuthWorld();
  world.grant = { expires_in: 100, refresh_token: "refresh-1" };
  const call = fetchIn(world);
  assertEquals(await tokenOf(call()), "token-1");
  time.tick(69_999);
  assertEquals(await tokenOf(call()), "token-1");
  time.tick(1);
  assertEquals(await tokenOf(call()), "token-2");
  assertEquals(world.logins.length, 1);
});

Deno.test("a token is refreshed through the metadata URL of the original challenge", async () => {
  using time = new FakeTime();
  const world = new OAuthWorld();
  const place = "https://mcp.example/odd/place.json";
  const usual = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
  world.challenge = `Bearer resource_metadata="${place}"`;
  world.answers[`GET ${usual}`] = () => new Response(null, { status: 404 });
  world.answers[`GET ${place}`] = () =>
    Response.json({ resource: RESOURCE, authorization_servers: [ISSUER] });
  world.grant = { expires_in: 100, refresh_token: "refresh-1" };
  const store = memoryStore();
  const config = { ...world.config, store };
  const call = fetchIn(world, config);
  await call();
  time.tick(80_000);
  assertEquals(await tokenOf(call()), "token-2");
  assertEquals(world.to(usual), []);
  // A new `authorizedFetch()` does not know the metadata URL, so it sends the request before it
  // refreshes the token.
  time.tick(80_000);
  world.accepts = (token) => token === "token-3";
  assertEquals(await tokenOf(fetchIn(world, config)()), "token-3");
  assertEquals(world.logins.length, 1);
});

Deno.test("an error in the store rejects only the current call", async () => {
  const world = new OAuthWorld();
  const cause = new Error("disk full");
  let isBroken = true;
  const store = memoryStore();
  const check = () => {
    if (isBroken) throw cause;
  };
  const call = fetchIn(world, {
    ...world.config,
    clientId: "known",
    issuer: ISSUER,
    store: {
      load: (key) => (check(), store.load(key)),
      save: (key, value) => (check(), store.save(key, value)),
    },
  });
  const unread = await assertRejects(
    () => call(),
    McpError,
    "reading from the credential store failed",
  );
  assertEquals(unread.cause, cause);
  isBroken = false;
  world.answers[`POST ${TOKEN_ENDPOINT}`] = () => {
    isBroken = true;
    return Response.json({ access_token: "token-1", token_type: "bearer" });
  };
  await assertRejects(() => call(), McpError, "writing to the credential store failed");
  assertEquals(await tokenOf(call()), "token-1");
});

Deno.test("a token that is invalid in a header is rejected and does not appear in the error", async () => {
  for (const access_token of ["hunter2\nx", "hunter2\u0100", "hunter 2"]) {
    for (const dpop of [false, true]) {
      const world = new OAuthWorld();
      world.answers[`POST ${TOKEN_ENDPOINT}`] = () =>
        Response.json({ access_token, token_type: dpop ? "DPoP" : "bearer" });
      const call = fetchIn(world, { ...world.config, ...(dpop ? { dpop } : {}) });
      const error = await assertRejects(
        () => call(),
        McpError,
        "contains characters that are not allowed in an HTTP header",
      );
      for (let each: unknown = error; each instanceof Error; each = each.cause) {
        assert(!`${each.stack}${JSON.stringify(each)}`.includes("hunter"));
      }
    }
  }
});

Deno.test("a rejected refresh token triggers a new login", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  world.accepts = (token) => token === "token-2";
  const usual = world.answers[`POST ${TOKEN_ENDPOINT}`];
  assertEquals(usual, undefined);
  world.answers[`POST ${TOKEN_ENDPOINT}`] = ({ form }) =>
    form.get("grant_type") === "refresh_token"
      ? Response.json({ error: "invalid_grant" }, { status: 400 })
      : Response.json({ access_token: "token-2", token_type: "bearer" });
  assertEquals(await tokenOf(call()), "token-2");
  assertEquals(world.logins.length, 2);
});

Deno.test("a rejected token triggers a new login if the token was just refreshed", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  world.accepts = (token) => token === "token-3";
  assertEquals(await tokenOf(call()), "token-3");
  assertEquals(world.logins.length, 2);
});

Deno.test("a server error during a refresh does not trigger a new login", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  world.accepts = () => false;
  world.answers[`POST ${TOKEN_ENDPOINT}`] = () => new Response("overloaded", { status: 503 });
  await assertRejects(() => call(), McpError, 'rejected the token request: HTTP 503: "overloaded"');
  world.answers[`POST ${TOKEN_ENDPOINT}`] = () =>
    Response.json({ error: "temporarily_unavailable" }, { status: 503 });
  await assertRejects(() => call(), McpError, '"temporarily_unavailable"');
  assertEquals(world.logins.length, 1);
});

Deno.test("an OAuth error with an invalid description is still reported as an OAuth error", async () => {
  for (const error_description of [[], {}, 7, true]) {
    const world = new OAuthWorld();
    world.answers[`POST ${TOKEN_ENDPOINT}`] = () =>
      Response.json({ error: "invalid_grant", error_description }, { status: 400 });
    const error = await assertRejects(() => fetchIn(world)(), McpError);
    assertEquals(error.details, {
      reason: `"${ISSUER}" rejected the token request: "invalid_grant"`,
    });
  }
});

Deno.test("a newly granted token that is rejected does not trigger another login", async () => {
  const world = new OAuthWorld();
  world.accepts = () => false;
  const response = await fetchIn(world)();
  assertEquals(response.status, 401);
  await response.body?.cancel();
  assertEquals(world.logins.length, 1);
});

/** A server whose tools require scopes that the first token does not have. */
function steppingWorld(...needed: readonly string[]): OAuthWorld {
  const world = new OAuthWorld();
  world.answers[`POST ${RESOURCE}`] = (request) => {
    const granted = world.logins.at(-1)?.searchParams.get("scope")?.split(" ") ?? [];
    const token = request.headers.get("authorization");
    const missing = needed.find((scope) => !granted.includes(scope));
    if (token !== null && missing === undefined) return new Response(token);
    const headers = token === null
      ? { "www-authenticate": `Bearer scope="${needed[0]}"` }
      : { "www-authenticate": `Bearer error="insufficient_scope", scope="${missing}"` };
    return new Response("no", { status: token === null ? 401 : 403, headers });
  };
  return world;
}

Deno.test("missing scopes are requested together with the previous scopes", async () => {
  const world = steppingWorld("read", "write");
  assertEquals(await tokenOf(fetchIn(world)()), "Bearer token-2");
  const scopes = world.logins.map(({ searchParams }) => searchParams.get("scope"));
  assertEquals(scopes, ["read", "read write"]);
});

Deno.test("a call is repeated with new tokens at most three times", async () => {
  const world = steppingWorld("a", "b", "c", "d", "e");
  const response = await fetchIn(world)();
  assertEquals(response.status, 403);
  await response.body?.cancel();
  assertEquals(world.logins.length, 3);

  const patient = steppingWorld("a", "b", "c", "d", "e");
  assertEquals(
    await tokenOf(fetchIn(patient, { ...patient.config, maxAttempts: 5 })()),
    "Bearer token-5",
  );
});

Deno.test("a scope that was not granted is not requested again", async () => {
  const world = new OAuthWorld();
  world.answers[`POST ${RESOURCE}`] = ({ headers }) =>
    new Response("no", {
      status: headers.has("authorization") ? 403 : 401,
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="admin"' },
    });
  const response = await fetchIn(world)();
  assertEquals(response.status, 403);
  await response.body?.cancel();
  assertEquals(world.logins.length, 1);
});

/** Test cases: the sources that name scopes, and the scopes that the client requests. */
const SCOPES: readonly (readonly [string, {
  readonly challenge?: string;
  readonly resource?: string[];
  readonly issuer?: string[];
  readonly config?: string;
}, string | null])[] = [
  ["no scopes if no source provides any", {}, null],
  ["the scopes in the challenge", { challenge: "a b", resource: ["c"] }, "a b"],
  ["the scopes in the resource metadata", { resource: ["c", "d"] }, "c d"],
  ["the configured scopes instead of those in the resource metadata", {
    resource: ["c"],
    config: "x",
  }, "x"],
  ["the configured scopes and those in the challenge", { challenge: "a", config: "x a" }, "x a"],
  [
    "offline_access if the issuer supports it",
    { challenge: "a", issuer: ["a", "offline_access"] },
    "a offline_access",
  ],
  ["no offline_access without other scopes", { issuer: ["offline_access"] }, null],
];

for (const [name, { challenge, resource, issuer, config }, expected] of SCOPES) {
  Deno.test(`a login requests ${name}`, async () => {
    const world = new OAuthWorld();
    if (challenge !== undefined) world.challenge = `Bearer scope="${challenge}"`;
    if (resource !== undefined) world.resource = { scopes_supported: resource };
    if (issuer !== undefined) world.metadata = { scopes_supported: issuer };
    const more = config === undefined ? {} : { scope: config };
    await fetchIn(world, { ...world.config, ...more })();
    const asked = world.logins[0]?.searchParams;
    assertEquals(asked?.get("scope"), expected);
    assertEquals(asked?.get("prompt"), expected?.includes("offline") ? "consent" : null);
  });
}

Deno.test("credentials are sent only to the authorization server that issued them", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  // The MCP server switches to another authorization server.
  const other = "https://other.example";
  world.resource = { authorization_servers: [other] };
  world.accepts = (token) => token === "other-token";
  world.callback = { iss: other };
  world.answers[`GET ${other}/.well-known/oauth-authorization-server`] = () =>
    Response.json({
      issuer: other,
      authorization_endpoint: `${other}/authorize`,
      token_endpoint: `${other}/token`,
      registration_endpoint: `${other}/register`,
      code_challenge_methods_supported: ["S256"],
    });
  world.answers[`POST ${other}/register`] = () =>
    Response.json({ client_id: "registered-2" }, { status: 201 });
  world.answers[`POST ${other}/token`] = () =>
    Response.json({ access_token: "other-token", token_type: "bearer" });
  assertEquals(await tokenOf(call()), "other-token");
  const toOther = world.sent.filter(({ url }) => new URL(url).origin === other);
  const texts = toOther.map(({ url, body, headers }) => url + body + JSON.stringify([...headers]));
  for (const secret of ["registered-1", "token-1", "refresh-1"]) {
    assert(!texts.some((text) => text.includes(secret)), `${secret} was shown`);
  }
});

Deno.test("tokens are sent only to the server's origin", async () => {
  const world = new OAuthWorld();
  const fetch = authorizedFetch(world.config, { resource: RESOURCE, fetch: world.fetch });
  await fetch(RESOURCE, { method: "POST" });
  for (
    const url of ["https://evil.example/mcp", "http://mcp.example/mcp", "https://mcp.example:8443/"]
  ) {
    await fetch(url, { method: "POST" });
    assertEquals(world.sent.at(-1)?.headers.get("authorization"), null);
  }
  await fetch("https://mcp.example/elsewhere", {});
  assertEquals(world.sent.at(-1)?.headers.get("authorization"), "Bearer token-1");
});

Deno.test("a store that fails during the registration rejects with auth_error", async () => {
  for (const method of ["load", "save"] as const) {
    const store = memoryStore();
    const fail = (): never => {
      throw new Error("broken");
    };
    const failing = {
      ...store,
      [method]: (key: string, value?: string) =>
        key.startsWith("tokens") ? store[method](key, value) : fail(),
    };
    const world = new OAuthWorld();
    const error = await assertRejects(
      () => fetchIn(world, { ...world.config, store: failing })(),
      McpError,
      "the credential store failed",
    );
    assertEquals(error.code, "auth_error");
  }
});

Deno.test("stored tokens are used by a new client", async () => {
  const store = memoryStore();
  const first = new OAuthWorld();
  await fetchIn(first, { ...first.config, store })();
  const second = new OAuthWorld();
  assertEquals(await tokenOf(fetchIn(second, { ...second.config, store })()), "token-1");
  assertEquals(second.sent.length, 1);
  // The client reuses its stored registration although the stored tokens are deleted.
  second.accepts = (token) => token !== "token-1";
  await store.save(`tokens ${RESOURCE}`, undefined);
  await fetchIn(second, { ...second.config, store })();
  assertEquals(second.to(`${ISSUER}/register`), []);
});

Deno.test("an invalid store entry is treated as absent", async () => {
  for (
    const text of [
      "",
      "no JSON",
      "null",
      "[]",
      '{"accessToken":1}',
      '{"issuer":"x","accessToken":"y"}',
    ]
  ) {
    const store = memoryStore();
    await store.save(`tokens ${RESOURCE}`, text);
    await store.save(`client ${ISSUER}`, text);
    const world = new OAuthWorld();
    assertEquals(await tokenOf(fetchIn(world, { ...world.config, store })()), "token-1");
    assertEquals(world.sent[0]?.headers.get("authorization"), null);
  }
});

Deno.test("a client registers again if the authorization server rejects its registration", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  let registrations = 1;
  world.answers[`POST ${ISSUER}/register`] = () =>
    Response.json({ client_id: `registered-${++registrations}` }, { status: 201 });
  world.answers[`POST ${TOKEN_ENDPOINT}`] = ({ form }) =>
    form.get("client_id") === "registered-2"
      ? Response.json({ access_token: "token-2", token_type: "bearer" })
      : Response.json({ error: "invalid_client" }, { status: 401 });
  world.accepts = (token) => token === "token-2";
  assertEquals(await tokenOf(call()), "token-2");
});

Deno.test("a client credentials grant does not require user interaction", async () => {
  const world = new OAuthWorld();
  world.grant = { expires_in: 3600 };
  world.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
  const { authorize: _, redirectUri: __, ...config } = world.config;
  const call = fetchIn(world, {
    ...config,
    clientId: "robot",
    clientSecret: "s3cret",
    scope: "read",
    grant: { type: "client_credentials" },
  });
  assertEquals(await tokenOf(call()), "token-1");
  assertEquals(Object.fromEntries(world.to(TOKEN_ENDPOINT)[0]?.form ?? []), {
    grant_type: "client_credentials",
    client_id: "robot",
    client_secret: "s3cret",
    scope: "read",
    resource: RESOURCE,
  });
});

Deno.test("a client authenticates with a signed JWT", async () => {
  const world = new OAuthWorld();
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  await fetchIn(world, {
    discover: true,
    clientId: "robot",
    clientKey: { key: privateKey, kid: "k1" },
    grant: { type: "client_credentials" },
  })();
  const form = world.to(TOKEN_ENDPOINT)[0]?.form;
  assertEquals(
    form?.get("client_assertion_type"),
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  );
  const [header = "", claims = "", signature = ""] = form?.get("client_assertion")?.split(".") ??
    [];
  assertEquals(readPart(header), { alg: "ES256", kid: "k1" });
  const { aud, iss, sub } = readPart(claims);
  assertEquals({ aud, iss, sub }, { aud: ISSUER, iss: "robot", sub: "robot" });
  const isGood = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    publicKey,
    bytesOf(signature),
    new TextEncoder().encode(`${header}.${claims}`),
  );
  assert(isGood);
});

Deno.test("a JWT bearer grant exchanges an assertion for a token and is not repeated after an error", async () => {
  const world = new OAuthWorld();
  const targets: unknown[] = [];
  const config: AuthConfig = {
    discover: true,
    clientId: "workload",
    grant: {
      type: "jwt_bearer",
      assertion: ({ issuer, resource }) => {
        targets.push({ issuer, resource });
        return "assertion-1";
      },
    },
  };
  assertEquals(await tokenOf(fetchIn(world, config)()), "token-1");
  assertEquals(targets, [{ issuer: ISSUER, resource: RESOURCE }]);
  assertEquals(Object.fromEntries(world.to(TOKEN_ENDPOINT)[0]?.form ?? []), {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: "assertion-1",
    client_id: "workload",
    resource: RESOURCE,
  });

  const strict = new OAuthWorld();
  strict.answers[`POST ${TOKEN_ENDPOINT}`] = () =>
    Response.json({ error: "invalid_grant", error_description: "wrong audience" }, { status: 400 });
  const error = await assertRejects(() => fetchIn(strict, config)(), McpError);
  assertEquals(
    error.message,
    `Cannot authorize the request: "${ISSUER}" rejected the token request: "invalid_grant" ("wrong audience")`,
  );
  assertEquals(error.httpStatus, 400);
  assertEquals(strict.to(TOKEN_ENDPOINT).length, 1);
});

Deno.test("a DPoP-bound token is sent with a proof for each request", async () => {
  const world = new OAuthWorld();
  let nonces = 0;
  world.answers[`POST ${TOKEN_ENDPOINT}`] = ({ headers }) => {
    const { nonce } = readProof(headers);
    return nonce === "as-nonce"
      ? Response.json({ access_token: "bound", token_type: "DPoP" })
      : Response.json({ error: "use_dpop_nonce" }, {
        status: 400,
        headers: { "dpop-nonce": "as-nonce" },
      });
  };
  world.answers[`POST ${RESOURCE}`] = ({ headers }) => {
    if (!headers.has("dpop")) return new Response(null, { status: 401 });
    const { nonce } = readProof(headers);
    if (nonce === "rs-nonce") return new Response(headers.get("authorization"));
    nonces++;
    const wanted = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "rs-nonce" };
    return new Response(null, { status: 401, headers: wanted });
  };
  const call = fetchIn(world, { ...world.config, dpop: true });
  assertEquals(
    await tokenOf(call({ headers: { "x-own": "1", "authorization": "Other x" } })),
    "DPoP bound",
  );
  assertEquals(await tokenOf(call()), "DPoP bound");
  assertEquals(nonces, 1);
  const proofs = world.sent.filter(({ headers }) => headers.has("dpop")).map(({ headers }) =>
    readProof(headers)
  );
  assertEquals(new Set(proofs.map(({ jti }) => jti)).size, proofs.length);
  assertEquals(proofs.map(({ htu }) => htu), [
    TOKEN_ENDPOINT,
    TOKEN_ENDPOINT,
    RESOURCE,
    RESOURCE,
    RESOURCE,
  ]);
  assertEquals(world.to(RESOURCE)[1]?.headers.get("x-own"), "1");
  assertEquals(world.logins.length, 1);
});

Deno.test("a token with an unexpected type is rejected", async () => {
  const world = new OAuthWorld();
  await assertRejects(
    () => fetchIn(world, { ...world.config, dpop: true })(),
    McpError,
    'expected token type "dpop", got "bearer"',
  );
  const other = new OAuthWorld();
  other.grant = { token_type: "DPoP" };
  await assertRejects(() => fetchIn(other)(), McpError, 'expected token type "bearer", got "dpop"');
});

Deno.test("a token with more than 65,536 characters is rejected", async () => {
  for (const name of ["access_token", "refresh_token"]) {
    const world = new OAuthWorld();
    world.grant = { [name]: "t".repeat(65_537) };
    await assertRejects(() => fetchIn(world)(), McpError, "has more than 65536 characters");
  }
});

Deno.test("a call's timeout is paused during a login", async () => {
  const world = new OAuthWorld();
  const held: Promise<unknown>[] = [];
  await fetchIn(world)({ pauseTimeout: (until) => held.push(until) });
  assertEquals(held.length, 1);
});

Deno.test("a login continues while any caller waits, until the login times out", async () => {
  using time = new FakeTime();
  const world = new OAuthWorld();
  let ended: unknown;
  const leading = Promise.withResolvers<void>();
  const call = fetchIn(world, {
    ...world.config,
    loginTimeoutMs: 5000,
    authorize: (_url, { signal }) => {
      leading.resolve();
      return new Promise(() => signal.addEventListener("abort", () => ended = signal.reason));
    },
  });
  const impatient = new AbortController();
  const left = assertRejects(() => call({ signal: impatient.signal }), DOMException, "bye");
  const stays = assertRejects(() => call(), McpError, "login timed out after 5000 ms");
  await leading.promise;
  impatient.abort(new DOMException("bye", "AbortError"));
  await left;
  assertEquals(ended, undefined);
  await time.tickAsync(5000);
  await stays;
  assert(ended instanceof McpError);

  const alone = new AbortController();
  const gone = assertRejects(() => call({ signal: alone.signal }), DOMException, "enough");
  await time.runMicrotasks();
  await time.tickAsync(1);
  alone.abort(new DOMException("enough", "AbortError"));
  await gone;
});

Deno.test("a request with a stream body is not repeated", async () => {
  const world = new OAuthWorld();
  const body = new Blob(["x"]).stream();
  const response = await fetchIn(world)({ body });
  assertEquals(response.status, 401);
  await response.body?.cancel();
  await body.cancel();
});

Deno.test("a DELETE request does not trigger a login", async () => {
  const world = new OAuthWorld();
  const call = fetchIn(world);
  await call();
  world.answers[`DELETE ${RESOURCE}`] = () => new Response("no", { status: 401 });
  const response = await call({ method: "DELETE" });
  assertEquals([response.status, await response.text()], [401, "no"]);
  assertEquals(world.sent.at(-1)?.headers.get("authorization"), "Bearer token-1");
  assertEquals(world.logins.length, 1);
});

Deno.test("default endpoint paths are used if there is no metadata (2025-03-26)", async () => {
  const world = new OAuthWorld();
  world.challenge = "Bearer";
  const gone = () => new Response(null, { status: 404 });
  world.answers["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = gone;
  world.answers["POST https://mcp.example/register"] = () =>
    Response.json({ client_id: "old" }, { status: 201 });
  world.answers["POST https://mcp.example/token"] = () =>
    Response.json({ access_token: "token-1", token_type: "bearer" });
  world.callback = {};
  assertEquals(await tokenOf(fetchIn(world)()), "token-1");
  assertEquals(world.logins[0]?.origin, "https://mcp.example");
  assertEquals(world.logins[0]?.pathname, "/authorize");
});

Deno.test("a configured issuer is not replaced by a server without metadata", async () => {
  for (const more of [{}, { clientMetadataUrl: "https://client.example/metadata.json" }]) {
    const world = new OAuthWorld();
    world.challenge = "Bearer";
    const gone = () => new Response(null, { status: 404 });
    world.answers["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = gone;
    const issuer = "https://pinned.example";
    const authorized = authorizedFetch({ ...world.config, ...more, issuer }, {
      resource: RESOURCE,
      fetch: world.fetch,
    });
    await assertRejects(
      () => authorized(RESOURCE, { method: "POST" }),
      McpError,
      `expected authorization server "${issuer}", got "https://mcp.example"`,
    );
    assertEquals(world.logins, []);
    assertEquals(world.sent.filter(({ url }) => /register|token$/.test(url)), []);
  }
});

Deno.test("an error that coincides with an abort does not contain the token", async () => {
  const world = new OAuthWorld();
  const stop = new AbortController();
  const reason = new Error("stopped");
  let isLeaking = false;
  const authorized = authorizedFetch(world.config, {
    resource: RESOURCE,
    fetch: (url, init) => {
      if (!isLeaking) return world.fetch(url, init);
      const failed = Promise.reject(
        new Error(String(new Headers(init.headers).get("authorization"))),
      );
      // The signal aborts after the wait for the response has ended, and before its error is read.
      queueMicrotask(() => queueMicrotask(() => stop.abort(reason)));
      return failed;
    },
  });
  await (await authorized(RESOURCE, { method: "POST" })).body?.cancel();
  isLeaking = true;
  const { signal } = stop;
  const error = await assertRejects(() => authorized(RESOURCE, { method: "POST", signal }));
  assertEquals([error === reason, String(error).includes("token-1")], [false, false]);
  assertStrictEquals(
    await assertRejects(() => authorized(RESOURCE, { method: "POST", signal })),
    reason,
  );
});

Deno.test("authorizedFetch() rejects an incomplete configuration and an insecure server URL", () => {
  const options = { resource: RESOURCE };
  const fixed = { clientId: "c", redirectUri: REDIRECT, authUrl: ISSUER, tokenUrl: ISSUER };
  for (const name of ["clientId", "redirectUri", "authUrl", "tokenUrl"]) {
    const half = { ...fixed, [name]: undefined } as unknown as AuthConfig;
    assertThrows(
      () => authorizedFetch(half, options),
      TypeError,
      `"${name}" must be a string, got undefined`,
    );
  }
  const robot = { discover: true, grant: { type: "client_credentials" } } as const;
  assertThrows(
    () => authorizedFetch(robot, options),
    TypeError,
    '"clientId" must be a string, got undefined',
  );
  for (const name of ["requestTimeoutMs", "loginTimeoutMs", "maxResponseBytes", "maxAttempts"]) {
    for (const value of [0, -1, NaN]) {
      const odd = { discover: true, [name]: value } as const;
      assertThrows(() => authorizedFetch(odd, options), RangeError, name);
    }
  }
  for (const redirectUri of ["http://app.example/callback", "callback", "http://10.0.0.1/"]) {
    const odd = { discover: true, redirectUri } as const;
    assertThrows(
      () => authorizedFetch(odd, options),
      TypeError,
      '"redirectUri" must be an HTTPS, loopback HTTP or custom-scheme URL',
    );
  }
  for (const redirectUri of ["https://app.example/callback", "my-app:/callback", "http://[::1]/"]) {
    authorizedFetch({ discover: true, redirectUri }, options);
  }
  for (const clientMetadataUrl of ["http://app.example/client", "https://app.example", "client"]) {
    const odd = { discover: true, clientMetadataUrl } as const;
    assertThrows(
      () => authorizedFetch(odd, options),
      TypeError,
      '"clientMetadataUrl" must be an HTTPS URL with a path',
    );
  }
  assertThrows(
    () => authorizedFetch({ discover: true }, { resource: "http://mcp.example/mcp" }),
    McpError,
    "the server URL must be an HTTPS or loopback HTTP URL without credentials",
  );
});

function readProof(headers: Sent["headers"]): Record<string, unknown> {
  return readPart(headers.get("dpop")?.split(".")[1] ?? "");
}

function readPart(part: string): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(bytesOf(part)));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
