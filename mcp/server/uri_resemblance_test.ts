import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import {
  canonicalUri,
  formsOf,
  isUnusualUri,
  mayRead,
  toCompared,
  toListed,
} from "./uri_resemblance.ts";

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
    "file:///work/secret.",
    "file:///work./secret. .",
    "file:///work/secret::$DATA",
    "file:///work/sec\u200dret",
    "file:///work/%C2%ADsecret",
  ],
  "docs://h/ΑΣ/straße": ["docs://H./ασ/STRASSE", "docs://h/ας/strasse"],
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

Deno.test("mayRead() ignores the parts of a URI that some servers ignore", () => {
  const readable: Readonly<Record<string, readonly string[]>> = {
    "docs://h/secret": [
      "docs://h/secret?x=1",
      "docs://h/secret/?x",
      "docs://h/secret%3Fx=1",
      "docs://h/secret;v=1",
      "docs://h;x/secret/;v=1?y",
      "docs://user:password@h/secret",
    ],
    "docs://h/a?x=1&y=b c": ["docs://h/a?z&y=b+c&x=1", "docs://h/a?y=b%20c;X=1;x=2"],
    "docs://h/a;v=1": ["docs://h/a;w=2;v=1", "docs://h/a;v=1?x"],
    "file:///secret": ["file://other/secret", "file://127.0.0.1/secret?x"],
    "file://server/a": ["file://SERVER/a?x", "file://user@server/a"],
    "ssh://ada@h/a": ["ssh://ADA@h/a?x", "ssh://ada@h/a;x"],
  };
  for (const [resource, uris] of Object.entries(readable)) {
    for (const uri of uris) assertEquals(mayRead(toCompared(uri), toCompared(resource)), true, uri);
  }
  for (
    const [resource, uri] of [
      ["docs://h/a", "docs://h/b?a"],
      ["docs://h/a?x=1", "docs://h/a"],
      ["docs://h/a?x=1", "docs://h/a?x=2&y=1"],
      ["docs://h/a;v=1", "docs://h/a;v=2"],
      ["docs://h/a", "docs://g/a"],
      ["docs://g/secret", "docs://h/secret"],
      ["file:///secret", "file:///work/secret"],
      ["file://server/a", "file://other/a"],
      ["ssh://ada@h/a", "ssh://bob@h/a"],
      ["mailto:ada@example.com", "mailto:bob@example.com"],
    ] as const
  ) assertEquals(mayRead(toCompared(uri), toCompared(resource)), false, uri);
});

Deno.test("URIs are compared in linear time", () => {
  for (const part of ["&", "?", " ", ".", "/", ";", "%25", "@", "::$data"]) {
    const startedAt = performance.now();
    formsOf(`s:///${part.repeat(200_000 / part.length)}x`);
    formsOf(`file://${part.repeat(200_000 / part.length)}x`);
    const tookMs = performance.now() - startedAt;
    assert(tookMs < 1000, `${part} took ${tookMs} ms`);
  }
});

Deno.test("a long URI is not compared, and a listed URI with many parameters only by its base", () => {
  const long = `S:///${"a".repeat(9000)}?x`;
  assertEquals([canonicalUri(long), toCompared(long).base, isUnusualUri(long)], [long, long, true]);
  const many = `s:///a?${Array.from({ length: 20 }, (_, index) => `k${index}`).join("&")}`;
  assertEquals(toListed(many).parameters.size, 0);
  assertEquals(mayRead(toCompared("s:///a?x"), toListed(many)), true);
  assertEquals(mayRead(toCompared("s:///a?x"), toListed("s:///a?y")), false);
  assertEquals(mayRead(toCompared(`${many}&x`), toListed("s:///a?x&k19")), true);
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
