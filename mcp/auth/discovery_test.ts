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
 * Test cases: a resource identifier, and whether it is accepted for the server
 * https://mcp.example/mcp: always, only in the metadata of the origin, or never.
 */
const NAMES: readonly (readonly [unknown, "always" | "root" | "never"])[] = [
  ["https://mcp.example/mcp", "always"],
  ["https://mcp.example/mcp/", "always"],
  ["HTTPS://MCP.EXAMPLE:443/mcp", "always"],
  ["https://mcp.example/x/../mcp", "always"],
  ["https://mcp.example", "root"],
  ["https://mcp.example/", "root"],
  ["https://mcp.example//", "never"],
  ["https://mcp.example/mcp//", "never"],
  ["https://mcp.example/MCP", "never"],
  ["https://mcp.example/%6dcp", "never"],
  ["https://mcp.example/mc", "never"],
  ["https://mcp.example/other", "never"],
  ["https://mcp.example/mcp/deeper", "never"],
  ["https://mcp.example/mcp#part", "never"],
  ["https://mcp.example/mcp?tenant=1", "never"],
  ["https://mcp.example?tenant=1", "never"],
  ["https://user@mcp.example/mcp", "never"],
  ["https://evil.example/mcp", "never"],
  ["https://mcp.example.evil.example/mcp", "never"],
  ["https://mcp.example:8443/mcp", "never"],
  ["http://mcp.example/mcp", "never"],
  ["mcp", "never"],
  [undefined, "never"],
  [7, "never"],
  [["https://mcp.example/mcp"], "never"],
];

const WELL_KNOWN = "https://mcp.example/.well-known/oauth-protected-resource";

/** Places of the metadata: title, URL of the metadata, and URL in the challenge. */
const METADATA_PLACES = [
  ["of the server", `${WELL_KNOWN}/mcp`, undefined],
  ["of the origin", WELL_KNOWN, undefined],
  ["in the challenge", `${WELL_KNOWN}/mcp`, `${WELL_KNOWN}/mcp`],
  ["elsewhere, in the challenge", "https://mcp.example/any", "https://mcp.example/any"],
  ["of the origin, in the challenge", WELL_KNOWN, WELL_KNOWN],
] as const;

for (const [title, place, named] of METADATA_PLACES) {
  const isRoot = named === undefined && place === WELL_KNOWN;
  Deno.test(`discoverResource() accepts only the identifier of the server in the metadata ${title}`, async () => {
    for (const [resource, accepted] of NAMES) {
      const world = new OAuthWorld();
      const absent = (): Response => new Response(null, { status: 404 });
      const found = (): Response => Response.json({ resource, authorization_servers: [ISSUER] });
      world.answers[`GET ${WELL_KNOWN}/mcp`] = absent;
      world.answers[`GET ${place}`] = found;
      const discovery = discoverResource(webIn(world), POLICY, named);
      if (accepted === "always" || (accepted === "root" && isRoot)) {
        assertEquals((await discovery)?.resource, String(resource));
        continue;
      }
      const reason = accepted === "root"
        ? `the metadata names "${resource}", which also covers other servers of this host; ` +
          'set "acceptedResources" to accept it'
        : undefined;
      await assertRejects(() => discovery, McpError, reason);
    }
  });
}

Deno.test("discoverResource() does not use the metadata of the origin instead of metadata for another server", async () => {
  const world = new OAuthWorld();
  world.resource = { resource: "https://mcp.example" };
  world.answers[`GET ${WELL_KNOWN}`] = () =>
    Response.json({ resource: RESOURCE, authorization_servers: [ISSUER] });
  await assertRejects(() => discoverResource(webIn(world), POLICY, undefined), McpError);
});

Deno.test("discoverResource() accepts the resource identifiers in acceptedResources", async () => {
  const acceptedResources = ["https://mcp.example/", "api://1234"];
  for (
    const [resource, isAccepted] of [
      ["https://mcp.example", true],
      ["api://1234", true],
      ["api://12345", false],
      ["https://mcp.example/other", false],
      [RESOURCE, true],
    ] as const
  ) {
    for (const named of [undefined, `${WELL_KNOWN}/mcp`]) {
      const world = new OAuthWorld();
      world.resource = { resource };
      const found = discoverResource(webIn(world), { ...POLICY, acceptedResources }, named);
      if (isAccepted) assertEquals((await found)?.resource, resource);
      else await assertRejects(() => found, McpError);
    }
  }
});

Deno.test("discoverResource() accepts a resource identifier with the query of the server URL", async () => {
  const policy = policyFor(`${RESOURCE}?tenant=1`);
  for (
    const [resource, isAccepted] of [
      [`${RESOURCE}?tenant=1`, true],
      [RESOURCE, true],
      [`${RESOURCE}?tenant=2`, false],
    ] as const
  ) {
    const world = new OAuthWorld();
    world.resource = { resource };
    const found = discoverResource(webIn(world), policy, undefined);
    if (isAccepted) assertEquals((await found)?.resource, resource);
    else await assertRejects(() => found, McpError, "is for another server");
  }
});

Deno.test("discoverResource() treats a redirect to another origin as absent and reports it", async () => {
  const world = new OAuthWorld();
  const location = "https://elsewhere.example/login";
  world.answers[`GET ${WELL_KNOWN}/mcp`] = () =>
    new Response(null, { status: 302, headers: { location } });
  world.answers[`GET ${WELL_KNOWN}`] = () =>
    Response.json({ resource: RESOURCE, authorization_servers: [ISSUER] });
  const reports: unknown[] = [];
  const web = new AuthHttpClient({
    fetch: world.fetch,
    requestTimeoutMs: 1000,
    maxResponseBytes: 10_000,
    report: (error) => reports.push(error),
  }, new AbortController().signal);
  assertEquals((await discoverResource(web, POLICY, undefined))?.resource, RESOURCE);
  assertEquals(world.to(location), []);
  assertEquals(reports.map((error) => error instanceof McpError && error.httpStatus), [302]);
});

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
