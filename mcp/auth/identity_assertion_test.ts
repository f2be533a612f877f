import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Principal } from "../server.ts";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import { identityAssertion, type IdentityAssertionOptions } from "./identity_assertion.ts";
import { resourceServer } from "./resource_server.ts";

const IDP = "https://idp.example";

/** A client of a protected server in another domain, whose tokens follow from an assertion. */
function setUp(options: Partial<IdentityAssertionOptions>) {
  const world = new OAuthWorld();
  world.answers[`POST ${IDP}/token`] = () =>
    Response.json({
      access_token: "the-assertion",
      token_type: "N_A",
      issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    });
  const assertion = identityAssertion({
    tokenUrl: `${IDP}/token`,
    clientId: "c-at-idp",
    subjectToken: "id-token",
    ...options,
  });
  const fetch = authorizedFetch({
    discover: true,
    clientId: "c",
    grant: { type: "jwt_bearer", assertion },
  }, { resource: RESOURCE, fetch: world.fetch });
  return { world, send: () => fetch(RESOURCE, { method: "POST", body: "{}" }) };
}

/** Passes a token through a resource server, and returns the principal. */
async function enter(token: string, expiresAt: number): Promise<Principal> {
  let principal: Principal | undefined;
  const door = resourceServer((_request, context) => {
    principal = context?.principal;
    return Promise.resolve(new Response());
  }, {
    resource: RESOURCE,
    authorizationServers: [ISSUER],
    verify: () => Promise.resolve({ subject: "ada", scopes: [], expiresAt }),
  });
  const headers = { authorization: `Bearer ${token}` };
  await door(new Request(RESOURCE, { method: "POST", headers }));
  assert(principal !== undefined);
  return principal;
}

Deno.test("identityAssertion() exchanges an ID token", async () => {
  const { world, send } = setUp({ subjectToken: () => "id-token" });
  assertEquals((await send()).status, 200);
  assertEquals(world.to(`${IDP}/token`).map(({ form }) => Object.fromEntries(form)), [{
    client_id: "c-at-idp",
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    audience: ISSUER,
    resource: RESOURCE,
    subject_token: "id-token",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
  }]);
  assertEquals(world.to(`${ISSUER}/token`)[0]?.form.get("assertion"), "the-assertion");
});

Deno.test("identityAssertion() exchanges the access token of a principal", async () => {
  const principal = await enter("planted-token", Date.now() + 60_000);
  const { world, send } = setUp({ subjectToken: { principal } });
  assertEquals((await send()).status, 200);
  const [sent] = world.to(`${IDP}/token`);
  assertEquals(
    [sent?.form.get("subject_token"), sent?.form.get("subject_token_type")],
    ["planted-token", "urn:ietf:params:oauth:token-type:access_token"],
  );
  const others = world.sent.filter(({ url }) => url !== `${IDP}/token`);
  for (const { url, body, headers } of others) {
    const text = `${url} ${body} ${JSON.stringify([...headers])}`;
    assertEquals(text.includes("planted"), false, url);
  }
});

Deno.test("identityAssertion() rejects a principal without a valid access token", async () => {
  const expired = await enter("planted-token", Date.now() - 1);
  for (const principal of [undefined, expired, { ...expired }, { subject: "ada" }]) {
    const { world, send } = setUp({ subjectToken: { principal } });
    const error = await assertRejects(send, McpError, "access token");
    assertEquals(error.is("auth_error") && error.details.exchange, "no_token");
    assertEquals(world.to(`${IDP}/token`), []);
  }
});

Deno.test("identityAssertion() authenticates with a signed JWT", async () => {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["sign", "verify"],
  );
  const clientKey = { key: privateKey, kid: "k1" };
  const { world, send } = setUp({ subjectToken: "id-token", clientKey });
  assertEquals((await send()).status, 200);
  const form = world.to(`${IDP}/token`)[0]?.form;
  assertEquals(
    form?.get("client_assertion_type"),
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  );
  const [header = "", payload = "", signature = ""] = (form?.get("client_assertion") ?? "")
    .split(".");
  const decode = (text: string) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const read = (text: string) => JSON.parse(new TextDecoder().decode(decode(text)));
  assertEquals(read(header), { alg: "ES256", kid: "k1" });
  assertEquals([read(payload).iss, read(payload).sub], ["c-at-idp", "c-at-idp"]);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  assert(await crypto.subtle.verify(algorithm, publicKey, decode(signature), signed));
});

Deno.test("identityAssertion() rejects invalid options without quoting the token", () => {
  const wrong = (options: object) => () => setUp(options);
  assertThrows(wrong({ subjectToken: 1 }), TypeError, "got a number");
  assertThrows(
    wrong({ subjectToken: { principal: "planted" } }),
    TypeError,
    '"subjectToken.principal"',
  );
  assertThrows(wrong({ subjectToken: { token: "t" } }), TypeError, "only known options");
  assertThrows(wrong({ subjectToken: "t", clientKey: {} }), TypeError, '"clientKey.key"');
});
