/**
 * Converts schemas of an OpenAPI document to JSON Schema 2020-12 for inputs.
 *
 * Keywords are copied only if they are in a list, because documents contain keywords of other
 * drafts with values that are invalid in 2020-12, and validators and model providers reject them.
 *
 * @see {@link https://spec.openapis.org/oas/v3.0.4.html#schema-object Schema Object of version 3.0}
 * @module
 */

import { excerpt } from "@parley/internal/escape-text";
import { formatValue } from "@parley/internal/format-value";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { OpenApiDocument } from "./document.ts";
import { UnsupportedOperation } from "./failures.ts";
import { resolve, targetOf } from "./references.ts";

/** Maximum nesting depth of a schema. */
const MAX_DEPTH = 100;

/**
 * Maximum cost of the conversion for each character of the input schema. Names of members are
 * visited up to three times, and descriptions are truncated.
 */
const COST_PER_CHARACTER = 8;

/** Maximum length of a description in a schema, in characters. */
const MAX_DESCRIPTION = 512;

/** Keywords whose value is a schema. */
const SINGLE = new Set(
  "additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties"
    .split(" "),
);

/** Keywords whose value is an array of schemas. */
const LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value is an object of schemas. */
const MAP = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose value is text. Other values are dropped. */
const TEXT = new Set(["title", "description", "format", "contentEncoding", "contentMediaType"]);

/** Keywords whose value is copied. The validator of the tool rejects invalid values. */
const COPIED = new Set(
  "type enum const default multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength maxItems minItems uniqueItems maxProperties minProperties minContains maxContains dependentRequired"
    .split(" "),
);

/** Keywords for which `null` is a value. For other keywords, `null` is the same as absent. */
const NULLABLE = new Set(["const", "default"]);

const NONE: ReadonlySet<string> = new Set();

/** Converts the schemas of one operation. */
export class SchemaConverter {
  readonly #document: OpenApiDocument;
  readonly #maxChars: number;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, unknown>();
  #cost = 0;

  /**
   * Creates a converter.
   *
   * @param maxChars Maximum number of characters of the input schema. The conversion of a schema
   * that is much larger ends early: a YAML document with aliases can describe a schema that is
   * exponentially larger than the document.
   */
  constructor(document: OpenApiDocument, maxChars: number) {
    this.#document = document;
    this.#maxChars = maxChars;
  }

  /** Definitions to which the converted schemas refer. */
  get definitions(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#definitions);
  }

  /**
   * Converts a schema. A missing schema accepts every value.
   *
   * @throws {UnsupportedOperation} If the schema cannot be converted.
   */
  convert(schema: unknown): unknown {
    return this.#convert(schema ?? {}, 0, NONE);
  }

  /** @param hidden Names of members that `required` must not contain. */
  #convert(schema: unknown, depth: number, hidden: ReadonlySet<string>): unknown {
    this.#count(depth);
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema)) {
      throw new UnsupportedOperation(`a schema must be an object, got ${formatValue(schema)}`);
    }
    if (typeof schema.$ref !== "string") return this.#convertKeywords(schema, depth, hidden);
    const $ref = `#/$defs/${this.#define(schema.$ref, depth)}`;
    // Version 3.0 ignores the siblings of a reference.
    if (this.#document.isVersion30) return { $ref };
    return { ...this.#convertKeywords(schema, depth, hidden), $ref };
  }

  /** Converts the target of a reference. Returns its name in the definitions. */
  #define(reference: string, depth: number): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const target = targetOf(this.#document.root, reference);
    // No value matches a reference that leads back to itself.
    resolve(this.#document.root, target);
    const last = reference.slice(reference.lastIndexOf("/") + 1).replace(/[^\w.-]/g, "_");
    const base = last === "" || last === "__proto__" ? "schema" : last;
    let name = base;
    for (let count = 2; this.#definitions.has(name); count++) name = `${base}_${count}`;
    // The name is known before the target is converted, because schemas can be recursive.
    this.#names.set(reference, name);
    this.#definitions.set(name, {});
    this.#definitions.set(name, this.#convert(target, depth + 1, NONE));
    return name;
  }

  #convertKeywords(
    schema: UnknownRecord,
    depth: number,
    inherited: ReadonlySet<string>,
  ): Record<string, unknown> {
    const readOnly = this.#readOnlyIn(schema, depth);
    const hidden = readOnly.size === 0 ? inherited : new Set([...inherited, ...readOnly]);
    const converted = new Map<string, unknown>();
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || (value === null && !NULLABLE.has(keyword))) continue;
      const result = this.#convertKeyword(keyword, value, { depth, hidden });
      if (result !== undefined) converted.set(keyword, result);
    }
    if (this.#document.isVersion30) applyVersion30(schema, converted);
    acceptOverlap(converted);
    addItems(converted);
    return Object.fromEntries(converted);
  }

  /** Returns the value of a keyword, or `undefined` for a keyword that is dropped. */
  #convertKeyword(
    keyword: string,
    value: unknown,
    { depth, hidden }: { readonly depth: number; readonly hidden: ReadonlySet<string> },
  ): unknown {
    if (SINGLE.has(keyword)) return this.#convert(value, depth + 1, NONE);
    if (LIST.has(keyword)) {
      return this.#convertList(value, depth, keyword === "allOf" ? hidden : NONE);
    }
    if (MAP.has(keyword)) return this.#convertMap(value, depth);
    if (COPIED.has(keyword)) return this.#copy(value, depth + 1);
    if (keyword === "required") return readRequired(this.#copy(value, depth + 1), hidden);
    if (typeof value !== "string") return undefined;
    this.#count(depth, value.length);
    if (keyword === "pattern") return isPattern(value) ? value : undefined;
    if (!TEXT.has(keyword)) return undefined;
    return keyword === "description" ? toDescription(value) : value.toWellFormed();
  }

  #convertList(value: unknown, depth: number, hidden: ReadonlySet<string>): unknown {
    // The validator rejects a value that is not an array.
    if (!Array.isArray(value)) return this.#copy(value, depth + 1);
    return value.map((each) => this.#convert(each, depth + 1, hidden));
  }

  #convertMap(value: unknown, depth: number): unknown {
    if (!isRecord(value)) return this.#copy(value, depth + 1);
    const members = Object.entries(value).filter((each) => !this.#isReadOnly(each, depth));
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.#convert(member, depth + 1, NONE)]),
    );
  }

  /** Returns the names of the read-only members of a schema and of its `allOf`. */
  #readOnlyIn(schema: UnknownRecord, depth: number): ReadonlySet<string> {
    this.#count(depth);
    const { properties, allOf } = schema;
    const names = new Set<string>();
    for (const each of isRecord(properties) ? Object.entries(properties) : []) {
      if (this.#isReadOnly(each, depth)) names.add(each[0]);
    }
    for (const part of Array.isArray(allOf) ? allOf : []) {
      const target = resolve(this.#document.root, part);
      if (!isRecord(target)) continue;
      for (const name of this.#readOnlyIn(target, depth + 1)) names.add(name);
    }
    return names;
  }

  /** Returns true if a member of an object is read-only. */
  #isReadOnly([name, schema]: readonly [string, unknown], depth: number): boolean {
    this.#count(depth, 1 + name.length);
    if (!isRecord(schema)) return false;
    if (schema.readOnly === true) return true;
    if (typeof schema.$ref !== "string") return false;
    const target = resolve(this.#document.root, schema);
    return isRecord(target) && target.readOnly === true;
  }

  /** Copies JSON data. */
  #copy(value: unknown, depth: number): unknown {
    this.#count(depth, typeof value === "string" ? 1 + value.length : 1);
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, depth + 1));
    if (isRecord(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => {
          this.#count(depth, name.length);
          return [name, this.#copy(member, depth + 1)];
        }),
      );
    }
    const isData = value === null || ["string", "number", "boolean"].includes(typeof value);
    if (isData) return value;
    throw new UnsupportedOperation(`a schema contains ${formatValue(value)}, which is not JSON`);
  }

  /** Adds to the cost of the conversion, which is the number of values and of characters. */
  #count(depth: number, cost = 1): void {
    if (depth > MAX_DEPTH) {
      throw new UnsupportedOperation(`a schema has more than ${MAX_DEPTH} levels of nesting`);
    }
    this.#cost += cost;
    if (this.#cost > COST_PER_CHARACTER * this.#maxChars) throw schemaTooLong(this.#maxChars);
  }
}

/** Returns the reason for which an operation with a long input schema is not offered. */
export function schemaTooLong(maxChars: number): UnsupportedOperation {
  return new UnsupportedOperation(
    `the input schema has more than ${maxChars} characters ("maxSchemaChars")`,
  );
}

/** Returns a description as text of limited length, or `undefined` if there is none. */
export function toDescription(
  text: unknown,
  maxLength: number = MAX_DESCRIPTION,
): string | undefined {
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return excerpt(text.trim(), maxLength).toWellFormed();
}

/**
 * Returns the required members that are inputs. A boolean, as in older drafts, is dropped: it says
 * that the schema's value is required, which the schema around it says again.
 */
function readRequired(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (typeof value === "boolean") return undefined;
  if (!Array.isArray(value)) return value;
  const names = value.filter((name) => !hidden.has(name));
  return names.length === 0 ? undefined : names;
}

/**
 * Returns true if a pattern is valid with the `u` flag, with which JSON Schema validators compile
 * it. Other patterns are dropped, and the server checks the value.
 */
function isPattern(value: string): boolean {
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    // The pattern is not valid.
    return false;
  }
}

/**
 * Adds the items to a schema for arrays without them, because OpenAI rejects such a schema. The
 * items may be of any type, as without the keyword.
 */
function addItems(converted: Map<string, unknown>): void {
  if (converted.has("items") || converted.has("unevaluatedItems")) return;
  const type = converted.get("type");
  if (type === "array" || (Array.isArray(type) && type.includes("array"))) {
    converted.set("items", {});
  }
}

/**
 * Replaces `oneOf` with `anyOf`. In many documents, a value that the API accepts matches several
 * alternatives, for example because all their members are optional. The server checks the value.
 */
function acceptOverlap(converted: Map<string, unknown>): void {
  const alternatives = converted.get("oneOf");
  if (alternatives === undefined) return;
  converted.delete("oneOf");
  if (!converted.has("anyOf")) {
    converted.set("anyOf", alternatives);
    return;
  }
  const all = converted.get("allOf") ?? [];
  if (Array.isArray(all)) converted.set("allOf", [...all, { anyOf: alternatives }]);
}

/** Converts the keywords of version 3.0 that differ from JSON Schema. */
function applyVersion30(schema: UnknownRecord, converted: Map<string, unknown>): void {
  for (const [exclusive, bound] of BOUNDS) {
    const flag = schema[exclusive];
    if (typeof flag !== "boolean") continue;
    converted.delete(exclusive);
    if (!flag || typeof schema[bound] !== "number") continue;
    converted.delete(bound);
    converted.set(exclusive, schema[bound]);
  }
  // Without a type in the same schema, `nullable` has no effect.
  if (schema.nullable !== true || typeof schema.type !== "string") return;
  converted.set("type", [schema.type, "null"]);
  const values = converted.get("enum");
  if (Array.isArray(values) && !values.includes(null)) converted.set("enum", [...values, null]);
}

const BOUNDS = [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const;
