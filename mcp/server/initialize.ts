/**
 * Server side of the legacy session lifecycle: `initialize`, `ping` and `logging/setLevel`.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  type RequestId,
  type RpcRequest,
  type RpcResponse,
  success,
} from "../jsonrpc/message.ts";
import { initializeResult, readInitialize } from "../protocol/initialize.ts";
import { isLogLevel, type LogLevel } from "../protocol/logging.ts";
import { Method } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { LATEST_LEGACY_REVISION } from "../protocol/revisions.ts";
import type { ServerAdvertisement } from "./server_core.ts";
import { methodNotFound } from "./dispatch.ts";

/** A client that has not sent `initialize`. */
export const UNKNOWN_CLIENT: ClientDescription = {
  protocolVersion: LATEST_LEGACY_REVISION.version,
  capabilities: {},
};

/** Result of {@linkcode handleLifecycleRequest}. */
export interface LifecycleResult {
  /** Response to the request. */
  readonly response: RpcResponse;
  /** Client of the session, if the request was a valid `initialize`. */
  readonly client?: ClientDescription;
  /** Minimum level of log messages to send, if the request was a valid `logging/setLevel`. */
  readonly logLevel?: LogLevel;
}

/**
 * Handles a request in the legacy session lifecycle. Returns `undefined` if the method does not
 * belong to the lifecycle.
 */
export function handleLifecycleRequest(
  request: RpcRequest,
  self: ServerAdvertisement,
): LifecycleResult | undefined {
  const { id, params } = request;
  switch (request.method) {
    case Method.Initialize:
      return initializeSession(request, self);
    case Method.Ping:
      return { response: success(id, {}) };
    case Method.SetLogLevel: {
      const level = params?.level;
      if (!isLogLevel(level)) return { response: invalidParams(id, '"level" must be a log level') };
      return { response: success(id, {}), logLevel: level };
    }
    // Modern methods do not exist in a legacy session.
    case Method.Discover:
    case Method.Listen:
      return { response: failure(id, methodNotFound(request.method)) };
    default:
      return undefined;
  }
}

function initializeSession({ id, params }: RpcRequest, self: ServerAdvertisement): LifecycleResult {
  const client = readInitialize(params);
  if (typeof client === "string") return { response: invalidParams(id, client) };
  const { info, capabilities, instructions } = self;
  const result = initializeResult(client.protocolVersion, capabilities, info, instructions);
  return { response: success(id, result), client };
}

function invalidParams(id: RequestId, reason: string): RpcResponse {
  return failure(id, { code: RpcErrorCode.InvalidParams, message: `Invalid params: ${reason}` });
}
