/**
 * Validation against JSON Schema 2020-12. Only this module imports the validator library.
 *
 * @module
 */

import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";

/** The first violation of a schema. */
export interface SchemaProblem {
  /** JSON Pointer to the invalid value, or an empty string if the whole value is invalid. */
  readonly path: string;
  /** Description of the violation. */
  readonly message: string;
}

/** Finds the first violation of a schema. Returns `undefined` if the value is valid. */
export type SchemaCheck = (value: unknown) => SchemaProblem | undefined;

/** Finds the violations of a schema. Returns an empty list if the value is valid. */
export type SchemaProblems = (value: unknown) => readonly SchemaProblem[];

/** Keywords whose errors state only that a nested schema failed. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "if",
  "items",
  "properties",
]);

/**
 * Compiles a schema.
 *
 * @param schema A JSON Schema (draft 2020-12): an object or a boolean.
 */
export function compileSchema(schema: object | boolean): SchemaCheck {
  const validator = createValidator(schema);
  return (value) => {
    // The validator library throws for a value that JSON cannot represent.
    if (value === undefined) return { path: "", message: "is missing" };
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : toProblem(errors);
  };
}

/**
 * Compiles a schema to a function that finds all violations, and not only the first one. If a value
 * matches none of several schemas (`anyOf`), this is one problem.
 *
 * @param schema A JSON Schema (draft 2020-12): an object or a boolean.
 */
export function compileSchemaProblems(schema: object | boolean): SchemaProblems {
  const validator = createValidator(schema);
  return (value) => {
    if (value === undefined) return [{ path: "", message: "is missing" }];
    const { valid, errors } = validator.validate(value);
    return valid ? [] : toProblems(errors);
  };
}

function createValidator(schema: object | boolean): Validator {
  // The validator library's schema type is stricter than the type of a JSON import: it requires
  // literal types for "type".
  return new Validator(schema as Schema | boolean, "2020-12", false);
}

function toProblems(errors: readonly OutputUnit[]): readonly SchemaProblem[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf");
  const isInUnion = ({ keywordLocation }: OutputUnit) =>
    unions.some((union) => keywordLocation.startsWith(`${union.keywordLocation}/`));
  const units = errors.filter((unit) => !WRAPPERS.has(unit.keyword) && !isInUnion(unit));
  return units.map((unit) => ({ path: unit.instanceLocation.slice(1), message: describe(unit) }));
}

function toProblem(errors: readonly OutputUnit[]): SchemaProblem {
  const unit = errors.find((error) => !WRAPPERS.has(error.keyword)) ?? errors.at(-1);
  if (unit === undefined) return { path: "", message: "is not valid" };
  return { path: unit.instanceLocation.slice(1), message: describe(unit) };
}

function describe({ keyword, error }: OutputUnit): string {
  const name = /[Pp]roperty "([^"]*)"/.exec(error)?.[1];
  if (keyword === "unevaluatedProperties" && name !== undefined) return `has no member "${name}"`;
  if (keyword === "false") return "is not a member of this object";
  if (keyword === "not") return "is not allowed here";
  if (keyword === "anyOf") return "matches none of the allowed forms";
  if (keyword === "required" && name !== undefined) return `has no member "${name}"`;
  return error.replace(/\.$/, "");
}
