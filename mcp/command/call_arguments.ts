/**
 * Arguments of tools and prompts on the command line: `name=text`, `name:=JSON`, `{JSON}`,
 * `@file.json`, and `-` for standard input.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { truncate } from "@parley/internal/escape-text";
import type { JsonObject } from "../shared/json.ts";
import { messageOf, UsageError } from "./exit_code.ts";
import type { CliIo } from "./run_program.ts";

/**
 * Reads the arguments of a call. A later argument replaces an earlier one of the same name.
 *
 * @param schema JSON Schema of the arguments. `name=text` is parsed as JSON if the schema requires
 * another type than a string.
 * @throws {UsageError} If an argument is not valid, or a file cannot be read.
 */
export async function readCallArguments(
  words: readonly string[],
  schema: JsonObject,
  io: Pick<CliIo, "readFile" | "readStdin">,
): Promise<JsonObject> {
  const all = new Map<string, unknown>();
  for (const word of words) {
    for (const [name, value] of Object.entries(await readWord(word, schema, io))) {
      all.set(name, value);
    }
  }
  return Object.fromEntries(all);
}

async function readWord(
  word: string,
  schema: JsonObject,
  { readFile, readStdin }: Pick<CliIo, "readFile" | "readStdin">,
): Promise<JsonObject> {
  if (word === "-") return parseObject(await readStdin(), "standard input");
  if (word.startsWith("{")) return parseObject(word, "the argument");
  if (word.startsWith("@")) {
    const path = word.slice(1);
    const text = await readFile(path).catch((error) => {
      throw new UsageError(`Cannot read "${path}": ${messageOf(error)}`);
    });
    return parseObject(text.replace(/^\uFEFF/, ""), `"${path}"`);
  }
  const [, name = "", operator, text = ""] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
  if (operator === undefined) {
    throw new UsageError(
      `Invalid arguments: "${
        truncate(word, 100)
      }" must be name=text, name:=JSON, {JSON}, @file.json or -`,
    );
  }
  const types = operator === ":=" ? ["JSON"] : typesOf(schema, name);
  const isText = types.length === 0 || types.includes("string");
  return Object.fromEntries([[name, isText ? text : parseValue(name, text, types)]]);
}

function parseObject(text: string, source: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // The error below covers text that is not JSON, too.
  }
  throw new UsageError(`Invalid arguments: ${source} must be a JSON object`);
}

function parseValue(name: string, text: string, types: readonly string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      `Invalid arguments: "${name}" must be of type ${types.join(" or ")}, got "${
        truncate(text, 100)
      }"`,
    );
  }
}

/** Returns the types that a schema allows for an argument, or none if the schema does not say. */
function typesOf(schema: JsonObject, name: string): readonly string[] {
  const { properties } = schema;
  const property = isRecord(properties) && Object.hasOwn(properties, name)
    ? properties[name]
    : undefined;
  return schemasOf(property, schema).flatMap(typesOfBranch);
}

/**
 * Formats the types that a schema of a parameter allows, such as `string|number[]`, or `any` if the
 * schema does not say.
 *
 * @param root Schema of all parameters, to which references refer.
 */
export function formatTypes(parameter: unknown, root: JsonObject): string {
  const types = schemasOf(parameter, root).flatMap((branch) => {
    const { items } = branch;
    const item = isRecord(items) && isString(items.type) ? `${items.type}[]` : "array";
    return typesOfBranch(branch).map((name) => name === "array" ? item : name);
  });
  return types.length === 0 ? "any" : [...new Set(types)].join("|");
}

/** Returns the types of `type`, or else the types of the listed values. */
function typesOfBranch({ type, enum: values, const: value }: JsonObject): readonly string[] {
  if (type !== undefined) return toArray(type).filter(isString);
  return [...toArray(values), ...value === undefined ? [] : [value]].map(typeOfValue);
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * Returns a schema and the schemas that it combines or refers to. Schemas of optional values often
 * list their types with `anyOf`, and schemas of objects and enumerations are often in `$defs`.
 */
function schemasOf(schema: unknown, root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const stack = [schema];
  while (stack.length > 0) {
    const next = stack.pop();
    if (!isRecord(next) || found.has(next)) continue;
    found.add(next);
    const { $ref, anyOf, oneOf, allOf } = next;
    const parts = [targetOf($ref, root), ...[anyOf, oneOf, allOf].flatMap(toArray)];
    for (const part of parts.reverse()) stack.push(part);
  }
  return [...found];
}

/** Returns the target of a JSON Pointer into the schema, or `undefined` if there is none. */
function targetOf(reference: unknown, root: JsonObject): unknown {
  if (!isString(reference) || !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isRecord(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function toArray(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
