/**
 * Schemas as they are given: JSON Schema, or anything that follows Standard Schema.
 *
 * @see {@link https://standardschema.dev Standard Schema}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** What is wrong with a value. */
export interface StandardIssue {
  /** In words. */
  readonly message: string;
  /** Where. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema of Standard Schema 1.1 that can also be written as JSON Schema, such as a Zod or ArkType schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Everything that the standard asks for. */
  readonly "~standard": {
    /** The version of the standard. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Looks at a value. */
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Writes the schema as JSON Schema. */
    readonly jsonSchema: {
      /** What goes in. */
      readonly input: (options: { readonly target: "draft-2020-12" }) => JsonObject;
      /** What comes out. */
      readonly output: (options: { readonly target: "draft-2020-12" }) => JsonObject;
    };
    /** What goes in and what comes out, for the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of what a Standard Schema lets through. */
export type OutputOf<Schema> = Schema extends StandardSchema<infer _Input, infer Output> ? Output
  : never;

/** What became of a value: itself, or converted by the schema, or why it does not fit. */
export type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Looks at a value. */
export type Check = (value: unknown) => CheckResult | Promise<CheckResult>;

/** Makes a check from a JSON Schema: the seam for another validator than the default one. */
export type SchemaValidator = (
  schema: JsonObject,
) => (value: unknown) => string | undefined | Promise<string | undefined>;

/** Whether a schema follows Standard Schema. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  return "~standard" in schema;
}

/** The check that a schema stands for. */
export function toCheck(schema: JsonObject | StandardSchema, validator: SchemaValidator): Check {
  return isStandardSchema(schema) ? standardCheck(schema) : jsonSchemaCheck(schema, validator);
}

function standardCheck(schema: StandardSchema): Check {
  return (value) => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
  };
}

function fromStandard(result: StandardResult<unknown>): CheckResult {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, reason: result.issues.map(formatIssue).join("; ") };
}

function formatIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

function jsonSchemaCheck(schema: JsonObject, validator: SchemaValidator): Check {
  // The most common schema needs no validator.
  if (Object.keys(schema).every((key) => key === "type") && schema.type === "object") {
    return (value) =>
      isJsonObject(value) ? { ok: true, value } : { ok: false, reason: "it is not an object" };
  }
  let check: ReturnType<SchemaValidator> | undefined;
  return (value) => {
    const reason = (check ??= validator(schema))(value);
    return reason instanceof Promise
      ? reason.then((found) => fromReason(found, value))
      : fromReason(reason, value);
  };
}

function fromReason(reason: string | undefined, value: unknown): CheckResult {
  return reason === undefined ? { ok: true, value } : { ok: false, reason };
}
