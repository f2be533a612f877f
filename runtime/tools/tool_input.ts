/**
 * Validation of tools when they are registered.
 *
 * @module
 */

import { assertNonNegative } from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import { toInputCheck, toInputJsonSchema } from "@parley/internal/schema";
import { errorMessageOf } from "../shared/error.ts";
import {
  type JsonSchema,
  type SchemaCheck,
  type SchemaValidator,
  toJsonSchema,
} from "../shared/schema.ts";
import type { Tool } from "./tool.ts";

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * The input of a tool: the JSON Schema that the model receives, and a function that validates the
 * model's input.
 */
export interface ToolInput {
  readonly jsonSchema: JsonSchema;
  readonly check: SchemaCheck;
}

/**
 * Reads the input schema of a tool.
 *
 * @throws {TypeError} If the schema is not valid.
 */
export function readInputSchema(
  { name, inputSchema }: Tool,
  validator: SchemaValidator,
): ToolInput {
  try {
    return {
      jsonSchema: toInputJsonSchema(inputSchema),
      check: toInputCheck(inputSchema, validator),
    };
  } catch (cause) {
    const text = `Cannot register tool "${name}": ${errorMessageOf(cause)}`;
    throw new TypeError(escapeText(text), { cause });
  }
}

/**
 * Returns a tool input without validation, for tools on a server that validates arguments itself.
 */
export function unchecked({ inputSchema }: Tool): ToolInput {
  return {
    jsonSchema: toJsonSchema(inputSchema),
    check: (value) => ({ ok: true, value }),
  };
}

/**
 * Asserts that a value is a tool, except for its schema.
 *
 * @throws {TypeError} If the tool has no valid name or `execute` function.
 * @throws {RangeError} If `timeoutMs` is not a non-negative number.
 */
export function assertTool(tool: Tool): void {
  if (!isRecord(tool)) throw new TypeError(`"tool" must be an object, got ${formatValue(tool)}`);
  const { name, description, inputSchema, timeoutMs, execute } = tool;
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot register tool ${formatValue(name)}: ${reason}`);
  };
  if (typeof name !== "string" || !TOOL_NAME.test(name)) fail(`"name" must match ${TOOL_NAME}`);
  if (inputSchema === undefined) {
    fail('"inputSchema" is missing; for a tool without input, set it to { type: "object" }');
  }
  if (description !== undefined && typeof description !== "string") {
    fail(`"description" must be a string, got ${formatValue(description)}`);
  }
  if (timeoutMs !== undefined) assertNonNegative("timeoutMs", timeoutMs);
  if (typeof execute !== "function") {
    fail(`"execute" must be a function, got ${formatValue(execute)}`);
  }
}
