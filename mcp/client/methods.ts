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
import { findRevision } from "../protocol/revisions.ts";
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
      (result) => readCall(session, result),
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
    return readCall(session, await session.request(Method.CallTool, params, again));
  } catch (cause) {
    throw isUnknownTool(cause, params.name) ? McpError.toolNotFound(params.name, { cause }) : cause;
  }
}

function readCall(session: Session, result: JsonObject): CallToolResult {
  return valueOf(session, readCallToolResult(result), Method.CallTool);
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
  return valueOf(session, readReadResourceResult(result), Method.ReadResource);
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
  return valueOf(session, readGetPromptResult(result), Method.GetPrompt);
}

/** Requests completions for an argument. */
export async function complete(
  session: Session,
  params: CompleteParams,
  options: RequestSettings,
): Promise<Completion> {
  assertOffered(session, Method.Complete);
  const result = await session.request(Method.Complete, { ...params }, options);
  return valueOf(session, readCompletion(result), Method.Complete);
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
  let last: readonly T[] = [];
  const startedAt = Date.now();
  do {
    seen.add(cursor);
    const own = cursor === undefined ? options : continueCall(options, startedAt);
    const result = await requestPage(session, method, cursor, own);
    if (result === undefined) return items;
    chars += toJson(result).length;
    if (chars > maxListChars) throw tooLong(method, { maxListChars });
    const page = valueOf(session, readPage(result, key, readItem), method);
    const next = page.nextCursor;
    const isRepeated = next !== undefined && seen.has(next);
    if (isRepeated) session.options.tolerance(next === "" ? EMPTY : REPEATED, method);
    // A server that ignores the cursor sends the same page again.
    if (!isRepeated || JSON.stringify(page.items) !== JSON.stringify(last)) {
      if (items.length + page.items.length > maxListItems) throw tooLong(method, { maxListItems });
      // Spreading a page of 100,000 items would exceed the maximum number of arguments.
      for (const item of page.items) items.push(item);
    }
    last = page.items;
    cursor = isRepeated ? undefined : next;
    if (cursor !== undefined && seen.size >= maxListPages) throw tooLong(method, { maxListPages });
  } while (cursor !== undefined);
  return items;
}

const REPEATED = { what: '"nextCursor" is the cursor of an earlier page' };
const EMPTY = { what: '"nextCursor" is empty' };

/**
 * Requests a page of a list. Returns `undefined` if the server has ended the list with an empty
 * cursor, which it then rejects. Only versions since 2026-07-28 say that an empty cursor is a
 * cursor like any other.
 */
async function requestPage(
  session: Session,
  method: string,
  cursor: string | undefined,
  options: RequestSettings,
): Promise<JsonObject | undefined> {
  try {
    return await session.request(method, cursor === undefined ? {} : { cursor }, options);
  } catch (error) {
    const isRejected = error instanceof McpError && error.rpcCode === RpcErrorCode.InvalidParams;
    const { protocolVersion } = session.server;
    const isLegacy = findRevision(protocolVersion)?.era === "legacy";
    if (cursor !== "" || !isRejected || !isLegacy) throw error;
    session.options.tolerance(EMPTY, method);
    return undefined;
  }
}

function toJson(result: JsonObject): string {
  try {
    return JSON.stringify(result);
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

/** Returns the value that was read, and reports its deviations. */
function valueOf<T>({ options }: Session, read: ReadResult<T>, method: string): T {
  if (read.ok) {
    for (const deviation of read.deviations ?? []) options.tolerance(deviation, method);
    return read.value;
  }
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

/**
 * Returns a function that throws if a tool has failed, and otherwise returns its result.
 */
export function assertSuccess(toolName: string): (result: CallToolResult) => CallToolResult {
  return (result) => {
    if (result.isError !== true) return result;
    throw McpError.core(`the tool "${toolName}" failed: ${textOf(result)}`, { data: result });
  };
}

function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}
