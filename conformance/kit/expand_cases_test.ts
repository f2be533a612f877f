import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { expandCase, findShortFormProblem, findValueProblem } from "./expand_cases.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** Expands one value of a case. */
function expand(value: JsonValue, values: JsonObject = {}): JsonValue | undefined {
  return expandCase({ value }, { values }).value;
}

Deno.test("expandCase() replaces repeated text, joined text and named values at any depth", () => {
  const rows: readonly (readonly [JsonValue, JsonValue])[] = [
    [{ $repeat: ["ab", 3] }, "ababab"],
    [{ $repeat: [{ $join: ["a", "b"] }, 2] }, "abab"],
    [{ $join: ["[", { $repeat: ["[", 2] }, "]"] }, "[[[]"],
    [{ $join: ["only"] }, "only"],
    [[{ x: { $repeat: ["", 9] } }], [{ x: "" }]],
    [{ $const: { $join: ["a", "b"] } }, { $const: "ab" }],
    [{ $value: "list" }, ["v", "aa"]],
    [{ a: { $value: "list" }, b: { $value: "nothing" } }, { a: ["v", "aa"], b: null }],
  ];
  for (const [written, complete] of rows) {
    const values = { list: ["v", { $repeat: ["a", 2] }], nothing: null };
    assertEquals(expand(written, values), complete);
    assertEquals(findShortFormProblem({ written }, { values }), undefined);
  }
});

Deno.test("expandCase() keeps objects that have other members next to a short form", () => {
  const value = { $repeat: ["ab", 3], other: true };
  assertEquals(expand(value), value);
});

Deno.test("expandCase() prefers a member of the case to the whole default member", () => {
  const shared = { defaults: { kind: "exchange", needs: { session: true } } };
  const written = { id: "comm/x/y", needs: { features: ["a"] } };
  assertEquals(expandCase(written, shared), {
    kind: "exchange",
    id: "comm/x/y",
    needs: { features: ["a"] },
  });
});

Deno.test("findShortFormProblem() describes each malformed short form", () => {
  const rows: readonly (readonly [JsonValue, string])[] = [
    [{ $repeat: "ab" }, '"$repeat" must be [text, count], got "ab"'],
    [{ $repeat: ["ab"] }, '"$repeat" must be [text, count], got ["ab"]'],
    [{ $repeat: ["ab", 1, 2] }, '"$repeat" must be [text, count], got ["ab",1,2]'],
    [{ $repeat: ["ab", "3"] }, '"$repeat" must be [text, count], got ["ab","3"]'],
    [{ $repeat: ["ab", 0] }, 'the count of "$repeat" must be a positive integer, got 0'],
    [{ $repeat: ["ab", 1.5] }, 'the count of "$repeat" must be a positive integer, got 1.5'],
    [
      { $repeat: [1, 2] },
      'a part of "$join" or "$repeat" must be a string, "$join" or "$repeat", got 1',
    ],
    [
      { $repeat: ["a", 16_777_217] },
      '"$repeat" must create at most 16777216 characters, got 16777217',
    ],
    [
      { $join: [{ $repeat: ["a", 16_777_216] }, "b"] },
      '"$join" must create at most 16777216 characters, got 16777217',
    ],
    [{ $join: "ab" }, '"$join" must be a list of texts, got "ab"'],
    [{ $join: [] }, '"$join" must be a list of texts, got []'],
    [
      { $join: [{ $ref: "a" }] },
      'a part of "$join" or "$repeat" must be a string, "$join" or "$repeat", got {"$ref":"a"}',
    ],
    [{ $value: "none" }, '"$value" must be the name of a member of "values", got "none"'],
    [{ $value: "toString" }, '"$value" must be the name of a member of "values", got "toString"'],
    [{ $value: 1 }, '"$value" must be the name of a member of "values", got 1'],
  ];
  for (const [value, problem] of rows) {
    assertEquals(findShortFormProblem({ a: [{ b: value }] }, { values: { v: 1 } }), problem);
  }
});

Deno.test("findValueProblem() rejects a value that contains another value", () => {
  assertEquals(
    findValueProblem({ values: { a: 1, b: { c: [{ $repeat: ["a", 2] }] } } }),
    undefined,
  );
  assertEquals(
    findValueProblem({ values: { a: 1, b: [{ $value: "a" }] } }),
    '"$value" must be the name of a member of "values", got "a"',
  );
});

Deno.test("expandCase() returns the text that the parts of a joined text form", () => {
  const text = fc.letrec<{ text: JsonValue }>((tie) => ({
    text: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.string({ maxLength: 5 }),
      fc.tuple(tie("text"), fc.integer({ min: 1, max: 3 })).map(($repeat) => ({ $repeat })),
      fc.array(tie("text"), { minLength: 1, maxLength: 3 }).map(($join) => ({ $join })),
    ),
  })).text;
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (
      parts,
      count,
    ) => {
      const joined = parts.map((part) => String(expand(part))).join("");
      assertEquals(expand({ $join: parts }), joined);
      assertEquals(expand({ $repeat: [{ $join: parts }, count] }), joined.repeat(count));
    }),
    propertyRuns(100),
  );
});
