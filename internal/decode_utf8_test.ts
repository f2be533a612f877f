import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { decodeUtf8, Utf8Decoder } from "./decode_utf8.ts";

const INVALID: readonly (readonly number[])[] = [
  [0xff],
  [0x61, 0xe9],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
];

/** Decodes bytes in chunks of the given size. */
function decodeChunks(bytes: Uint8Array, size: number): string | undefined {
  const decoder = new Utf8Decoder();
  let text = "";
  for (let at = 0; at < bytes.length; at += size) {
    const part = decoder.decode(bytes.subarray(at, at + size));
    if (part === undefined) return undefined;
    text += part;
  }
  const end = decoder.decode();
  return end === undefined ? undefined : text + end;
}

Deno.test("decodeUtf8() and Utf8Decoder decode every string in chunks of any size", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), (text, size) => {
      const bytes = new TextEncoder().encode(text);
      const expected = text.replace(/^\ufeff/, "");
      assertEquals(decodeUtf8(bytes), expected);
      assertEquals(decodeChunks(bytes, size), expected);
    }),
    propertyRuns(200),
  );
});

Deno.test("decodeUtf8() and Utf8Decoder return undefined for bytes that are not UTF-8", () => {
  for (const bytes of INVALID) {
    assertEquals(decodeUtf8(new Uint8Array(bytes)), undefined, `${bytes}`);
    for (const size of [1, 2, 8]) {
      assertEquals(decodeChunks(new Uint8Array(bytes), size), undefined, `${bytes}`);
    }
  }
});

Deno.test("decodeUtf8() keeps nothing between two inputs", () => {
  const euro = [0xe2, 0x82, 0xac];
  const mark = [0xef, 0xbb, 0xbf, 0x41];
  const inputs = [euro.slice(0, 2), euro.slice(2), euro, mark, [], mark, [0xff], mark, [0x42]];
  assertEquals(
    inputs.map((bytes) => decodeUtf8(new Uint8Array(bytes))),
    [undefined, undefined, "€", "A", "", "A", undefined, "A", "B"],
  );
});
