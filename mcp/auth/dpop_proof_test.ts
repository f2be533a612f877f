import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError, McpErrorCode } from "../shared/error.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { issue, subjectOf } from "../testdata/verifier.ts";
import { toBase64Url } from "./base64url.ts";
import { type DpopProof, DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import { jwtVerifier } from "./jwt_verifier.ts";

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

/** Differences from a valid proof and its request. */
interface Change {
  readonly claims?: object;
  readonly header?: object;
  /** Signs the proof with another key. */
  readonly signer?: SigningIssuer;
  readonly method?: string;
  readonly scheme?: "bearer" | "dpop";
  /** Headers of the request; by default, the proof. */
  readonly headers?: (proof: string) => Record<string, string>;
  /** Confirmation claim of the token. */
  readonly cnf?: unknown;
}

/** Presents a DPoP-bound token together with a proof that differs from a valid one. */
async function present(
  { issuer, verify }: Awaited<ReturnType<typeof issue>>,
  { claims, header, signer = issuer, ...change }: Change,
) {
  const jwk = await issuer.jwk();
  const jkt = await thumbprint(jwk);
  const token = await issuer.token({ cnf: "cnf" in change ? change.cnf : { jkt } });
  const ath = await hash(token);
  const proof = await signer.token(
    { jti: "1", ath, htm: "POST", htu: RESOURCE, exp: undefined, ...claims },
    { typ: "dpop+jwt", jwk: publicKey(jwk), kid: undefined, ...header },
  );
  const { method = "POST", scheme = "dpop", headers = (dpop) => ({ dpop }) } = change;
  const request = new Request(RESOURCE, { method, headers: headers(proof) });
  return await verify({ token, scheme, resource: RESOURCE, request });
}

function publicKey({ crv, kty, x, y }: JsonWebKey): JsonWebKey {
  return { crv: crv ?? "", kty: kty ?? "", x: x ?? "", y: y ?? "" };
}

const OTHER = await SigningIssuer.make(ISSUER);
const OTHER_KEY = publicKey(await OTHER.jwk());
const NOW = 1_700_000_000;

/** Test cases: a change, and the detail of the refusal; `undefined` if the proof is valid. */
const PROOFS: Readonly<Record<string, readonly [Change, string | undefined]>> = {
  "is valid": [{}, undefined],
  "is 300 seconds old": [{ claims: { iat: NOW - 300 } }, undefined],
  "is from a clock that is 300 seconds ahead": [{ claims: { iat: NOW + 300 } }, undefined],
  "has a URL with a query": [{ claims: { htu: `${RESOURCE}?a=b#c` } }, undefined],
  "has a URL with a default port and capitals": [
    { claims: { htu: "HTTPS://MCP.example:443/mcp" } },
    undefined,
  ],
  "has expired": [
    { claims: { iat: NOW - 301 } },
    '"iat" of the proof must be within 300 s of 1700000000, got 1699999699',
  ],
  "is from the future": [
    { claims: { iat: NOW + 301 } },
    '"iat" of the proof must be within 300 s of 1700000000, got 1700000301',
  ],
  "has no time": [
    { claims: { iat: undefined } },
    'the proof is not valid: missing required "iat" claim',
  ],
  "has no identifier": [
    { claims: { jti: undefined } },
    'the proof is not valid: missing required "jti" claim',
  ],
  "has an identifier that is not a string": [
    { claims: { jti: 1 } },
    '"jti" of the proof must be a string, got 1',
  ],
  "is for another method": [
    { claims: { htm: "GET" } },
    '"htm" of the proof must be "POST", got "GET"',
  ],
  "is for a method in lower case": [
    { claims: { htm: "post" } },
    '"htm" of the proof must be "POST", got "post"',
  ],
  "was made for the method of another request": [
    { method: "DELETE" },
    '"htm" of the proof must be "DELETE", got "POST"',
  ],
  "is for another URL": [
    { claims: { htu: "https://mcp.example/other" } },
    '"htu" of the proof must be "https://mcp.example/mcp", got "https://mcp.example/other"',
  ],
  "is for a URL that is not valid": [
    { claims: { htu: "mcp" } },
    '"htu" of the proof must be "https://mcp.example/mcp", got "mcp"',
  ],
  "is for another token": [
    { claims: { ath: "x" } },
    '"ath" of the proof is for another token',
  ],
  "has the type JWT": [
    { header: { typ: "JWT" } },
    'the proof is not valid: unexpected "typ" JWT header value',
  ],
  "has a symmetric algorithm": [
    { header: { alg: "HS256" } },
    'the proof is not valid: "alg" (Algorithm) Header Parameter value not allowed',
  ],
  "has no key": [
    { header: { jwk: undefined } },
    'the proof is not valid: "jwk" (JSON Web Key) Header Parameter must be a JSON object',
  ],
  "contains its private key": [
    { header: { jwk: { ...publicKey(await OTHER.jwk()), d: (await OTHER.privateJwk()).d } } },
    'the proof is not valid: "jwk" (JSON Web Key) Header Parameter must be a public key',
  ],
  "has the key of the token and another signature": [
    { signer: OTHER },
    "the proof is not valid: signature verification failed",
  ],
  "is signed with another key": [
    { signer: OTHER, header: { jwk: OTHER_KEY } },
    "the proof is signed with another key than the token is bound to",
  ],
  "is missing": [{ headers: () => ({}) }, "the request has no DPoP proof"],
  "is one of two": [
    { headers: (proof) => ({ dpop: `${proof}, ${proof}` }) },
    "the proof is not valid: Invalid Compact JWS",
  ],
  "is too long": [
    { headers: (proof) => ({ dpop: `${proof}${"x".repeat(17_000)}` }) },
    "the proof is longer than 16384 characters",
  ],
  "accompanies the scheme Bearer": [
    { scheme: "bearer" },
    "a DPoP-bound token must have the scheme DPoP",
  ],
  "is missing, with the scheme Bearer": [
    { scheme: "bearer", headers: () => ({}) },
    "a DPoP-bound token must have the scheme DPoP",
  ],
  "accompanies a bearer token": [
    { scheme: "bearer", cnf: undefined },
    "the token is not DPoP-bound",
  ],
  "accompanies a bearer token with the scheme DPoP": [
    { cnf: undefined },
    "the token is not DPoP-bound",
  ],
  "is missing, and the token is bound to a certificate": [
    { scheme: "bearer", headers: () => ({}), cnf: { "x5t#S256": "x" } },
    '"cnf" must have "jkt" as its only member, got {"x5t#S256":"x"}',
  ],
  "accompanies a token that is also bound to a certificate": [
    { cnf: { jkt: "x", "x5t#S256": "y" } },
    '"cnf" must have "jkt" as its only member, got {"jkt":"x","x5t#S256":"y"}',
  ],
  "is missing, and the token is bound to nothing": [
    { scheme: "bearer", headers: () => ({}), cnf: {} },
    '"cnf" must have "jkt" as its only member, got {}',
  ],
  "is missing, and the token is bound to null": [
    { scheme: "bearer", headers: () => ({}), cnf: null },
    '"cnf" must have "jkt" as its only member, got null',
  ],
};

for (const [name, [change, detail]] of Object.entries(PROOFS)) {
  Deno.test(`jwtVerifier() ${detail === undefined ? "accepts" : "rejects"} a DPoP proof that ${name}`, async () => {
    using _time = new FakeTime(NOW * 1000);
    const issued = await issue();
    const found = await present(issued, change);
    assertEquals(subjectOf(found), detail === undefined ? "ada" : undefined);
    assertEquals(issued.refusals, detail === undefined ? [] : [{ reason: "dpop", detail }]);
  });
}

Deno.test("jwtVerifier() accepts a DPoP proof with another algorithm than the tokens", async () => {
  const issuer = await SigningIssuer.make(ISSUER, "RS256");
  const { verify } = await issue({ fetch: () => issuer.keys(), algorithms: ["RS256"] });
  const token = await issuer.token({ cnf: { jkt: await thumbprint(OTHER_KEY) } });
  const claims = { ath: await hash(token), htm: "POST", htu: RESOURCE };
  const dpop = await OTHER.token(claims, { typ: "dpop+jwt", jwk: OTHER_KEY });
  const request = new Request(RESOURCE, { method: "POST", headers: { dpop } });
  const found = await verify({ token, scheme: "dpop", resource: RESOURCE, request });
  assertEquals(subjectOf(found), "ada");
});

/** Returns a function that presents a subject's DPoP-bound token together with a proof. */
async function prover({ issuer, verify }: Awaited<ReturnType<typeof issue>>) {
  const jwk = await issuer.jwk();
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
    return { first: await present().then(subjectOf), present };
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
  assertEquals(await present(), { refused: { reason: "replayed" } });
});

/** Order of the curve P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Returns the same ES256 token with the other signature that is valid for it. */
function withOtherSignature(token: string): string {
  const [header, claims, signature = ""] = token.split(".");
  const bytes = Uint8Array.from(
    atob(signature.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
  const s = BigInt(`0x${bytes.subarray(32).toHex()}`);
  const other = (ORDER - s).toString(16).padStart(64, "0");
  const changed = new Uint8Array([...bytes.subarray(0, 32), ...Uint8Array.fromHex(other)]);
  return `${header}.${claims}.${toBase64Url(changed)}`;
}

Deno.test("jwtVerifier() accepts a DPoP proof only once, whatever its signature", async () => {
  const { issuer, verify, refusals } = await issue();
  const jwk = publicKey(await issuer.jwk());
  const token = await issuer.token({ cnf: { jkt: await thumbprint(jwk) } });
  const claims = { ath: await hash(token), htm: "POST", htu: RESOURCE };
  const proof = await issuer.token(claims, { typ: "dpop+jwt", jwk });
  const show = (dpop: string) => {
    const request = new Request(RESOURCE, { method: "POST", headers: { dpop } });
    return verify({ token, scheme: "dpop", resource: RESOURCE, request });
  };
  assertEquals(subjectOf(await show(withOtherSignature(proof))), "ada");
  assertEquals(subjectOf(await show(proof)), undefined);
  assertEquals(refusals, [{ reason: "replayed", detail: "the proof was accepted before" }]);
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
    assertEquals(await present(), { refused: { reason: "replayed" } });
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
