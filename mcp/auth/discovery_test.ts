import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { discoverIssuer, discoverResource } from "./discovery.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

function webIn(world: OAuthWorld): AuthHttpClient {
  const { fetch } = world;
  return new AuthHttpClient(
    { fetch, requestTimeoutMs: 1000, maxResponseBytes: 10_000 },
    new AbortController().signal,
  );
}

function policyFor(server: string) {
  return { server: new URL(server), allowPrivateAddresses: false };
}

const POLICY = policyFor(RESOURCE);

/** Test cases: a server URL, and the expected suffixes of the well-known paths in request order. */
const PLACES: readonly (readonly [string, readonly string[]])[] = [
  ["https://mcp.example", ["/"]],
  ["https://mcp.example/mcp", ["/mcp", "/"]],
  ["https://mcp.example/a/b/", ["/a/b", "/"]],
];

for (const [server, paths] of PLACES) {
  Deno.test(`discoverResource() requests all well-known URLs of ${server}`, async () => {
    const world = new OAuthWorld();
    world.answers["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = () =>
      new Response(null, { status: 404 });
    assertEquals(await discoverResource(webIn(world), policyFor(server), undefined), undefined);
    const root = "https://mcp.example/.well-known/oauth-protected-resource";
    assertEquals(
      world.sent.map(({ url }) => url),
      paths.map((path) => root + path.replace(/\/$/, "")),
    );
  });
}

Deno.test("discoverResource() requests only the metadata URL from the challenge", async () => {
  const world = new OAuthWorld();
  const place = "https://mcp.example/custom/metadata.json";
  await assertRejects(
    () => discoverResource(webIn(world), POLICY, place),
    McpError,
    "has no resource metadata",
  );
  assertEquals(world.sent.map(({ url }) => url), [place]);
  world.answers[`GET ${place}`] = () =>
    Response.json({
      resource: RESOURCE,
      authorization_servers: [ISSUER, 1],
      scopes_supported: ["a", null],
    });
  assertEquals(await discoverResource(webIn(world), POLICY, place), {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    scopes: ["a"],
  });
  for (
    const bad of ["http://mcp.example/x", "https://127.0.0.1/x", "/relative", "file:///etc/passwd"]
  ) {
    await assertRejects(() => discoverResource(webIn(world), POLICY, bad), McpError);
  }
  assertEquals(world.sent.length, 2);
});

/**
 * Test cases: a resource identifier, and whether it is valid for the server
 * https://mcp.example/mcp.
 */
const NAMES: readonly (readonly [unknown, boolean])[] = [
  ["https://mcp.example/mcp", true],
  ["https://mcp.example/mcp/", true],
  ["https://mcp.example", true],
  ["https://mcp.example/", true],
  ["HTTPS://MCP.EXAMPLE/mcp", true],
  ["https://mcp.example/mc", false],
  ["https://mcp.example/other", false],
  ["https://mcp.example/mcp/deeper", false],
  ["https://mcp.example/mcp#part", false],
  ["https://evil.example/mcp", false],
  ["https://mcp.example:8443/mcp", false],
  ["http://mcp.example/mcp", false],
  ["mcp", false],
  [undefined, false],
  [7, false],
];

for (const [resource, isFine] of NAMES) {
  Deno.test(`discoverResource() ${isFine ? "accepts" : "rejects"} metadata whose resource is ${resource}`, async () => {
    const world = new OAuthWorld();
    world.resource = { resource };
    const found = discoverResource(webIn(world), POLICY, undefined);
    if (isFine) assertEquals((await found)?.resource, String(resource));
    else await assertRejects(() => found, McpError, "resource metadata is for another server");
  });
}

Deno.test("discoverResource() rejects metadata without an authorization server", async () => {
  for (const authorization_servers of [undefined, [], [1], "https://login.example"]) {
    const world = new OAuthWorld();
    world.resource = { authorization_servers };
    await assertRejects(
      () => discoverResource(webIn(world), POLICY, undefined),
      McpError,
      "lists no authorization server",
    );
  }
});

const ISSUER_PLACES: readonly (readonly [string, readonly string[]])[] = [
  ["https://login.example", [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
  ]],
  ["https://login.example/", [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
  ]],
  ["https://login.example/tenant1", [
    "/.well-known/oauth-authorization-server/tenant1",
    "/.well-known/openid-configuration/tenant1",
    "/tenant1/.well-known/openid-configuration",
  ]],
];

for (const [issuer, paths] of ISSUER_PLACES) {
  Deno.test(`discoverIssuer() requests all well-known URLs of ${issuer}`, async () => {
    const world = new OAuthWorld();
    world.answers["GET https://login.example/.well-known/oauth-authorization-server"] = () =>
      new Response("no", { status: 404 });
    assertEquals(await discoverIssuer(webIn(world), POLICY, issuer), undefined);
    assertEquals(world.sent.map(({ url }) => url), paths.map((path) => ISSUER + path));
  });
}

Deno.test("discoverIssuer() rejects metadata from another issuer", async () => {
  for (
    const issuer of ["https://honest.example", `${ISSUER}/`, "HTTPS://login.example", undefined]
  ) {
    const world = new OAuthWorld();
    world.metadata = { issuer };
    await assertRejects(
      () => discoverIssuer(webIn(world), POLICY, ISSUER),
      McpError,
      `expected issuer "${ISSUER}" in the metadata`,
    );
  }
});

Deno.test("discoverIssuer() rejects an endpoint that the URL policy does not allow", async () => {
  for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
    for (
      const bad of ["http://login.example/x", "https://10.0.0.1/x", "javascript:alert(1)", "/x"]
    ) {
      const world = new OAuthWorld();
      world.metadata = { [name]: bad };
      await assertRejects(
        () => discoverIssuer(webIn(world), POLICY, ISSUER),
        McpError,
        `"${name}"`,
      );
    }
  }
  for (const bad of ["https://192.168.0.1", "http://login.example", "login.example"]) {
    await assertRejects(() => discoverIssuer(webIn(new OAuthWorld()), POLICY, bad), McpError);
  }
});

Deno.test("discoverIssuer() ignores optional members with the wrong type", async () => {
  const world = new OAuthWorld();
  world.metadata = {
    registration_endpoint: 7,
    scopes_supported: ["a", 1],
    code_challenge_methods_supported: "S256",
    client_id_metadata_document_supported: "yes",
  };
  const found = await discoverIssuer(webIn(world), POLICY, ISSUER);
  assertEquals(found?.registration_endpoint, undefined);
  assertEquals(found?.scopes_supported, ["a"]);
  assertEquals(found?.code_challenge_methods_supported, undefined);
  assertEquals(found?.client_id_metadata_document_supported, false);
});

Deno.test("discoverIssuer() rejects metadata without a token endpoint", async () => {
  const world = new OAuthWorld();
  world.metadata = { token_endpoint: undefined };
  await assertRejects(
    () => discoverIssuer(webIn(world), POLICY, ISSUER),
    McpError,
    "has no token endpoint",
  );
});
