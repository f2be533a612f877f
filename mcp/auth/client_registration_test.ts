import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
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
  const limits = { fetch: world.fetch, requestTimeoutMs: 1000, maxResponseBytes: 10_000 };
  return {
    web: new AuthHttpClient(limits, new AbortController().signal),
    store: memoryStore(),
    secrets: new Secrets(),
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
    const body = new URLSearchParams();
    const headers = new Headers();
    const client = { client_id: identity.clientId };
    await clientAuthOf(identity, supported)({ issuer: ISSUER }, client, body, headers);
    const shown = headers.has("authorization")
      ? "basic"
      : body.has("client_secret")
      ? "post"
      : "none";
    assertEquals(shown, way);
    assertEquals(body.get("client_id"), way === "basic" ? null : "c");
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
