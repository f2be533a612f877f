import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
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

Deno.test("a token that its server has signed is good", async () => {
  const { issuer, asked, verify } = await issue();
  const expected = { subject: "ada", scopes: ["read", "write"], clientId: "client-1" };
  assertEquals(await show(verify, await issuer.token({ scope: "read write" })), expected);
  assertEquals(
    await show(verify, await issuer.token({ aud: ["x", RESOURCE], scope: "read write" })),
    expected,
  );
  // The keys are asked for once.
  assertEquals(asked, [`${ISSUER}/keys`]);
});

/** What is wrong with a token. */
const BAD: Readonly<Record<string, (issuer: SigningIssuer) => Promise<string>>> = {
  "has run out": (issuer) => issuer.token({ exp: Math.floor(Date.now() / 1000) - 60 }),
  "never runs out": (issuer) => issuer.token({ exp: undefined }),
  "is not good yet": (issuer) => issuer.token({ nbf: Math.floor(Date.now() / 1000) + 600 }),
  "is for another server": (issuer) => issuer.token({ aud: "https://other.example" }),
  "is for all servers of the host": (issuer) => issuer.token({ aud: "https://mcp.example" }),
  "is for nobody": (issuer) => issuer.token({ aud: undefined }),
  "is of another issuer": (issuer) => issuer.token({ iss: "https://evil.example" }),
  "is no access token": (issuer) => issuer.token({}, { typ: "JWT" }),
  "speaks for nobody": (issuer) => issuer.token({ sub: undefined }),
  "is not signed": (issuer) => issuer.token({}, { alg: "none" }),
  "is signed with a secret": (issuer) => issuer.token({}, { alg: "HS256" }),
  "is signed with an unknown key": (issuer) => issuer.token({}, { kid: "k2" }),
  "is bound to a key and shown without a proof": (issuer) => issuer.token({ cnf: { jkt: "x" } }),
  "is forged": async () => await (await SigningIssuer.make(ISSUER)).token(),
  "was changed": async (issuer) => {
    const [header, , signature] = (await issuer.token()).split(".");
    const claims = (await issuer.token({ sub: "eve" })).split(".")[1];
    return `${header}.${claims}.${signature}`;
  },
  "is none": () => Promise.resolve("guess"),
  "is nearly none": () => Promise.resolve("a.b.c"),
};

for (const [name, make] of Object.entries(BAD)) {
  Deno.test(`a token that ${name} is not good`, async () => {
    const { issuer, verify } = await issue();
    assertEquals(await show(verify, await make(issuer)), undefined);
  });
}

Deno.test("only the algorithms that are named count", async () => {
  const { issuer, verify } = await issue({ algorithms: ["RS256"] });
  assertEquals(await show(verify, await issuer.token()), undefined);
});

Deno.test("keys are found where the authorization server says they are", async () => {
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
  await assertRejects(() => show(verify, token), McpError, "does not say where its keys are");
  isThere = true;
  assertEquals((await show(verify, token))?.subject, "ada");
});

Deno.test("a token is not called bad because its keys cannot be had", async () => {
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

Deno.test("whatever is shown as a token, it is good or not", async () => {
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

/** What an authorization server says of a token, and whether that makes it good. */
const ANSWERS: readonly (readonly [string, object, boolean])[] = [
  ["is good", ANSWER, true],
  ["is good for several servers", { ...ANSWER, aud: ["x", RESOURCE] }, true],
  ["is good for a while", { ...ANSWER, exp: Date.now() / 1000 + 60 }, true],
  ["speaks for its client", { ...ANSWER, sub: undefined }, true],
  ["is not good", { active: false }, false],
  ["is not good although it says much", { ...ANSWER, active: false }, false],
  ["is for another server", { ...ANSWER, aud: "https://other.example" }, false],
  ["is for nobody in particular", { ...ANSWER, aud: undefined }, false],
  ["has run out", { ...ANSWER, exp: 1 }, false],
  ["runs out at no time", { ...ANSWER, exp: "never" }, false],
  ["speaks for a number", { ...ANSWER, sub: 7 }, false],
  ["is for a server in a list in a list", { ...ANSWER, aud: [[RESOURCE]] }, false],
  ["is bound to a key", { ...ANSWER, cnf: { jkt: "x" } }, false],
  ["speaks for nobody", { active: true, aud: RESOURCE }, false],
];

for (const [name, answer, isGood] of ANSWERS) {
  Deno.test(`a token that ${name}, its server says, is ${isGood ? "let through" : "refused"}`, async () => {
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

Deno.test("the authorization server is asked with credentials", async () => {
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

Deno.test("an authorization server that does not answer has said nothing of a token", async () => {
  for (const answer of [new Response("no", { status: 500 }), Response.json({ token: "t1" })]) {
    const verify = introspectionVerifier({
      introspectionUrl: `${ISSUER}/introspect`,
      clientId: "server",
      fetch: () => Promise.resolve(answer),
    });
    const error = await assertRejects(() => show(verify, "t1"), McpError, "does not say whether");
    assertEquals(error.cause, undefined);
  }
});

Deno.test("verifiers take no address that is not safe", () => {
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
