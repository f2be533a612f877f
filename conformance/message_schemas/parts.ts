/**
 * Parts of JSON Schemas. All objects are open: members that a schema does not name are allowed.
 *
 * @module
 */

/** A JSON Schema (draft 2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** The members of an object, each with its schema. */
export type Members = Readonly<Record<string, Schema>>;

export const ANY: Schema = {};
export const STRING: Schema = { type: "string" };
export const NUMBER: Schema = { type: "number" };
export const INTEGER: Schema = { type: "integer" };
export const BOOLEAN: Schema = { type: "boolean" };
export const OBJECT: Schema = { type: "object" };

/** A number from 0 to 1. */
export const FRACTION: Schema = { type: "number", minimum: 0, maximum: 1 };

/** A number of milliseconds. */
export const DURATION: Schema = { type: "integer", minimum: 0 };

/** An absolute URI: RFC 3986 requires a scheme. The rest is not checked. */
export const URI: Schema = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9+.\\-]*:" };

/** The id of a request, or a progress token. */
export const ID: Schema = { type: ["string", "integer"] };

/** An object with required and optional members. */
export function object(required: Members, optional: Members = {}): Schema {
  return {
    type: "object",
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

/** An array whose items have the same schema. */
export function list(items: Schema): Schema {
  return { type: "array", items };
}

/** An object whose members all have the same schema. */
export function map(values: Schema): Schema {
  return { type: "object", additionalProperties: values };
}

/** One of several strings. */
export function oneOf(...values: readonly string[]): Schema {
  return { enum: values };
}

/** A value that is valid for at least one of several schemas. */
export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas };
}

/** A value that is valid for all of several schemas. */
export function allOf(...schemas: readonly Schema[]): Schema {
  return { allOf: schemas };
}

/** An object whose member `tag` is the name of one of several schemas, for which it is valid. */
export function tagged(tag: string, variants: Readonly<Record<string, Schema>>): Schema {
  return {
    ...object({ [tag]: oneOf(...Object.keys(variants)) }),
    allOf: Object.entries(variants).map(([name, then]) => when(tag, [name], then)),
  };
}

/** The schema `then` for objects whose member has one of several values. */
export function when(member: string, values: readonly (string | number)[], then: Schema): Schema {
  return { if: object({ [member]: { enum: values } }), then };
}

/** A schema for arrays, and another one for all other values. */
export function listOr(items: Schema, other: Schema): Schema {
  return { if: { type: "array" }, then: { items }, else: other };
}
