/**
 * Validation against JSON Schema 2020-12: the one door to the validator library.
 *
 * @module
 */

import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";

/** One place where a value breaks its schema. */
export interface SchemaProblem {
  /** Where, as a JSON Pointer; empty for the whole value. */
  readonly path: string;
  /** What is wrong there. */
  readonly message: string;
}

/** Finds the first problem of a value, or undefined when it is valid. */
export type SchemaCheck = (value: unknown) => SchemaProblem | undefined;

/** Keywords that only say "something inside is wrong". */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "if",
  "items",
  "properties",
]);

/**
 * Makes a check from a schema.
 *
 * @param schema a JSON Schema of draft 2020-12: an object or a boolean
 */
export function compileSchema(schema: object | boolean): SchemaCheck {
  // The library's type is stricter than any JSON import: it wants literal types for "type".
  const validator = new Validator(schema as Schema | boolean, "2020-12", false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : toProblem(errors);
  };
}

function toProblem(errors: readonly OutputUnit[]): SchemaProblem {
  const unit = errors.find((error) => !WRAPPERS.has(error.keyword)) ?? errors.at(-1);
  if (unit === undefined) return { path: "", message: "is not valid" };
  return { path: unit.instanceLocation.slice(1), message: describe(unit) };
}

function describe({ keyword, error }: OutputUnit): string {
  const name = /Property "([^"]*)"/.exec(error)?.[1];
  if (keyword === "unevaluatedProperties" && name !== undefined) return `has no member "${name}"`;
  if (keyword === "false") return "is not a member of this object";
  return error.replace(/\.$/, "");
}
