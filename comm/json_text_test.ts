import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { canonicalize } from "./canonical_json.ts";
import { isJsonValue } from "./json.ts";
import { joinJson } from "./json_text.ts";

Deno.test("joinJson() joins small values, members in order", () => {
  assertEquals(joinJson({ b: 1, a: ["x", null, true, -0] }, 128), '{"a":["x",null,true,0],"b":1}');
  assertEquals(joinJson({ "10": {}, "9": [] }, 128), '{"10":{},"9":[]}');
  assertEquals(joinJson({ é: "😀\u2028\u007f" }, 128), '{"é":"😀\u2028\u007f"}');
  assertEquals(joinJson("x", 1), '"x"');
});

Deno.test("joinJson() leaves letters to escape to others, in names as in strings", () => {
  for (const text of ['"', "\\", "\n", "\u0000", "\u001f", "\ud800", "a\udc00"]) {
    assertEquals(joinJson({ [text]: 1 }, 128), undefined);
    assertEquals(joinJson([text], 128), undefined);
  }
});

Deno.test("joinJson() takes no two halves of a letter in neighbouring strings for a whole one", () => {
  assertEquals(joinJson(["\ud83d", "\ude00"], 128), undefined);
  assertEquals(joinJson({ "\ud83d": "\ude00" }, 128), undefined);
});

Deno.test("joinJson() leaves to others what is no JSON", () => {
  const values = [undefined, NaN, -Infinity, 1n, () => 1, Symbol("x"), new Date(0), new Map()];
  for (const value of [...values, [,], { a: undefined }, new String("x")]) {
    assertEquals(joinJson(value, 128), undefined);
    assertEquals(joinJson({ a: [value] }, 128), undefined);
  }
});

Deno.test("joinJson() leaves what nests too deep to others", () => {
  assertEquals(joinJson([[]], 2), "[[]]");
  assertEquals(joinJson([[]], 1), undefined);
  assertEquals(joinJson({ a: {} }, 1), undefined);
  const cycle: unknown[] = [];
  cycle.push(cycle);
  assertEquals(joinJson(cycle, 128), undefined);
});

Deno.test("joinJson() leaves large values to others", () => {
  const items = Array.from({ length: 65 }, (_, index) => index);
  const members = Object.fromEntries(items.map((index) => [`name ${index}`, index]));
  assertEquals(joinJson(items.slice(1), 128), JSON.stringify(items.slice(1)));
  assertEquals(joinJson(items, 128), undefined);
  assertEquals(joinJson(members, 128), undefined);
  assertEquals(joinJson([members], 128), undefined);
});

Deno.test("joinJson() writes what canonicalize() writes, or nothing", () => {
  let joined = 0;
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = joinJson(value, 128);
      if (text === undefined) return;
      joined++;
      assert(isJsonValue(value));
      assertEquals(text, canonicalize(value));
    }),
    propertyRuns(1000),
  );
  assert(joined > 100);
});
