import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { comparableUri } from "./comparable_uri.ts";

Deno.test("comparableUri() decodes only what has no other meaning", () => {
  for (
    const [uri, expected] of [
      ["s://a/b", "s://a/b"],
      ["s://%61%7E%2d", "s://a~-"],
      ["s://%2f%3F%23%25%26", "s://%2F%3F%23%25%26"],
      ["s://%C3%A9", "s://é"],
      ["s://%F0%9F%98%80", "s://😀"],
      ["s://%c3%41", "s://%C3A"],
      ["s://50%", "s://50%25"],
      ["s://%zz", "s://%25zz"],
    ] as const
  ) assertEquals(comparableUri(uri), expected, uri);
});

Deno.test("comparableUri() keeps the text that a URI encodes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()), (text) => {
      const encoded = encodeURIComponent(text);
      assertEquals(decodeURIComponent(comparableUri(encoded)), text);
      assertEquals(comparableUri(comparableUri(encoded)), comparableUri(encoded));
    }),
  );
});
