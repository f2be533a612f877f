/**
 * The two ways to describe a tool's input: JSON Schema as data, or a schema of any library that speaks Standard Schema.
 *
 * The Standard Schema types are written out here as their authors intend, so that Zod, Valibot, ArkType and others fit
 * without a dependency.
 *
 * @see https://standardschema.dev
 * @module
 */

/** A JSON Schema object (draft 2020-12 or draft-07), kept verbatim. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One thing that is wrong with a value, as Standard Schema reports it. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where it is: keys from the root, each plain or wrapped. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a Standard Schema says of a value: the value it makes of it, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * A schema that validates itself and can say what it accepts as JSON Schema: Standard Schema and Standard JSON Schema in
 * one object. Zod (4.2 and later) and ArkType schemas are such objects; for Valibot use `toStandardJsonSchema`.
 *
 * @typeParam Output what a valid input becomes
 * @see https://standardschema.dev
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Output = unknown> {
  /** The two contracts. */
  readonly "~standard": {
    /** The version of the contract. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Types only; never there at run time. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Validates a value. */
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Describes what is accepted. */
    readonly jsonSchema: {
      /** The JSON Schema of the input side. */
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** One thing that is wrong with an input. */
export interface SchemaIssue {
  /** Where: a JSON Pointer, `""` for the whole input. */
  readonly path: string;
  /** What. */
  readonly message: string;
}

/**
 * A JSON Schema validator. The default one interprets draft 2020-12 without `eval`; give a {@linkcode ToolRegistry}
 * another one where that is too slow.
 *
 * @example Accept everything
 * ```ts
 * import { type SchemaValidator, ToolRegistry } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const acceptAll: SchemaValidator = { compile: () => () => [] };
 * const registry = new ToolRegistry([], { validator: acceptAll });
 * assertEquals(registry.size, 0);
 * ```
 */
export interface SchemaValidator {
  /**
   * Prepares a schema; called once for each tool.
   *
   * @param schema the tool's input schema
   * @returns a function that lists what is wrong with a value: nothing when it is valid
   * @throws {Error} when the schema itself is broken
   */
  compile(schema: JsonSchema): (value: unknown) => readonly SchemaIssue[];
}

/** What became of an input: what the schema makes of it, or what is wrong with it. */
export type InputCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Checks one tool's inputs. Never throws; a schema that cannot be used fails every input. */
export type InputValidator = (input: unknown) => InputCheck | Promise<InputCheck>;

/**
 * Says whether a schema is a Standard Schema rather than plain JSON Schema.
 *
 * Some libraries' schemas are functions, so both objects and functions are looked at.
 *
 * @param schema the schema of a tool
 * @returns whether it validates itself
 *
 * @example Tell the two kinds apart
 * ```ts
 * import { isStandardSchema } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(!isStandardSchema({ type: "object" }));
 * ```
 */
export function isStandardSchema(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return "~standard" in schema;
}
