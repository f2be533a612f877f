/**
 * Converts the input schemas of tools to schemas that model APIs accept.
 *
 * An API that rejects the schema of one tool rejects every request that contains the tool. The
 * schemas often come from foreign servers. The tool's own schema still validates the input, so a
 * schema that is sent may accept more than the tool.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { foldBranches } from "./schema_branches.ts";
import { COMBINATIONS, LISTS, MAPS, SCHEMAS } from "./schema_keywords.ts";
import { decodeSegment, followReferences, repairReferences } from "./schema_references.ts";
import { shortHash } from "@parley/internal/short-hash";

/** A schema that model APIs accept. */
export interface WireSchema {
  /** Schema of an object, without a combination of schemas at the top level. */
  readonly schema: JsonObject;
  /** Part of the tool's schema that only its description can express. */
  readonly omitted: JsonObject | undefined;
  /** Whether the schema lacks properties, because the tool's schema has too many branches. */
  readonly isCut: boolean;
  /** Original property names, keyed by the names in the schema, for names that differ. */
  readonly propertyNames: ReadonlyMap<string, string>;
}

/** Property names that model APIs accept. */
const ACCEPTED_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Number of characters of a property name that are kept in a converted name. */
const KEPT_LENGTH = 55;

/** Maximum nesting depth of a schema that is sent. */
const MAX_DEPTH = 64;

/** Keywords whose value is any JSON value. */
const VALUES = new Set(["const", "default", "example", "examples"]);

/** Keywords whose value is text, a number or a boolean. APIs reject other values. */
const TEXTS = new Set(["$comment", "$id", "$schema", "description", "format", "pattern", "title"]);
const NUMBERS = new Set([
  ...["maximum", "maxItems", "maxLength", "maxProperties"],
  ...["minimum", "minItems", "minLength", "minProperties", "multipleOf"],
]);
const BOOLEANS = new Set(["deprecated", "readOnly", "uniqueItems", "writeOnly"]);

const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/**
 * Converts the input schema of a tool.
 *
 * @param schema JSON Schema of the tool.
 * @returns The schema, or `undefined` if the schema accepts no object.
 */
export function toWireSchema(schema: JsonObject): WireSchema | undefined {
  const names = new Map<string, string>();
  const repaired = repairSchema(schema, { names, depth: 0 });
  if (!isRecord(repaired)) return undefined;
  const root = followReferences(repaired);
  const folded = foldBranches(root);
  if (folded === undefined) return undefined;
  const sent = repairReferences(folded.schema, root);
  const omitted = pick(root, COMBINATIONS);
  return {
    schema: {
      ...sent,
      type: "object",
      properties: isRecord(sent.properties) ? sent.properties : {},
    },
    isCut: folded.isCut,
    omitted: Object.keys(omitted).length === 0 ? undefined : omitted,
    propertyNames: names,
  };
}

/** Replaces converted property names by the original names, in objects at any depth. */
export function restoreNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => restoreNames(item, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [name, item],
    ) => [names.get(name) ?? name, restoreNames(item, names)]),
  );
}

interface Repair {
  /** Receives the original names of the converted property names. */
  readonly names: Map<string, string>;
  readonly depth: number;
}

/**
 * Corrects a schema: keywords without a valid value, keywords of old drafts, and property names.
 * Some servers reject `true` as a schema.
 */
function repairSchema(schema: JsonValue, { names, depth }: Repair): JsonValue {
  if (!isRecord(schema)) return schema === false ? schema : {};
  if (depth > MAX_DEPTH) return {};
  const below: Repair = { names, depth: depth + 1 };
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    const repaired = repairKeyword(keyword, value, below);
    return repaired === undefined ? [] : [[keyword, repaired] as const];
  });
  return fromOldDrafts(Object.fromEntries(entries));
}

function repairKeyword(keyword: string, value: JsonValue, below: Repair): JsonValue | undefined {
  if (VALUES.has(keyword)) return value;
  // Some programs write `null` for a keyword without a value.
  if (value === null) return undefined;
  if (MAPS.has(keyword)) return isRecord(value) ? repairMap(keyword, value, below) : undefined;
  if (LISTS.has(keyword) || (keyword === "items" && Array.isArray(value))) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return value.map((item) => repairSchema(item, below));
  }
  if (SCHEMAS.has(keyword)) {
    if (typeof value === "boolean" && keyword !== "items") return value;
    return isRecord(value) || typeof value === "boolean" ? repairSchema(value, below) : undefined;
  }
  if (TEXTS.has(keyword)) return typeof value === "string" ? value : undefined;
  if (NUMBERS.has(keyword)) return typeof value === "number" ? value : undefined;
  if (BOOLEANS.has(keyword)) return typeof value === "boolean" ? value : undefined;
  switch (keyword) {
    case "enum":
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case "required":
      return Array.isArray(value)
        ? unique(value.filter((name) => typeof name === "string"))
          .map((name) => toWireProperty(name, below))
        : undefined;
    case "type":
      return repairType(value);
    case "$ref":
      return typeof value === "string" ? renameInPointer(value, below) : undefined;
    case "dependentRequired":
      return isRecord(value) ? repairDependencies(value, below) : undefined;
    default:
      return value;
  }
}

function repairMap(keyword: string, map: JsonObject, below: Repair): JsonObject {
  const isNamed = keyword === "properties" || keyword === "dependentSchemas";
  return Object.fromEntries(
    Object.entries(map).map(([name, schema]) => {
      const wireName = isNamed ? toWireProperty(name, below) : name;
      const repaired = repairSchema(schema, below);
      return [wireName, wireName === name ? repaired : describe(repaired, name)];
    }),
  );
}

/** Tells the model the original name of a property. */
function describe(schema: JsonValue, name: string): JsonValue {
  if (!isRecord(schema)) return schema === false ? schema : { description: JSON.stringify(name) };
  const { description } = schema;
  const words = typeof description === "string" ? `: ${description}` : "";
  return { ...schema, description: `${JSON.stringify(name)}${words}` };
}

function repairDependencies(value: JsonObject, below: Repair): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, required]) =>
      Array.isArray(required)
        ? [[
          toWireProperty(name, below),
          required.filter((each) => typeof each === "string")
            .map((each) => toWireProperty(each, below)),
        ]]
        : []
    ),
  );
}

/** Returns the type in lowercase. The schemas of Google's APIs have types in uppercase. */
function repairType(value: JsonValue): JsonValue | undefined {
  const names = Array.isArray(value) ? value : [value];
  const types = names.flatMap((name) => typeof name === "string" ? [name.toLowerCase()] : [])
    .filter((type) => TYPES.has(type));
  const [only] = types;
  return Array.isArray(value) && only !== undefined ? unique(types) : only;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** Returns a property name that APIs accept. */
function toWireProperty(name: string, { names }: Repair): string {
  if (ACCEPTED_NAME.test(name)) return name;
  const kept = name.slice(0, KEPT_LENGTH).replace(/[^A-Za-z0-9_.-]/g, "_");
  const wireName = `${kept}_${shortHash(name)}`;
  names.set(wireName, name);
  return wireName;
}

/** Converts the property names in a reference such as `#/properties/a%20b`. */
function renameInPointer(reference: string, below: Repair): string {
  if (!reference.startsWith("#/")) return reference;
  const segments = reference.slice(2).split("/");
  return `#/${
    segments.map((segment, index) => {
      if (segments[index - 1] !== "properties") return segment;
      const name = decodeSegment(segment);
      return name === undefined || ACCEPTED_NAME.test(name) ? segment : toWireProperty(name, below);
    }).join("/")
  }`;
}

/**
 * Converts keywords of JSON Schema draft 4 to draft 7, which have another form in draft 2020-12.
 * Adds the `items` of an array, without which some APIs reject the schema.
 */
function fromOldDrafts(schema: JsonObject): JsonObject {
  const { items, additionalItems, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const isTuple = Array.isArray(items);
  const isArray = rest.type === "array" ||
    (Array.isArray(rest.type) && rest.type.includes("array"));
  const isOpen = isArray && !isTuple && rest.prefixItems === undefined;
  return {
    ...isTuple ? { ...rest, prefixItems: items } : rest,
    ...isTuple && additionalItems !== undefined ? { items: additionalItems } : {},
    ...isTuple ? {} : items !== undefined ? { items } : isOpen ? { items: {} } : {},
    ...toLimit("exclusiveMinimum", exclusiveMinimum, rest.minimum),
    ...toLimit("exclusiveMaximum", exclusiveMaximum, rest.maximum),
  };
}

function toLimit(
  keyword: string,
  value: JsonValue | undefined,
  limit: JsonValue | undefined,
): JsonObject {
  const exclusive = value === true ? limit : value;
  return typeof exclusive === "number" ? { [keyword]: exclusive } : {};
}

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => keywords.includes(name)));
}
