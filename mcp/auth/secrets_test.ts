import { assert, assertEquals } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { ISSUER, OAuthWorld, REDIRECT, RESOURCE, type Sent } from "../testdata/oauth.ts";
import { authorizedFetch } from "./authorized_fetch.ts";
import type { AuthConfig } from "./config.ts";
import { identityAssertion } from "./identity_assertion.ts";

const IDP = "https://idp.example";

/** Secrets that the test environment uses, so that leaks can be detected. */
const SECRETS = {
  accessToken: "planted-access-token",
  refreshToken: "planted-refresh-token",
  clientSecret: "planted-client-secret",
  code: "planted-code",
  assertion: "planted-assertion",
  subjectToken: "planted-subject-token",
};

const FLOWS: Readonly<Record<string, (world: OAuthWorld) => AuthConfig>> = {
  "the authorization code flow": (world) => ({
    ...world.config,
    clientSecret: SECRETS.clientSecret,
    clientId: "c",
  }),
  "dynamic client registration": (world) => world.config,
  "fixed endpoints": (world) => ({
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    redirectUri: REDIRECT,
    authUrl: `${ISSUER}/authorize`,
    tokenUrl: `${ISSUER}/token`,
    authorize: world.authorize,
  }),
  "client credentials": () => ({
    discover: true,
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    grant: { type: "client_credentials" },
  }),
  "a JWT bearer grant": () => ({
    discover: true,
    clientId: "c",
    grant: { type: "jwt_bearer", assertion: () => SECRETS.assertion },
  }),
  "an identity assertion": () => ({
    discover: true,
    clientId: "c",
    clientSecret: SECRETS.clientSecret,
    grant: {
      type: "jwt_bearer",
      assertion: identityAssertion({
        tokenUrl: `${IDP}/token`,
        clientId: "c-at-idp",
        subjectToken: SECRETS.subjectToken,
      }),
    },
  }),
};

/**
 * For each secret, the URL and the part of the request in which the client may send that secret.
 */
const MAY_BE_SHOWN: Readonly<Record<keyof typeof SECRETS, readonly string[]>> = {
  accessToken: [`${RESOURCE} header`],
  refreshToken: [`${ISSUER}/token body`],
  clientSecret: [`${ISSUER}/token body`, `${ISSUER}/token header`],
  code: [`${ISSUER}/token body`],
  assertion: [`${ISSUER}/token body`],
  subjectToken: [`${IDP}/token body`],
};

/** Server faults that are likely to expose secrets, keyed by title. */
const FAULTS: Readonly<Record<string, (world: OAuthWorld) => void>> = {
  "no server has a fault": () => {},
  "the token endpoint echoes the request": (world) => {
    world.answers[`POST ${ISSUER}/token`] = ({ body, headers }) =>
      Response.json({
        error: "invalid_grant",
        error_description: decodeURIComponent(`${body} ${headers.get("authorization")}`),
      }, { status: 400 });
  },
  "the token response is incomplete": (world) => {
    world.answers[`POST ${ISSUER}/token`] = () =>
      Response.json({ access_token: SECRETS.accessToken, refresh_token: SECRETS.refreshToken });
  },
  "the token type is unknown": (world) => {
    world.grant = { token_type: "mac" };
  },
  "the token response is not JSON": (world) => {
    world.answers[`POST ${ISSUER}/token`] = ({ body }) => new Response(body);
  },
  "the token endpoint redirects": (world) => {
    world.answers[`POST ${ISSUER}/token`] = () =>
      new Response(null, { status: 307, headers: { location: "https://evil.example/token" } });
  },
  "every token is rejected": (world) => {
    world.accepts = () => false;
  },
  "another issuer responds to the login": (world) => {
    world.callback = { iss: "https://evil.example" };
  },
};

for (const [flow, configure] of Object.entries(FLOWS)) {
  for (const [fault, apply] of Object.entries(FAULTS)) {
    Deno.test(`${flow} leaks no secret if ${fault}`, async () => {
      const world = plantedWorld();
      apply(world);
      const authorized = authorizedFetch(configure(world), {
        resource: RESOURCE,
        fetch: world.fetch,
      });
      const errors: unknown[] = [];
      for (let call = 0; call < 3; call++) {
        await authorized(RESOURCE, { method: "POST" }).then((response) => response.body?.cancel())
          .catch((error) => errors.push(error));
        // The server rejects the token, so the next calls refresh the token and then request a new
        // grant.
        world.accepts = () => false;
      }
      for (const error of errors) assertClean(describe(error));
      for (const url of world.logins) assertClean(url.href);
      for (const sent of world.sent) assertInPlace(sent);
    });
  }
}

Deno.test("the keys of stored entries contain no secrets", async () => {
  const world = plantedWorld();
  const saved = new Map<string, string | undefined>();
  const store = {
    load: (key: string) => saved.get(key),
    save: (key: string, value: string | undefined) => void saved.set(key, value),
  };
  const config = { ...world.config, store };
  const secretive = `${RESOURCE}?key=planted-access-token`;
  const authorized = authorizedFetch(config, { resource: secretive, fetch: world.fetch });
  await (await authorized(RESOURCE, { method: "POST" })).body?.cancel();
  assertEquals([...saved.keys()], [`client ${ISSUER}`, `tokens ${RESOURCE}`]);
  // Secrets in the server URL are not sent to the authorization server.
  for (const url of world.logins) assertClean(url.href);
});

function plantedWorld(): OAuthWorld {
  const world = new OAuthWorld();
  world.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic", "none"] };
  world.callback = { iss: ISSUER, code: SECRETS.code };
  world.grant = { access_token: SECRETS.accessToken, refresh_token: SECRETS.refreshToken };
  world.answers[`POST ${ISSUER}/register`] = () =>
    Response.json({ client_id: "c", client_secret: SECRETS.clientSecret }, { status: 201 });
  world.answers[`POST ${IDP}/token`] = () =>
    Response.json({ access_token: SECRETS.assertion, token_type: "N_A" });
  return world;
}

/** All information about an error that a log could contain, including nested values. */
function describe(error: unknown): string {
  assert(error instanceof McpError, String(error));
  return Deno.inspect(error, { depth: 20, showHidden: true, strAbbreviateSize: Infinity }) +
    JSON.stringify(error);
}

function assertClean(text: string): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    assert(!text.includes(secret), `the ${name} is exposed: ${text}`);
    assert(!text.includes(btoa(`c:${secret}`)), `the ${name} is exposed: ${text}`);
  }
}

function assertInPlace({ url, headers, body }: Sent): void {
  assertClean(url);
  const basic = headers.get("authorization")?.replace(/^Basic (.*)$/, (_, text) => atob(text));
  const parts = { header: `${JSON.stringify([...headers])} ${basic}`, body };
  for (const [name, secret] of Object.entries(SECRETS)) {
    for (const [part, text] of Object.entries(parts)) {
      if (!text.includes(secret)) continue;
      const allowed = MAY_BE_SHOWN[name as keyof typeof SECRETS];
      assert(
        allowed.includes(`${url} ${part}`),
        `the ${name} is exposed at ${url}, in the ${part}`,
      );
    }
  }
}
