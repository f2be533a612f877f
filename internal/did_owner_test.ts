import { assertEquals } from "@std/assert";
import { ownerOf } from "./did_owner.ts";

Deno.test("ownerOf() returns the last two labels of the host of a did:web", () => {
  for (
    const did of [
      "did:web:shop.example",
      "did:web:a.b.shop.example:agents:ann",
      "did:web:SHOP.example%3A8443:ann",
      "did:web:shop.example%3a8443",
      "did:web:shop.example.",
    ]
  ) assertEquals(ownerOf(did), "did:web:shop.example", did);
});

Deno.test("ownerOf() returns one owner for all spellings that a resolver may decode", () => {
  for (
    const did of [
      "did:web:a%2Eshop.example",
      "did:web:sh%6Fp.example",
      "did:web:user%40shop.example",
      "did:web:shop.example%2Fother.invalid",
      "did:web:shop.example%3Fother.invalid",
    ]
  ) assertEquals(ownerOf(did), "did:web:shop.example", did);
});

Deno.test("ownerOf() returns an authority that cannot be decoded unchanged", () => {
  assertEquals(ownerOf("did:web:%ff.example"), "did:web:%ff.example");
  assertEquals(ownerOf("did:web:%20"), "did:web:%20");
});

Deno.test("ownerOf() returns a DID of another method unchanged", () => {
  for (const did of ["did:key:z6Mk", "did:plc:abc", "did:webs:shop.example"]) {
    assertEquals(ownerOf(did), did);
  }
});
