import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";

Deno.test("encodeBase64() returns the test vectors of RFC 4648", () => {
  const vectors = [
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ] as const;
  for (const [text, encoded] of vectors) {
    assertEquals(encodeBase64(new TextEncoder().encode(text)), encoded);
  }
});

Deno.test("decodeBase64() returns the bytes that encodeBase64() encoded, at any length", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 1, max: 2000 }),
      (unit, times) => {
        const bytes = new Uint8Array(unit.length * times).map((_, at) =>
          unit[at % unit.length] ?? 0
        );
        assertEquals(decodeBase64(encodeBase64(bytes)), bytes);
      },
    ),
    propertyRuns(30),
  );
});

Deno.test("decodeBase64() throws if the text is not valid base64", () => {
  assertThrows(() => decodeBase64("?"), DOMException);
});
