/**
 * Schemas for tools. A schema is either a JSON Schema as plain data or an object that implements
 * Standard Schema. This module declares the public symbols; `@parley/internal/schema` implements
 * them.
 *
 * @see https://standardschema.dev
 * @module
 */

import * as internal from "@parley/internal/schema";

/** A JSON Schema object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A violation reported by a Standard Schema. */
export interface StandardIssue {
  /** Description of the violation. */
  readonly message: string;
  /**
   * Keys from the root of the value to the violation. Each element of `path` is a key or an object
   * that contains a key.
   */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Result of validation with a Standard Schema: the converted value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * An object that implements Standard Schema and Standard JSON Schema, such as a Zod (4.2 or later)
 * or ArkType schema. For Valibot, use `toStandardJsonSchema`.
 *
 * @typeParam Input Type of a value before validation
 * @typeParam Output Type of a value after validation
 * @see https://standardschema.dev
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Members defined by Standard Schema and Standard JSON Schema. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the schema library. */
    readonly vendor: string;
    /** Input and output types of the schema, for type inference only and absent at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Validates a value and returns the converted value or the issues. */
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | PromiseLike<StandardResult<Output>>;
    /** Converts the schema to JSON Schema. */
    readonly jsonSchema: {
      /** Returns the JSON Schema for values before validation. */
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      /** Returns the JSON Schema for values after validation. */
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** Type of the values that a Standard Schema returns from validation. */
export type OutputOf<Schema> = Schema extends StandardSchema<infer _Input, infer Output> ? Output
  : never;

/**
 * The given schema type, or {@linkcode NotARawShape} for an object type whose members are schemas,
 * such as `{ city: z.string() }`.
 *
 * @typeParam S Type to check.
 */
export type WholeSchema<S> = S extends NotARawShape ? S
  : Extract<S[keyof S], NotARawShape> extends never ? S
  : NotARawShape;

/**
 * A schema as returned by a schema library. An object whose members are schemas, such as
 * `{ city: z.string() }`, is not a schema; wrap it, for example in
 * `z.object({ city: z.string() })`.
 */
export interface NotARawShape {
  /** Members defined by Standard Schema. */
  readonly "~standard": unknown;
}

/** A schema violation. */
export interface SchemaIssue {
  /** JSON Pointer (RFC 6901) to the invalid value. `""` refers to the whole value. */
  readonly path: string;
  /** Description of the violation. */
  readonly message: string;
}

/** Result of checking a value: the value, possibly converted by the schema, or the issues. */
export type SchemaCheckResult =
  | { readonly ok: true; readonly value: unknown }
  | {
    readonly ok: false;
    readonly issues: readonly SchemaIssue[];
    /**
     * Exception thrown by the schema's validation function. If the function throws, `issues`
     * contains one issue, which describes the exception.
     */
    readonly error?: unknown;
  };

/**
 * Checks a value against a schema. Never throws; if the schema's validation function throws, the
 * error is reported as an issue. Returns a promise only if the schema's validation function returns
 * one.
 */
export type SchemaCheck = (value: unknown) => SchemaCheckResult | Promise<SchemaCheckResult>;

/**
 * A JSON Schema validator.
 *
 * @example A validator that accepts every value
 * ```ts
 * import type { SchemaValidator } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const acceptAll: SchemaValidator = { compile: () => () => [] };
 * assertEquals(acceptAll.compile({ type: "object" })({}), []);
 * ```
 */
export interface SchemaValidator {
  /**
   * Compiles a schema. Called once per schema, when a tool is registered.
   *
   * @param schema JSON Schema to compile.
   * @returns A function that returns the issues of a value, or an empty array if the value is
   * valid.
   * @throws {TypeError} If the schema is not a valid or supported JSON Schema.
   */
  compile(
    schema: JsonSchema,
  ): (value: unknown) => readonly SchemaIssue[] | PromiseLike<readonly SchemaIssue[]>;
}

/**
 * Returns true if a schema implements Standard Schema.
 *
 * @param schema The schema, which may be an object or a function.
 *
 * @example Distinguish a Standard Schema from a JSON Schema
 * ```ts
 * import { isStandardSchema } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(!isStandardSchema({ type: "object" }));
 * ```
 */
export function isStandardSchema(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return internal.isStandardSchema(schema);
}

/**
 * Converts a schema to JSON Schema. The draft is 2020-12 if the schema library supports it,
 * otherwise draft-07.
 *
 * @param schema A JSON Schema, which is copied, or a Standard Schema.
 * @param side Whether the result describes values before (`input`) or after (`output`) validation.
 * @param name Name of the schema in error messages (default: `inputSchema` or `outputSchema`).
 * @throws {TypeError} If the schema is neither a JSON Schema nor a Standard Schema, if it contains
 * a value that JSON cannot represent, or if the schema library cannot convert it.
 *
 * @example A JSON Schema is copied
 * ```ts
 * import { toJsonSchema } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(toJsonSchema({ type: "object" }), { type: "object" });
 * ```
 */
export function toJsonSchema(
  schema: JsonSchema | StandardSchema,
  side: "input" | "output" = "input",
  name = `${side}Schema`,
): JsonSchema {
  return internal.toJsonSchema(schema, side, name);
}

/**
 * Compiles a schema into a function that checks values.
 *
 * @param schema A JSON Schema or a Standard Schema.
 * @param validator Validator for JSON Schema. The validator is not used for a Standard Schema,
 * which validates values itself.
 * @throws {TypeError} If the schema is not a valid or supported JSON Schema.
 *
 * @example Check the input of a tool
 * ```ts
 * import { jsonSchemaValidator, toSchemaCheck } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const check = toSchemaCheck({ required: ["city"] }, jsonSchemaValidator());
 * assertEquals(await check({ city: "Oslo" }), { ok: true, value: { city: "Oslo" } });
 * assertEquals(await check({}), { ok: false, issues: [{ path: "", message: '"city" is required' }] });
 * ```
 */
export function toSchemaCheck(
  schema: JsonSchema | StandardSchema,
  validator: SchemaValidator,
): SchemaCheck {
  return internal.toSchemaCheck(schema, validator);
}
