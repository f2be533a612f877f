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
  schemaArrayKeyword,
  type SchemaDraft,
  schemaKeyword,
  schemaMapKeyword,
} from "@cfworker/json-schema";
import { assertCount } from "./assert_argument.ts";
import { escapeText, excerpt } from "./escape_text.ts";
import { evaluate } from "./json_schema_evaluation.ts";
import {
  inspect,
  type InspectedSchema,
  isSchemaObject,
  quote,
  type Schema,
  type SchemaKeywords,
} from "./json_schema_inspection.ts";
import { toIssues } from "./json_schema_issues.ts";
import {
  NodeCompiler,
  type SchemaNode,
  type SchemaObject,
  type SchemaTargets,
} from "./json_schema_node.ts";
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

const KEYWORDS: SchemaKeywords = {
  single: new Set(Object.keys(schemaKeyword)),
  list: new Set(Object.keys(schemaArrayKeyword)),
  map: new Set([...Object.keys(schemaMapKeyword), "dependencies"]),
};

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
  let lookup: Readonly<Record<string, unknown>>;
  try {
    lookup = dereference(schema);
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw new TypeError(
      `JSON Schema has an invalid "$id" or "$ref": ${escapeText(String(cause))}`,
      { cause },
    );
  }
  const exclusiveIsFlag = draft === "4";
  const inspection: InspectedSchema = {
    lookup,
    keywords: KEYWORDS,
    exclusiveIsFlag,
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
    exclusiveIsFlag,
    containsEvaluates: draft === "2020-12",
    countsContained: draft === "2020-12" || draft === "2019-09",
  });
  const node = compiler.compile(schema);
  const { tracksEvaluated } = compiler;
  return { node, tracksEvaluated, hasPatternProperties, hasUniqueItems };
}

/**
 * Returns the schema to which `$ref` of a schema refers, the resource that contains the schema, and
 * whether `$recursiveRef` refers to this resource.
 */
function targetsOf(
  { lookup }: InspectedSchema,
  { $ref, $recursiveRef, __absolute_ref__, __absolute_uri__ }: SchemaObject,
): SchemaTargets {
  const [resource = ""] = String(__absolute_uri__).split("#");
  return {
    reference: $ref === undefined ? undefined : lookup[String(__absolute_ref__)],
    resource: lookup[resource],
    isRecursive: $recursiveRef === "#",
  };
}

/** Returns the location that `dereference()` stored in a schema, as a JSON Pointer. */
function locationOf({ __absolute_uri__ }: SchemaObject): string {
  const [, pointer = ""] = String(__absolute_uri__).split("#");
  try {
    return pointer === "" ? "/" : decodeURI(pointer);
  } catch {
    // A schema can contain a member with the name of the location.
    return pointer;
  }
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
    if (KEYWORDS.map.has(keyword)) {
      if (isSchemaObject(value)) Object.values(value).forEach(dropAnnotationIds);
    } else if (Array.isArray(value)) value.forEach(dropAnnotationIds);
    else dropAnnotationIds(value);
  }
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
