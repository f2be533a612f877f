/**
 * Inspection of JSON Schemas before they are compiled.
 *
 * @module
 */

import { escapeText } from "./escape_text.ts";

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** JSON Schema keywords whose value is a non-negative integer. */
const COUNTS = [
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
];

/** JSON Schema keywords whose value is a number (in draft-04, a number or a boolean). */
const BOUNDS = ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];

/** A schema with keywords, which the inspection may change. */
export interface Schema {
  [keyword: string]: unknown;
}

/** Keywords whose values contain schemas. The value of `items` can be a schema or a list. */
export interface SchemaKeywords {
  /** Keywords whose value is a schema. */
  readonly single: ReadonlySet<string>;
  /** Keywords whose value is a list of schemas. */
  readonly list: ReadonlySet<string>;
  /** Keywords whose value is an object whose members are schemas. */
  readonly map: ReadonlySet<string>;
}

/** A schema that is inspected. */
export interface InspectedSchema {
  /** Schemas, keyed by URI. */
  readonly lookup: Readonly<Record<string, unknown>>;
  readonly keywords: SchemaKeywords;
  /** Whether the exclusive bounds are flags, as in draft-04. */
  readonly exclusiveIsFlag: boolean;
  /**
   * Subschemas that were already inspected. A subschema can be reached through several references.
   */
  readonly inspected: Set<Schema>;
  hasPatternProperties: boolean;
  hasUniqueItems: boolean;
}

/**
 * Throws if a keyword is invalid. `@cfworker/json-schema` ignores invalid keywords or reports them
 * only during validation.
 */
export function inspect(compiled: InspectedSchema, schema: unknown, path: string): void {
  if (typeof schema === "boolean") return;
  if (!isSchemaObject(schema)) throw broken(path, "a schema", schema);
  if (compiled.inspected.has(schema)) return;
  compiled.inspected.add(schema);
  inspectKeywords(compiled, schema, path);
  for (const [keyword, value] of Object.entries(schema)) {
    inspectSubschemas(compiled, keyword, value, `${path}/${keyword}`);
  }
}

function inspectSubschemas(
  compiled: InspectedSchema,
  keyword: string,
  value: unknown,
  path: string,
): void {
  const { list, map, single } = compiled.keywords;
  if (map.has(keyword)) {
    if (!isSchemaObject(value)) throw broken(path, "an object of schemas", value);
    for (const [key, each] of Object.entries(value)) {
      const isNames = keyword === "dependencies" && isTextArray(each);
      if (!isNames) inspect(compiled, each, `${path}/${key}`);
    }
  } else if (list.has(keyword) && Array.isArray(value)) {
    for (const [index, each] of value.entries()) inspect(compiled, each, `${path}/${index}`);
  } else if (single.has(keyword)) {
    inspect(compiled, value, path);
  } else if (list.has(keyword)) {
    throw broken(path, "an array of schemas", value);
  }
}

function inspectKeywords(compiled: InspectedSchema, schema: Schema, path: string): void {
  const {
    $ref,
    $dynamicRef,
    type,
    enum: values,
    required,
    pattern,
    patternProperties,
    uniqueItems,
    format,
  } = schema;
  if ($ref !== undefined) inspectReference(compiled, schema, $ref, path);
  if ($dynamicRef !== undefined) {
    throw broken(`${path}/$dynamicRef`, "omitted (not supported)", $dynamicRef);
  }
  if (type !== undefined && !isType(type)) {
    throw broken(`${path}/type`, `one of ${TYPES.map(quote).join(", ")}`, type);
  }
  if (values !== undefined) {
    if (!Array.isArray(values) || values.length === 0) {
      throw broken(`${path}/enum`, "a non-empty array", values);
    }
  }
  for (const [name, names] of Object.entries(schema.dependentRequired ?? {})) {
    if (isTextArray(names)) continue;
    throw broken(`${path}/dependentRequired/${name}`, "an array of property names", names);
  }
  if (required !== undefined && !isTextArray(required)) {
    throw broken(`${path}/required`, "an array of property names", required);
  }
  inspectNumbers(compiled, schema, path);
  if (pattern !== undefined) inspectPattern(pattern, `${path}/pattern`);
  for (const each of Object.keys(patternProperties ?? {})) {
    compiled.hasPatternProperties = true;
    inspectPattern(each, `${path}/patternProperties`);
  }
  if (uniqueItems === true) compiled.hasUniqueItems = true;
  // The regular expression of `@cfworker/json-schema` for the non-standard format "url" takes
  // exponential time.
  if (format === "url") schema.format = "uri";
}

/**
 * Inspects the target of a reference, because the target may be under an unknown keyword, which is
 * not inspected.
 */
function inspectReference(
  compiled: InspectedSchema,
  schema: Schema,
  $ref: unknown,
  path: string,
): void {
  const target = compiled.lookup[String(schema.__absolute_ref__ ?? "")];
  if (target === undefined) {
    throw broken(`${path}/$ref`, "a reference into the same schema", $ref);
  }
  inspect(compiled, target, String($ref));
}

function inspectNumbers({ exclusiveIsFlag }: InspectedSchema, schema: Schema, path: string): void {
  for (const keyword of COUNTS) {
    const value: unknown = schema[keyword];
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) continue;
    throw broken(`${path}/${keyword}`, "a non-negative integer", value);
  }
  for (const keyword of BOUNDS) {
    const value: unknown = schema[keyword];
    const isFlag = exclusiveIsFlag && typeof value === "boolean";
    if (value === undefined || typeof value === "number" || isFlag) continue;
    throw broken(`${path}/${keyword}`, "a number", value);
  }
  if (schema.multipleOf !== undefined && !(Number(schema.multipleOf) > 0)) {
    throw broken(`${path}/multipleOf`, "greater than 0", schema.multipleOf);
  }
}

function isTextArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function inspectPattern(pattern: unknown, path: string): void {
  try {
    // `@cfworker/json-schema` also compiles patterns with the `u` flag.
    new RegExp(String(pattern), "u");
  } catch (cause) {
    throw broken(path, "a valid regular expression", pattern, cause);
  }
}

function isType(type: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.length > 0 &&
    types.every((each) => typeof each === "string" && TYPES.includes(each));
}

/** Returns true if a value is a schema with keywords. */
export function isSchemaObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function broken(path: string, requirement: string, value: unknown, cause?: unknown): TypeError {
  const message = `JSON Schema is not valid: "${path || "/"}" must be ${requirement}, got ${
    quote(value)
  }`;
  return new TypeError(escapeText(message), { cause });
}

/** Formats a value for an error message. */
export function quote(value: unknown): string {
  return escapeText(JSON.stringify(value) ?? String(value));
}
