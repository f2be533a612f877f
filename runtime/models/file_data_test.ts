import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { toBase64, toText, toUrl } from "./file_data.ts";

Deno.test("toText() decodes bytes and the result of toBase64(), at any length", () => {
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

Deno.test("toUrl() returns the URL of a file, or a data: URL of bytes or base64", () => {
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
