/**
 * Client requests, with validation of the results.
 *
 * @module
 */

import { assertObject, assertString } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { type CompleteParams, type Completion, readCompletion } from "../protocol/completion.ts";
import { isLogLevel, LOG_LEVELS, type LogLevel } from "../protocol/logging.ts";
import { Method, NEEDED_CAPABILITY } from "../protocol/methods.ts";
import type { GetPromptResult, McpPrompt } from "../protocol/prompt.ts";
import {
  readCallToolResult,
  readGetPromptResult,
  readPage,
  readPrompt,
  readReadResourceResult,
  readResource,
  readResourceTemplate,
  type ReadResult,
  readTool,
} from "../protocol/result_readers.ts";
import type { McpResource, McpResourceTemplate, ReadResourceResult } from "../protocol/resource.ts";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import {
  continueCall,
  readRequest,
  type RequestOptions,
  type RequestSettings,
} from "./request_options.ts";
import type { ListLimits, Session } from "./session.ts";

/** Lists all tools. */
export function listTools(
  session: Session,
  options: RequestSettings,
): Promise<readonly McpToolDescriptor[]> {
  return listAll(session, Method.ListTools, "tools", readTool, options);
}

/** Lists all resources. */
export function listResources(
  session: Session,
  options: RequestSettings,
): Promise<readonly McpResource[]> {
  return listAll(session, Method.ListResources, "resources", readResource, options);
}

/** Lists all resource templates. */
export function listResourceTemplates(
  session: Session,
  options: RequestSettings,
): Promise<readonly McpResourceTemplate[]> {
  const key = "resourceTemplates";
  return listAll(session, Method.ListResourceTemplates, key, readResourceTemplate, options);
}

/** Lists all prompts. */
export function listPrompts(
  session: Session,
  options: RequestSettings,
): Promise<readonly McpPrompt[]> {
  return listAll(session, Method.ListPrompts, "prompts", readPrompt, options);
}

/**
 * Calls a tool. If the server rejects the tool parameter headers, the client fetches the list of
 * tools again and repeats the call once.
 */
export function callTool(
  connected: () => Session,
  name: string,
  args?: JsonObject,
  options?: RequestOptions,
): Promise<CallToolResult> {
  try {
    assertString("toolName", name);
    if (args !== undefined) assertObject("args", args);
    const settings = readRequest(options);
    const session = connected();
    assertOffered(session, Method.CallTool);
    const params = { name, arguments: args };
    const startedAt = Date.now();
    return session.request(Method.CallTool, params, settings).then(
      readCall,
      (error) => recoverCall({ session, params, settings, startedAt }, error),
    );
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A call of a tool that has failed. */
interface FailedCall {
  readonly session: Session;
  readonly params: { readonly name: string; readonly arguments: JsonObject | undefined };
  readonly settings: RequestSettings;
  /** Start of the call, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Repeats a call if the server has rejected its headers. Otherwise, throws the call's error. */
async function recoverCall(
  { session, params, settings, startedAt }: FailedCall,
  error: unknown,
): Promise<CallToolResult> {
  try {
    if (!isMismatch(error)) throw error;
    await listTools(session, continueCall(settings, startedAt));
    const again = continueCall(settings, startedAt);
    return readCall(await session.request(Method.CallTool, params, again));
  } catch (cause) {
    throw isUnknownTool(cause, params.name) ? McpError.toolNotFound(params.name, { cause }) : cause;
  }
}

function readCall(result: JsonObject): CallToolResult {
  return valueOf(readCallToolResult(result), Method.CallTool);
}

/**
 * Returns `true` if the server rejects a call's parameter headers, because the client's list of
 * tools is missing or outdated. Only the HTTP status shows that the call was not executed: a tool
 * can fail with any JSON-RPC error code.
 */
function isMismatch(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode === RpcErrorCode.HeaderMismatch &&
    error.httpStatus === 400;
}

/** Reads a resource. */
export async function readResourceAt(
  session: Session,
  uri: string,
  options: RequestSettings,
): Promise<ReadResourceResult> {
  assertOffered(session, Method.ReadResource);
  const result = await session.request(Method.ReadResource, { uri }, options);
  return valueOf(readReadResourceResult(result), Method.ReadResource);
}

/** Gets a prompt with its arguments filled in. */
export async function getPrompt(
  session: Session,
  name: string,
  args: Readonly<Record<string, string>>,
  options: RequestSettings,
): Promise<GetPromptResult> {
  assertOffered(session, Method.GetPrompt);
  const result = await session.request(Method.GetPrompt, { name, arguments: args }, options);
  return valueOf(readGetPromptResult(result), Method.GetPrompt);
}

/** Requests completions for an argument. */
export async function complete(
  session: Session,
  params: CompleteParams,
  options: RequestSettings,
): Promise<Completion> {
  assertOffered(session, Method.Complete);
  const result = await session.request(Method.Complete, { ...params }, options);
  return valueOf(readCompletion(result), Method.Complete);
}

/** Sets the minimum level of log messages. */
export async function setLogLevel(
  session: Session,
  level: LogLevel,
  options: RequestSettings,
): Promise<void> {
  if (!isLogLevel(level)) {
    throw new TypeError(
      `"level" must be one of "${LOG_LEVELS.join('", "')}", got ${formatValue(level)}`,
    );
  }
  assertOffered(session, Method.SetLogLevel);
  await session.setLogLevel(level, options);
}

/**
 * Lists the items on all pages of a list. Returns an empty list if the server does not declare the
 * capability for this method.
 */
async function listAll<T>(
  session: Session,
  method: string,
  key: string,
  readItem: (value: unknown) => ReadResult<T>,
  options: RequestSettings,
): Promise<readonly T[]> {
  if (!isOffered(session, method)) return [];
  const { maxListPages, maxListItems, maxListChars } = session.options;
  const items: T[] = [];
  const seen = new Set<string | undefined>();
  let chars = 0;
  let cursor: string | undefined;
  const startedAt = Date.now();
  do {
    seen.add(cursor);
    const isFirst = cursor === undefined;
    const params = isFirst ? {} : { cursor };
    const own = isFirst ? options : continueCall(options, startedAt);
    const result = await session.request(method, params, own);
    chars += jsonLength(result);
    if (chars > maxListChars) throw tooLong(method, { maxListChars });
    const page = valueOf(readPage(result, key, readItem), method);
    if (items.length + page.items.length > maxListItems) throw tooLong(method, { maxListItems });
    // Spreading a page of 100,000 items would exceed the maximum number of arguments.
    for (const item of page.items) items.push(item);
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor)) {
      throw McpError.protocolError(`"${method}" returned the cursor ${formatValue(cursor)} twice`);
    }
    if (cursor !== undefined && seen.size >= maxListPages) throw tooLong(method, { maxListPages });
  } while (cursor !== undefined);
  return items;
}

/** Returns the length of a result as JSON, in characters. */
function jsonLength(result: JsonObject): number {
  try {
    return JSON.stringify(result).length;
  } catch (cause) {
    // A result from an in-memory server can contain any value.
    throw McpError.serializationError(String(cause), { cause });
  }
}

function tooLong(method: string, limit: Partial<ListLimits>): McpError {
  const [[name, value] = []] = Object.entries(limit);
  return McpError.protocolError(`"${method}" exceeds "${name}" (${value})`);
}

function isOffered({ server, options }: Session, method: string): boolean {
  const needed = NEEDED_CAPABILITY.get(method);
  return !options.enforceCapabilities || needed === undefined ||
    server.capabilities[needed] !== undefined;
}

function assertOffered(session: Session, method: string): void {
  if (isOffered(session, method)) return;
  const needed = NEEDED_CAPABILITY.get(method);
  throw McpError.protocolError(
    `"${method}" requires the "${needed}" capability, which the server does not declare`,
  );
}

function valueOf<T>(read: ReadResult<T>, method: string): T {
  if (read.ok) return read.value;
  throw McpError.protocolError(`the result of "${method}" is not valid: ${read.reason}`);
}

/**
 * Returns `true` if the error reports an unknown tool. Inspects the error message too, because the
 * codes that servers use for an unknown tool, `-32602` and `-32601`, also denote any invalid
 * parameter or unknown method.
 */
function isUnknownTool(error: unknown, name: string): boolean {
  if (!(error instanceof McpError) || !error.message.includes(name)) return false;
  const { rpcCode, message } = error;
  const isMissing = /\b(unknown|not found|no such|does not exist)\b/i.test(message);
  if (rpcCode === RpcErrorCode.InvalidParams) return isMissing;
  return rpcCode === RpcErrorCode.MethodNotFound && isMissing && /\btool\b/i.test(message);
}
