import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { challengeOf, generatePkceChallenge } from "./pkce.ts";

Deno.test("challengeOf() makes the challenge of RFC 7636, appendix B", async () => {
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  assertEquals(await challengeOf(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
});

Deno.test("generatePkceChallenge() makes 32 bytes and their hash, new each time", async () => {
  const { verifier, challenge, method } = await generatePkceChallenge();
  // 32 bytes leave four bits for the last character, two of them zero.
  assertMatch(verifier, /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/);
  assertEquals(challenge, await challengeOf(verifier));
  assertEquals(method, "S256");
  assertNotEquals((await generatePkceChallenge()).verifier, verifier);
});
