import { assertEquals } from "@std/assert";
import { isSelfContained, partyOf } from "./party.ts";

Deno.test("partyOf() returns the same party for all hosts, ports and paths of a domain", () => {
  const names = [
    "acme.com",
    "a.acme.com",
    "x.y.ACME.com",
    "acme.com%3A8443",
    "acme.com:agents:ann",
  ];
  for (const name of names) assertEquals(partyOf(`did:web:${name}`), "did:web:acme.com");
  assertEquals(partyOf("did:web:other.com"), "did:web:other.com");
  assertEquals(partyOf("did:web:localhost"), "did:web:localhost");
});

Deno.test("partyOf() returns other DIDs unchanged", () => {
  for (const did of ["did:key:z6Mk", "did:jwk:e30", "did:webvh:a.b:c.d.e"]) {
    assertEquals(partyOf(did), did);
  }
});

Deno.test("isSelfContained() returns true for did:key and did:jwk only", () => {
  const dids = ["did:key:z6Mk", "did:jwk:e30", "did:web:acme.com", "did:keys:z6Mk"];
  assertEquals(dids.map(isSelfContained), [true, true, false, false]);
});
