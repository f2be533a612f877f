/**
 * Single-request handling, without a session or stream.
 *
 * @module
 */

import { isPlainObject } from "@parley/internal/json";
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

/**
 * Handles a modern or legacy request that the caller has passed as an object. Never rejects: an
 * object that is not a request, or that throws when it is read, becomes an error response.
 */
export async function handleMessage(server: ServerCore, message: unknown): Promise<RpcResponse> {
  let id: McpRequestId = null;
  try {
    const given = readMessage(message);
    if (given.kind === "request") id = given.message.id;
    // Getters could otherwise return other values after the checks than during them.
    const frame = readMessage(copyOf(message, 0));
    if (frame.kind === "request") {
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

/** Maximum depth of a request. */
const MAX_DEPTH = 1000;

/**
 * Copies the objects and arrays in a message. Each member is read once.
 *
 * @throws {TypeError} If the message is deeper than {@linkcode MAX_DEPTH}, for example because it
 * is cyclic.
 */
function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw new TypeError(`"request" must have at most ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return Array.from(value, (item) => copyOf(item, depth + 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, copyOf(member, depth + 1)]),
  );
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
  return server.exchange(request, { client, signal: new AbortController().signal });
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
