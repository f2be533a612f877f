import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { challengeOf, generatePkceChallenge } from "./pkce.ts";

Deno.test("challengeOf() computes the example challenge from RFC 7636, appendix B", async () => {
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  assertEquals(await challengeOf(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
});

Deno.test("generatePkceChallenge() returns a new 32-byte verifier and its hash", async () => {
  const { verifier, challenge, method } = await generatePkceChallenge();
  // The last base64url character of 32 bytes encodes four data bits and two zero bits.
  assertMatch(verifier, /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/);
  assertEquals(challenge, await challengeOf(verifier));
  assertEquals(method, "S256");
  assertNotEquals((await generatePkceChallenge()).verifier, verifier);
});
