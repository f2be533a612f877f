/**
 * What checks a tool's inputs. Loaded when the first input is checked.
 *
 * @module
 */

import type {
  InputCheck,
  InputValidator,
  JsonSchema,
  SchemaValidator,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./schema.ts";

/** What becomes of an input whose schema cannot be used. */
type Unusable = (error: unknown) => InputCheck;

/** A schema that checks by itself. */
export function standardChecker(schema: StandardSchema, unusable: Unusable): InputValidator {
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

/**
 * A JSON Schema, compiled once.
 *
 * @param validator what compiles it; the default one is loaded here
 * @throws {Error} the schema is broken
 */
export async function jsonChecker(
  schema: JsonSchema,
  validator: SchemaValidator | undefined,
  unusable: Unusable,
): Promise<InputValidator> {
  const used = validator ?? (await import("./json_schema.ts")).jsonSchemaValidator;
  const compiled = used.compile(schema);
  return (input) => {
    try {
      const issues = compiled(input);
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
