import { assertEquals } from "@std/assert";
import { decodeHex } from "@std/encoding/hex";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { formatBase58, readBase58 } from "./base58.ts";

/** Test vectors from draft-msporny-base58-03 §5, and edge cases. */
const VECTORS: readonly (readonly [bytes: Uint8Array, text: string])[] = [
  [new TextEncoder().encode("Hello World!"), "2NEpo7TZRRrLZSi2U"],
  [
    new TextEncoder().encode("The quick brown fox jumps over the lazy dog."),
    "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z",
  ],
  [decodeHex("0000287fb4cd"), "11233QC4"],
  [new Uint8Array(), ""],
  [new Uint8Array(3), "111"],
  [decodeHex("ff"), "5Q"],
];

Deno.test("formatBase58() and readBase58() match the test vectors in the specification", () => {
  for (const [bytes, text] of VECTORS) {
    assertEquals(formatBase58(bytes), text);
    assertEquals(readBase58(text, 100), new Uint8Array(bytes));
  }
});

Deno.test("readBase58() decodes the output of formatBase58()", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      assertEquals(readBase58(formatBase58(bytes), 100), new Uint8Array(bytes));
    }),
    propertyRuns(300),
  );
});

Deno.test("readBase58() rejects invalid characters and text that is too long", () => {
  for (const text of ["0", "O", "I", "l", " 2", "2=", "é", "😀"]) {
    assertEquals(readBase58(text, 100), undefined);
  }
  assertEquals(readBase58("2222", 4)?.length, 3);
  assertEquals(readBase58("2222", 3), undefined);
});
