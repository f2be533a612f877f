/**
 * Handlers for `prompts/list` and `prompts/get`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts Prompts}
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import {
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
import type { Completers } from "./completion.ts";
import type { RequestContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import { invalidParams, readCursor, readObject, readText } from "./params.ts";
import type { Registry } from "./registry.ts";

/**
 * Creates a prompt's messages. Returns a {@linkcode GetPromptResult}, or a string that becomes one
 * user message.
 *
 * A thrown `McpError` with an `rpcCode` is sent to the client. An error without an `rpcCode`
 * becomes an internal error without details.
 */
export type PromptHandler = (
  args: Readonly<Record<string, string>>,
  context: RequestContext,
) => unknown;

/** A registered prompt. */
export interface PromptEntry {
  readonly descriptor: McpPrompt;
  readonly fill: PromptHandler;
  readonly completers: Completers;
}

const readDescriptor = optionsReader<McpPrompt>("prompt")({
  name: required(assertNonEmptyString),
  description: assertString,
  arguments: required(assertArguments),
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

/**
 * Reads the description of a prompt to register.
 *
 * @throws {TypeError} If the name is empty, `arguments` is not an array of arguments with a name,
 * or a member has the wrong type or an unknown name.
 */
export function readPrompt(prompt: McpPrompt): McpPrompt {
  const descriptor = readDescriptor(prompt);
  return defined({
    ...descriptor,
    arguments: descriptor.arguments.map((argument, index) =>
      defined(readArgument(argument, `prompt.arguments[${index}]`))
    ),
  });
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
      const value = await prompt.fill(readArguments(args, prompt.descriptor), context);
      return toGetPromptResult(value, prompt.descriptor);
    },
  };
}

function readArguments(args: JsonObject, prompt: McpPrompt): Readonly<Record<string, string>> {
  if (!isStrings(args)) {
    throw invalidParams('Invalid params: "arguments" must be an object with string values');
  }
  const missing = prompt.arguments.find(({ name, required }) =>
    required && !Object.hasOwn(args, name)
  );
  if (missing !== undefined) throw invalidParams(`Missing required argument: "${missing.name}"`);
  return args;
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
