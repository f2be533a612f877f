/**
 * Converts the output of `@cfworker/json-schema` to issues that a model can act on.
 *
 * `@cfworker/json-schema` reports every failing subschema on the path to a violated keyword. Output
 * entries that only report a failing subschema are dropped. For `anyOf` and `oneOf`, only the
 * alternative whose type and tag match the value best is reported.
 *
 * @module
 */

import { excerpt } from "./escape_text.ts";
import type { SchemaIssue } from "./schema_types.ts";

/**
 * An entry in the output of `@cfworker/json-schema`: a violated keyword, or a keyword whose
 * subschema is violated.
 */
export interface OutputUnit {
  /** Name of the JSON Schema keyword. */
  readonly keyword: string;
  /** JSON Pointer to the keyword, along the evaluation path, as a URI fragment. */
  readonly keywordLocation: string;
  /** JSON Pointer to the value, as a URI fragment. */
  readonly instanceLocation: string;
  /** Description of the violation. */
  readonly error: string;
}

/**
 * Keywords that are satisfied if one of several alternatives matches. In the output of
 * `@cfworker/json-schema`, the output unit for a keyword with alternatives is followed by the
 * output units for the alternatives.
 */
const ALTERNATIVES: ReadonlySet<string> = new Set(["anyOf", "contains", "oneOf"]);

/** Maximum number of issues to convert. */
const MAX_ISSUES = 16;

/**
 * Maximum length of a path and of a message. Property names and the values of an `enum` can be
 * long.
 */
const MAX_LENGTH = 1000;

/**
 * Converts the output of `@cfworker/json-schema` to issues. In the flat list of output units, the
 * units for subschemas follow the unit for their parent schema.
 */
export function toIssues(units: readonly OutputUnit[]): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (let index = 0; index < units.length && issues.length < MAX_ISSUES; index++) {
    const unit = units[index];
    if (unit === undefined) continue;
    if (!ALTERNATIVES.has(unit.keyword)) {
      if (!isContainer(unit, units[index + 1])) issues.push(toIssue(unit, units[index - 1]));
      continue;
    }
    const start = index + 1;
    while (isBelow(unit, units[index + 1])) index++;
    issues.push(...alternativeIssues(unit, units.slice(start, index + 1)));
  }
  return issues;
}

/**
 * Returns true if an output unit only reports that a subschema is violated, and the units for that
 * subschema follow.
 */
function isContainer(unit: OutputUnit, next: OutputUnit | undefined): boolean {
  // An output unit for "if" is followed by output units for "then" or "else", whose locations are
  // not under the location of "if".
  return unit.keyword === "if" || isBelow(unit, next);
}

function isBelow({ keywordLocation }: OutputUnit, unit: OutputUnit | undefined): boolean {
  // For the schema `false`, `@cfworker/json-schema` sets the keyword location to the instance
  // location.
  return unit !== undefined &&
    (unit.keyword === "false" || unit.keywordLocation.startsWith(`${keywordLocation}/`));
}

/**
 * Returns the issues of the alternative whose type and tag match the value best. If several
 * alternatives match equally well, returns a single issue for all alternatives.
 */
function alternativeIssues(
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
  if (best.length === 1 && best[0] !== undefined) return toIssues(best[0]);
  const reasons = mismatches.flatMap(([unit]) => unit ? [toIssue(unit, undefined)] : []);
  const messages = new Set(reasons.map(({ message }) => message));
  const common = reasons[0]?.path;
  return reasons.length > 0 && reasons.length === branches.length &&
      reasons.every((reason) => reason.path === common)
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

/**
 * Returns true if an output unit reports that the value has a different type or tag than an
 * alternative requires.
 */
function isMismatch(parent: OutputUnit, { keyword, instanceLocation }: OutputUnit): boolean {
  if (keyword === "type") return instanceLocation === parent.instanceLocation;
  const below = instanceLocation.slice(parent.instanceLocation.length);
  return (keyword === "const" || keyword === "enum") && below.split("/").length <= 2;
}

function toIssue(unit: OutputUnit, previous: OutputUnit | undefined): SchemaIssue {
  return { path: pathOf(unit), message: excerpt(describe(unit, previous), MAX_LENGTH) };
}

function describe({ keyword, error }: OutputUnit, previous: OutputUnit | undefined): string {
  switch (keyword) {
    case "false":
      return previous?.keyword.endsWith("Properties")
        ? "is not a known property"
        : "is not allowed";
    case "required":
      return error.replace(/^.* required property (".*")\.$/s, "$1 is required");
    case "type":
      return error.replace(
        /^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/s,
        (_, actual: string, types: string) =>
          `must be ${types.replaceAll('", "', " or ")}, got ${actual}`,
      );
    case "exclusiveMinimum":
      return error.replace(/^(.*) is less than (.*)\.$/s, "must be greater than $2, got $1");
    case "maxProperties":
      return error.replace(/^.* at least (.*)\.$/s, "must have at most $1");
    default:
      return phrase(error);
  }
}

/**
 * Returns the JSON Pointer to the invalid value, truncated. In the output of
 * `@cfworker/json-schema`, the pointer is a percent-encoded URI fragment.
 */
function pathOf({ instanceLocation }: OutputUnit): string {
  // `@cfworker/json-schema` encodes "#" as "%23", which `decodeURI()` leaves unchanged.
  return excerpt(decodeURI(instanceLocation.slice(1).replaceAll("%23", "#")), MAX_LENGTH);
}

/**
 * Converts a sentence from `@cfworker/json-schema` to a phrase that can follow the path of the
 * value.
 */
function phrase(sentence: string): string {
  const text = sentence.replace(/^Instance /, "").replace(/\.$/, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}
