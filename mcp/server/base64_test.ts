import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";

Deno.test("encodeBase64() matches the examples in RFC 4648, section 10", () => {
  const encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
  for (const [length, text] of encoded.entries()) {
    assertEquals(encodeBase64(new TextEncoder().encode("foobar".slice(0, length))), text);
  }
});

Deno.test("decodeBase64() decodes the output of encodeBase64()", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assertEquals(decodeBase64(encodeBase64(bytes)), new Uint8Array(bytes));
    }),
    propertyRuns(100),
  );
  const large = new Uint8Array(100_000).fill(0xab);
  assertEquals(decodeBase64(encodeBase64(large)), large);
});

Deno.test("decodeBase64() throws if the string is not base64", () => {
  for (const text of ["=", "a", "ab*d", "é"]) assertThrows(() => decodeBase64(text), DOMException);
});
