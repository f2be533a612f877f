import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { canonicalUri, isUnusualUri } from "./uri_resemblance.ts";

const SAME: Readonly<Record<string, readonly string[]>> = {
  "file:///work/secret": [
    "FILE:///work/secret",
    "file:///work/%73ecret",
    "file:///work/%2573ecret",
    "file:///work/x/../secret",
    "file:///work/./secret",
    "file:///work/%2e/secret",
    "file:///work//secret",
    "file:///work/secret/",
    "file:///work/sec\tret",
    "file:///work\\secret",
    "file:///work%5Csecret",
    "file:///work%2Fsecret",
    "file:///work/secret#x",
    "file:///work/secret?",
    " file:///work/secret",
    "file:/work/secret",
    "file://localhost/work/secret",
  ],
  "https://h.example/secret": [
    "https://h.example:443/secret",
    "https://H.example/secret?",
    "https:\\\\h.example\\secret",
  ],
  "note:one": ["NOTE:one", "note:%6fne", "note:one#x"],
};

for (const [uri, others] of Object.entries(SAME)) {
  Deno.test(`canonicalUri() is the same for URIs that resemble ${uri}`, () => {
    for (const other of others) assertEquals(canonicalUri(other), canonicalUri(uri), other);
  });
}

Deno.test("canonicalUri() differs for different paths, hosts, schemes and queries", () => {
  const uris = [
    "s://h/a",
    "s://h/b",
    "s://g/a",
    "t://h/a",
    "s://h/a?x=1",
    "s://h/a/b",
    "s://h/%zz",
  ];
  const canonical = new Set(uris.map(canonicalUri));
  assertEquals(canonical.size, uris.length);
  assertNotEquals(canonicalUri("s:///a%20b"), canonicalUri("s:///ab"));
});

Deno.test("canonicalUri() and isUnusualUri() accept any text, and encoding changes no result", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(40)), (text, positions) => {
      canonicalUri(text);
      isUnusualUri(text);
      const uri = "s:///abcdefghijklmnopqrstuvwxyz";
      const encoded = [...uri].map((char, at) =>
        at > 3 && positions.includes(at) ? `%${char.charCodeAt(0).toString(16)}` : char
      );
      assertEquals(canonicalUri(encoded.join("")), canonicalUri(uri));
    }),
    propertyRuns(300),
  );
});

Deno.test("isUnusualUri() finds URIs that servers may interpret in different ways", () => {
  const unusual = [
    "s:///a/../b",
    "s:///a/%2e%2E/b",
    "s:///./a",
    "s:///a/..",
    "s:///a\\b",
    "s:///a%5cb",
    "s:///a\nb",
    "s:///a%00b",
    " s:///a",
    "s:///a%zz",
    "s:///%ff",
    `s:///%${"25".repeat(20)}41`,
  ];
  for (const uri of unusual) assertEquals(isUnusualUri(uri), true, uri);
  for (const uri of ["s:///a", "s:///a%20b?c=d#e", "s:///a..b/.c", "note:one", ""]) {
    assertEquals(isUnusualUri(uri), false, uri);
  }
});
