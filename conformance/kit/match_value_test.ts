import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { JsonValue } from "./json.ts";
import { findMismatch, isSame, show } from "./match_value.ts";

type Row = readonly [expected: JsonValue, actual: unknown];

const FITS: readonly Row[] = [
  [1, 1],
  ["a", "a"],
  [null, null],
  [{}, { a: 1 }],
  [{ a: { b: [1] } }, { a: { b: [1], c: 2 }, d: 3 }],
  [{ $a: 1, b: 2 }, { $a: 1, b: 2, c: 3 }],
  [{ $any: true }, null],
  [{ a: { $absent: true } }, {}],
  [{ a: { $absent: true } }, Object.create({ a: 1 })],
  [{ $type: "integer" }, 2],
  [{ $type: "number" }, 2.5],
  [{ $type: "null" }, null],
  [{ $type: "array" }, []],
  [{ $type: "object" }, {}],
  [{ $const: { $any: true } }, { $any: true }],
  [{ $exact: { a: { $any: true } } }, { a: 1 }],
  [{ $re: "^a.c$" }, "a😀c"],
  [{ $contains: "b" }, "abc"],
  [{ $contains: { a: 1 } }, [{}, { a: 1, b: 2 }]],
  [{ $uuid: true }, "019B7CA9-8F2E-7A00-8000-000000000001"],
  [{ $time: true }, "2026-01-02T03:04:05.678Z"],
  [{ $base64: true }, "AQ=="],
  [{ $base64url: true }, "AQ"],
  [{ $base64url: true }, "-_8"],
  [{ $num: { min: 0, max: 1 } }, 1],
  [{ $len: 2 }, "ab"],
  [{ $len: { $num: { min: 1 } } }, [0]],
  [{ $oneOf: [1, 2] }, 2],
  [{ $allOf: [{ $type: "string" }, { $len: 1 }] }, "a"],
  [{ $not: 1 }, 2],
  [{ $each: { $type: "number" } }, [1, 2]],
  [{ $each: 1 }, []],
  [{ $last: 2 }, [1, 2]],
  [{ $unordered: [{ a: 1 }, { a: 2 }] }, [{ a: 2 }, { a: 1 }]],
  [{ $json: { a: 1 } }, '{"a":1}'],
  [{ $schema: { type: "string" } }, "a"],
  [[{ $capture: "x" }, { $ref: "x" }], [{ a: 1 }, { a: 1 }]],
  [[{ $capture: "x" }, { $greaterThan: "x" }], [1, 2]],
  [{ $distinct: "id" }, [{ id: "1" }, { id: 1 }, {}, {}]],
];

const DIFFERS: readonly (readonly [...Row, path: string])[] = [
  [1, "1", "$"],
  [0, -0, "$"],
  [null, undefined, "$"],
  [{ a: 1 }, [], "$"],
  [{ a: { b: 1 } }, { a: { b: 2 } }, "$.a.b"],
  [{ toString: { $any: true } }, {}, "$.toString"],
  [[1], [1, 2], "$"],
  [[1, 2], [1, 3], "$[1]"],
  [{ $any: true }, undefined, "$"],
  [{ a: { $absent: true } }, { a: null }, "$.a"],
  [{ $type: "integer" }, 2.5, "$"],
  [{ $type: "object" }, [], "$"],
  [{ $const: { a: 1 } }, { a: 1, b: 2 }, "$"],
  [{ $exact: { a: 1 } }, { a: 1, b: 2 }, "$.b"],
  [{ $re: "^a$" }, "b", "$"],
  [{ $contains: "x" }, "abc", "$"],
  [{ $contains: 1 }, [2], "$"],
  [{ $uuid: true }, "019b7ca9", "$"],
  [{ $time: true }, "2026-01-02T03:04:05+00:00", "$"],
  [{ $time: true }, "2026-13-02T03:04:05Z", "$"],
  [{ $base64: true }, "AR==", "$"],
  [{ $base64url: true }, "AR", "$"],
  [{ $base64url: true }, "AQ==", "$"],
  [{ $num: { int: true } }, 1.5, "$"],
  [{ $num: { max: 1 } }, 2, "$"],
  [{ $num: { min: 1 } }, "2", "$"],
  [{ $len: 2 }, "a", "$.length"],
  [{ $oneOf: [1, 2] }, 3, "$"],
  [{ $allOf: [{ $type: "string" }, { $len: 1 }] }, "ab", "$.length"],
  [{ $not: 1 }, 1, "$"],
  [{ $each: 1 }, [1, 2], "$[1]"],
  [{ $last: 2 }, [2, 1], "$[last]"],
  [{ $last: 2 }, [], "$[last]"],
  [{ $unordered: [1, 1] }, [1, 2], "$"],
  [{ $json: { a: 1 } }, "{", "$"],
  [{ $json: { a: 1 } }, '{"a":2}', "$.$json.a"],
  [{ $schema: { properties: { a: { type: "string" } } } }, { a: 1 }, "$.a"],
  [{ $ref: "x" }, 1, "$"],
  [[{ $capture: "x" }, { $ref: "x" }], [1, "1"], "$[1]"],
  [[{ $capture: "x" }, { $greaterThan: "x" }], [2, 2], "$[1]"],
  [{ $capture: "x" }, undefined, "$"],
  [{ $distinct: "id" }, [{ id: "1" }, { id: "2" }, { id: "1" }], "$"],
  [{ $distinct: "id" }, { id: "1" }, "$"],
];

Deno.test("findMismatch() returns the matcher and the value at the path of the first difference", () => {
  const rows: readonly (readonly [JsonValue, unknown, string, unknown, unknown])[] = [
    [{ a: [1, 2] }, { a: [1, 3] }, "$.a[1]", 2, 3],
    [{ a: { $type: "string" } }, { a: 1 }, "$.a", { $type: "string" }, 1],
    [{ $exact: { a: 1 } }, { a: 1, b: 2 }, "$.b", { $absent: true }, 2],
    [{ $allOf: [{ $capture: "x" }, { b: { $ref: "x" } }] }, { b: 1 }, "$.b", { b: 1 }, 1],
    [{ a: 1 }, {}, "$.a", 1, undefined],
    [{ $json: { a: 1 } }, '{"a":2}', "$.$json.a", 1, 2],
  ];
  for (const [expected, actual, path, matcher, found] of rows) {
    const mismatch = findMismatch(expected, actual);
    assertEquals([mismatch?.path, mismatch?.matcher, mismatch?.actual], [path, matcher, found]);
  }
});

Deno.test("findMismatch() returns undefined if the value matches", () => {
  for (const [expected, actual] of FITS) {
    assertEquals(findMismatch(expected, actual), undefined, show([expected, actual]));
  }
});

Deno.test("findMismatch() returns the path of the first difference", () => {
  for (const [expected, actual, path] of DIFFERS) {
    assertEquals(findMismatch(expected, actual)?.path, path, show([expected, actual]));
  }
});

Deno.test("findMismatch() resolves $ref with values captured in an earlier call", () => {
  const captures = new Map<string, unknown>();
  findMismatch({ id: { $capture: "id" } }, { id: 7 }, captures);
  assertEquals(findMismatch({ $ref: "id" }, 7, captures), undefined);
  assertEquals(findMismatch({ $ref: "id" }, "7", captures)?.expected, '7 (captured as "id")');
});

Deno.test("findMismatch() matches every JSON value with itself, and a $const with no other value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const fits = findMismatch({ $const: one as JsonValue }, other) === undefined;
      assertEquals(fits, isSame(one, other));
      return findMismatch({ $const: one as JsonValue }, structuredClone(one)) === undefined;
    }),
    propertyRuns(100),
  );
});

Deno.test("show() truncates a long value and adds its original length", () => {
  assertEquals(show(undefined), "no value");
  assert(show("x".repeat(400)).endsWith("… (402 characters)"));
});

Deno.test("show() does not split a surrogate pair", () => {
  assertEquals(show("abc\u{1f600}", 5), '"abc… (7 characters)');
});
