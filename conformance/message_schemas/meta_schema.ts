/**
 * Schemas for the schemas of tools: the keywords of each draft of JSON Schema.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage JSON Schema usage}
 * @module
 */

import { BOOLEAN, list, map, type Members, NUMBER, oneOf, type Schema, STRING } from "./parts.ts";

/** The drafts whose keywords the kit knows, keyed by the value of `$schema` without `#`. */
const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  ["https://json-schema.org/draft/2019-09/schema", "2019-09"],
  ["http://json-schema.org/draft-07/schema", "7"],
  ["http://json-schema.org/draft-06/schema", "6"],
  ["http://json-schema.org/draft-04/schema", "4"],
]);

/** A draft of JSON Schema. */
export type Draft = "2020-12" | "2019-09" | "7" | "6" | "4";

/** Returns the draft of a schema, or `undefined` if the kit does not know its `$schema`. */
export function draftOf({ $schema }: Schema): Draft | undefined {
  // A `$schema` that is not a string is a problem of the default draft.
  if (typeof $schema !== "string") return "2020-12";
  return DRAFTS.get($schema.replace(/#$/, ""));
}

const COUNT: Schema = { type: "integer", minimum: 0 };
const NAMES: Schema = { ...list(STRING), uniqueItems: true };
const TYPE = oneOf("array", "boolean", "integer", "null", "number", "object", "string");
const SUBSCHEMA: Schema = { $ref: "#" };
const SUBSCHEMAS: Schema = { ...list(SUBSCHEMA), minItems: 1 };

/** The keywords whose values have the same form in all drafts. */
const COMMON: Members = {
  $schema: STRING,
  title: STRING,
  description: STRING,
  format: STRING,
  pattern: STRING,
  type: {
    if: { type: "array" },
    then: { ...list(TYPE), minItems: 1, uniqueItems: true },
    else: TYPE,
  },
  enum: { type: "array" },
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  maximum: NUMBER,
  minimum: NUMBER,
  maxLength: COUNT,
  minLength: COUNT,
  maxItems: COUNT,
  minItems: COUNT,
  maxProperties: COUNT,
  minProperties: COUNT,
  uniqueItems: BOOLEAN,
  required: NAMES,
  properties: map(SUBSCHEMA),
  patternProperties: map(SUBSCHEMA),
  definitions: map(SUBSCHEMA),
  allOf: SUBSCHEMAS,
  anyOf: SUBSCHEMAS,
  oneOf: SUBSCHEMAS,
  not: SUBSCHEMA,
};

/** Returns the schema for schemas of a draft: each keyword that occurs has the right form. */
export function metaSchema(draft: Draft): Schema {
  const type = draft === "4" ? "object" : ["object", "boolean"];
  return { type, properties: { ...COMMON, ...keywordsOf(draft) } };
}

function keywordsOf(draft: Draft): Members {
  const itemsOrList: Schema = { if: { type: "array" }, then: SUBSCHEMAS, else: SUBSCHEMA };
  const dependencies = map({ if: { type: "array" }, then: NAMES, else: SUBSCHEMA });
  switch (draft) {
    case "4": {
      const orBoolean: Schema = { if: { type: "boolean" }, else: SUBSCHEMA };
      return {
        id: STRING,
        enum: { type: "array", minItems: 1, uniqueItems: true },
        required: { ...NAMES, minItems: 1 },
        exclusiveMaximum: BOOLEAN,
        exclusiveMinimum: BOOLEAN,
        additionalItems: orBoolean,
        additionalProperties: orBoolean,
        items: itemsOrList,
        dependencies: map({
          if: { type: "array" },
          then: { ...NAMES, minItems: 1 },
          else: SUBSCHEMA,
        }),
      };
    }
    case "6":
      return { ...SINCE_6, additionalItems: SUBSCHEMA, items: itemsOrList, dependencies };
    case "7":
      return {
        ...SINCE_6,
        ...SINCE_7,
        additionalItems: SUBSCHEMA,
        items: itemsOrList,
        dependencies,
      };
    case "2019-09":
      return {
        ...SINCE_6,
        ...SINCE_7,
        ...SINCE_2019,
        additionalItems: SUBSCHEMA,
        items: itemsOrList,
      };
    case "2020-12":
      return {
        ...SINCE_6,
        ...SINCE_7,
        ...SINCE_2019,
        $dynamicAnchor: ANCHOR,
        $dynamicRef: STRING,
        prefixItems: SUBSCHEMAS,
        items: SUBSCHEMA,
      };
    default:
      return draft satisfies never;
  }
}

const SINCE_6: Members = {
  $id: STRING,
  $ref: STRING,
  exclusiveMaximum: NUMBER,
  exclusiveMinimum: NUMBER,
  contains: SUBSCHEMA,
  propertyNames: SUBSCHEMA,
  additionalProperties: SUBSCHEMA,
  examples: { type: "array" },
};

const SINCE_7: Members = {
  $comment: STRING,
  if: SUBSCHEMA,
  then: SUBSCHEMA,
  else: SUBSCHEMA,
  readOnly: BOOLEAN,
  contentMediaType: STRING,
  contentEncoding: STRING,
};

const ANCHOR: Schema = { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9._:\\-]*$" };

const SINCE_2019: Members = {
  $anchor: ANCHOR,
  $recursiveRef: STRING,
  $defs: map(SUBSCHEMA),
  $vocabulary: map(BOOLEAN),
  dependentSchemas: map(SUBSCHEMA),
  dependentRequired: map(NAMES),
  unevaluatedItems: SUBSCHEMA,
  unevaluatedProperties: SUBSCHEMA,
  maxContains: COUNT,
  minContains: COUNT,
  contentSchema: SUBSCHEMA,
  deprecated: BOOLEAN,
  writeOnly: BOOLEAN,
  dependencies: map({ if: { type: "array" }, then: NAMES, else: SUBSCHEMA }),
};
