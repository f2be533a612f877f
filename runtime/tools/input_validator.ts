/**
 * Validates tool inputs: Standard Schema natively, JSON Schema with a {@linkcode SchemaValidator}.
 *
 * @module
 */

import { errorMessageOf } from "../shared/error.ts";
import {
  type InputCheck,
  type InputValidator,
  isStandardSchema,
  type JsonSchema,
  type SchemaIssue,
  type SchemaValidator,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "../shared/schema.ts";
import { jsonSchemaValidator } from "./json_schema.ts";

/**
 * Makes the function that checks a tool's inputs.
 *
 * @param schema the tool's input schema
 * @param validator what checks JSON Schema
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
  validator: SchemaValidator = jsonSchemaValidator,
): InputValidator {
  return isStandardSchema(schema) ? standardValidator(schema) : jsonValidator(schema, validator);
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
  throw new TypeError(`Cannot describe a schema of "${vendor}": ${errorMessageOf(refusal)}`, {
    cause: refusal,
  });
}

/** Validates with the schema itself. Synchronous unless the schema is asynchronous. */
function standardValidator(schema: StandardSchema): InputValidator {
  return (input) => {
    try {
      const result = schema["~standard"].validate(input);
      // Any thenable: taken for a result it would be one without issues.
      return "then" in result
        ? Promise.resolve(result).then(fromStandard, unusable)
        : fromStandard(result);
    } catch (error) {
      return unusable(error);
    }
  };
}

/** Validates with JSON Schema. The schema is compiled on first use. */
function jsonValidator(schema: JsonSchema, validator: SchemaValidator): InputValidator {
  let findIssues: ((value: unknown) => readonly SchemaIssue[]) | undefined;
  return (input) => {
    try {
      findIssues ??= validator.compile(schema);
      const issues = findIssues(input);
      return issues.length === 0 ? { ok: true, value: input } : { ok: false, issues };
    } catch (error) {
      return unusable(error);
    }
  };
}

function fromStandard(result: StandardResult<unknown>): InputCheck {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    issues: result.issues.map((issue) => ({ path: pointerOf(issue), message: issue.message })),
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function pointerOf({ path = [] }: StandardIssue): string {
  return path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }).join("");
}

/** @param error why the schema, or what it is checked with, cannot be used */
function unusable(error: unknown): InputCheck {
  return {
    ok: false,
    issues: [{ path: "", message: `the tool's schema cannot be used: ${errorMessageOf(error)}` }],
  };
}
