/**
 * Handlers for `prompts/list` and `prompts/get`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts Prompts}
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import {
  formatIssues,
  isStandardSchema,
  toInputCheck,
  toInputJsonSchema,
} from "@parley/internal/schema";
import { withKeptJson } from "../jsonrpc/kept_json.ts";
import {
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { arrayOf } from "@parley/internal/option-checks";
import { optionsReader, required } from "@parley/internal/options";
import { toJsonValue } from "../shared/to_json_value.ts";
import { Method } from "../protocol/methods.ts";
import type { GetPromptResult, McpPrompt, McpPromptArgument } from "../protocol/prompt.ts";
import { isMessages } from "../protocol/result_readers.ts";
import { assertCompleters, type CompletionOptions, readCompletion } from "./completion.ts";
import type { RequestContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import { assertJson, invalidParams, readCursor, readObject, readText } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { SchemaCheck, SchemaValidator, StandardSchema } from "./schema.ts";

/**
 * A prompt whose arguments are described by a Standard Schema.
 *
 * @typeParam Args Type of the arguments after validation.
 */
export interface PromptDefinition<Args = unknown> extends Omit<McpPrompt, "arguments"> {
  /**
   * Schema for the arguments, which clients send as strings: a schema for an object, but not a
   * union of objects. The list of arguments contains the properties of the schema. The handler
   * receives the converted values. If the arguments do not match, the request receives error
   * -32602.
   */
  readonly argumentsSchema: StandardSchema<unknown, Args>;
}

/** The members of both kinds of prompts. */
interface AnyPrompt extends Omit<McpPrompt, "arguments">, Partial<Pick<McpPrompt, "arguments">> {
  readonly argumentsSchema?: StandardSchema;
}

/**
 * Creates a prompt's messages. Returns a {@linkcode GetPromptResult}, or a string that becomes one
 * user message.
 *
 * A thrown `McpError` with an `rpcCode` is sent to the client. An error without an `rpcCode`
 * becomes an internal error without details.
 */
export type PromptHandler<Args = Readonly<Record<string, string>>> = (
  args: Args,
  context: RequestContext,
) => unknown;

/** A registered prompt. */
export interface PromptEntry {
  readonly descriptor: McpPrompt;
  readonly checkArguments: SchemaCheck | undefined;
  readonly fill: PromptHandler<JsonObject>;
  readonly options: CompletionOptions;
}

const readDefinition = optionsReader<AnyPrompt>("prompt", {
  argsSchema: "argumentsSchema",
  inputSchema: "argumentsSchema",
})({
  name: required(assertNonEmptyString),
  description: assertString,
  arguments: assertArguments,
  argumentsSchema: checkedLater,
  title: assertString,
  icons: arrayOf("icons", assertObject),
  _meta: assertObject,
});

const readArgument = optionsReader<McpPromptArgument>("argument")({
  name: required(assertNonEmptyString),
  description: assertString,
  required: assertOptionalBoolean,
  title: assertString,
});

/** The conversion of the schema checks the schema, and its errors name the prompt. */
function checkedLater(): void {}

/**
 * Converts the arguments of {@linkcode McpServer.registerPrompt} to a registered prompt.
 *
 * @throws {TypeError} If the name is empty, the prompt has neither `arguments` nor
 * `argumentsSchema`, or both, the schema is a union without properties of its own, a member has the
 * wrong type or an unknown name, or the handler or a completer is not valid.
 */
export function toPromptEntry(
  prompt: McpPrompt | PromptDefinition,
  handler: PromptHandler<never>,
  options: CompletionOptions,
  validator: SchemaValidator,
): PromptEntry {
  const { arguments: listed, argumentsSchema, ...rest } = readDefinition(prompt);
  const read = defined(readCompletion(options));
  assertFunction("handler", handler);
  if (listed !== undefined && argumentsSchema !== undefined) {
    throw new TypeError('"prompt" must have either "arguments" or "argumentsSchema", got both');
  }
  if (argumentsSchema === undefined) assertArguments("prompt.arguments", listed);
  const schema = argumentsSchema && compileArguments(rest.name, argumentsSchema, validator);
  const args = schema?.args ??
    (listed ?? []).map((argument, index) =>
      defined(readArgument(argument, `prompt.arguments[${index}]`))
    );
  const descriptor = defined({ ...rest, arguments: args });
  assertJson("prompt", descriptor);
  if (read.complete !== undefined) {
    assertCompleters(read.complete, args.map(({ name }) => name), "argument");
  }
  return {
    descriptor: withKeptJson(descriptor),
    checkArguments: schema?.check,
    // The arguments are strings, or match the schema, so they have the handler's argument type.
    fill: handler as PromptHandler<JsonObject>,
    options: read,
  };
}

/** Returns the list of arguments that a schema describes, and a function that checks them. */
function compileArguments(
  prompt: string,
  schema: StandardSchema,
  validator: SchemaValidator,
): { readonly args: readonly McpPromptArgument[]; readonly check: SchemaCheck } {
  try {
    const json = toInputJsonSchema(schema, "argumentsSchema");
    const { properties, required } = json;
    if (!isStandardSchema(schema)) {
      throw new TypeError('"argumentsSchema" must be a Standard Schema, got a JSON Schema');
    }
    const combined = ["anyOf", "oneOf", "allOf", "$ref"].find((keyword) => keyword in json);
    if (properties === undefined && combined !== undefined) {
      throw new TypeError(
        `"argumentsSchema" must be a schema with "properties", got one with "${combined}"`,
      );
    }
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const args = Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => ({
      name,
      ...describe(property),
      required: needed.includes(name),
    }));
    return { args, check: toInputCheck(schema, validator, "argumentsSchema") };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot register prompt "${prompt}": ${reason}`, { cause });
  }
}

function describe(property: unknown): { readonly title?: string; readonly description?: string } {
  const { title, description } = isRecord(property) ? property : {};
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
  };
}

function assertArguments(name: string, value: unknown): void {
  if (Array.isArray(value)) return;
  rejectArgument(name, "an array of arguments, or [] for a prompt without arguments", value);
}

/** Creates the handlers for the prompt methods. */
export function promptMethods(
  prompts: Registry<PromptEntry>,
  pageSize: number,
): Record<string, MethodHandler> {
  return {
    [Method.ListPrompts]: (params, { principal }) => {
      const { entries, ...rest } = prompts.page(readCursor(params), pageSize, principal);
      return { prompts: entries.map(({ descriptor }) => descriptor), ...rest };
    },
    [Method.GetPrompt]: async (params, context) => {
      const name = readText(params, "name");
      const args = readObject(params, "arguments");
      const prompt = prompts.get(name, context.principal);
      if (prompt === undefined) throw invalidParams(`Unknown prompt: "${name}"`);
      const value = await prompt.fill(await readArguments(args, prompt, context), context);
      return toGetPromptResult(value, prompt.descriptor);
    },
  };
}

async function readArguments(
  args: JsonObject,
  { descriptor, checkArguments }: PromptEntry,
  { signal }: RequestContext,
): Promise<JsonObject> {
  if (!isStrings(args)) {
    throw invalidParams('Invalid params: "arguments" must be an object with string values');
  }
  const missing = descriptor.arguments.find(({ name, required }) =>
    required && !Object.hasOwn(args, name)
  );
  if (missing !== undefined) throw invalidParams(`Missing required argument: "${missing.name}"`);
  if (checkArguments === undefined) return args;
  const checked = await checkArguments(args);
  signal.throwIfAborted();
  if (checked.ok) {
    // The value has the type of the schema's output, which the handler accepts.
    return checked.value as JsonObject;
  }
  const issues = formatIssues(checked.issues);
  if (checked.error !== undefined) {
    throw new TypeError(`Cannot get prompt "${descriptor.name}": ${issues}`, {
      cause: checked.error,
    });
  }
  throw invalidParams(`Invalid params: "arguments" does not match the schema: ${issues}`);
}

function isStrings(value: JsonObject): value is Readonly<Record<string, string>> {
  return Object.values(value).every((member) => typeof member === "string");
}

/**
 * @throws {TypeError} If the value is neither a result nor a string, or JSON cannot represent it.
 */
function toGetPromptResult(value: unknown, { name, description }: McpPrompt): JsonObject {
  const json = toJson(name, value);
  if (isGetPromptResult(json)) return json;
  if (typeof json !== "string") {
    throw new TypeError(
      `Cannot get prompt "${name}": the handler must return a string or an object with "messages", ` +
        `got ${formatValue(json)}`,
    );
  }
  const messages = [{ role: "user", content: { type: "text", text: json } }];
  return description === undefined ? { messages } : { description, messages };
}

function toJson(name: string, value: unknown): JsonValue {
  try {
    return toJsonValue(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot get prompt "${name}": the handler must return JSON: ${reason}`, {
      cause,
    });
  }
}

function isGetPromptResult(value: unknown): value is JsonObject & GetPromptResult {
  return isRecord(value) && isMessages(value.messages);
}
