/**
 * Handlers of a client for the input that servers request from its user, its model and its roots.
 *
 * @module
 */

import { abortable } from "../shared/abortable.ts";
import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  Root,
} from "../protocol/input_request.ts";
import { Method } from "../protocol/methods.ts";
import type { ClientExtension } from "./extension.ts";

/** Answers what servers ask. What has a handler is offered to servers; the rest they are not allowed to ask. */
export interface InputHandlers {
  /**
   * Asks the user: shows a form, or a page to go to. What an accepted form leaves out gets the default of its schema.
   */
  readonly elicit?: (
    params: ElicitForm | ElicitUrl,
    signal: AbortSignal,
  ) => Promise<ElicitResult> | ElicitResult;
  /** Asks the model. Let a person look at it before and after. */
  readonly createMessage?: (
    params: CreateMessageParams,
    signal: AbortSignal,
  ) => Promise<CreateMessageResult> | CreateMessageResult;
  /** Tells the folders that the client works in. */
  readonly listRoots?: (signal: AbortSignal) => Promise<readonly Root[]> | readonly Root[];
}

/** What a client with these handlers offers, and what else it says it does. */
export function capabilitiesOf(
  handlers: InputHandlers,
  more: ClientCapabilities = {},
  extensions: readonly ClientExtension[] = [],
): ClientCapabilities {
  const { elicit, createMessage, listRoots } = handlers;
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(createMessage && { sampling: {} }),
    ...(listRoots && { roots: {} }),
    ...more,
    ...(extensions.length > 0 && { extensions: { ...more.extensions, ...settingsOf(extensions) } }),
  };
}

function settingsOf(extensions: readonly ClientExtension[]): Record<string, JsonObject> {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/**
 * Answers all questions at once, but does not wait for the answers longer than there is somebody who wants them.
 *
 * @throws {McpError} `protocol_error` when a question is none, otherwise as {@linkcode handleInputRequest}
 */
export async function handleInputRequests(
  handlers: InputHandlers,
  inputRequests: unknown,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!isJsonObject(inputRequests)) {
    throw McpError.protocolError('"inputRequests" is not an object');
  }
  const entries = Object.entries(inputRequests).map(async ([key, question]) => {
    if (!isJsonObject(question) || typeof question.method !== "string") {
      throw McpError.protocolError(`the question "${key}" has no method`);
    }
    const params = isJsonObject(question.params) ? question.params : {};
    return [key, await handleInputRequest(handlers, question.method, params, signal)];
  });
  return Object.fromEntries(await abortable(Promise.all(entries), signal));
}

/**
 * Answers a question.
 *
 * @throws {McpError} `protocol_error` with -32601 when there is no handler for it, -32602 when it is not valid
 */
export async function handleInputRequest(
  handlers: InputHandlers,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { elicit, createMessage, listRoots } = handlers;
  if (method === Method.Elicit && elicit !== undefined) {
    if (!isElicitParams(params)) throw invalidParams(method);
    return withDefaults({ ...await elicit(params, signal) }, params.requestedSchema);
  }
  if (method === Method.CreateMessage && createMessage !== undefined) {
    if (!isCreateMessageParams(params)) throw invalidParams(method);
    return { ...await createMessage(params, signal) };
  }
  if (method === Method.ListRoots && listRoots !== undefined) {
    return { roots: await listRoots(signal) };
  }
  throw McpError.protocolError(`Method not found: ${method}`, {
    rpcCode: RpcErrorCode.MethodNotFound,
  });
}

/** Fills what an accepted form leaves out with the defaults of its schema. */
function withDefaults(result: JsonObject, schema: unknown): JsonObject {
  if (result.action !== "accept" || !isJsonObject(schema)) return result;
  const { properties } = schema;
  if (!isJsonObject(properties)) return result;
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) && property.default !== undefined ? [[name, property.default]] : []
  );
  const content = isJsonObject(result.content) ? result.content : {};
  return { ...result, content: { ...Object.fromEntries(defaults), ...content } };
}

function isElicitParams(params: JsonObject): params is JsonObject & (ElicitForm | ElicitUrl) {
  if (typeof params.message !== "string") return false;
  if (params.mode === "url") return typeof params.url === "string";
  return (params.mode === undefined || params.mode === "form") &&
    isJsonObject(params.requestedSchema);
}

function isCreateMessageParams(params: JsonObject): params is JsonObject & CreateMessageParams {
  return Array.isArray(params.messages) && typeof params.maxTokens === "number";
}

function invalidParams(method: string): McpError {
  return McpError.protocolError(`Invalid params of "${method}"`, {
    rpcCode: RpcErrorCode.InvalidParams,
  });
}
