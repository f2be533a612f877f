/**
 * Handlers for `tools/list` and `tools/call`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools Tools}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import { isHandlerCode } from "../jsonrpc/error_codes.ts";
import { withKeptJson } from "../jsonrpc/kept_json.ts";
import { readParameterHeaders } from "../protocol/headers.ts";
import { Method } from "../protocol/methods.ts";
import { type ContentBlock, isContentBlock } from "../protocol/content.ts";
import { hasContent } from "../protocol/result_readers.ts";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import {
  assertNonEmptyString,
  assertObject,
  assertString,
  assertStrings,
} from "@parley/internal/assert-argument";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { toJsonValue } from "../shared/to_json_value.ts";
import { hasScopes } from "../shared/principal.ts";
import { isPending, thenOrNow } from "../shared/then_or_now.ts";
import { encodeBase64 } from "@parley/internal/base64";
import type { MethodContext, RequestContext } from "./request_context.ts";
import type { ToolHttpInfo } from "./server_core.ts";
import type { MethodHandler } from "./dispatch.ts";
import { assertJson, invalidParams, readCursor, readObject, readText } from "./params.ts";
import type { Registry } from "./registry.ts";
import { formatIssues, toInputCheck, toInputJsonSchema } from "@parley/internal/schema";
import {
  type SchemaCheck,
  type SchemaValidator,
  type StandardSchema,
  toJsonSchema,
  toSchemaCheck,
  type WholeSchema,
} from "./schema.ts";
import { formatValue } from "@parley/internal/format-value";
import { escapeText } from "@parley/internal/escape-text";
import { arrayOf } from "@parley/internal/option-checks";

/** Definition of a tool to register. Each schema is a JSON Schema or a Standard Schema. */
export interface ToolDefinition<
  Input extends JsonObject | StandardSchema = JsonObject | StandardSchema,
> extends Omit<McpToolDescriptor, "description" | "inputSchema" | "outputSchema"> {
  /** Description of the tool for the model. If omitted, the description is the empty string. */
  readonly description?: string;
  /** Schema for the arguments object. If omitted, any object is accepted. */
  readonly inputSchema?: WholeSchema<Input>;
  /** Schema for the structured content of results. */
  readonly outputSchema?: JsonObject | StandardSchema;
  /**
   * OAuth scopes that an access token must have to call the tool, if the server is served over HTTP
   * with authorization. The scopes are not part of the tool list; clients receive them in the
   * challenge of an HTTP 403 response. If omitted, no scope is required.
   */
  readonly scopes?: readonly string[];
}

/**
 * Implements a tool. The return value determines the result:
 *
 * - `undefined` becomes a result without content.
 * - A returned string becomes one text block.
 * - A content block, or a non-empty array of content blocks, becomes the content of the result. An
 *   object is a content block only if its `type` is a block type of the Model Context Protocol and
 *   all of its members are defined for this type.
 * - A `Uint8Array` becomes one resource block.
 * - A {@linkcode CallToolResult}, which is an object with a `content` array of blocks, becomes the
 *   result.
 * - A JSON value of any other kind, such as a number or a plain object, becomes structured content,
 *   with its JSON text as one text block.
 *
 * If the tool has an `outputSchema`, strings and content blocks become structured content too. The
 * structured content is validated as the JSON that the client receives. If the `outputSchema` is a
 * Standard Schema, the converted value is sent.
 *
 * A value that JSON cannot represent without loss (such as a `Map`, a `bigint` or `NaN`) and
 * structured content that does not match the `outputSchema` become a result with `isError: true`,
 * and are reported to `onError`.
 *
 * A thrown `McpError` with an `rpcCode` becomes a JSON-RPC error. An error without an `rpcCode`
 * becomes a result with `isError: true`, which allows the model to react to it.
 */
export type ToolHandler<Args = JsonObject> = (args: Args, context: RequestContext) => unknown;

/** Members of a definition that have a default. */
type ToolDefault = "description" | "scopes";

/**
 * Reads the definition of a tool.
 *
 * @throws {TypeError} If a member has the wrong type or an unknown name. A misspelled `scopes` or
 * `inputSchema` would otherwise let every client call the tool with any arguments.
 */
export const readTool: OptionsReader<ToolDefinition, ToolDefault> = optionsReader<ToolDefinition>(
  "tool",
  { parameters: "inputSchema", schema: "inputSchema", requiredScopes: "scopes" },
)({
  name: required(assertNonEmptyString),
  title: assertString,
  description: withDefault("", assertString),
  inputSchema: checkedLater,
  outputSchema: checkedLater,
  annotations: assertObject,
  icons: arrayOf("icons", assertObject),
  _meta: assertObject,
  scopes: withDefault([], assertStrings),
});

/** The compilation of a schema checks the schema, and its errors name the tool. */
function checkedLater(): void {}

/** A registered tool. */
export interface ToolEntry extends ToolHttpInfo {
  readonly descriptor: McpToolDescriptor;
  readonly checkInput: SchemaCheck;
  readonly checkOutput: SchemaCheck | undefined;
  readonly run: ToolHandler;
}

/**
 * Converts a definition to a registered tool, with a descriptor for clients and validators for
 * input and output.
 *
 * @throws {TypeError} If a schema is invalid or unsupported, or if the input schema does not accept
 * objects.
 */
export function toToolEntry(
  definition: Settings<ToolDefinition, ToolDefault>,
  run: ToolHandler,
  validator: SchemaValidator,
): ToolEntry {
  try {
    return compileTool(definition, run, validator);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot register tool "${definition.name}": ${reason}`, { cause });
  }
}

function compileTool(
  { inputSchema = {}, outputSchema, scopes, ...rest }: Settings<ToolDefinition, ToolDefault>,
  run: ToolHandler,
  validator: SchemaValidator,
): ToolEntry {
  const described = defined(rest);
  assertJson("tool", described);
  // Compile the schema before the header annotations are read, because compilation rejects cyclic
  // schemas.
  const checkInput = toInputCheck(inputSchema, validator);
  const descriptor: McpToolDescriptor = {
    ...described,
    inputSchema: toInputJsonSchema(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: toJsonSchema(outputSchema, "output") }),
  };
  const headers = readParameterHeaders(descriptor.inputSchema);
  if (!headers.ok) throw new TypeError(headers.reason);
  return {
    parameterHeaders: headers.value,
    // The program may change its array later.
    scopes: [...scopes],
    descriptor: withKeptJson(descriptor),
    checkInput,
    checkOutput: outputSchema === undefined ? undefined : toSchemaCheck(outputSchema, validator),
    run,
  };
}

/**
 * Creates the handlers for the tool methods. Invalid return values from tools are passed to
 * `onError`.
 */
export function toolMethods(
  tools: Registry<ToolEntry>,
  pageSize: number,
  onError: (error: unknown) => void,
): Record<string, MethodHandler> {
  return {
    [Method.ListTools]: (params, { principal }) => {
      const { entries, ...rest } = tools.page(readCursor(params), pageSize, principal);
      return { tools: entries.map(({ descriptor }) => descriptor), ...rest };
    },
    [Method.CallTool]: (params, context) => {
      const name = readText(params, "name");
      const args = readObject(params, "arguments");
      const tool = tools.get(name, context.principal);
      if (tool === undefined) throw invalidParams(`Unknown tool: "${name}"`);
      // The HTTP handler has checked the scopes of the tool that was registered when the request
      // arrived. Another tool may have replaced it since, for example while `around` was waiting.
      if (!isPermitted(tool, context)) {
        throw invalidParams(`Insufficient scope: requires scope="${tool.scopes.join(" ")}"`);
      }
      context.assertToolHeaders(tool.parameterHeaders);
      return callTool(tool, args, { context, onError });
    },
  };
}

/** Returns `true` if the principal has the scopes of a tool, or if no scopes apply. */
function isPermitted({ scopes }: ToolEntry, { transport, principal }: MethodContext): boolean {
  if (transport === "pipe" || scopes.length === 0) return true;
  return hasScopes(scopes, principal);
}

type Result = JsonObject & CallToolResult;

/** Context of a tool call, and a callback for invalid return values. */
interface ToolCall {
  readonly context: RequestContext;
  readonly onError: (error: unknown) => void;
}

/**
 * Calls a tool. Synchronous unless the schema check or the handler returns a promise, because an
 * `await` at each step increases the time of an in-process call from 3.8 to 4.4 microseconds
 * (`bench/mcp`).
 */
function callTool(tool: ToolEntry, args: JsonObject, call: ToolCall): Promise<Result> | Result {
  const checked = tool.checkInput(args);
  return thenOrNow(checked, (input) => {
    // Read the signal only if the schema check was asynchronous: a request cannot be cancelled
    // during a synchronous check, and the first access can watch the connection.
    if (isPending(checked)) call.context.signal.throwIfAborted();
    if (!input.ok) {
      const issues = formatIssues(input.issues);
      return failed(
        `Invalid input for tool "${tool.descriptor.name}": ${issues}. Correct the input and call the tool again.`,
      );
    }
    // The cast to `JsonObject` is safe if the tool has a JSON Schema, which accepts only objects.
    // The input of a tool with a Standard Schema has the type of the schema's output.
    return runTool(tool, input.value as JsonObject, call);
  });
}

function runTool(tool: ToolEntry, args: JsonObject, call: ToolCall): Promise<Result> | Result {
  let value: unknown;
  try {
    value = tool.run(args, call.context);
  } catch (error) {
    return toFailure(error);
  }
  return isPending(value)
    ? Promise.resolve(value).then((returned) => toResult(tool, returned, call), toFailure)
    : toResult(tool, value, call);
}

/**
 * Converts a thrown error to a result for the model. Rethrows errors that are intended for the
 * client.
 */
function toFailure(error: unknown): Result {
  if (isClientFacing(error)) throw error;
  // In JavaScript, an error's message can be any value.
  const { message } = error instanceof Error ? error : { message: error };
  return failed(typeof message === "string" ? message : formatValue(message));
}

function isClientFacing(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode !== undefined && isHandlerCode(error.rpcCode);
}

/**
 * Converts a returned value to a result and validates it. An invalid value is reported and becomes
 * a failed result.
 */
function toResult(tool: ToolEntry, value: unknown, call: ToolCall): Promise<Result> | Result {
  const { checkOutput, descriptor } = tool;
  let returned: ReturnedResult;
  try {
    returned = readReturned(value, descriptor);
  } catch (error) {
    return failNotJson(tool, call, error);
  }
  if (checkOutput === undefined || returned.isError) return withContent(returned);
  return thenOrNow(checkOutput(returned.structuredContent), (output) => {
    if (!output.ok) {
      const problem = `does not match its output schema: ${formatIssues(output.issues)}`;
      return failInvalid(tool, call, problem);
    }
    if (output.value === undefined) return withContent(returned);
    try {
      return withContent({ ...returned, structuredContent: toJsonValue(output.value) });
    } catch (error) {
      return failNotJson(tool, call, error);
    }
  });
}

function failNotJson(tool: ToolEntry, call: ToolCall, cause: unknown): Result {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return failInvalid(tool, call, `is not JSON: ${reason}`, cause);
}

/** Reports an invalid return value. */
function failInvalid(
  { descriptor }: ToolEntry,
  { onError }: ToolCall,
  problem: string,
  cause?: unknown,
): Result {
  const text = `Tool "${descriptor.name}" returned a result that ${problem}`;
  onError(new TypeError(escapeText(text), { cause }));
  return failed(text);
}

function failed(text: string): Result {
  return { ...textResult(text), isError: true };
}

/** A result whose content, if missing, is the JSON text of its structured content. */
type ReturnedResult = JsonObject & Partial<CallToolResult>;

/** @throws {TypeError} If JSON cannot represent the value. */
function readReturned(value: unknown, { name, outputSchema }: McpToolDescriptor): ReturnedResult {
  if (value === undefined) return { content: [] };
  if (value instanceof Uint8Array) {
    const blob = encodeBase64(value);
    const uri = `result:${encodeURIComponent(name)}`;
    const resource = { uri, mimeType: "application/octet-stream", blob };
    return { content: [{ type: "resource", resource }] };
  }
  const json = toJsonValue(value);
  if (isRecord(json) && hasContent(json)) return json;
  if (outputSchema !== undefined) return { structuredContent: json };
  if (typeof json === "string") return textResult(json);
  if (isContentBlock(json)) return { content: [json] };
  if (isContentBlocks(json)) return { content: json };
  return { structuredContent: json };
}

function isContentBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock);
}

function withContent(result: ReturnedResult): Result {
  if (isComplete(result)) return result;
  return { ...textResult(JSON.stringify(result.structuredContent)), ...result };
}

function isComplete(result: ReturnedResult): result is Result {
  return result.content !== undefined;
}

function textResult(text: string): Result {
  return { content: [{ type: "text", text }] };
}
