import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { writeJson } from "./json_text.ts";

Deno.test("writeJson() leaves undefined members out", () => {
  assertEquals(writeJson({ a: undefined, b: 1, c: undefined }), '{"b":1}');
  assertEquals(writeJson({ a: undefined }), "{}");
});

Deno.test("writeJson() escapes what JSON escapes, in names as in strings", () => {
  for (const text of ['"', "\\", "\n", "\u0000", "\u001f", "\u007f", "\u2028", "é", "😀"]) {
    assertEquals(writeJson({ [text]: [text] }), JSON.stringify({ [text]: [text] }));
  }
});

Deno.test("writeJson() writes small and large values alike", () => {
  for (const length of [0, 1, 63, 64, 65, 1000]) {
    const items = Array.from({ length }, (_, index) => index);
    const object = Object.fromEntries(items.map((index) => [`name ${index}`, `value ${index}`]));
    assertEquals(writeJson({ items }), JSON.stringify({ items }));
    assertEquals(writeJson([object]), JSON.stringify([object]));
  }
});

Deno.test("writeJson() writes what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      // Through the native parser, which leaves neither undefined nor lone surrogates as they were.
      const json = JSON.parse(JSON.stringify(value).replaceAll("\\ud", "\\\\ud"));
      assertEquals(writeJson(json), JSON.stringify(json));
    }),
    propertyRuns(1000),
  );
});
