import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { SigningIssuer } from "../testdata/issuer.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { issue, show, subjectOf } from "../testdata/verifier.ts";
import { jwtVerifier, type JwtVerifierOptions } from "./jwt_verifier.ts";

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
  assertEquals(subjectOf(await show(verify, token)), "ada");
});

Deno.test("a new key set URL is found if the keys are not available", async () => {
  using time = new FakeTime();
  const issuer = await SigningIssuer.make(ISSUER);
  let path = "/keys";
  const asked: string[] = [];
  const fetch: HttpFetch = (url) => {
    asked.push(url.slice(ISSUER.length));
    if (url === ISSUER + path) return issuer.keys();
    return Promise.resolve(
      url.includes("well-known")
        ? Response.json({ issuer: ISSUER, token_endpoint: ISSUER, jwks_uri: ISSUER + path })
        : new Response(null, { status: 404 }),
    );
  };
  const verify = jwtVerifier({ issuer: ISSUER, fetch });
  const found = async () => subjectOf(await show(verify, await issuer.token()));
  assertEquals(await found(), "ada");
  path = "/new-keys";
  // The first request fails, and the next one asks for the metadata.
  await time.tickAsync(600_000);
  assertEquals(await found(), "ada");
  await time.tickAsync(1000);
  assertEquals(await found(), "ada");
  const metadata = "/.well-known/oauth-authorization-server";
  assertEquals(asked, [metadata, "/keys", "/keys", metadata, "/new-keys"]);
});

/** Returns a verifier whose requests are counted, and functions that present tokens. */
async function countedIssuer(more: Partial<JwtVerifierOptions> = {}) {
  const issuer = await SigningIssuer.make(ISSUER);
  const counts = { metadata: 0, keys: 0 };
  const state = { isDown: false, kid: "k1" };
  const fetch: HttpFetch = async (url) => {
    await Promise.resolve();
    if (url.endsWith("/keys")) {
      counts.keys++;
      const { keys } = await (await issuer.keys()).json();
      return state.isDown
        ? new Response("no", { status: 500 })
        : Response.json({ keys: [{ ...keys[0], kid: state.kid }] });
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
      (found) => subjectOf(found) === undefined ? "invalid" : "valid",
      () => "unavailable",
    );
  const friend = async (): Promise<string | undefined> =>
    subjectOf(await show(verify, await issuer.token()));
  return { counts, state, stranger, friend };
}

Deno.test("200 tokens with unknown keys at a new verifier cause one request for the keys", async () => {
  using time = new FakeTime();
  const { counts, stranger, friend } = await countedIssuer();
  const many = async () => new Set(await Promise.all(Array.from({ length: 200 }, stranger)));
  assertEquals([...await many()], ["invalid"]);
  assertEquals(counts, { metadata: 1, keys: 1 });
  await time.tickAsync(29_999);
  assertEquals([...await many()], ["invalid"]);
  assertEquals(counts, { metadata: 1, keys: 1 });
  await time.tickAsync(1);
  assertEquals([...await many()], ["invalid"]);
  assertEquals(counts, { metadata: 1, keys: 2 });
  assertEquals(await friend(), "ada");
});

Deno.test("keys are fetched again 10 minutes after they were fetched", async () => {
  using time = new FakeTime();
  const { counts, friend } = await countedIssuer();
  assertEquals(await friend(), "ada");
  await time.tickAsync(599_999);
  assertEquals(await friend(), "ada");
  assertEquals(counts, { metadata: 1, keys: 1 });
  await time.tickAsync(1);
  assertEquals(await Promise.all([friend(), friend(), friend()]), ["ada", "ada", "ada"]);
  assertEquals(counts, { metadata: 1, keys: 2 });
});

Deno.test("a token with a key that was added is valid after at most 30 seconds", async () => {
  using time = new FakeTime();
  const { state, counts, stranger, friend } = await countedIssuer();
  state.kid = "old";
  assertEquals(await friend(), undefined);
  state.kid = "k1";
  assertEquals(await friend(), undefined);
  await time.tickAsync(30_000);
  assertEquals(await friend(), "ada");
  assertEquals(counts.keys, 2);
  assertEquals(await stranger(), "invalid");
  assertEquals(counts.keys, 2);
});

Deno.test("a key that was withdrawn is not accepted after 10 minutes", async () => {
  using time = new FakeTime();
  const { state, friend } = await countedIssuer();
  assertEquals(await friend(), "ada");
  state.kid = "new";
  await time.tickAsync(600_000);
  assertEquals(await friend(), undefined);
});

Deno.test("requests for keys pause for 1, 2, 4 and up to 60 seconds after failures", async () => {
  using time = new FakeTime();
  const { counts, state, stranger, friend } = await countedIssuer();
  state.isDown = true;
  const times: number[] = [];
  for (let second = 0; second < 200; second++) {
    const before = counts.keys;
    const seen = new Set(await Promise.all(Array.from({ length: 10 }, stranger)));
    assertEquals([...seen], ["unavailable"]);
    if (counts.keys > before) times.push(second);
    await time.tickAsync(1000);
  }
  assertEquals(times, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
  assertEquals([counts.keys, counts.metadata], [9, 1]);
  state.isDown = false;
  await time.tickAsync(60_000);
  assertEquals(await friend(), "ada");
});

Deno.test("known keys are used for an hour while they cannot be fetched again", async () => {
  using time = new FakeTime();
  const { state, stranger, friend } = await countedIssuer();
  assertEquals(await friend(), "ada");
  state.isDown = true;
  for (let minute = 10; minute < 60; minute += 10) {
    await time.tickAsync(600_000);
    assertEquals(await friend(), "ada");
    // The key may be new, so the token may be valid.
    assertEquals(await stranger(), "unavailable");
  }
  await time.tickAsync(599_999);
  assertEquals(await friend(), "ada");
  await time.tickAsync(1);
  await assertRejects(friend, McpError, "unavailable");
});

Deno.test("several keys without an identifier are not tried one after another", async () => {
  const [first, second] = [await SigningIssuer.make(ISSUER), await SigningIssuer.make(ISSUER)];
  const keys = [await first.jwk(), await second.jwk()];
  const { verify, refusals } = await issue({
    fetch: () => Promise.resolve(Response.json({ keys })),
  });
  const token = await first.token({}, { kid: undefined });
  assertEquals(subjectOf(await show(verify, token)), undefined);
  assertEquals(refusals, [{
    reason: "unknown_key",
    detail: 'several keys of the issuer have "kid" nothing and "alg" "ES256"',
  }]);
});

Deno.test("one key without an identifier is used for tokens without an identifier", async () => {
  const issuer = await SigningIssuer.make(ISSUER);
  const keys = [await issuer.jwk()];
  const { verify } = await issue({ fetch: () => Promise.resolve(Response.json({ keys })) });
  const token = await issuer.token({}, { kid: undefined });
  assertEquals(subjectOf(await show(verify, token)), "ada");
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

Deno.test("jwtVerifier() throws if the signing keys are unavailable", async () => {
  const failures: readonly (() => Promise<Response>)[] = [
    () => Promise.resolve(new Response("no", { status: 500 })),
    () => Promise.resolve(new Response("no keys")),
    () => Promise.resolve(Response.json({ keys: "none" })),
    () => Promise.resolve(Response.json({ keys: [] }, { status: 201 })),
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
