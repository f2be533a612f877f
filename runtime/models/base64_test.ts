import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { toBase64, toText, toUrl } from "./base64.ts";

Deno.test("toBase64() writes the vectors of RFC 4648", () => {
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
    assertEquals(toBase64(new TextEncoder().encode(text)), encoded);
  }
});

Deno.test("toText() undoes toBase64(), at any length", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 2000 }), (unit, times) => {
      const long = unit.repeat(times);
      const bytes = new TextEncoder().encode(long);
      assertEquals(toText(toBase64(bytes)), new TextDecoder().decode(bytes));
      assertEquals(toText(bytes), new TextDecoder().decode(bytes));
    }),
    propertyRuns(30),
  );
});

Deno.test("toUrl() keeps a URL and makes one of bytes and of base64", () => {
  const url = new URL("https://example.org/a.png");
  const file = { type: "file", mediaType: "image/png" } as const;
  assertEquals(toUrl({ ...file, data: { type: "url", url } }), url.href);
  assertEquals(
    toUrl({ ...file, data: { type: "data", data: "AQID" } }),
    "data:image/png;base64,AQID",
  );
  const bytes = new Uint8Array([1, 2, 3]);
  assertEquals(
    toUrl({ ...file, data: { type: "data", data: bytes } }),
    "data:image/png;base64,AQID",
  );
});
