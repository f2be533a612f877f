/**
 * Client handlers for the input that servers request: elicitation, sampling and roots.
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

/**
 * Handlers for input requests and, in the legacy era, server requests. The client declares each capability only if the
 * handler for that capability is set.
 */
export interface InputHandlers {
  /**
   * Requests input from the user, with a form or a URL to visit. Fields that are missing from an accepted form are set
   * to the defaults in the form's schema.
   */
  readonly elicit?: (
    params: ElicitForm | ElicitUrl,
    signal: AbortSignal,
  ) => Promise<ElicitResult> | ElicitResult;
  /**
   * Requests a message from the client's model (sampling). The user should be able to review the request and the
   * response.
   */
  readonly createMessage?: (
    params: CreateMessageParams,
    signal: AbortSignal,
  ) => Promise<CreateMessageResult> | CreateMessageResult;
  /** Returns the client's roots, which are the folders that servers may use. */
  readonly listRoots?: (signal: AbortSignal) => Promise<readonly Root[]> | readonly Root[];
}

/** Returns the client capabilities for the given handlers and extensions, together with additional capabilities. */
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
 * Handles all input requests concurrently and returns the input responses by key. Rejects immediately when the signal
 * aborts.
 *
 * @throws {McpError} With code `protocol_error` if an input request is invalid.
 * @throws {McpError} If a handler fails, with the same codes as {@linkcode handleInputRequest}.
 */
export async function handleInputRequests(
  handlers: InputHandlers,
  inputRequests: unknown,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!isJsonObject(inputRequests)) {
    throw McpError.protocolError('"inputRequests" must be an object');
  }
  const entries = Object.entries(inputRequests).map(async ([key, question]) => {
    if (!isJsonObject(question) || typeof question.method !== "string") {
      throw McpError.protocolError(`input request "${key}" has no "method"`);
    }
    const params = isJsonObject(question.params) ? question.params : {};
    return [key, await handleInputRequest(handlers, question.method, params, signal)];
  });
  return Object.fromEntries(await abortable(Promise.all(entries), signal));
}

/**
 * Handles one input request or server request.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32601 if the client has no handler for the method.
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameters are invalid.
 */
export async function handleInputRequest(
  handlers: InputHandlers,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { elicit, createMessage, listRoots } = handlers;
  if (method === Method.Elicit && elicit !== undefined) {
    if (!isElicitParams(params)) {
      throw invalidParams('"message" and either "requestedSchema" or "url" must be set');
    }
    return withDefaults({ ...await elicit(params, signal) }, params.requestedSchema);
  }
  if (method === Method.CreateMessage && createMessage !== undefined) {
    if (!isCreateMessageParams(params)) {
      throw invalidParams('"messages" must be an array and "maxTokens" must be a number');
    }
    return { ...await createMessage(params, signal) };
  }
  if (method === Method.ListRoots && listRoots !== undefined) {
    return { roots: await listRoots(signal) };
  }
  throw McpError.protocolError(`Method not found: "${method}"`, {
    rpcCode: RpcErrorCode.MethodNotFound,
  });
}

/** Sets missing fields of an accepted form to the defaults in its schema. */
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

function invalidParams(detail: string): McpError {
  return McpError.protocolError(`Invalid params: ${detail}`, {
    rpcCode: RpcErrorCode.InvalidParams,
  });
}
