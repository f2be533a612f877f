/**
 * Schemas that carry the TypeScript type of the values that they accept.
 *
 * @module
 */

import type { JsonSchema, StandardSchema } from "./schema.ts";

/**
 * Key of the member that carries the type of a {@linkcode TypedJsonSchema}. No object has this
 * member at run time.
 */
export const SCHEMA_TYPE: unique symbol = Symbol("SCHEMA_TYPE");

/**
 * A JSON Schema with the TypeScript type of the values that it accepts. The TypeScript type is not
 * part of the data: at run time, the object is the plain JSON Schema.
 *
 * @typeParam T Type of the values that the schema accepts.
 */
export interface TypedJsonSchema<T = unknown> extends JsonSchema {
  /** Type of the values. This `SCHEMA_TYPE` member exists only in types, not at run time. */
  readonly [SCHEMA_TYPE]?: () => T;
}

/**
 * A schema: a schema from a library that implements Standard Schema, or a JSON Schema as plain
 * data.
 *
 * @typeParam T Type of a value after validation.
 */
export type Schema<T = unknown> = StandardSchema<unknown, T> | TypedJsonSchema<T>;

/**
 * Type of a value after validation with a schema. The type is `unknown` for a JSON Schema without a
 * type; see {@linkcode jsonSchema}.
 *
 * @typeParam S Type of the schema.
 *
 * @example Name the type of a schema
 * ```ts
 * import { type Infer, jsonSchema } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const citySchema = jsonSchema<{ name: string }>({ type: "object", required: ["name"] });
 * type City = Infer<typeof citySchema>;
 * const oslo: City = { name: "Oslo" };
 * assertEquals(oslo.name.length, 4);
 * ```
 */
export type Infer<S> = S extends StandardSchema<infer _Input, infer Output> ? Output
  : S extends TypedJsonSchema<infer T> ? T
  : unknown;

/**
 * Returns the given JSON Schema, with the TypeScript type of the values that it accepts. TypeScript
 * does not check that the type matches the schema. Values are validated against the schema, not the
 * type.
 *
 * @typeParam T Type of the values that the schema accepts.
 * @param schema JSON Schema to return.
 *
 * @example Type the input of a tool without a schema library
 * ```ts
 * import { defineTool, jsonSchema } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const double = defineTool({
 *   name: "double",
 *   inputSchema: jsonSchema<{ value: number }>({
 *     type: "object",
 *     properties: { value: { type: "number" } },
 *     required: ["value"],
 *   }),
 *   execute: ({ value }) => value * 2,
 * });
 * assertEquals(double.name, "double");
 * ```
 */
export function jsonSchema<T>(schema: JsonSchema): TypedJsonSchema<T> {
  return schema;
}
