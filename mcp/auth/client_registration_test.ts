import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, REDIRECT } from "../testdata/oauth.ts";
import { clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import { type DiscoveryConfig, readDiscoveryConfig } from "./config.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { resolveClient } from "./client_registration.ts";
import { memoryStore } from "./credential_store.ts";
import { AuthHttpClient } from "./auth_http_client.ts";
import { Secrets } from "./redact_secrets.ts";

const SERVER: IssuerMetadata = {
  issuer: ISSUER,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
};
const DOCUMENT = "https://client.example/metadata.json";

function contextIn(world: OAuthWorld, config: Partial<DiscoveryConfig> = {}) {
  const reports: string[] = [];
  const limits = {
    fetch: world.fetch,
    requestTimeoutMs: 1000,
    maxResponseBytes: 10_000,
    report: (error: McpError) => {
      reports.push(error.is("tolerated") ? error.details.what : error.message);
    },
  };
  return {
    reports,
    web: new AuthHttpClient(limits, new AbortController().signal),
    store: memoryStore(),
    secrets: new Secrets(),
    exclusively: <T>(_key: string, task: () => Promise<T>) => task(),
    config: readDiscoveryConfig({ ...world.config, ...config }),
  };
}

Deno.test("resolveClient() prefers a configured client, then a metadata document, then a registration", async () => {
  const documented = { ...SERVER, client_id_metadata_document_supported: true };
  const world = new OAuthWorld();
  const known = contextIn(world, { clientId: "known", clientMetadataUrl: DOCUMENT });
  assertEquals(await resolveClient(documented, known), { clientId: "known" });
  const described = contextIn(world, { clientMetadataUrl: DOCUMENT });
  assertEquals(await resolveClient(documented, described), { clientId: DOCUMENT });
  assertEquals(world.sent, []);
  assertEquals(await resolveClient(SERVER, described), {
    clientId: "registered-1",
    isRegistered: true,
  });
  assertEquals(world.sent.length, 1);
});

Deno.test("resolveClient() rejects a client that is registered with another issuer", async () => {
  const world = new OAuthWorld();
  const context = contextIn(world, { clientId: "known", clientSecret: "s", issuer: ISSUER });
  assertEquals(await resolveClient(SERVER, context), { clientId: "known", clientSecret: "s" });
  await assertRejects(
    () => resolveClient({ ...SERVER, issuer: "https://other.example" }, context),
    McpError,
    `registered with "${ISSUER}", not with "https://other.example"`,
  );
});

Deno.test("resolveClient() binds a client without an issuer to the first authorization server", async () => {
  const world = new OAuthWorld();
  const context = contextIn(world, { clientId: "known", clientSecret: "s" });
  const other = { ...SERVER, issuer: "https://other.example" };
  await resolveClient(SERVER, context);
  await resolveClient(SERVER, context);
  await assertRejects(() => resolveClient(other, context), McpError, `registered with "${ISSUER}"`);
  await resolveClient(other, { ...context, store: memoryStore() });
});

Deno.test("resolveClient() stores only short members of a registration", async () => {
  const long = "x".repeat(9000);
  const answers: readonly Record<string, unknown>[] = [
    { client_id: "c", client_name: long, registration_access_token: "r", contacts: [long] },
    { client_id: long },
    { client_id: "c", client_secret: long },
    { client_id: "c", token_endpoint_auth_method: long },
    { client_id: "c", client_secret: { long } },
  ];
  const stored: (string | undefined)[] = [];
  for (const answer of answers) {
    const world = new OAuthWorld();
    const context = contextIn(world);
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(answer));
    const limits = { fetch, requestTimeoutMs: 1000, maxResponseBytes: 1_000_000 };
    const web = new AuthHttpClient(limits, new AbortController().signal);
    const resolving = resolveClient(SERVER, { ...context, web });
    await resolving.catch((error) => assertEquals(error instanceof McpError, true));
    stored.push(await context.store.load(`client ${ISSUER}`));
  }
  const kept = JSON.stringify({ client_id: "c", redirect_uri: REDIRECT });
  assertEquals(stored, [kept, undefined, undefined, undefined, kept]);
  const issuer = { ...SERVER, issuer: `${ISSUER}/${long}` };
  const context = contextIn(new OAuthWorld(), { clientId: "known" });
  await assertRejects(
    () => resolveClient(issuer, context),
    McpError,
    "the identifier of the authorization server has more than 8192 characters",
  );
});

Deno.test("resolveClient() sends the client metadata when it registers", async () => {
  const world = new OAuthWorld();
  const context = contextIn(world, { clientName: "my client", scope: "read", dpop: true });
  await resolveClient({ ...SERVER, token_endpoint_auth_methods_supported: ["none", "x"] }, context);
  assertEquals(JSON.parse(world.sent[0]?.body ?? ""), {
    client_name: "my client",
    redirect_uris: [REDIRECT],
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "read",
    dpop_bound_access_tokens: true,
  });
});

const TYPES: readonly (readonly [string, string])[] = [
  ["http://127.0.0.1:8910/callback", "native"],
  ["http://localhost/callback", "native"],
  ["https://localhost/callback", "native"],
  ["my-app:/callback", "native"],
  ["https://app.example/callback", "web"],
];

for (const [redirectUri, type] of TYPES) {
  Deno.test(`a client with redirect URI ${redirectUri} registers as ${type}`, async () => {
    const world = new OAuthWorld();
    await resolveClient(SERVER, contextIn(world, { redirectUri }));
    assertEquals(JSON.parse(world.sent[0]?.body ?? "").application_type, type);
  });
}

Deno.test("resolveClient() tracks the secrets of a registration before it is saved, and when it is loaded", async () => {
  const world = new OAuthWorld();
  const answer = {
    client_id: "registered",
    client_secret: "planted-client-secret",
    registration_access_token: "planted-registration-token",
  };
  world.answers[`POST ${ISSUER}/register`] = () => Response.json(answer, { status: 201 });
  const context = contextIn(world);
  const text = btoa(JSON.stringify(answer));
  const save = () => {
    throw new Error(text);
  };
  await assertRejects(() =>
    resolveClient(SERVER, { ...context, store: { ...context.store, save } })
  );
  assertEquals(context.secrets.hide(atob(text)).includes("planted"), false);
  assertNotEquals(context.secrets.hide(text), text);
  await resolveClient(SERVER, context);
  const loaded = { ...context, secrets: new Secrets() };
  await resolveClient(SERVER, loaded);
  assertNotEquals(loaded.secrets.hide(text), text);
});

Deno.test("resolveClient() reuses a registration for the same issuer and redirect URI", async () => {
  const world = new OAuthWorld();
  const context = contextIn(world);
  await resolveClient(SERVER, context);
  await resolveClient(SERVER, context);
  assertEquals(world.sent.length, 1);
  await resolveClient(SERVER, {
    ...context,
    config: { ...context.config, redirectUri: "my-app:/x" },
  });
  assertEquals(world.sent.length, 2);
});

Deno.test("resolveClient() does not use a registration for another scope, or for another kind of tokens", async () => {
  const world = new OAuthWorld();
  const context = contextIn(world);
  const changes: readonly Partial<DiscoveryConfig>[] = [
    { scope: "read" },
    { scope: "read write" },
    { scope: "read write", dpop: true },
    { dpop: true },
    {},
  ];
  await resolveClient(SERVER, context);
  for (const change of changes) {
    const changed = { ...context, config: { ...context.config, ...change } };
    await resolveClient(SERVER, changed);
    await resolveClient(SERVER, changed);
  }
  const sent = world.sent.map(({ body }) => JSON.parse(body));
  assertEquals(
    sent.map(({ scope, dpop_bound_access_tokens: isBound }) => [scope, isBound]),
    [
      [undefined, undefined],
      ["read", undefined],
      ["read write", undefined],
      ["read write", true],
      [undefined, true],
      [undefined, undefined],
    ],
  );
});

Deno.test("resolveClient() registers again 30 seconds before the client secret expires", async () => {
  using time = new FakeTime(1_000_000);
  const world = new OAuthWorld();
  world.answers[`POST ${ISSUER}/register`] = () =>
    Response.json({ client_id: "c", client_secret: "s", client_secret_expires_at: 2000 });
  const context = contextIn(world);
  await resolveClient(SERVER, context);
  time.tick(969_999);
  await resolveClient(SERVER, context);
  assertEquals(world.sent.length, 1);
  time.tick(1);
  await resolveClient(SERVER, context);
  assertEquals(world.sent.length, 2);
});

Deno.test("resolveClient() reports the reason for a failed registration", async () => {
  const world = new OAuthWorld();
  const { registration_endpoint: _, ...closed } = SERVER;
  await assertRejects(
    () => resolveClient(closed, contextIn(world)),
    McpError,
    `"${ISSUER}" does not support client registration; set the "clientId" option`,
  );
  world.answers[`POST ${ISSUER}/register`] = () => new Response("no", { status: 404 });
  await assertRejects(
    () => resolveClient({ ...SERVER, isAssumed: true }, contextIn(world)),
    McpError,
    `"${ISSUER}" has no authorization metadata and rejected the client registration`,
  );
  const answers: readonly (readonly [Response, string])[] = [
    [
      Response.json({ error: "invalid_redirect_uri", error_description: "no\nlocalhost" }, {
        status: 400,
      }),
      'rejected the client registration: "invalid_redirect_uri" ("no\\u{a}localhost")',
    ],
    [new Response("no", { status: 500 }), "rejected the client registration"],
    [new Response("what?", { status: 201 }), "rejected the client registration"],
    [Response.json({ client_id: "" }, { status: 201 }), 'has no "client_id"'],
    [Response.json({ client_id: 7 }, { status: 201 }), 'has no "client_id"'],
  ];
  for (const [answer, reason] of answers) {
    world.answers[`POST ${ISSUER}/register`] = () => answer;
    await assertRejects(() => resolveClient(SERVER, contextIn(world)), McpError, reason);
  }
});

/**
 * Registration responses, keyed by title: members besides the client id, the authentication methods
 * of the server, the header or form of the token request, and the report.
 */
const REGISTRATIONS: Readonly<
  Record<string, readonly [object, readonly string[] | undefined, string, string?]>
> = {
  "no secret": [{}, ["client_secret_basic"], "form client_id"],
  "a secret that is null": [
    { client_secret: null },
    undefined,
    "form client_id",
    '"client_secret" is null',
  ],
  "an empty secret": [
    { client_secret: "", token_endpoint_auth_method: "none" },
    undefined,
    "form client_id",
    '"client_secret" is empty',
  ],
  "a secret without a method": [{ client_secret: "s3cret" }, undefined, "Basic cl:s3cret"],
  "a secret without a method at a server with public clients": [
    { client_secret: "s3cret" },
    ["none"],
    "Basic cl:s3cret",
  ],
  "a secret without a method at a server without basic authentication": [
    { client_secret: "s3cret" },
    ["none", "client_secret_post"],
    "form client_id client_secret",
  ],
  "a secret and an empty method": [
    { client_secret: "s3cret", token_endpoint_auth_method: "" },
    ["none", "client_secret_post", "client_secret_basic"],
    "Basic cl:s3cret",
    '"token_endpoint_auth_method" is empty',
  ],
  "a secret and an empty method at a server without methods": [
    { client_secret: "s3cret", token_endpoint_auth_method: "" },
    [],
    "Basic cl:s3cret",
    '"token_endpoint_auth_method" is empty',
  ],
  "a secret and an empty method at a server without basic authentication": [
    { client_secret: "s3cret", token_endpoint_auth_method: "" },
    ["client_secret_post"],
    "form client_id client_secret",
    '"token_endpoint_auth_method" is empty',
  ],
  "a secret and null as the method": [
    { client_secret: "s3cret", token_endpoint_auth_method: null, grant_types: null },
    undefined,
    "Basic cl:s3cret",
    '"token_endpoint_auth_method" is null',
  ],
  "a secret for another method": [
    { client_secret: "s3cret", token_endpoint_auth_method: "none" },
    ["client_secret_basic"],
    "form client_id",
  ],
};

for (const [title, row] of Object.entries(REGISTRATIONS)) {
  Deno.test(`a client whose registration has ${title} authenticates as registered, also later`, async () => {
    const [members, supported, expected, report] = row;
    const world = new OAuthWorld();
    world.answers[`POST ${ISSUER}/register`] = () => Response.json({ client_id: "cl", ...members });
    const context = contextIn(world);
    for (
      const identity of [await resolveClient(SERVER, context), await resolveClient(SERVER, context)]
    ) {
      assertEquals(await authenticate(identity, supported), expected);
    }
    assertEquals(world.sent.length, 1);
    assertEquals(context.reports, report === undefined ? [] : [report]);
  });
}

/** Returns the decoded header, or the names of the form members, of an authenticated request. */
async function authenticate(
  identity: ClientIdentity,
  supported: readonly string[] | undefined,
): Promise<string> {
  const body = new URLSearchParams();
  const headers = new Headers();
  const client = { client_id: identity.clientId };
  await clientAuthOf(identity, supported)({ issuer: ISSUER }, client, body, headers);
  const [scheme, credentials] = headers.get("authorization")?.split(" ") ?? [];
  if (credentials !== undefined) return `${scheme} ${atob(credentials)}`;
  return ["form", ...body.keys()].join(" ");
}

/** Responses that reject a registration: the response, and the status, delay and reason. */
const REFUSALS: Readonly<
  Record<string, readonly [() => Response, number, number | undefined, string]>
> = {
  "403 with a text": [
    () => new Response("registration is\nclosed", { status: 403 }),
    403,
    undefined,
    'HTTP 403: "registration is\\u{a}closed"',
  ],
  "429 with a delay": [
    () => new Response(null, { status: 429, headers: { "retry-after": "9" } }),
    429,
    9000,
    "HTTP 429",
  ],
  "500 with another object": [
    () => Response.json({ message: "oops", client_secret: "planted-s" }, { status: 500 }),
    500,
    undefined,
    'HTTP 500: "{"message":"oops","client_secret":"..."}"',
  ],
  "200 with an error": [
    () => Response.json({ error: "invalid_redirect_uri", error_description: "not https" }),
    200,
    undefined,
    '"invalid_redirect_uri" ("not https")',
  ],
  "200 with an error that is an object": [
    () => Response.json({ error: { message: "no" }, token: "planted" }),
    200,
    undefined,
    'HTTP 200: "{"message":"no"}"',
  ],
  "201 with a web page": [
    () => new Response("<html>", { status: 201 }),
    201,
    undefined,
    "HTTP 201, and the body is not a JSON object",
  ],
};

for (const [title, [answer, httpStatus, retryAfterMs, reason]] of Object.entries(REFUSALS)) {
  Deno.test(`a registration with the response ${title} is rejected with its status and reason`, async () => {
    const world = new OAuthWorld();
    world.answers[`POST ${ISSUER}/register`] = answer;
    const context = contextIn(world);
    const error = await assertRejects(() => resolveClient(SERVER, context), McpError);
    assertEquals(error.message.split("rejected the client registration: ")[1], reason);
    assert(error.is("auth_error"));
    assertEquals([error.httpStatus, error.details.retryAfterMs], [httpStatus, retryAfterMs]);
    assertEquals(await context.store.load(`client ${ISSUER}`), undefined);
    assert(!Deno.inspect(error).includes("planted"));
  });
}

/** Test cases: client credentials, the server's authentication methods, and the expected method. */
const METHODS: readonly (readonly [ClientIdentity, readonly string[] | undefined, string])[] = [
  [{ clientId: "c" }, undefined, "none"],
  [{ clientId: "c" }, ["client_secret_basic"], "none"],
  [{ clientId: "c", clientSecret: "s" }, undefined, "basic"],
  [{ clientId: "c", clientSecret: "s" }, ["client_secret_post", "client_secret_basic"], "basic"],
  [{ clientId: "c", clientSecret: "s" }, ["client_secret_post", "none"], "post"],
  [{ clientId: "c", clientSecret: "s" }, ["none"], "none"],
  [{ clientId: "c", clientSecret: "s", method: "client_secret_post" }, undefined, "post"],
  [{ clientId: "c", clientSecret: "s", method: "none" }, ["client_secret_basic"], "none"],
];

for (const [identity, supported, way] of METHODS) {
  Deno.test(`clientAuthOf() selects ${way} for ${JSON.stringify(identity)} and ${supported}`, async () => {
    const expected = { basic: "Basic c:s", post: "form client_id client_secret" }[way];
    assertEquals(await authenticate(identity, supported), expected ?? "form client_id");
  });
}

Deno.test("clientAuthOf() throws if the server supports no method for a client secret", () => {
  const identity = { clientId: "c", clientSecret: "s" };
  assertThrows(
    () => clientAuthOf(identity, ["tls_client_auth"]),
    McpError,
    "does not support client secrets",
  );
});
