/**
 * Local references in JSON Schemas.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { COMBINATIONS, LISTS, MAPS, SCHEMAS } from "./schema_keywords.ts";

/** Maximum number of references at the top level that are followed. */
const MAX_REFERENCES = 8;

/** Decodes a segment of a JSON Pointer in a URI (RFC 6901, section 6). */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // The percent-encoding is invalid, so the reference has no target.
    return undefined;
  }
}

/** Returns the schema that a local reference refers to, if it is an object. */
export function findTarget(root: JsonObject, reference: JsonValue): JsonObject | undefined {
  const target = findValue(root, reference);
  return isRecord(target) ? target : undefined;
}

/** Replaces a reference at the top level by the schema that it refers to. */
export function followReferences(schema: JsonObject): JsonObject {
  let root = schema;
  for (let count = 0; typeof root.$ref === "string" && count < MAX_REFERENCES; count++) {
    const { $ref: reference, ...rest } = root;
    root = { ...findTarget(schema, reference), ...rest };
  }
  const { $ref: _, ...rest } = root;
  return rest;
}

/**
 * Repairs the references in a schema whose combinations at the top level were removed. The removed
 * schemas to which references refer move to `$defs`. A reference without a target is removed,
 * because some APIs reject it.
 *
 * @param schema The schema without combinations.
 * @param whole The schema with combinations.
 */
export function repairReferences(schema: JsonObject, whole: JsonObject): JsonObject {
  const definitions = isRecord(schema.$defs) ? schema.$defs : {};
  const removed = new RemovedSchemas(whole, new Set(Object.keys(definitions)));
  const repair = (reference: JsonValue): string | undefined => {
    for (const form of formsOf(reference)) {
      const current = isSchema(findValue(schema, form)) ? form : removed.move(form);
      if (current !== undefined) return current;
    }
    return undefined;
  };
  const repaired = rewrite(schema, repair);
  const moved = removed.takeAll((each) => rewrite(each, repair));
  if (!isRecord(repaired) || moved.length === 0) return isRecord(repaired) ? repaired : schema;
  const own = isRecord(repaired.$defs) ? repaired.$defs : {};
  return { ...repaired, $defs: { ...own, ...Object.fromEntries(moved) } };
}

/** The schemas that were removed from the top level, of which some move to `$defs`. */
class RemovedSchemas {
  readonly #whole: JsonObject;
  readonly #names: Set<string>;
  /** Names in `$defs`, keyed by the references to the moved schemas. */
  readonly #moved = new Map<string, string>();

  constructor(whole: JsonObject, names: Set<string>) {
    this.#whole = whole;
    this.#names = names;
  }

  /** Moves the schema that contains the target. Returns the new reference to the target. */
  move(reference: string): string | undefined {
    const segments = reference.slice(2).split("/");
    const [keyword = ""] = segments;
    const isRemoved = COMBINATIONS.some((each) => each === keyword);
    if (!isRemoved || !isSchema(findValue(this.#whole, reference))) return undefined;
    const length = LISTS.has(keyword) || MAPS.has(keyword) ? 2 : 1;
    const path = segments.slice(0, length);
    const base = `#/${path.join("/")}`;
    const name = this.#moved.get(base) ?? this.#createName(path);
    this.#moved.set(base, name);
    return ["#/$defs", name, ...segments.slice(length)].join("/");
  }

  #createName(path: readonly string[]): string {
    let name = path.join("_").replace(/[^A-Za-z0-9_.-]/g, "_");
    while (this.#names.has(name)) name += "_";
    this.#names.add(name);
    return name;
  }

  /** Returns the moved schemas, which `convert` converts and in which it can move further ones. */
  takeAll(convert: (schema: JsonValue) => JsonValue): (readonly [string, JsonValue])[] {
    const taken: (readonly [string, JsonValue])[] = [];
    // The loop also visits the schemas that are moved during the loop.
    for (const [base, name] of this.#moved) {
      taken.push([name, convert(findValue(this.#whole, base) ?? {})]);
    }
    return taken;
  }
}

/**
 * Returns the forms of a reference, of which the first one with a target applies. The second form
 * contains the current names of keywords of old drafts.
 */
function formsOf(reference: JsonValue): readonly string[] {
  if (typeof reference !== "string") return [];
  const current = reference.replace(/\/items\/(?=\d+(?:\/|$))/g, "/prefixItems/")
    .replace(/\/additionalItems(?=\/|$)/g, "/items");
  return current === reference ? [reference] : [reference, current];
}

function isSchema(value: JsonValue | undefined): boolean {
  return isRecord(value) || typeof value === "boolean";
}

function findValue(root: JsonObject, reference: JsonValue): JsonValue | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let target: JsonValue | undefined = root;
  for (const segment of reference.slice(2).split("/")) {
    const name = decodeSegment(segment);
    if (name === undefined) return undefined;
    if (Array.isArray(target)) target = /^\d+$/.test(name) ? target[Number(name)] : undefined;
    else target = isRecord(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

/** Replaces the references in a schema and the schemas in it. */
function rewrite(
  schema: JsonValue,
  repair: (reference: JsonValue) => string | undefined,
): JsonValue {
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "$ref") {
      const reference = repair(value);
      return reference === undefined ? [] : [[keyword, reference] as const];
    }
    return [[keyword, rewriteKeyword(keyword, value, repair)] as const];
  });
  return Object.fromEntries(entries);
}

function rewriteKeyword(
  keyword: string,
  value: JsonValue,
  repair: (reference: JsonValue) => string | undefined,
): JsonValue {
  if (MAPS.has(keyword) && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, rewrite(each, repair)]),
    );
  }
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((each) => rewrite(each, repair));
  return SCHEMAS.has(keyword) ? rewrite(value, repair) : value;
}
