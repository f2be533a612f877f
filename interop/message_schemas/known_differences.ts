/**
 * Differences between our message schemas and the official ones that are intended. Each has the
 * name of a conflict in `conformance/message_schemas/conflicts.ts`.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import type { OfficialSchema, Schema } from "./official_schema.ts";

/** Conflicts for which the official schema is corrected before the verdicts are compared. */
export const CORRECTED_CONFLICTS: readonly string[] = [
  "error without a known id",
  "fraction in the response to a form",
  "numbers and null in JSON objects",
  "request for input that asks for nothing",
];

/** A conflict that no correction of the official schema can express in a few lines. */
export const WRONG_OPTIONS = "wrong options of a field in a form";

/** Corrects a schema according to the decisions on {@linkcode CORRECTED_CONFLICTS}. */
export function correctSchema({ definitions, key }: OfficialSchema): OfficialSchema {
  const corrected = new Map<string, Schema>();
  for (const [name, definition] of definitions) {
    corrected.set(name, correctDefinition(name, withNumbers(definition)));
  }
  return { definitions: corrected, key };
}

/** Whether all problems are wrong options, which the official schema allows. */
export function areWrongOptions(problems: readonly string[]): boolean {
  const isWrongOption = (problem: string) =>
    /^\$\.\S*requestedSchema\.properties\S* ?\S*\.(enum|enumNames|oneOf)\b/.test(problem);
  return problems.length > 0 && problems.every(isWrongOption);
}

function correctDefinition(name: string, definition: Schema): Schema {
  const { anyOf, properties } = definition;
  if (name === "InputRequiredResult") {
    const alternatives = [{ required: ["inputRequests"] }, { required: ["requestState"] }];
    return { ...definition, anyOf: alternatives };
  }
  if (name === "JSONValue" && Array.isArray(anyOf)) {
    return { ...definition, anyOf: [...anyOf, { type: "null" }] };
  }
  if (!isObject(properties) || !("error" in properties)) return definition;
  const id = { type: ["string", "integer", "null"] };
  return { ...definition, properties: { ...properties, id } };
}

/** Replaces the integers in unions of simple types with numbers. */
function withNumbers(part: Schema): Schema {
  const entries = Object.entries(part).map(([name, value]) => {
    const isUnion = name === "type" && Array.isArray(value) && value.includes("boolean");
    if (isUnion) return [name, value.map((type) => type === "integer" ? "number" : type)];
    if (Array.isArray(value)) {
      return [name, value.map((each) => isObject(each) ? withNumbers(each) : each)];
    }
    return [name, isObject(value) ? withNumbers(value) : value];
  });
  return Object.fromEntries(entries);
}
