/** Tests the verifiers of the authorization guide with tokens as the providers document them. */

import {
  jwtVerifier,
  type JwtVerifierOptions,
  resourceServer,
  type TokenVerifier,
  type VerifiedToken,
} from "@parley/mcp/auth";
import { assertEquals } from "@std/assert";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { auth0 } from "./identity_providers/auth0.ts";
import { entraId } from "./identity_providers/entra_id.ts";
import { googleVerifier } from "./identity_providers/google.ts";
import { keycloak } from "./identity_providers/keycloak.ts";
import { okta } from "./identity_providers/okta.ts";

const RESOURCE = "https://mcp.example.com/mcp";
const INVALID = "The access token is invalid";
const EXPIRED = "The access token expired";
const { publicKey, privateKey } = await generateKeyPair("RS256");
const NOW = Math.floor(Date.now() / 1000);

/** An identity provider, and tokens as it documents them. */
interface Provider {
  readonly options: JwtVerifierOptions;
  /** Metadata URLs that exist. */
  readonly metadata: string;
  readonly header: { readonly typ?: string };
  readonly claims: Readonly<Record<string, unknown>>;
  readonly principal: VerifiedToken;
  /** Reason for which a verifier with only the issuer rejects the token, if it does. */
  readonly refusedByDefault?: string;
  /** Claims in which an ID token for a client differs, and the reason for its rejection. */
  readonly idToken: readonly [Readonly<Record<string, unknown>>, string];
}

const TIMES = { iat: NOW, exp: NOW + 300 };
const EXPIRES_AT = (NOW + 300) * 1000;

const PROVIDERS: Readonly<Record<string, Provider>> = {
  keycloak: {
    options: keycloak,
    metadata: "https://keycloak.example.com/realms/main/.well-known/openid-configuration",
    header: { typ: "JWT" },
    claims: {
      ...TIMES,
      jti: "onrtac:6a5c",
      iss: "https://keycloak.example.com/realms/main",
      aud: [RESOURCE, "account"],
      sub: "f3a1c0de",
      typ: "Bearer",
      azp: "desktop",
      sid: "8f2c",
      realm_access: { roles: ["offline_access"] },
      scope: "openid profile mcp",
    },
    principal: {
      subject: "f3a1c0de",
      scopes: ["openid", "profile", "mcp"],
      clientId: "desktop",
      issuer: "https://keycloak.example.com/realms/main",
      expiresAt: EXPIRES_AT,
    },
    refusedByDefault: "type",
    idToken: [{ aud: RESOURCE, typ: "ID", at_hash: "x", nonce: "n" }, "id_token"],
  },
  "Entra ID": {
    options: entraId,
    metadata:
      "https://login.microsoftonline.com/7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11/v2.0/.well-known/openid-configuration",
    header: { typ: "JWT" },
    claims: {
      ...TIMES,
      nbf: NOW,
      iss: "https://login.microsoftonline.com/7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11/v2.0",
      aud: "b1d40f6a-53f0-4f7c-8a0e-3c1f6d2b9a77",
      sub: "pairwise-1",
      azp: "client-1",
      azpacr: "0",
      oid: "user-1",
      tid: "7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11",
      scp: "mcp.use files.read",
      ver: "2.0",
    },
    principal: {
      subject: "pairwise-1",
      scopes: ["mcp.use", "files.read"],
      clientId: "client-1",
      issuer: "https://login.microsoftonline.com/7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11/v2.0",
      expiresAt: EXPIRES_AT,
      claims: { oid: "user-1", tid: "7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11" },
    },
    refusedByDefault: "type",
    // An ID token of the server's own app registration has the same audience, and no "scp".
    idToken: [{ scp: undefined }, "missing_claim"],
  },
  "Auth0 with the profile RFC 9068": {
    options: auth0,
    metadata: "https://example.eu.auth0.com/.well-known/openid-configuration",
    header: { typ: "at+jwt" },
    claims: {
      ...TIMES,
      iss: "https://example.eu.auth0.com/",
      aud: [RESOURCE, "https://example.eu.auth0.com/userinfo"],
      sub: "auth0|123456",
      client_id: "client-1",
      jti: "73WakrfVbNJBaAmhQtEeDv",
      scope: "openid profile use",
    },
    principal: {
      subject: "auth0|123456",
      scopes: ["openid", "profile", "use"],
      clientId: "client-1",
      issuer: "https://example.eu.auth0.com/",
      expiresAt: EXPIRES_AT,
    },
    idToken: [{ aud: "client-1", client_id: undefined }, "audience"],
  },
  "Auth0 with the profile Auth0": {
    options: { ...auth0, typ: "any" },
    metadata: "https://example.eu.auth0.com/.well-known/openid-configuration",
    header: { typ: "JWT" },
    claims: {
      ...TIMES,
      iss: "https://example.eu.auth0.com/",
      aud: [RESOURCE, "https://example.eu.auth0.com/userinfo"],
      sub: "auth0|123456",
      azp: "client-1",
      gty: "password",
      scope: "openid profile use",
    },
    principal: {
      subject: "auth0|123456",
      scopes: ["openid", "profile", "use"],
      clientId: "client-1",
      issuer: "https://example.eu.auth0.com/",
      expiresAt: EXPIRES_AT,
    },
    refusedByDefault: "type",
    idToken: [{ aud: "client-1", azp: undefined, nonce: "n" }, "audience"],
  },
  okta: {
    options: okta,
    metadata: "https://example.okta.com/.well-known/oauth-authorization-server/oauth2/aus1",
    header: {},
    claims: {
      ...TIMES,
      ver: 1,
      jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
      iss: "https://example.okta.com/oauth2/aus1",
      aud: RESOURCE,
      cid: "0oa1",
      uid: "00u1",
      scp: ["openid", "mcp"],
      auth_time: NOW,
      sub: "ada@example.com",
    },
    principal: {
      subject: "ada@example.com",
      scopes: ["openid", "mcp"],
      issuer: "https://example.okta.com/oauth2/aus1",
      expiresAt: EXPIRES_AT,
      claims: { cid: "0oa1", uid: "00u1" },
    },
    refusedByDefault: "type",
    idToken: [{ aud: "0oa1", at_hash: "x" }, "audience"],
  },
};

function sign(claims: object, header: object): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "1", ...header }).sign(privateKey);
}

/** Presents a token to a server, and returns the principal, the reason and the challenge. */
async function present(
  verifier: (reasons: string[]) => TokenVerifier,
  issuer: string,
  token: string,
) {
  const reasons: string[] = [];
  let principal: VerifiedToken | undefined;
  const handle = resourceServer((_request, context) => {
    principal = context?.principal;
    return Promise.resolve(new Response());
  }, { resource: RESOURCE, authorizationServers: [issuer], verify: verifier(reasons) });
  const headers = { authorization: `Bearer ${token}` };
  const response = await handle(new Request(RESOURCE, { method: "POST", headers }));
  const challenge = response.headers.get("www-authenticate") ?? "";
  const [, description] = /error_description="([^"]*)"/.exec(challenge) ?? [];
  return { status: response.status, principal, reasons, description };
}

for (const [name, provider] of Object.entries(PROVIDERS)) {
  const { issuer } = provider.options;
  const fetch = async (url: string): Promise<Response> => {
    const jwks_uri = `${new URL(issuer).origin}/keys`;
    if (url === provider.metadata) {
      const endpoints = { authorization_endpoint: jwks_uri, token_endpoint: jwks_uri };
      return Response.json({ issuer, jwks_uri, ...endpoints });
    }
    if (url !== jwks_uri) return new Response("not found", { status: 404 });
    return Response.json({ keys: [{ ...await exportJWK(publicKey), kid: "1", use: "sig" }] });
  };
  const using = (options: JwtVerifierOptions) => (reasons: string[]) =>
    jwtVerifier({ ...options, fetch, onRefused: ({ reason }) => reasons.push(reason) });

  Deno.test(`a token of ${name} is accepted with the options of the guide`, async () => {
    const token = await sign(provider.claims, provider.header);
    const found = await present(using(provider.options), issuer, token);
    assertEquals([found.status, found.reasons], [200, []]);
    const key = JSON.parse(String(Object(found.principal).key));
    const { issuer: iss, subject, clientId, claims = {}, scopes } = provider.principal;
    assertEquals(key, [iss, subject, clientId ?? "", claims, ...scopes.toSorted()]);
    assertEquals<unknown>(found.principal, { ...provider.principal, key: JSON.stringify(key) });
  });

  Deno.test(
    `a token of ${name} with only the issuer as option is ${
      provider.refusedByDefault === undefined ? "accepted" : "rejected"
    }`,
    async () => {
      const token = await sign(provider.claims, provider.header);
      const { status, reasons, description } = await present(using({ issuer }), issuer, token);
      assertEquals(
        [status, reasons, description],
        provider.refusedByDefault === undefined
          ? [200, [], undefined]
          : [401, [provider.refusedByDefault], INVALID],
      );
    },
  );

  const bad: Readonly<Record<string, readonly [object, string, string]>> = {
    "for another audience": [{ aud: "https://other.example.com" }, "audience", INVALID],
    "of another issuer": [{ iss: `${issuer}x` }, "issuer", INVALID],
    "that has expired": [{ exp: NOW - 60 }, "expired", EXPIRED],
    "that is an ID token": [...provider.idToken, INVALID],
  };
  for (const [fault, [change, reason, text]] of Object.entries(bad)) {
    Deno.test(`a token of ${name} ${fault} is rejected`, async () => {
      const token = await sign({ ...provider.claims, ...change }, provider.header);
      const { status, reasons, description } = await present(
        using(provider.options),
        issuer,
        token,
      );
      assertEquals([status, reasons, description], [401, [reason], text]);
    });
  }
}

Deno.test("the verifier for Google accepts tokens of its own clients only", async () => {
  const token = "ya29.a0/example+token";
  const answer = {
    azp: "1.apps",
    aud: "1.apps",
    sub: "110",
    scope: "openid email",
    exp: "2000000000",
  };
  const answers: Readonly<Record<string, readonly [object, number]>> = {
    [`https://oauth2.googleapis.com/tokeninfo?access_token=${encodeURIComponent(token)}`]: [
      answer,
      200,
    ],
    "https://oauth2.googleapis.com/tokeninfo?access_token=busy": [{}, 503],
    // Only tokens with the scope "openid" or "userinfo" name the user.
    "https://oauth2.googleapis.com/tokeninfo?access_token=drive": [
      { ...answer, sub: undefined, scope: "https://www.googleapis.com/auth/drive" },
      200,
    ],
  };
  const fetch = (url: string): Promise<Response> => {
    const [body, status] = answers[url] ?? [{ error: "invalid_token" }, 400];
    return Promise.resolve(Response.json(body, { status }));
  };
  const issuer = "https://accounts.google.com";
  const statusOf = async (clientIds: readonly string[], shown: string) => {
    const found = await present(() => googleVerifier(clientIds, fetch), issuer, shown);
    return [found.status, found.principal?.subject, found.principal?.scopes, found.description];
  };
  assertEquals(await statusOf(["1.apps"], token), [200, "110", ["openid", "email"], undefined]);
  assertEquals(await statusOf(["2.apps"], token), [401, undefined, undefined, INVALID]);
  assertEquals(await statusOf(["1.apps"], "guess"), [401, undefined, undefined, INVALID]);
  assertEquals(await statusOf(["1.apps"], "drive"), [401, undefined, undefined, INVALID]);
  assertEquals(await statusOf(["1.apps"], "busy"), [503, undefined, undefined, undefined]);
});
