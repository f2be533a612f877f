/**
 * Single-request handling, without a session or stream.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  type McpRequestId,
  type RpcRequest,
  type RpcResponse,
} from "../jsonrpc/message.ts";
import { readMessage } from "../jsonrpc/read_frame.ts";
import { Method } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { detectRequestEra } from "../protocol/request_era.ts";
import type { ServerAdvertisement, ServerCore } from "./server_core.ts";
import { INTERNAL_ERROR, methodNotFound } from "./dispatch.ts";
import { encodeLegacy, encodeModern } from "./encode_response.ts";
import { handleLifecycleRequest, UNKNOWN_CLIENT } from "./initialize.ts";
import { LazySignal } from "./lazy_signal.ts";

/**
 * Handles a modern or legacy request that the caller has passed as an object. Never rejects: an
 * object that is not a request, or that throws when it is read, becomes an error response.
 */
export async function handleMessage(server: ServerCore, message: unknown): Promise<RpcResponse> {
  let id: McpRequestId = null;
  try {
    const frame = readMessage(message);
    if (frame.kind === "request") {
      id = frame.message.id;
      return await handleSingleRequest(server, frame.message);
    }
    if (frame.kind === "invalid") {
      return failure(frame.id, { code: frame.code, message: frame.reason });
    }
    const reason = 'Invalid Request: "id" is missing';
    return failure(null, { code: RpcErrorCode.InvalidRequest, message: reason });
  } catch (error) {
    server.report(error);
    return failure(id, INTERNAL_ERROR);
  }
}

/**
 * Handles a modern or legacy request. Methods that require a session or a stream are not available.
 */
async function handleSingleRequest(
  server: ServerCore,
  request: RpcRequest,
): Promise<RpcResponse> {
  const { id, method } = request;
  if (method === Method.Listen) return failure(id, methodNotFound(method));
  const claim = detectRequestEra(request);
  switch (claim.era) {
    case "unclear":
      return failure(id, claim.error);
    case "modern":
      return encodeModern(await exchange(server, request, claim.client), method, server.identity);
    case "legacy":
      return handleLifecycleRequest(request, withoutListChanged(server))?.response ??
        encodeLegacy(await exchange(server, request, UNKNOWN_CLIENT));
    default:
      return claim satisfies never;
  }
}

function exchange(
  server: ServerCore,
  request: RpcRequest,
  client: ClientDescription,
): Promise<RpcResponse> {
  return server.exchange(request, { client, signal: new LazySignal() });
}

/**
 * Describes the server without `listChanged` and `subscribe`, because notifications cannot be sent
 * without a stream.
 */
export function withoutListChanged(server: ServerCore): ServerAdvertisement {
  const self = server.describe();
  const { tools, resources, prompts, ...rest } = self.capabilities;
  const capabilities = {
    ...rest,
    ...(tools && { tools: {} }),
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
  };
  return { ...self, capabilities };
}
