/**
 * JSON Schema validation without `eval`, with a limited number of steps.
 *
 * `@cfworker/json-schema` resolves the references of a schema and checks formats. Schemas are
 * copied, because `@cfworker/json-schema` modifies its schemas. Invalid schemas and unknown
 * dialects are rejected at compile time. `json_schema_evaluation.ts` evaluates the schemas, because
 * `@cfworker/json-schema` cannot interrupt an evaluation that takes too long.
 *
 * @module
 */

import {
  dereference,
  format as formats,
  ignoredKeyword,
  type Schema,
  schemaArrayKeyword,
  type SchemaDraft,
  schemaKeyword,
  schemaMapKeyword,
} from "@cfworker/json-schema";
import { assertCount } from "./assert_argument.ts";
import { escapeText, excerpt } from "./escape_text.ts";
import { evaluate } from "./json_schema_evaluation.ts";
import { toIssues } from "./json_schema_issues.ts";
import { NodeCompiler, type SchemaNode, type SchemaObject } from "./json_schema_node.ts";
import { assertSchemaSize } from "./json_schema_size.ts";
import { optionsReader, withDefault } from "./options.ts";
import { copySchema } from "./schema.ts";
import type { JsonSchema, SchemaIssue, SchemaValidator } from "./schema_types.ts";

/** Limits of a validator. The members' declarations describe them. */
export interface ValidatorLimits {
  readonly maxNodes?: number;
  readonly maxSteps?: number;
  readonly maxUniqueItems?: number;
  readonly maxPatternLength?: number;
}

/** JSON Schema drafts, keyed by the URI in `$schema` without its scheme and empty fragment. */
const DIALECTS: ReadonlyMap<string, SchemaDraft> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft-04/schema", "4"],
]);

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

/**
 * Maximum number of steps for finding all issues of an invalid value. If they do not suffice, only
 * the issues that the first evaluation found are reported.
 */
const MAX_STEPS_FOR_ALL_ISSUES = 50_000;

const readLimits = optionsReader<ValidatorLimits>("options")({
  maxNodes: withDefault(200_000, assertCount),
  maxSteps: withDefault(1_000_000, assertCount),
  maxUniqueItems: withDefault(1000, assertCount),
  maxPatternLength: withDefault(10_000, assertCount),
});

/**
 * Creates the default JSON Schema validator. The validator supports the drafts 2020-12, 2019-09,
 * draft-07 and draft-04, selected by `$schema` (default: 2020-12), and never fetches references.
 * The validator checks `format` and treats the non-standard format `url` as `uri`. A value that
 * takes too many steps to validate is invalid. The steps of a regular expression (`pattern`) are
 * estimated before it is matched: if a part of it repeats ambiguously, as in `^(a+)+$`, only short
 * strings are matched.
 *
 * @param options Limits.
 * @throws {RangeError} If a limit is less than 1 or is not a number.
 */
export function jsonSchemaValidator(options: ValidatorLimits = {}): SchemaValidator {
  const limits = readLimits(options);
  return {
    compile(schema) {
      const compiled = compile(schema);
      return (value) => {
        const size = measure(value, limits.maxNodes);
        const refusal = limitIssue(compiled, size, limits);
        if (refusal !== undefined) return [{ path: "", message: refusal }];
        return findIssues(compiled, size.hasUndefined ? withoutUndefined(value) : value, limits);
      };
    },
  };
}

/** The validated limits of a JSON Schema validator. */
type Limits = Readonly<Required<ValidatorLimits>>;

/** A compiled schema, with the properties that determine the limits for values. */
interface CompiledSchema {
  readonly node: SchemaNode;
  readonly tracksEvaluated: boolean;
  readonly hasPatternProperties: boolean;
  readonly hasUniqueItems: boolean;
}

/** A schema that is inspected. */
interface InspectedSchema {
  readonly lookup: Record<string, Schema | boolean>;
  readonly draft: SchemaDraft;
  /**
   * Subschemas that were already inspected. A subschema can be reached through several references.
   */
  readonly inspected: Set<Schema>;
  hasPatternProperties: boolean;
  hasUniqueItems: boolean;
}

/** Compiles a schema. A schema that exceeds the call stack is invalid. */
function compile(source: JsonSchema): CompiledSchema {
  try {
    return compileSchema(source);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TypeError("JSON Schema has too many levels of nesting", { cause });
  }
}

function compileSchema(source: JsonSchema): CompiledSchema {
  const schema: unknown = copySchema(source);
  if (!isSchemaObject(schema)) throw new TypeError("JSON Schema must be an object");
  const draft = draftOf(schema);
  if (draft !== "4") dropAnnotationIds(schema);
  assertSchemaSize(schema, (keyword) => Object.hasOwn(ignoredKeyword, keyword));
  let lookup: Record<string, Schema | boolean>;
  try {
    lookup = dereference(schema);
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw new TypeError(
      `JSON Schema has an invalid "$id" or "$ref": ${escapeText(String(cause))}`,
      { cause },
    );
  }
  const inspection: InspectedSchema = {
    draft,
    lookup,
    inspected: new Set(),
    hasPatternProperties: false,
    hasUniqueItems: false,
  };
  inspect(inspection, schema, "");
  const { hasPatternProperties, hasUniqueItems } = inspection;
  const compiler = new NodeCompiler({
    targetsOf: (each) => targetsOf(inspection, each),
    locationOf,
    formats,
    referenceReplaces: draft === "4" || draft === "7",
    exclusiveIsFlag: draft === "4",
    containsEvaluates: draft === "2020-12",
    countsContained: draft === "2020-12" || draft === "2019-09",
  });
  const node = compiler.compile(schema);
  const { tracksEvaluated } = compiler;
  return { node, tracksEvaluated, hasPatternProperties, hasUniqueItems };
}

/** Returns the schemas to which `$ref` and `$recursiveRef` of a schema refer. */
function targetsOf(
  { lookup }: InspectedSchema,
  { $ref, $recursiveRef, __absolute_ref__, __absolute_recursive_ref__ }: SchemaObject,
): { readonly reference: unknown; readonly recursiveReference: unknown } {
  return {
    reference: $ref === undefined ? undefined : lookup[String(__absolute_ref__)],
    recursiveReference: $recursiveRef === "#"
      ? lookup[String(__absolute_recursive_ref__)]
      : undefined,
  };
}

/** Returns the location that `dereference()` stored in a schema, as a JSON Pointer. */
function locationOf({ __absolute_uri__ }: SchemaObject): string {
  const [, pointer = ""] = String(__absolute_uri__).split("#");
  return pointer === "" ? "/" : decodeURI(pointer);
}

/**
 * Removes the `id` annotation from a schema. Only draft-04 defines `id` as an identifier, but
 * `@cfworker/json-schema` reads `id` in every draft and rejects a schema in which two subschemas
 * have the same `id`.
 */
function dropAnnotationIds(schema: unknown): void {
  if (!isSchemaObject(schema)) return;
  delete schema.id;
  for (const [keyword, value] of Object.entries(schema)) {
    if (Object.hasOwn(ignoredKeyword, keyword)) continue;
    if (isMapOfSchemas(keyword)) {
      if (isSchemaObject(value)) Object.values(value).forEach(dropAnnotationIds);
    } else if (Array.isArray(value)) value.forEach(dropAnnotationIds);
    else dropAnnotationIds(value);
  }
}

/** Returns true if the value of a keyword is an object whose members are schemas. */
function isMapOfSchemas(keyword: string): boolean {
  return Object.hasOwn(schemaMapKeyword, keyword) || keyword === "dependencies";
}

function draftOf({ $schema }: Schema): SchemaDraft {
  if ($schema === undefined) return "2020-12";
  const draft = DIALECTS.get(String($schema).replace(/^https?:\/\//, "").replace(/#$/, ""));
  if (draft === undefined) {
    const known = [...DIALECTS.keys()].map((uri) => `"https://${uri}"`).join(", ");
    throw new TypeError(
      `JSON Schema is not valid: "/$schema" must be one of ${known}, got ${quote($schema)}`,
    );
  }
  return draft;
}

/**
 * Throws if a keyword is invalid. `@cfworker/json-schema` ignores invalid keywords or reports them
 * only during validation.
 */
function inspect(compiled: InspectedSchema, schema: unknown, path: string): void {
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
  if (isMapOfSchemas(keyword)) {
    if (!isSchemaObject(value)) throw broken(path, "an object of schemas", value);
    for (const [key, each] of Object.entries(value)) {
      const isNames = keyword === "dependencies" && isTextArray(each);
      if (!isNames) inspect(compiled, each, `${path}/${key}`);
    }
  } else if (Object.hasOwn(schemaArrayKeyword, keyword) && Array.isArray(value)) {
    for (const [index, each] of value.entries()) inspect(compiled, each, `${path}/${index}`);
  } else if (Object.hasOwn(schemaKeyword, keyword)) {
    inspect(compiled, value, path);
  } else if (Object.hasOwn(schemaArrayKeyword, keyword)) {
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
  $ref: string,
  path: string,
): void {
  const target = compiled.lookup[schema.__absolute_ref__ ?? ""];
  if (target === undefined) {
    throw broken(`${path}/$ref`, "a reference into the same schema", $ref);
  }
  inspect(compiled, target, $ref);
}

function inspectNumbers({ draft }: InspectedSchema, schema: Schema, path: string): void {
  for (const keyword of COUNTS) {
    const value: unknown = schema[keyword];
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) continue;
    throw broken(`${path}/${keyword}`, "a non-negative integer", value);
  }
  for (const keyword of BOUNDS) {
    const value: unknown = schema[keyword];
    const isFlag = draft === "4" && typeof value === "boolean";
    if (value === undefined || typeof value === "number" || isFlag) continue;
    throw broken(`${path}/${keyword}`, "a number", value);
  }
  if (schema.multipleOf !== undefined && !(schema.multipleOf > 0)) {
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

function isSchemaObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function broken(path: string, requirement: string, value: unknown, cause?: unknown): TypeError {
  const message = `JSON Schema is not valid: "${path || "/"}" must be ${requirement}, got ${
    quote(value)
  }`;
  return new TypeError(escapeText(message), { cause });
}

/** Properties of a value that are compared with the validator's limits. */
interface ValueSize {
  /**
   * Number of values, including nested values. Counting stops as soon as `maxNodes` is exceeded.
   */
  readonly nodes: number;
  readonly longestArray: number;
  /** Length of the longest property name, in UTF-16 code units. */
  readonly longestName: number;
  /** Whether any property or array item in the value is `undefined`. */
  readonly hasUndefined: boolean;
  /**
   * Whether the value contains `NaN` or an infinite number, as `JSON.parse()` returns for `1e400`.
   */
  readonly hasNonFinite: boolean;
}

/**
 * Measures a value without recursion, because it may be deeply nested. Stops as soon as the number
 * of nested values exceeds `maxNodes`.
 */
function measure(root: unknown, maxNodes: number): ValueSize {
  let nodes = 0;
  let longestArray = 0;
  let longestName = 0;
  let hasUndefined = false;
  let hasNonFinite = false;
  const pending: unknown[] = [root];
  while (pending.length > 0 && nodes <= maxNodes) {
    const value = pending.pop();
    nodes++;
    if (value === undefined) hasUndefined = true;
    if (typeof value === "number" && !Number.isFinite(value)) hasNonFinite = true;
    if (typeof value !== "object" || value === null) continue;
    // Members are pushed one at a time, because spreading a long array would overflow the stack.
    if (Array.isArray(value)) {
      longestArray = Math.max(longestArray, value.length);
      for (let index = 0; index < value.length; index++) pending.push(value[index]);
      continue;
    }
    for (const name of Object.keys(value)) {
      longestName = Math.max(longestName, name.length);
      pending.push(Reflect.get(value, name));
    }
  }
  return { nodes, longestArray, longestName, hasUndefined, hasNonFinite };
}

function limitIssue(
  { hasPatternProperties, hasUniqueItems }: CompiledSchema,
  { nodes, longestArray, longestName, hasNonFinite }: ValueSize,
  { maxNodes, maxPatternLength, maxUniqueItems }: Limits,
): string | undefined {
  if (nodes > maxNodes) return `is too large: maximum is ${maxNodes} values`;
  if (hasNonFinite) return "contains a number that is not finite";
  if (hasPatternProperties && longestName > maxPatternLength) {
    return `is too large: maximum is ${maxPatternLength} characters in a property name`;
  }
  return hasUniqueItems && longestArray > maxUniqueItems
    ? `is too large: maximum is ${maxUniqueItems} items in an array`
    : undefined;
}

/**
 * Removes properties whose value is `undefined` and replaces `undefined` array items with `null`,
 * as `JSON.stringify` does.
 */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutUndefined(member)]));
}

function findIssues(
  { node, tracksEvaluated }: CompiledSchema,
  value: unknown,
  { maxSteps, maxPatternLength }: Limits,
): readonly SchemaIssue[] {
  const options = { maxPatternLength, tracksEvaluated };
  try {
    const first = evaluate(node, value, { ...options, maxSteps, findsAll: false });
    if ("exceededAt" in first) {
      const at = excerpt(escapeText(first.exceededAt));
      const message = `takes too long to validate: more than ${maxSteps} steps, at "${at}"`;
      return [{ path: "", message }];
    }
    if (first.failures.length === 0) return [];
    const limit = Math.min(maxSteps, MAX_STEPS_FOR_ALL_ISSUES);
    const all = evaluate(node, value, { ...options, maxSteps: limit, findsAll: true });
    return toIssues("exceededAt" in all ? first.failures : all.failures);
  } catch (error) {
    // The evaluation recurses into the value.
    if (!(error instanceof RangeError)) throw error;
    return [{ path: "", message: "has too many levels of nesting" }];
  }
}

function quote(value: unknown): string {
  return escapeText(JSON.stringify(value) ?? String(value));
}
