import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { findContentFault } from "./elicit_content.ts";

const choice = [{ const: "r", title: "Red" }, { const: "g", title: "Green" }];

/** Test cases: schema of the field `f`, value, and the requirement that the value does not meet. */
const FIELDS: readonly (readonly [object, unknown, string?])[] = [
  [{ type: "string" }, "x"],
  [{ type: "string" }, 1, "be a string"],
  [{ type: "string", minLength: 2 }, "é", "have at least 2 characters"],
  [{ type: "string", minLength: 2 }, "\u{1f600}", "have at least 2 characters"],
  [{ type: "string", maxLength: 1 }, "\u{1f600}"],
  [{ type: "string", maxLength: 1 }, "ab", "have at most 1 characters"],
  [{ type: "string", format: "email" }, "ada@a.example"],
  [{ type: "string", format: "email" }, "ada", 'have the format "email"'],
  [{ type: "string", format: "uri" }, "https://a.example/"],
  [{ type: "string", format: "uri" }, "a.example", 'have the format "uri"'],
  [{ type: "string", format: "date" }, "2024-02-29"],
  [{ type: "string", format: "date" }, "2023-02-29", 'have the format "date"'],
  [{ type: "string", format: "date-time" }, "2024-02-29T10:00:00.5+01:00"],
  [{ type: "string", format: "date-time" }, "2024-02-29", 'have the format "date-time"'],
  [{ type: "string", format: "other" }, "anything"],
  [{ type: "string", pattern: "^(a+)+$" }, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"],
  [{ type: "string", enum: ["a", "b"] }, "b"],
  [{ type: "string", enum: ["a", "b"] }, "c", "be one of the listed values"],
  [{ type: "string", oneOf: choice }, "r"],
  [{ type: "string", oneOf: choice }, "Red", "be one of the listed values"],
  [{ type: "string", const: "a" }, "b", "be one of the listed values"],
  [{ type: "integer" }, 1],
  [{ type: "integer" }, 1.5, "be an integer"],
  [{ type: "integer" }, "1", "be a number"],
  [{ type: "number", minimum: 0, maximum: 1 }, 0.5],
  [{ type: "number", minimum: 0 }, -1, "be at least 0"],
  [{ type: "number", maximum: 1 }, 2, "be at most 1"],
  [{ type: "boolean" }, false],
  [{ type: "boolean" }, "false", "be a boolean"],
  [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["a", "b"]],
  [{ type: "array", items: { enum: ["a"] } }, ["c"], "contain only listed values"],
  [{ type: "array", items: { anyOf: choice } }, ["g"]],
  [{ type: "array", items: { anyOf: choice } }, ["b"], "contain only listed values"],
  [{ type: "array", minItems: 1 }, [], "have at least 1 items"],
  [{ type: "array", maxItems: 1 }, ["a", "b"], "have at most 1 items"],
  [{ type: "array" }, "a", "be an array"],
  [{}, "anything"],
];

Deno.test("findContentFault() checks a field against each keyword of a form", () => {
  for (const [field, value, requirement] of FIELDS) {
    const fault = findContentFault({ type: "object", properties: { f: field } }, { f: value });
    const expected = requirement === undefined ? undefined : `field "f" must ${requirement}`;
    assertEquals(fault, expected, JSON.stringify([field, value]));
  }
});

Deno.test("findContentFault() requires an object that contains the required fields", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a", 1] };
  assertEquals(findContentFault(schema, undefined), 'field "a" is missing');
  assertEquals(
    findContentFault({ ...schema, required: ["toString"] }, { a: "x" }),
    'field "toString" is missing',
  );
  assertEquals(findContentFault(schema, ["a"]), '"content" must be an object');
  assertEquals(findContentFault(schema, null), '"content" must be an object');
  assertEquals(findContentFault(schema, { a: "x", b: true }), undefined);
});

Deno.test("findContentFault() rejects values that a form cannot contain", () => {
  const flat = "must be a string, a number, a boolean or an array of strings";
  for (const value of [null, {}, [1], NaN, Infinity]) {
    assertEquals(findContentFault({}, { extra: value }), `field "extra" ${flat}`);
  }
});

Deno.test("findContentFault() accepts every schema and content without throwing", () => {
  fc.assert(fc.property(fc.object(), fc.anything(), (schema, content) => {
    const fault = findContentFault(
      { properties: schema, required: [...Object.keys(schema)] },
      content,
    );
    return fault === undefined || typeof fault === "string";
  }));
});
