/**
 * Checks tool inputs: Standard Schema natively, JSON Schema through a validator that is loaded on first use.
 *
 * @module
 */

import { reasonOf } from "./error.ts";
import {
  type InputCheck,
  type InputValidator,
  isStandardSchema,
  type JsonSchema,
  type SchemaValidator,
  type StandardSchema,
} from "./schema.ts";

/**
 * Makes the function that checks a tool's inputs.
 *
 * @param schema the tool's input schema
 * @param validator what checks JSON Schema; the default is loaded on first use
 * @returns the function
 *
 * @example A JSON Schema
 * ```ts
 * import { inputValidator } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const check = inputValidator({ type: "object", required: ["city"] });
 * assertEquals(await check({ city: "Oslo" }), { ok: true, value: { city: "Oslo" } });
 * assertEquals((await check({})).ok, false);
 * ```
 */
export function inputValidator(
  schema: JsonSchema | StandardSchema,
  validator?: SchemaValidator,
): InputValidator {
  let check: InputValidator | undefined;
  const load = async (): Promise<InputValidator> => {
    const checkers = await import("./check_input.ts");
    return check = isStandardSchema(schema)
      ? checkers.standardChecker(schema, unusable)
      : await checkers.jsonChecker(schema, validator, unusable);
  };
  return (input) => check ? check(input) : load().then((ready) => ready(input), unusable);
}

/**
 * The JSON Schema of a tool's input, as the model is shown it.
 *
 * @param schema either kind of schema
 * @returns plain JSON Schema (draft 2020-12 where the library can say it, else draft-07)
 * @throws {TypeError} when the schema library cannot describe the schema
 *
 * @example Plain JSON Schema stays as it is
 * ```ts
 * import { toJsonSchema } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(toJsonSchema({ type: "object" }), { type: "object" });
 * ```
 */
export function toJsonSchema(schema: JsonSchema | StandardSchema): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const { jsonSchema, vendor } = schema["~standard"];
  if (typeof jsonSchema?.input !== "function") {
    throw new TypeError(
      `Cannot describe a schema of "${vendor}": it does not implement Standard JSON Schema`,
    );
  }
  let refusal: unknown;
  // The contract lets a library refuse a target; draft-07 is the other one everybody has.
  for (const target of ["draft-2020-12", "draft-07"]) {
    try {
      return jsonSchema.input({ target });
    } catch (cause) {
      refusal = cause;
    }
  }
  throw new TypeError(`Cannot describe a schema of "${vendor}": ${reasonOf(refusal)}`, {
    cause: refusal,
  });
}

/** @param error why the schema, or what it is checked with, cannot be used */
function unusable(error: unknown): InputCheck {
  return {
    ok: false,
    issues: [{ path: "", message: `the tool's schema cannot be used: ${reasonOf(error)}` }],
  };
}
