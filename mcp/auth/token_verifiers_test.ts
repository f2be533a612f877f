import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { toBase64Url } from "./base64url.ts";
import { DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import {
  introspectionVerifier,
  jwtVerifier,
  type JwtVerifierOptions,
  type TokenVerifier,
} from "./token_verifiers.ts";

function show(verify: TokenVerifier, token: string, scheme: "bearer" | "dpop" = "bearer") {
  const request = new Request(RESOURCE, {
    method: "POST",
    headers: { authorization: `${scheme} ${token}` },
  });
  return verify({ token, scheme, resource: RESOURCE, request });
}

async function issue(options: Partial<JwtVerifierOptions> = {}) {
  const issuer = await SigningIssuer.make(ISSUER);
  const asked: string[] = [];
  const fetch: HttpFetch = (url) => {
    asked.push(url);
    return issuer.keys();
  };
  const jwksUri = `${ISSUER}/keys`;
  return { issuer, asked, verify: jwtVerifier({ issuer: ISSUER, jwksUri, fetch, ...options }) };
}

Deno.test("jwtVerifier() accepts a signed access token", async () => {
  const { issuer, asked, verify } = await issue();
  const expected = { subject: "ada", scopes: ["read", "write"], clientId: "client-1" };
  assertEquals(await show(verify, await issuer.token({ scope: "read write" })), expected);
  assertEquals(
    await show(verify, await issuer.token({ aud: ["x", RESOURCE], scope: "read write" })),
    expected,
  );
  // The verifier fetches the key set only once for all tokens.
  assertEquals(asked, [`${ISSUER}/keys`]);
});

/**
 * Invalid access tokens, keyed by the fault, which completes the test name "rejects a token that
 * ...".
 */
const BAD: Readonly<Record<string, (issuer: SigningIssuer) => Promise<string>>> = {
  "has expired": (issuer) => issuer.token({ exp: Math.floor(Date.now() / 1000) - 60 }),
  "has no expiration": (issuer) => issuer.token({ exp: undefined }),
  "is not valid yet": (issuer) => issuer.token({ nbf: Math.floor(Date.now() / 1000) + 600 }),
  "has another audience": (issuer) => issuer.token({ aud: "https://other.example" }),
  "has the origin as its audience": (issuer) => issuer.token({ aud: "https://mcp.example" }),
  "has no audience": (issuer) => issuer.token({ aud: undefined }),
  "has another issuer": (issuer) => issuer.token({ iss: "https://evil.example" }),
  "is not an access token": (issuer) => issuer.token({}, { typ: "JWT" }),
  "has no subject": (issuer) => issuer.token({ sub: undefined }),
  "is not signed": (issuer) => issuer.token({}, { alg: "none" }),
  "is signed with a symmetric key": (issuer) => issuer.token({}, { alg: "HS256" }),
  "is signed with an unknown key": (issuer) => issuer.token({}, { kid: "k2" }),
  "is DPoP-bound and has no proof": (issuer) => issuer.token({ cnf: { jkt: "x" } }),
  "is forged": async () => await (await SigningIssuer.make(ISSUER)).token(),
  "was modified": async (issuer) => {
    const [header, , signature] = (await issuer.token()).split(".");
    const claims = (await issuer.token({ sub: "eve" })).split(".")[1];
    return `${header}.${claims}.${signature}`;
  },
  "is not a JWT": () => Promise.resolve("guess"),
  "has the format of a JWT and invalid content": () => Promise.resolve("a.b.c"),
};

for (const [name, make] of Object.entries(BAD)) {
  Deno.test(`jwtVerifier() rejects a token that ${name}`, async () => {
    const { issuer, verify } = await issue();
    assertEquals(await show(verify, await make(issuer)), undefined);
  });
}

Deno.test("jwtVerifier() accepts only the configured algorithms", async () => {
  const { issuer, verify } = await issue({ algorithms: ["RS256"] });
  assertEquals(await show(verify, await issuer.token()), undefined);
});

Deno.test("jwtVerifier() uses the key set URL from the issuer metadata", async () => {
  const issuer = await SigningIssuer.make(ISSUER);
  let isThere = false;
  const fetch: HttpFetch = (url) => {
    if (url.endsWith("/keys")) return issuer.keys();
    return Promise.resolve(
      isThere
        ? Response.json({ issuer: ISSUER, token_endpoint: ISSUER, jwks_uri: `${ISSUER}/keys` })
        : new Response(null, { status: 503 }),
    );
  };
  const verify = jwtVerifier({ issuer: ISSUER, fetch });
  const token = await issuer.token();
  await assertRejects(() => show(verify, token), McpError, 'has no "jwks_uri"');
  isThere = true;
  assertEquals((await show(verify, token))?.subject, "ada");
});

Deno.test("jwtVerifier() throws if the signing keys are unavailable", async () => {
  const failures: readonly (() => Promise<Response>)[] = [
    () => Promise.resolve(new Response("no", { status: 500 })),
    () => Promise.resolve(new Response("no keys")),
    () => Promise.reject(new TypeError("no network")),
    () => Promise.resolve(new Response("x".repeat(300_000))),
  ];
  for (const fetch of failures) {
    const { issuer, verify } = await issue({ fetch });
    const token = await issuer.token();
    const error = await assertRejects(() => show(verify, token), McpError);
    assertEquals(
      Deno.inspect(error, { depth: 9, strAbbreviateSize: Infinity }).includes(token),
      false,
    );
  }
});

/** Returns a function that presents a subject's DPoP-bound token together with a proof. */
async function prover({ issuer, verify }: Awaited<ReturnType<typeof issue>>) {
  const { keys: [jwk] } = await (await issuer.keys()).json();
  const jkt = await thumbprint(jwk);
  const tokens = new Map<string, string>();
  return async (subject: string, jti: string) => {
    const token = tokens.get(subject) ?? await issuer.token({ sub: subject, cnf: { jkt } });
    tokens.set(subject, token);
    const ath = await hash(token);
    const claims = { jti, ath, htm: "POST", htu: RESOURCE };
    const dpop = await issuer.token(claims, { typ: "dpop+jwt", jwk });
    const headers = { authorization: `DPoP ${token}`, dpop };
    const request = new Request(RESOURCE, { method: "POST", headers });
    const present = () => verify({ token, scheme: "dpop", resource: RESOURCE, request });
    return { first: await present().then((found) => found?.subject), present };
  };
}

function thumbprint({ crv, kty, x, y }: JsonWebKey): Promise<string> {
  return hash(JSON.stringify({ crv, kty, x, y }));
}

async function hash(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(bytes));
}

Deno.test("jwtVerifier() never accepts a DPoP proof again, even if its replay cache is full", async () => {
  const prove = await prover(
    await issue({ replayStore: new DpopReplayCache({ maxProofs: 2, maxSharePerPrincipal: 1 }) }),
  );
  const { first, present } = await prove("ada", "1");
  assertEquals(first, "ada");
  await prove("ada", "2");
  const error = await assertRejects(() => prove("ada", "3"), McpError, '"maxProofs"');
  assertEquals(error.code, McpErrorCode.AuthError);
  assertEquals(await present(), undefined);
});

Deno.test("jwtVerifier() rejects only the subject that uses its share of the replay cache", async () => {
  const prove = await prover(await issue({ replayStore: new DpopReplayCache({ maxProofs: 8 }) }));
  await prove("eve", "1");
  await prove("eve", "2");
  await assertRejects(() => prove("eve", "3"), McpError, '"maxSharePerPrincipal"');
  assertEquals((await prove("ada", "4")).first, "ada");
});

Deno.test("jwtVerifier() accepts a DPoP proof once if its replay store is asynchronous", async () => {
  const replayStore = new DpopReplayCache();
  for (const requestTimeoutMs of [10_000, Infinity]) {
    const first = await issue({
      replayStore: { add: (proof) => Promise.resolve(replayStore.add(proof)) },
      requestTimeoutMs,
    });
    const prove = await prover(first);
    const { present } = await prove("ada", `${requestTimeoutMs}`);
    assertEquals(await present(), undefined);
  }
});

Deno.test("jwtVerifier() waits for an asynchronous replay store if requestTimeoutMs exceeds the longest delay of a timer", async () => {
  const replayStore = { add: () => Promise.resolve(true) };
  for (const requestTimeoutMs of [2 ** 31, Infinity]) {
    const prove = await prover(await issue({ replayStore, requestTimeoutMs }));
    assertEquals((await prove("ada", "1")).first, "ada");
  }
});

/** Test cases: a replay store that fails, and the expected error. */
const BROKEN_STORES: Readonly<Record<string, readonly [DpopReplayStore["add"], string]>> = {
  "throws": [() => fail("offline"), "the DPoP replay store failed: offline"],
  "rejects": [() => Promise.reject(new Error("offline")), "the DPoP replay store failed: offline"],
  "never responds": [() => new Promise(() => {}), "the DPoP replay store failed: "],
  "returns nothing": [
    // A store written in JavaScript may return any value.
    (() => {}) as unknown as DpopReplayStore["add"],
    'must return true, false or "full", got undefined',
  ],
};

for (const [name, [add, text]] of Object.entries(BROKEN_STORES)) {
  Deno.test(`jwtVerifier() rejects DPoP requests if the replay store ${name}`, async () => {
    const prove = await prover(await issue({ replayStore: { add }, requestTimeoutMs: 500 }));
    const error = await assertRejects(() => prove("ada", "1"), McpError, text);
    assertEquals(error.code, McpErrorCode.AuthError);
  });
}

Deno.test("jwtVerifier() requires a replay store with a function", () => {
  const options: object = { replayStore: {} };
  assertThrows(
    () => jwtVerifier({ issuer: ISSUER, ...options }),
    TypeError,
    '"replayStore" must be a DpopReplayStore',
  );
});

function fail(text: string): never {
  throw new Error(text);
}

Deno.test("jwtVerifier() never throws, whatever the token", async () => {
  const { issuer, verify } = await issue();
  const piece = fc.oneof(fc.base64String(), fc.json().map((text) => btoa(encodeURI(text))));
  const claims = fc.dictionary(
    fc.constantFrom("iss", "sub", "aud", "exp", "iat", "jti", "client_id", "cnf", "scope", "nbf"),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 5 }), claims, async (pieces, changed) => {
      assertEquals(await show(verify, pieces.join(".") || "x"), undefined);
      const found = await show(verify, await issuer.token(changed));
      if (found === undefined) return;
      assertEquals(typeof found.subject, "string");
      assertEquals(found.scopes.every((scope) => typeof scope === "string"), true);
    }),
    propertyRuns(60),
  );
});

const ANSWER = { active: true, sub: "ada", aud: RESOURCE, scope: "read", client_id: "c" };

/** Test cases: an introspection response, and whether the verifier accepts the token. */
const ANSWERS: readonly (readonly [string, object, boolean])[] = [
  ["is active", ANSWER, true],
  ["has several audiences", { ...ANSWER, aud: ["x", RESOURCE] }, true],
  ["expires later", { ...ANSWER, exp: Date.now() / 1000 + 60 }, true],
  ["has only a client identifier", { ...ANSWER, sub: undefined }, true],
  ["is inactive", { active: false }, false],
  ["is inactive and has claims", { ...ANSWER, active: false }, false],
  ["has another audience", { ...ANSWER, aud: "https://other.example" }, false],
  ["has no audience", { ...ANSWER, aud: undefined }, false],
  ["has expired", { ...ANSWER, exp: 1 }, false],
  ["has an invalid expiration", { ...ANSWER, exp: "never" }, false],
  ["has a number as its subject", { ...ANSWER, sub: 7 }, false],
  ["has a nested list of audiences", { ...ANSWER, aud: [[RESOURCE]] }, false],
  ["is DPoP-bound", { ...ANSWER, cnf: { jkt: "x" } }, false],
  ["has no subject", { active: true, aud: RESOURCE }, false],
];

for (const [name, answer, isGood] of ANSWERS) {
  Deno.test(`introspectionVerifier() ${isGood ? "accepts" : "rejects"} a token that ${name}`, async () => {
    const verify = introspectionVerifier({
      introspectionUrl: `${ISSUER}/introspect`,
      clientId: "server",
      clientSecret: "s",
      fetch: () => Promise.resolve(Response.json(answer)),
    });
    const found = await show(verify, "t1");
    assertEquals(found !== undefined, isGood);
    if (isGood) assertEquals(found?.scopes, ["read"]);
    assertEquals(await show(verify, "t1", "dpop"), undefined);
  });
}

Deno.test("introspectionVerifier() authenticates to the authorization server", async () => {
  const asked: Request[] = [];
  const verify = introspectionVerifier({
    introspectionUrl: `${ISSUER}/introspect`,
    clientId: "server",
    clientSecret: "s",
    fetch: (url, { headers = {}, body = null, method = "GET" }) => {
      asked.push(new Request(url, { method, headers, body }));
      return Promise.resolve(Response.json(ANSWER));
    },
  });
  await show(verify, "t1");
  assertEquals(asked[0]?.headers.get("authorization"), `Basic ${btoa("server:s")}`);
  assertEquals(await asked[0]?.text(), "token=t1");
});

Deno.test("introspectionVerifier() throws if the response is invalid", async () => {
  for (const answer of [new Response("no", { status: 500 }), Response.json({ token: "t1" })]) {
    const verify = introspectionVerifier({
      introspectionUrl: `${ISSUER}/introspect`,
      clientId: "server",
      fetch: () => Promise.resolve(answer),
    });
    const error = await assertRejects(
      () => show(verify, "t1"),
      McpError,
      "invalid introspection response",
    );
    assertEquals(error.cause, undefined);
  }
});

Deno.test("verifiers reject insecure URLs", () => {
  assertThrows(() => jwtVerifier({ issuer: "http://login.example" }), McpError, '"issuer"');
  assertThrows(
    () => jwtVerifier({ issuer: ISSUER, jwksUri: "http://login.example/keys" }),
    McpError,
    '"jwksUri"',
  );
  assertThrows(
    () => introspectionVerifier({ introspectionUrl: "introspect", clientId: "c" }),
    McpError,
    '"introspectionUrl"',
  );
});
