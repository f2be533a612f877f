/**
 * Checks tool inputs: Standard Schema natively, JSON Schema through a validator that is loaded on first use.
 *
 * @module
 */

import { reasonOf } from "./error.ts";
import {
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./schema.ts";

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
    return result instanceof Promise ? result.then(fromStandard, unusable) : fromStandard(result);
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
  return (validator ?? await loadDefaultValidator()).compile(schema);
}

function applyCompiled(compiled: Compiled, input: unknown): InputCheck {
  try {
    const issues = compiled(input);
    return issues.length === 0 ? { ok: true, value: input } : { ok: false, issues };
  } catch (error) {
    return unusable(error);
  }
}

/** Keywords whose issue only says that something below them is wrong. */
const CONTAINERS: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "$ref"]);

async function loadDefaultValidator(): Promise<SchemaValidator> {
  const { Validator } = await import("@cfworker/json-schema");
  return {
    compile(schema) {
      const draft = String(schema.$schema ?? "").includes("draft-07") ? "7" : "2020-12";
      // A copy, because the library writes into the schemas it resolves.
      const validator = new Validator(structuredClone(schema), draft, false);
      return (value) =>
        validator.validate(value).errors
          .filter(({ keyword }) => !CONTAINERS.has(keyword))
          .map(({ instanceLocation, error }) => ({
            path: instanceLocation.replace(/^#/, ""),
            message: error,
          }));
    },
  };
}
