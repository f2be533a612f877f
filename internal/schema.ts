/**
 * Schemas for tools. A schema is either a JSON Schema as plain data or an object that implements
 * Standard Schema.
 *
 * @see https://standardschema.dev
 * @module
 */

import { escapeText, excerpt } from "./escape_text.ts";
import { formatValue } from "./format_value.ts";
import { findMemberOfShape } from "./raw_shape.ts";
import { isThenable } from "./report_rejection.ts";
import type {
  JsonSchema,
  SchemaCheck,
  SchemaCheckResult,
  SchemaIssue,
  SchemaValidator,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./schema_types.ts";

/** JSON Schema drafts to request from schema libraries, in order of preference. */
const TARGETS = ["draft-2020-12", "draft-07"];

const MAX_ISSUES = 16;
const MAX_ISSUE_LENGTH = 300;

/**
 * Returns true if a schema implements Standard Schema.
 *
 * @param schema The schema, which may be an object or a function.
 */
export function isStandardSchema(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return "~standard" in schema;
}

/**
 * Returns a copy of the JSON Schema for a tool's arguments. Adds `"type": "object"` to a schema
 * without `type`, because arguments are always objects.
 *
 * @param schema The input schema as registered.
 * @param name Name of the schema in error messages.
 * @throws {TypeError} If the schema is neither a JSON Schema nor a Standard Schema, or does not
 * accept objects.
 */
export function toInputJsonSchema(
  schema: JsonSchema | StandardSchema,
  name = "inputSchema",
): JsonSchema {
  const json = toJsonSchema(schema, "input", name);
  const { type = "object" } = json;
  if (type !== "object") {
    throw new TypeError(`"${name}.type" must be "object", got ${escapeText(JSON.stringify(type))}`);
  }
  return json.type === undefined ? { ...json, type } : json;
}

/**
 * Compiles the schema of a tool's arguments into a function that checks them. The compiled function
 * accepts only objects, even if the schema has no `type`.
 *
 * @param schema The input schema as registered.
 * @param validator Validator for JSON Schema.
 * @param name Name of the schema in error messages.
 * @throws {TypeError} If the schema is invalid or unsupported, or does not accept objects.
 */
export function toInputCheck(
  schema: JsonSchema | StandardSchema,
  validator: SchemaValidator,
  name = "inputSchema",
): SchemaCheck {
  const json = toInputJsonSchema(schema, name);
  const check = toSchemaCheck(isStandardSchema(schema) ? schema : json, validator);
  return (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? check(value) : {
      ok: false,
      issues: [{ path: "", message: "must be object" }],
    };
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
 */
export function toJsonSchema(
  schema: JsonSchema | StandardSchema,
  side: "input" | "output" = "input",
  name = `${side}Schema`,
): JsonSchema {
  assertSchema(schema, name);
  // The schema is copied, so that values are always checked against the schema that clients and
  // models receive, even if the original changes.
  if (!isStandardSchema(schema)) return copySchema(schema);
  const { vendor, jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.[side] !== "function") {
    throw new TypeError(
      `Cannot convert a "${vendor}" schema to JSON Schema: it does not implement Standard JSON Schema`,
    );
  }
  let cause: unknown;
  for (const target of TARGETS) {
    try {
      return copySchema(jsonSchema[side]({ target }));
    } catch (error) {
      cause = error;
    }
  }
  const message = `Cannot convert a "${vendor}" schema to JSON Schema: ${textOf(cause)}`;
  throw new TypeError(message, { cause });
}

/**
 * Copies a JSON Schema through JSON, because `structuredClone` is missing in some sandboxes.
 *
 * @param schema The schema to copy.
 * @throws {TypeError} If the schema contains a value that JSON cannot represent, or a schema from a
 * schema library.
 */
export function copySchema(schema: JsonSchema): JsonSchema {
  let text: string;
  try {
    text = JSON.stringify(schema, rejectNonJson);
  } catch (cause) {
    throw new TypeError(`JSON Schema must be serializable as JSON: ${textOf(cause)}`, { cause });
  }
  return JSON.parse(text);
}

/**
 * Throws if `JSON.stringify()` would drop or change a value in a schema, such as a regular
 * expression. A schema that has lost a regular expression would accept more values than the
 * original schema.
 */
function rejectNonJson(key: string, value: unknown): unknown {
  // Some libraries add "~standard" to the JSON Schema that they return, so the root, whose key is
  // "", is not checked.
  if (key !== "" && isLibrarySchema(value)) {
    throw new TypeError(
      `"${
        escapeText(key)
      }" must be a JSON Schema, got a schema of a library; convert the whole schema with that library`,
    );
  }
  const kind = Object.prototype.toString.call(value);
  const isData = typeof value !== "object" || value === null || kind === "[object Object]" ||
    Array.isArray(value);
  const isLost = typeof value === "function" || typeof value === "symbol" ||
    (typeof value === "number" && !Number.isFinite(value));
  if (isData && !isLost) return value;
  throw new TypeError(escapeText(`"${key}" must be a JSON value, got ${kind}`));
}

/**
 * Compiles a schema into a function that checks values.
 *
 * @param schema A JSON Schema or a Standard Schema.
 * @param validator Validator for JSON Schema. The validator is not used for a Standard Schema,
 * which validates values itself.
 * @throws {TypeError} If the schema is not a valid or supported JSON Schema, or only lists
 * properties.
 */
export function toSchemaCheck(
  schema: JsonSchema | StandardSchema,
  validator: SchemaValidator,
): SchemaCheck {
  assertSchema(schema, "schema");
  if (isStandardSchema(schema)) {
    return check((value) => schema["~standard"].validate(value), readStandardResult);
  }
  const validate = validator.compile(schema);
  return check(
    validate,
    (issues, value) => {
      if (!Array.isArray(issues)) throw new TypeError("the validator must return an array");
      return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
    },
  );
}

/**
 * Formats issues as a single line for a model or a log. Only the first 16 issues are included.
 *
 * @param issues Issues found in one value.
 */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  return issues.slice(0, MAX_ISSUES)
    .map(({ path, message }) =>
      `${excerpt(path, MAX_ISSUE_LENGTH) || "/"}: ${excerpt(message, MAX_ISSUE_LENGTH)}`
    ).join("; ");
}

/**
 * Wraps a validation function so that it never throws. The result is synchronous unless the
 * function returns a promise, because awaiting every result makes each tool call measurably slower.
 */
function check<Result>(
  validate: (value: unknown) => Result | PromiseLike<Result>,
  read: (result: Result, value: unknown) => SchemaCheckResult,
): SchemaCheck {
  return (value) => {
    try {
      const result = validate(value);
      // A schema library may return a promise from another realm or implementation, so any thenable
      // is awaited.
      return isThenable(result)
        ? Promise.resolve(result).then((settled) => read(settled, value)).catch(toFailure)
        : read(result, value);
    } catch (error) {
      return toFailure(error);
    }
  };
}

/**
 * Returns an issue for a schema that throws or returns an invalid result, so that no unchecked
 * value reaches the tool.
 */
function toFailure(error: unknown): SchemaCheckResult {
  return {
    ok: false,
    issues: [{ path: "", message: `cannot be checked: the schema failed: ${textOf(error)}` }],
    error: error ?? new Error("unknown"),
  };
}

function readStandardResult(result: StandardResult<unknown>): SchemaCheckResult {
  if (result.issues !== undefined) return { ok: false, issues: result.issues.map(toIssue) };
  if (!("value" in result)) {
    throw new TypeError("the validation result has neither a value nor issues");
  }
  return { ok: true, value: result.value };
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function toIssue({ message, path = [] }: StandardIssue): SchemaIssue {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return {
    path: keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
    message: String(message),
  };
}

function assertSchema(schema: unknown, name: string): void {
  // In some libraries, schemas are functions.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    throw new TypeError(
      `"${name}" must be a JSON Schema object or a Standard Schema, got ${formatValue(schema)}`,
    );
  }
  if ("~standard" in schema) return;
  if (isLibrarySchema(schema)) {
    throw new TypeError(
      `"${name}" must be a JSON Schema object or a Standard Schema, got a schema without Standard JSON Schema; ` +
        "upgrade the schema library, for example to Zod 4.2 or later",
    );
  }
  const field = Object.entries(schema).find(([, value]) => isLibrarySchema(value))?.[0];
  if (field !== undefined) {
    throw new TypeError(
      `"${name}" must be a JSON Schema object or a Standard Schema, got an object whose property "${field}" is a ` +
        "schema; wrap it, for example in z.object(…)",
    );
  }
  if (typeof schema === "function" || Array.isArray(schema)) {
    throw new TypeError(
      `"${name}" must be a JSON Schema object or a Standard Schema, got ${formatValue(schema)}`,
    );
  }
  const member = findMemberOfShape(schema);
  if (member !== undefined) {
    const key = JSON.stringify(member);
    throw new TypeError(escapeText(
      `"${name}" must be a JSON Schema object or a Standard Schema, got an object without the ` +
        `keywords of a JSON Schema; to describe the property ${key}, write ` +
        `{ type: "object", properties: { ${key}: { type: … } }, required: [${key}] }`,
    ));
  }
}

/**
 * Returns true for a schema from a schema library: a Standard Schema, or a Zod 3 schema, which has
 * `_def` and `parse` members.
 */
function isLibrarySchema(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return "~standard" in value ||
    ("_def" in value && "parse" in value && typeof value.parse === "function");
}

/**
 * Returns the message of a thrown value. Never throws, because a schema check must always return a
 * result.
 */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "an error without a message";
  }
}
