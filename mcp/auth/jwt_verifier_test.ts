import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { toBase64Url } from "./base64url.ts";
import { type DpopProof, DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import { jwtVerifier, type JwtVerifierOptions } from "./jwt_verifier.ts";
import type { TokenVerifier } from "./token_verifier.ts";

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
  "has an empty subject": (issuer) => issuer.token({ sub: "" }),
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
  using time = new FakeTime();
  const issuer = await SigningIssuer.make(ISSUER);
  let isThere = false;
  const fetch: HttpFetch = (url) => {
    if (url.endsWith("/keys")) return issuer.keys();
    return Promise.resolve(
      isThere
        ? Response.json({ issuer: ISSUER, token_endpoint: ISSUER, jwks_uri: `${ISSUER}/keys` })
        : new Response(null, { status: 404 }),
    );
  };
  const verify = jwtVerifier({ issuer: ISSUER, fetch });
  const token = await issuer.token();
  await assertRejects(() => show(verify, token), McpError, 'has no "jwks_uri"');
  isThere = true;
  await time.tickAsync(1000);
  assertEquals((await show(verify, token))?.subject, "ada");
});

/** Returns a verifier whose requests are counted, and functions that present tokens. */
async function countedIssuer(more: Partial<JwtVerifierOptions> = {}) {
  const issuer = await SigningIssuer.make(ISSUER);
  const counts = { metadata: 0, keys: 0 };
  const state = { isDown: false };
  const fetch: HttpFetch = async (url) => {
    await Promise.resolve();
    if (url.endsWith("/keys")) {
      counts.keys++;
      return state.isDown ? new Response("no", { status: 500 }) : await issuer.keys();
    }
    counts.metadata++;
    return Response.json({
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
    });
  };
  const verify = jwtVerifier({ issuer: ISSUER, fetch, ...more });
  const stranger = async (): Promise<string> =>
    await show(verify, await issuer.token({}, { kid: "unknown" })).then(
      (found) => found === undefined ? "invalid" : "valid",
      () => "unavailable",
    );
  const friend = async (): Promise<string | undefined> =>
    (await show(verify, await issuer.token()))?.subject;
  return { counts, state, stranger, friend, verify, issuer };
}

Deno.test("jwtVerifier() sends one request for the keys, however many tokens have an unknown key", async () => {
  using time = new FakeTime();
  const { counts, stranger, friend } = await countedIssuer();
  const many = async () => {
    return new Set(await Promise.all(Array.from({ length: 100 }, stranger)));
  };
  assertEquals([...await many()], ["invalid"]);
  assertEquals(counts, { metadata: 1, keys: 1 });
  for (let second = 0; second < 3; second++) {
    await time.tickAsync(9000);
    await many();
  }
  assertEquals(counts, { metadata: 1, keys: 1 });
  await time.tickAsync(60_000);
  await many();
  assertEquals(counts, { metadata: 1, keys: 2 });
  assertEquals(await friend(), "ada");
});

Deno.test("jwtVerifier() pauses its requests while the keys are not available", async () => {
  const { counts, state, stranger, friend } = await countedIssuer();
  state.isDown = true;
  const started = Date.now();
  for (let call = 0; call < 50; call++) assertEquals(await stranger(), "unavailable");
  assert(counts.keys <= 1 + (Date.now() - started) / 1000);
  assertEquals(counts.metadata, 1);
  await assertRejects(friend, McpError, "unavailable");
});

Deno.test("jwtVerifier() pauses for up to 60 seconds, and resumes when the keys are available", async () => {
  using time = new FakeTime();
  const { counts, state, stranger, friend } = await countedIssuer();
  state.isDown = true;
  // 10 tokens per second for 20 seconds. The pauses are 1, 2, 4, 8 and 16 seconds.
  for (let second = 0; second < 20; second++) {
    for (let call = 0; call < 10; call++) assertEquals(await stranger(), "unavailable");
    await time.tickAsync(1000);
  }
  assert(counts.keys <= 5, `${counts.keys} requests`);
  state.isDown = false;
  await time.tickAsync(60_000);
  assertEquals(await friend(), "ada");
});

Deno.test("jwtVerifier() uses known keys for an hour while they cannot be fetched again", async () => {
  using time = new FakeTime();
  const { state, stranger, friend } = await countedIssuer();
  assertEquals(await friend(), "ada");
  state.isDown = true;
  for (let minute = 0; minute < 50; minute += 10) {
    await time.tickAsync(600_000);
    assertEquals(await friend(), "ada");
    // The key may be new, so the token may be valid.
    assertEquals(await stranger(), "unavailable");
  }
  await time.tickAsync(900_000);
  await assertRejects(friend, McpError, "unavailable");
});

Deno.test("jwtVerifier() ends if its request aborts or a fetch function never settles", async () => {
  using time = new FakeTime();
  const fetch: HttpFetch = () => new Promise(() => {});
  for (const jwksUri of [undefined, `${ISSUER}/keys`]) {
    const { issuer, verify } = await issue({
      fetch,
      requestTimeoutMs: 1000,
      ...(jwksUri === undefined ? {} : { jwksUri }),
    });
    const token = await issuer.token();
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(RESOURCE, { headers, signal: stop.signal });
    const aborted = assertRejects(
      () => verify({ token, scheme: "bearer", resource: RESOURCE, request }),
      Error,
      "client left",
    );
    const late = assertRejects(() => show(verify, token), McpError, "timed out after 1000 ms");
    await time.tickAsync(1);
    stop.abort(new Error("client left"));
    await aborted;
    for (let step = 0; step < 3; step++) await time.tickAsync(1000);
    await late;
  }
});

Deno.test("jwtVerifier() stores a DPoP proof for at least 60 seconds longer than it is valid", async () => {
  const proofs: DpopProof[] = [];
  const replayStore: DpopReplayStore = {
    add: (proof) => {
      proofs.push(proof);
      return true;
    },
  };
  const before = Math.floor(Date.now() / 1000) * 1000;
  await (await prover(await issue({ replayStore })))("ada", "1");
  assert((proofs[0]?.expiresAt ?? 0) >= before + 300_000 + 60_000);
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
  "resolves to 1": [
    (() => Promise.resolve(1)) as unknown as DpopReplayStore["add"],
    'must return true, false or "full", got 1',
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

Deno.test("jwtVerifier() rejects insecure URLs", () => {
  assertThrows(() => jwtVerifier({ issuer: "http://login.example" }), McpError, '"issuer"');
  assertThrows(
    () => jwtVerifier({ issuer: ISSUER, jwksUri: "http://login.example/keys" }),
    McpError,
    '"jwksUri"',
  );
});
