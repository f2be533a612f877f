import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { formatBase64url, readBase64url } from "./base64url.ts";

/** Test vectors from RFC 4648 §10, without padding. */
const RFC_4648: readonly (readonly [bytes: string, text: string])[] = [
  ["", ""],
  ["f", "Zg"],
  ["fo", "Zm8"],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg"],
  ["fooba", "Zm9vYmE"],
  ["foobar", "Zm9vYmFy"],
];

Deno.test("formatBase64url() and readBase64url() match the test vectors in RFC 4648", () => {
  for (const [bytes, text] of RFC_4648) {
    assertEquals(formatBase64url(new TextEncoder().encode(bytes)), text);
    assertEquals(new TextDecoder().decode(readBase64url(text)), bytes);
  }
  assertEquals(formatBase64url(Uint8Array.of(0xfb, 0xff)), "-_8");
});

Deno.test("readBase64url() rejects non-canonical encodings", () => {
  const refused = [
    "Zg==",
    "Zg=",
    "Zh",
    "Zm9",
    "Z",
    "Zm9v Zg",
    "Zm9v\n",
    "+/8",
    "Zm9vZ",
    "é",
    "\u{1f600}",
  ];
  for (const text of refused) assertEquals(readBase64url(text), undefined, text);
});

Deno.test("readBase64url() accepts only the encoding that formatBase64url() returns", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ maxLength: 12 }), (bytes, text) => {
      assertEquals(readBase64url(formatBase64url(bytes)), new Uint8Array(bytes));
      const read = readBase64url(text);
      if (read !== undefined) assertEquals(formatBase64url(read), text);
    }),
    propertyRuns(500),
  );
});
