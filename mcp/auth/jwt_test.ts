import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { encode, SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { issue, show, subjectOf } from "../testdata/verifier.ts";
import type { JwtVerifierOptions } from "./jwt_verifier.ts";
import type { TokenRefusal } from "./token_verifier.ts";

/** Time of all tests, in seconds. */
const NOW = 1_700_000_000;

/** A test case: how a token is created, the options of the verifier, and the expected refusal. */
interface Row {
  readonly name: string;
  readonly make: (issuer: SigningIssuer) => Promise<string>;
  readonly options?: Partial<JwtVerifierOptions>;
  /** If omitted, the token is valid. */
  readonly refusal?: TokenRefusal;
}

/** Returns a row for a signed token whose claims and header differ from those of a valid token. */
function signed(
  name: string,
  [claims, header]: readonly [object, object?],
  refusal?: TokenRefusal,
  options: Partial<JwtVerifierOptions> = {},
): Row {
  const make = (issuer: SigningIssuer) => issuer.token(claims, header);
  return { name, make, options, ...(refusal === undefined ? {} : { refusal }) };
}

function text(value: object): string {
  return encode(new TextEncoder().encode(JSON.stringify(value)));
}

/** Signs with HMAC and a key that is public, as an attacker can. */
async function hmacToken(issuer: SigningIssuer): Promise<string> {
  const secret = new TextEncoder().encode(JSON.stringify(await issuer.jwk()));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const [, payload = ""] = (await issuer.token()).split(".");
  const input = `${text({ alg: "HS256", typ: "at+jwt", kid: "k1" })}.${payload}`;
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(input));
  return `${input}.${encode(new Uint8Array(signature))}`;
}

/** Replaces the header of a valid token, and keeps the signature. */
async function withHeader(issuer: SigningIssuer, header: object): Promise<string> {
  const [, payload, signature] = (await issuer.token()).split(".");
  return `${text({ alg: "ES256", typ: "at+jwt", kid: "k1", ...header })}.${payload}.${signature}`;
}

const NOT_ALLOWED =
  '"alg" must be one of ["RS256","RS384","RS512","PS256","PS384","PS512","ES256","ES384","ES512","EdDSA","Ed25519","ML-DSA-44","ML-DSA-65","ML-DSA-87"] (option "algorithms")';
const MISMATCH = 'the signature does not match the key with "kid" "k1" and "alg" "ES256"';

const VALID: readonly Row[] = [
  signed("is valid", [{}]),
  signed("has the type application/at+jwt", [{}, { typ: "application/at+jwt" }]),
  signed("has the type AT+JWT", [{}, { typ: "AT+JWT" }]),
  signed("has several audiences", [{ aud: ["https://a.example", RESOURCE] }]),
  signed("expired less than 30 seconds ago", [{ exp: NOW - 29 }]),
  signed("becomes valid in 30 seconds", [{ nbf: NOW + 30 }]),
  signed("expired within the tolerance", [{ exp: NOW - 99 }], undefined, {
    clockToleranceSeconds: 100,
  }),
  signed("has an accepted audience", [{ aud: "api://1" }], undefined, { audience: "api://1" }),
  signed("has the second accepted audience", [{ aud: "api://2" }], undefined, {
    audience: ["api://1", "api://2"],
  }),
  signed("has no identifier of the token, client and time of issue", [
    { jti: undefined, client_id: undefined, iat: undefined },
  ]),
  signed("has the type JWT, which is accepted", [{}, { typ: "JWT" }], undefined, { typ: "any" }),
  signed("has no type, which is accepted", [{}, { typ: undefined }], undefined, { typ: "any" }),
  signed("has the type at+jwt and any type is accepted", [{}], undefined, { typ: "any" }),
];

const CLAIMS: readonly Row[] = [
  signed("has expired", [{ exp: NOW - 30 }], {
    reason: "expired",
    detail: '"exp" must be after 1700000000, got 1699999970',
  }),
  signed("has expired, without a tolerance", [{ exp: NOW }], {
    reason: "expired",
    detail: '"exp" must be after 1700000000, got 1700000000',
  }, { clockToleranceSeconds: 0 }),
  signed("is not valid yet", [{ nbf: NOW + 31 }], {
    reason: "not_yet_valid",
    detail: '"nbf" must be before 1700000000, got 1700000031',
  }),
  signed("has another audience", [{ aud: "https://other.example" }], {
    reason: "audience",
    detail:
      '"aud" must be "https://mcp.example/mcp" (option "audience"), got "https://other.example"',
  }),
  signed("has the origin as its audience", [{ aud: "https://mcp.example" }], {
    reason: "audience",
    detail:
      '"aud" must be "https://mcp.example/mcp" (option "audience"), got "https://mcp.example"',
  }),
  signed("has the resource with a slash as its audience", [{ aud: `${RESOURCE}/` }], {
    reason: "audience",
    detail:
      '"aud" must be "https://mcp.example/mcp" (option "audience"), got "https://mcp.example/mcp/"',
  }),
  signed("has the resource as its audience, but others are accepted", [{ aud: RESOURCE }], {
    reason: "audience",
    detail: '"aud" must be one of ["a","b"] (option "audience"), got "https://mcp.example/mcp"',
  }, { audience: ["a", "b"] }),
  signed("has an audience, but none is accepted", [{}], {
    reason: "audience",
    detail: '"aud" must be one of [] (option "audience"), got "https://mcp.example/mcp"',
  }, { audience: [] }),
  signed("has another issuer", [{ iss: "https://evil.example" }], {
    reason: "issuer",
    detail: '"iss" must be "https://login.example" (option "issuer"), got "https://evil.example"',
  }),
  signed("has the issuer with a slash", [{ iss: `${ISSUER}/` }], {
    reason: "issuer",
    detail: '"iss" must be "https://login.example" (option "issuer"), got "https://login.example/"',
  }),
  ...["iss", "aud", "exp", "sub"].map((name) =>
    signed(`has no "${name}"`, [{ [name]: undefined }], {
      reason: "missing_claim",
      detail: `"${name}" is missing`,
    })
  ),
  ...["", " ", "\u200b", 7, null].map((sub) =>
    signed(`has the subject ${JSON.stringify(sub)}`, [{ sub }], {
      reason: "missing_claim",
      detail: `"sub" must be a string with a visible character, got ${
        sub === "\u200b" ? '"\\u{200b}"' : JSON.stringify(sub)
      }`,
    })
  ),
  signed("expires at a time that is not a number", [{ exp: "never" }], {
    reason: "malformed",
    detail: '"exp" must be a number, got "never"',
  }),
];

const TYPES: readonly Row[] = [
  signed("has the type JWT", [{}, { typ: "JWT" }], {
    reason: "type",
    detail: '"typ" must be "at+jwt" (option "typ"), got "JWT"',
  }),
  signed("has no type", [{}, { typ: undefined }], {
    reason: "type",
    detail: '"typ" must be "at+jwt" (option "typ"), got nothing',
  }),
  ...["nonce", "at_hash"].map((name) =>
    signed(`is an ID token with "${name}"`, [{ [name]: "x" }, { typ: "JWT" }], {
      reason: "id_token",
      detail: `the token has the claim "${name}" of ID tokens`,
    }, { typ: "any" })
  ),
  signed(
    "is an ID token for a client that is the audience",
    [
      { aud: "client-1" },
      { typ: "JWT" },
    ],
    { reason: "missing_claim", detail: '"scp" is missing' },
    {
      typ: "any",
      audience: "client-1",
      scopeClaim: "scp",
    },
  ),
];

const SIGNATURES: readonly Row[] = [
  {
    name: "is forged with another key",
    make: async () => await (await SigningIssuer.make(ISSUER)).token(),
    refusal: { reason: "signature", detail: MISMATCH },
  },
  {
    name: "was modified",
    make: async (issuer) => {
      const [header, , signature] = (await issuer.token()).split(".");
      const claims = (await issuer.token({ sub: "eve" })).split(".")[1];
      return `${header}.${claims}.${signature}`;
    },
    refusal: { reason: "signature", detail: MISMATCH },
  },
  {
    name: "is not signed",
    make: async (issuer) => (await withHeader(issuer, { alg: "none" })).replace(/[^.]*$/, ""),
    refusal: { reason: "signature", detail: NOT_ALLOWED },
  },
  {
    name: "is signed by HMAC with the public key",
    make: hmacToken,
    refusal: { reason: "signature", detail: NOT_ALLOWED },
  },
  signed("has an algorithm that is not accepted", [{}], {
    reason: "signature",
    detail: '"alg" must be one of ["RS256"] (option "algorithms")',
  }, { algorithms: ["RS256"] }),
  {
    name: "names an algorithm that its key does not have",
    make: (issuer) => withHeader(issuer, { alg: "RS256" }),
    refusal: {
      reason: "unknown_key",
      detail: 'no key of the issuer has "kid" "k1" and "alg" "RS256"',
    },
  },
  signed("names an unknown key", [{}, { kid: "k2" }], {
    reason: "unknown_key",
    detail: 'no key of the issuer has "kid" "k2" and "alg" "ES256"',
  }),
  signed("names a key that is not a string", [{}, { kid: 1 }], {
    reason: "unknown_key",
    detail: 'no key of the issuer has "kid" 1 and "alg" "ES256"',
  }),
  signed("has an unknown critical header", [{}, { crit: ["x"], x: 1 }], {
    reason: "malformed",
    detail: 'Extension Header Parameter "x" is not recognized',
  }),
  {
    name: "is forged and contains its key",
    make: async () => {
      const forger = await SigningIssuer.make(ISSUER);
      return await forger.token({}, { jwk: await forger.jwk() });
    },
    refusal: { reason: "signature", detail: MISMATCH },
  },
  signed("contains a key, which is not used", [{}, { kid: undefined, jwk: { kty: "oct" } }]),
  { name: "is not a JWT", make: () => Promise.resolve("guess"), refusal: malformed() },
  {
    name: "has five parts",
    make: () => Promise.resolve("a.b.c.d.e"),
    refusal: malformed(),
  },
  {
    name: "has a header that is not JSON",
    make: () => Promise.resolve("a.b.c"),
    refusal: { reason: "malformed", detail: "JWS Protected Header is invalid" },
  },
];

function malformed(): TokenRefusal {
  return { reason: "malformed", detail: "Invalid Compact JWS" };
}

for (const { name, make, options, refusal } of [...VALID, ...CLAIMS, ...TYPES, ...SIGNATURES]) {
  Deno.test(`jwtVerifier() ${refusal === undefined ? "accepts" : "rejects"} a token that ${name}`, async () => {
    using _time = new FakeTime(NOW * 1000);
    const { issuer, verify, refusals } = await issue(options);
    const found = await show(verify, await make(issuer));
    assertEquals(refusals, refusal === undefined ? [] : [refusal]);
    assertEquals(subjectOf(found), refusal === undefined ? "ada" : undefined);
  });
}

/** Test cases: a fault of the key in the key set, and a part of the detail. */
const KEYS: Readonly<Record<string, readonly [object, string]>> = {
  "is for encryption": [{ use: "enc" }, "no key of the issuer has"],
  "is not for verification": [{ key_ops: ["sign"] }, "no key of the issuer has"],
  "has another algorithm": [{ alg: "ES384" }, "no key of the issuer has"],
  "has another curve": [{ alg: undefined, crv: "P-384" }, "no key of the issuer has"],
  "is damaged": [{ x: undefined }, 'the key with "kid" "k1" and "alg" "ES256" cannot be used: '],
};

for (const [name, [change, detail]] of Object.entries(KEYS)) {
  Deno.test(`jwtVerifier() does not use a key that ${name}`, async () => {
    const issuer = await SigningIssuer.make(ISSUER);
    const key = { ...await issuer.jwk(), kid: "k1", key_ops: undefined, ...change };
    const { verify, refusals } = await issue({
      fetch: () => Promise.resolve(Response.json({ keys: [key] })),
    });
    assertEquals(await show(verify, await issuer.token()), { refused: { reason: "unknown_key" } });
    assertEquals(refusals[0]?.detail.slice(0, detail.length), detail);
  });
}

Deno.test("jwtVerifier() does not use a private or symmetric key of the key set", async () => {
  const issuer = await SigningIssuer.make(ISSUER);
  const secret = { kty: "oct", k: encode(new TextEncoder().encode("secret")), kid: "k1" };
  for (const key of [{ ...await issuer.privateJwk(), kid: "k1", key_ops: undefined }, secret]) {
    const { verify, refusals } = await issue({
      fetch: () => Promise.resolve(Response.json({ keys: [key] })),
    });
    await show(verify, await issuer.token());
    assertEquals(refusals.map(({ reason }) => reason), ["unknown_key"]);
  }
});

Deno.test("jwtVerifier() accepts RSA keys of at least 2048 bits", async () => {
  for (const [modulusLength, expected] of [[1024, undefined], [2048, "ada"]] as const) {
    const publicExponent = new Uint8Array([1, 0, 1]);
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength, publicExponent };
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const issuer = new SigningIssuer(ISSUER, "RS256", keys);
    const { verify } = await issue({ fetch: () => issuer.keys() });
    assertEquals(subjectOf(await show(verify, await issuer.token())), expected);
  }
});

Deno.test("the details of a rejected token are short and have no invisible characters", async () => {
  const { issuer, verify, refusals } = await issue();
  await show(verify, await issuer.token({}, { kid: `\u001b[2J\u202e${"x".repeat(2000)}` }));
  const [{ detail = "" } = {}] = refusals;
  assertEquals(detail.length < 500, true);
  assertEquals(/[\p{Cc}\p{Cf}]/u.test(detail), false);
  assertEquals(detail.startsWith('no key of the issuer has "kid" "\\u001b[2J\\u{202e}xxx'), true);
});
