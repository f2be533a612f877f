/**
 * Validation of the content of an accepted form. Only the keywords that the specification defines
 * for forms are applied. Other keywords are ignored: the peer chooses the schema, and a `pattern`,
 * for example, could take exponential time.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema Requested schema}
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";

/**
 * Returns the reason why a value is not valid content for a form, or `undefined` if it is valid.
 * The reason contains names of fields but no values, which can be personal data.
 *
 * @param schema JSON Schema of the form.
 * @param content Content of the response. An absent content is an empty form.
 */
export function findContentFault(schema: JsonObject, content: unknown = {}): string | undefined {
  if (!isRecord(content)) return '"content" must be an object';
  for (const [name, value] of Object.entries(content)) {
    if (!isFieldValue(value)) {
      return `field "${name}" must be a string, a number, a boolean or an array of strings`;
    }
  }
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof name === "string" && !Object.hasOwn(content, name)) {
      return `field "${name}" is missing`;
    }
  }
  for (
    const [name, field] of Object.entries(isRecord(schema.properties) ? schema.properties : {})
  ) {
    if (!isRecord(field) || !Object.hasOwn(content, name)) continue;
    const requirement = findRequirement(field, content[name]);
    if (requirement !== undefined) return `field "${name}" must ${requirement}`;
  }
  return undefined;
}

function isFieldValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/**
 * Returns the requirement of a field's schema that a value does not meet, such as
 * `be at least 1`, or `undefined` if the value is valid.
 */
export function findRequirement(field: JsonObject, value: unknown): string | undefined {
  const choices = choicesOf(field);
  if (choices !== undefined && !choices.includes(value)) return "be one of the listed values";
  switch (field.type) {
    case "string":
      return typeof value === "string" ? checkText(field, value) : "be a string";
    case "integer":
    case "number":
      if (typeof value !== "number") return "be a number";
      if (field.type === "integer" && !Number.isInteger(value)) return "be an integer";
      return checkRange(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "be a boolean";
    case "array":
      return Array.isArray(value) ? checkSelection(field, value) : "be an array";
    default:
      return undefined;
  }
}

/** Returns the values that a schema lists, or `undefined` if the schema lists no values. */
function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  const titled = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled.map((choice) => isRecord(choice) ? choice.const : undefined);
}

function checkText({ minLength, maxLength, format }: JsonObject, text: string): string | undefined {
  // JSON Schema counts Unicode code points. A code point has at most two UTF-16 code units.
  const length = typeof minLength === "number" || typeof maxLength === "number"
    ? [...text].length
    : 0;
  if (typeof minLength === "number" && length < minLength) {
    return `have at least ${minLength} characters`;
  }
  if (typeof maxLength === "number" && length > maxLength) {
    return `have at most ${maxLength} characters`;
  }
  const isFormatted = typeof format === "string" ? FORMATS.get(format) : undefined;
  return isFormatted === undefined || isFormatted(text) ? undefined : `have the format "${format}"`;
}

function checkRange({ minimum, maximum }: JsonObject, value: number): string | undefined {
  if (typeof minimum === "number" && value < minimum) return `be at least ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `be at most ${maximum}` : undefined;
}

function checkSelection(
  { items, minItems, maxItems }: JsonObject,
  values: readonly unknown[],
): string | undefined {
  if (typeof minItems === "number" && values.length < minItems) {
    return `have at least ${minItems} items`;
  }
  if (typeof maxItems === "number" && values.length > maxItems) {
    return `have at most ${maxItems} items`;
  }
  const choices = isRecord(items) ? choicesOf(items) : undefined;
  const listed = choices && new Set(choices);
  return listed === undefined || values.every((value) => listed.has(value))
    ? undefined
    : "contain only listed values";
}

/** The formats of the specification. Their patterns take linear time. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["email", (text) => /^[^\s@]+@[^\s@]+$/u.test(text)],
  ["uri", (text) => /^[a-z][a-z0-9+.-]*:\S*$/i.test(text)],
  ["date", (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text)],
  [
    "date-time",
    (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i.test(text) &&
      isDate(text.slice(0, 10)),
  ],
]);

/** Returns `true` for a day that exists. `Date` accepts February 30 as March 1 or 2. */
function isDate(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
