import { assertEquals } from "@std/assert";
import { jsonSchemaValidator } from "./json_schema.ts";

const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
const FOO = { properties: { foo: true } };
const NOTHING_ELSE = { unevaluatedProperties: false };

/** Schemas with a value, and whether the value is valid. */
const CASES: readonly (readonly [schema: object, value: unknown, isValid: boolean])[] = [
  [{ allOf: [FOO, NOTHING_ELSE] }, { foo: 1 }, false],
  [{ allOf: [FOO], ...NOTHING_ELSE }, { foo: 1 }, true],
  [{ allOf: [{ allOf: [FOO] }], ...NOTHING_ELSE }, { foo: 1 }, true],
  [{ $ref: "#/$defs/a", allOf: [NOTHING_ELSE], $defs: { a: FOO } }, { foo: 1 }, false],
  [{ $ref: "#/$defs/a", allOf: [FOO], $defs: { a: NOTHING_ELSE } }, { foo: 1 }, false],
  [{ $ref: "#/$defs/a", ...NOTHING_ELSE, $defs: { a: FOO } }, { foo: 1 }, true],
  [{ allOf: [FOO], dependentSchemas: { foo: NOTHING_ELSE } }, { foo: 1 }, false],
  [{ dependentSchemas: { foo: FOO }, ...NOTHING_ELSE }, { foo: 1 }, true],
  [{ allOf: [FOO], if: true, then: NOTHING_ELSE }, { foo: 1 }, false],
  [{ if: false, else: FOO, ...NOTHING_ELSE }, { foo: 1 }, true],
  [{ if: FOO, then: NOTHING_ELSE }, { foo: 1 }, false],
  [{ if: FOO, ...NOTHING_ELSE }, { foo: 1 }, true],
  [{ anyOf: [FOO, true], oneOf: [NOTHING_ELSE] }, { foo: 1 }, false],
  [{ anyOf: [{ ...FOO, required: ["x"] }, true], ...NOTHING_ELSE }, { foo: 1 }, false],
  [{ not: { not: FOO }, ...NOTHING_ELSE }, { foo: 1 }, false],
  [{ allOf: [{ prefixItems: [true] }], if: true, then: { unevaluatedItems: false } }, [1], false],
  [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [1], true],
  [{ contains: { type: "string" }, unevaluatedItems: false }, ["a"], true],
  [{ $schema: DRAFT_2019, contains: { type: "string" }, unevaluatedItems: false }, ["a"], false],
  [{ $schema: DRAFT_2019, contains: true, minContains: 0 }, [], true],
  [{ $schema: DRAFT_7, contains: true, minContains: 0 }, [], false],
  [{ $schema: DRAFT_7, contains: true, maxContains: 1 }, [1, 2], true],
];

for (const [schema, value, isValid] of CASES) {
  const text = JSON.stringify(schema);
  Deno.test(`jsonSchemaValidator() decides what ${text} has evaluated`, async () => {
    const issues = await jsonSchemaValidator().compile({ ...schema })(value);
    assertEquals(issues.length === 0, isValid);
  });
}
