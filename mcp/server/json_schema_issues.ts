/**
 * Issues of JSON Schema validation in words that a model can act on, from the output of `@cfworker/json-schema`.
 *
 * The library reports each failing subschema down to the violated keyword. Only the violations are kept, and of the
 * alternatives of `anyOf` and `oneOf` only the one that the value was meant to match.
 *
 * @module
 */

import type { SchemaIssue } from "./schema.ts";

/** A schema and its subschemas. */
export interface ResolvedSchema {
  /** The root schema. */
  readonly schema: object;
  /** Subschemas by absolute URI. */
  readonly lookup: Readonly<Record<string, object | boolean>>;
}

/** A unit of the library's output: a violated keyword, or a keyword whose subschema is violated. */
export interface OutputUnit {
  /** The keyword. */
  readonly keyword: string;
  /** JSON Pointer to the keyword, along the path of evaluation, as a URI fragment. */
  readonly keywordLocation: string;
  /** JSON Pointer to the value, as a URI fragment. */
  readonly instanceLocation: string;
  /** Description of the violation. */
  readonly error: string;
}

/** Keywords whose issue only reports that a subschema has issues. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$recursiveRef",
  "$ref",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "dependencies",
  "dependentSchemas",
  "if",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose issue is followed by the issues of alternatives, of which only one needs to match. */
const ALTERNATIVES: ReadonlySet<string> = new Set(["anyOf", "contains", "oneOf"]);

/** Phrases for keywords whose value is a number. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  ["exclusiveMaximum", "must be less than"],
  ["exclusiveMinimum", "must be greater than"],
  ["maximum", "must be at most"],
  ["maxItems", "number of items must be at most"],
  ["maxLength", "length must be at most"],
  ["maxProperties", "number of properties must be at most"],
  ["minimum", "must be at least"],
  ["minItems", "number of items must be at least"],
  ["minLength", "length must be at least"],
  ["minProperties", "number of properties must be at least"],
  ["multipleOf", "must be a multiple of"],
]);

/** Converts the flat output of the library, in which the units of subschemas follow the unit of their parent. */
export function toIssues(resolved: ResolvedSchema, units: readonly OutputUnit[]): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (let index = 0; index < units.length; index++) {
    const unit = units[index];
    if (unit === undefined || WRAPPERS.has(unit.keyword)) continue;
    if (!ALTERNATIVES.has(unit.keyword)) {
      issues.push(toIssue(resolved, unit, units[index - 1]));
      continue;
    }
    const start = index + 1;
    while (isBelow(unit, units[index + 1])) index++;
    issues.push(...alternativeIssues(resolved, unit, units.slice(start, index + 1)));
  }
  return issues;
}

function isBelow({ keywordLocation }: OutputUnit, unit: OutputUnit | undefined): boolean {
  // The library gives no keyword location for the schema `false`.
  return unit !== undefined &&
    (unit.keyword === "false" || unit.keywordLocation.startsWith(`${keywordLocation}/`));
}

/** Reports the issues of the alternative that the value was meant to match, if that is clear. */
function alternativeIssues(
  resolved: ResolvedSchema,
  parent: OutputUnit,
  units: readonly OutputUnit[],
): SchemaIssue[] {
  const path = pathOf(parent);
  const matches = Number(/\((\d+) matches\)/.exec(parent.error)?.[1] ?? 0);
  if (matches > 1) return [{ path, message: `must match exactly one schema, matches ${matches}` }];
  if (parent.keyword === "contains") return [{ path, message: phrase(parent.error) }];
  const branches = splitByBranch(parent, units);
  const mismatches = branches.map((branch) => branch.filter((unit) => isMismatch(parent, unit)));
  const fewest = Math.min(...mismatches.map(({ length }) => length));
  const best = branches.filter((_, index) => mismatches[index]?.length === fewest);
  if (best.length === 1 && best[0] !== undefined) return toIssues(resolved, best[0]);
  const reasons = mismatches.flatMap(([unit]) => unit ? [toIssue(resolved, unit, undefined)] : []);
  const messages = new Set(reasons.map(({ message }) => message));
  const common = reasons[0]?.path;
  return reasons.length === branches.length && reasons.every((reason) => reason.path === common)
    ? [{ path: common ?? path, message: [...messages].join(", or ") }]
    : [{ path, message: `must match one of ${branches.length} schemas` }];
}

function splitByBranch(parent: OutputUnit, units: readonly OutputUnit[]): OutputUnit[][] {
  const branches = new Map<string, OutputUnit[]>();
  const start = parent.keywordLocation.length + 1;
  let branch = "";
  for (const unit of units) {
    if (unit.keyword !== "false") branch = unit.keywordLocation.slice(start).split("/", 1)[0] ?? "";
    const members = branches.get(branch);
    if (members === undefined) branches.set(branch, [unit]);
    else members.push(unit);
  }
  return [...branches.values()];
}

/** Returns true if a unit shows that the value was not meant for a branch: another type, or another tag. */
function isMismatch(parent: OutputUnit, { keyword, instanceLocation }: OutputUnit): boolean {
  if (keyword === "type") return instanceLocation === parent.instanceLocation;
  const below = instanceLocation.slice(parent.instanceLocation.length);
  return (keyword === "const" || keyword === "enum") && below.split("/").length <= 2;
}

function toIssue(
  resolved: ResolvedSchema,
  unit: OutputUnit,
  previous: OutputUnit | undefined,
): SchemaIssue {
  return { path: pathOf(unit), message: describe(resolved, unit, previous) };
}

function describe(
  resolved: ResolvedSchema,
  { keyword, keywordLocation, error }: OutputUnit,
  previous: OutputUnit | undefined,
): string {
  const expected = keyword === "false" ? undefined : keywordValue(resolved, keywordLocation);
  const limit = LIMITS.get(keyword);
  if (limit !== undefined && typeof expected === "number") return `${limit} ${expected}`;
  switch (keyword) {
    case "const":
      return `must be ${quote(expected)}`;
    case "enum":
      return Array.isArray(expected)
        ? `must be one of ${expected.map(quote).join(", ")}`
        : phrase(error);
    case "false":
      return describeFalse(resolved, previous);
    case "format":
      return `must match the format ${quote(expected)}`;
    case "pattern":
      return `must match the pattern ${quote(expected)}`;
    case "required":
      return `${/"(?:.*)"/s.exec(error)?.[0] ?? "a property"} is required`;
    case "type":
      return error.replace(
        /^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/s,
        (_, actual: string, types: string) =>
          `must be ${types.replaceAll('", "', " or ")}, got ${actual}`,
      );
    default:
      return phrase(error);
  }
}

/** Describes a value for which the schema is `false`; mostly an unknown property. */
function describeFalse(resolved: ResolvedSchema, previous: OutputUnit | undefined): string {
  if (!previous?.keyword.endsWith("Properties")) return "is not allowed";
  const siblings = previous.keywordLocation.replace(/[^/]*$/, "properties");
  const known = Object.keys(Object(keywordValue(resolved, siblings)));
  const list = known.length === 0 ? "" : `; known properties: ${known.map(quote).join(", ")}`;
  return `is not a known property${list}`;
}

/** Value of a keyword in the schema; undefined if the library's location does not lead to it. */
function keywordValue({ schema, lookup }: ResolvedSchema, location: string): unknown {
  let current: unknown = schema;
  for (const segment of location.split("/").slice(1)) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = decodePointer(segment);
    const parent: Readonly<Record<string, unknown>> = { ...current };
    const ref = Object.getOwnPropertyDescriptor(current, "__absolute_ref__")?.value;
    current = key === "$ref" && typeof ref === "string" ? lookup[ref] : parent[key];
  }
  return current;
}

/** The library encodes each segment of a JSON Pointer as a part of a URI fragment. */
function pathOf({ instanceLocation }: OutputUnit): string {
  return decodeURI(instanceLocation.slice(1));
}

function decodePointer(segment: string): string {
  return decodeURI(segment).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Formats a sentence of the library as a phrase that follows a path. */
function phrase(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
