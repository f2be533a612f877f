/**
 * Validation of tools when they are registered.
 *
 * @module
 */

import {
  assertNonNegative,
  assertOptionalBoolean,
  assertRecord,
} from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
import { formatValue } from "@parley/internal/format-value";
import { defined, isRecord } from "@parley/internal/json";
import { assertNames, findIgnored, namesOf } from "@parley/internal/options";
import { toInputCheck, toInputJsonSchema } from "@parley/internal/schema";
import { ANNOTATION_ALIASES, TOOL_ALIASES } from "../shared/aliases.ts";
import { errorMessageOf } from "../shared/error.ts";
import { copyJsonValue } from "../shared/json.ts";
import { isProviderOptions, type ProviderOptions } from "../shared/provider_options.ts";
import {
  type JsonSchema,
  type SchemaCheck,
  type SchemaValidator,
  toJsonSchema,
} from "../shared/schema.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

const ANNOTATION_NAMES = namesOf<ToolAnnotations>({
  readOnly: true,
  destructive: true,
  idempotent: true,
  openWorld: true,
});

/** Names of the members of a tool. The members with which a tool restricts its calls are named. */
const TOOL_NAMES = {
  known: namesOf<Tool>({
    name: true,
    description: true,
    inputSchema: true,
    annotations: true,
    providerOptions: true,
    timeoutMs: true,
    exclusive: true,
    execute: true,
  }),
  names: ["annotations", "timeoutMs", "exclusive"],
  aliases: TOOL_ALIASES,
};

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

/** The members of a tool that a registry uses, each read once. */
export type ToolMembers = Pick<Tool, "description" | "execute" | "name" | "providerOptions">;

/**
 * Reads a tool, except for its schema.
 *
 * @throws {TypeError} If the tool has no valid name or `execute` function, or has a member that
 * would be ignored although it restricts the calls of the tool.
 * @throws {RangeError} If `timeoutMs` is not a non-negative number.
 */
export function readTool(tool: Tool): ToolMembers {
  if (!isRecord(tool)) throw new TypeError(`"tool" must be an object, got ${formatValue(tool)}`);
  const { name, annotations, description, exclusive, inputSchema, timeoutMs, execute } = tool;
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
  if (exclusive !== undefined && typeof exclusive !== "boolean") {
    fail(`"exclusive" must be a boolean, got ${formatValue(exclusive)}`);
  }
  if (annotations !== undefined) assertAnnotations(`${name}.annotations`, annotations);
  const providerOptions = readProviderOptions(tool.providerOptions, fail);
  const ignored = findIgnored(tool, TOOL_NAMES);
  if (ignored) fail(`"${ignored.name}" is not supported; ${ignored.remedy}`);
  return { name, execute, ...defined({ description, providerOptions }) };
}

/** Copies provider options, so that a later change does not affect the definition. */
function readProviderOptions(
  options: unknown,
  fail: (reason: string) => never,
): ProviderOptions | undefined {
  if (options === undefined) return undefined;
  const copy = copyJsonValue(options);
  if (isProviderOptions(copy)) return copy;
  return fail(
    `"providerOptions" must contain JSON objects, keyed by provider, got ${formatValue(options)}`,
  );
}

/** Asserts that a value contains only known annotations, because others would be ignored. */
function assertAnnotations(at: string, annotations: unknown): void {
  assertRecord(at, annotations);
  assertNames(at, annotations, ANNOTATION_NAMES, ANNOTATION_ALIASES);
  for (const name of ANNOTATION_NAMES) assertOptionalBoolean(`${at}.${name}`, annotations[name]);
}
