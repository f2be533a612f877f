import { assertEquals } from "@std/assert";
import { isSelfContained, ownerOf, partyOf } from "./party.ts";

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

Deno.test("partyOf() returns DIDs that contain their keys unchanged, and the method of other DIDs", () => {
  for (const did of ["did:key:z6Mk", "did:jwk:e30"]) assertEquals(partyOf(did), did);
  assertEquals(partyOf("did:webvh:a.b:c.d.e"), "did:webvh");
  assertEquals(partyOf("did:plc:x1"), partyOf("did:plc:x2"));
});

Deno.test("ownerOf() returns the domain of a did:web and other DIDs unchanged", () => {
  assertEquals(ownerOf("did:web:x.acme.com:ann"), "did:web:acme.com");
  for (const did of ["did:key:z6Mk", "did:plc:x1"]) assertEquals(ownerOf(did), did);
});

Deno.test("isSelfContained() returns true for did:key and did:jwk only", () => {
  const dids = ["did:key:z6Mk", "did:jwk:e30", "did:web:acme.com", "did:keys:z6Mk"];
  assertEquals(dids.map(isSelfContained), [true, true, false, false]);
});
