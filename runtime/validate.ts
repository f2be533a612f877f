/**
 * Checks tool inputs: Standard Schema natively, JSON Schema through a validator that is loaded on first use.
 *
 * @module
 */

import { reasonOf } from "./error.ts";
import {
  isStandardSchema,
  type JsonSchema,
  type SchemaIssue,
  type SchemaValidator,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./schema.ts";

/** What became of an input: what the schema makes of it, or what is wrong with it. */
export type InputCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Checks one tool's inputs. Never throws; a schema that cannot be used fails every input. */
export type InputValidator = (input: unknown) => InputCheck | Promise<InputCheck>;

type Compiled = (value: unknown) => readonly SchemaIssue[];

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
  return isStandardSchema(schema)
    ? (input) => checkStandard(schema, input)
    : jsonSchemaChecker(schema, validator);
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
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch {
    // The contract lets a library refuse a target; draft-07 is the other one everybody has.
    return describeAsDraft7(schema);
  }
}

function describeAsDraft7(schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  try {
    return jsonSchema.input({ target: "draft-07" });
  } catch (cause) {
    throw new TypeError(`Cannot describe a schema of "${vendor}": ${reasonOf(cause)}`, { cause });
  }
}

function checkStandard(
  schema: StandardSchema,
  input: unknown,
): InputCheck | Promise<InputCheck> {
  try {
    const result = schema["~standard"].validate(input);
    // Any thenable: taken for a result it would be one without issues.
    return "then" in result
      ? Promise.resolve(result).then(fromStandard, unusable)
      : fromStandard(result);
  } catch (error) {
    return unusable(error);
  }
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

function unusable(error: unknown): InputCheck {
  return {
    ok: false,
    issues: [{ path: "", message: `the tool's schema cannot be used: ${reasonOf(error)}` }],
  };
}

function jsonSchemaChecker(schema: JsonSchema, validator?: SchemaValidator): InputValidator {
  let compiled: Compiled | undefined;
  return (input) => {
    if (compiled !== undefined) return applyCompiled(compiled, input);
    return loadCompiled(schema, validator).then(
      (ready) => {
        compiled = ready;
        return applyCompiled(ready, input);
      },
      unusable,
    );
  };
}

async function loadCompiled(schema: JsonSchema, validator?: SchemaValidator): Promise<Compiled> {
  const used = validator ?? (await import("./json_schema.ts")).jsonSchemaValidator;
  return used.compile(schema);
}

function applyCompiled(compiled: Compiled, input: unknown): InputCheck {
  try {
    const issues = compiled(input);
    return issues.length === 0 ? { ok: true, value: input } : { ok: false, issues };
  } catch (error) {
    return unusable(error);
  }
}
