/**
 * Single-request handling, without a session or stream.
 *
 * @module
 */

import { failure, type RpcRequest, type RpcResponse } from "../jsonrpc/message.ts";
import { Method } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { detectRequestEra } from "../protocol/request_era.ts";
import type { ServerAdvertisement, ServerCore } from "./server_core.ts";
import { methodNotFound } from "./dispatch.ts";
import { encodeLegacy, encodeModern } from "./encode_response.ts";
import { handleLifecycleRequest, UNKNOWN_CLIENT } from "./initialize.ts";
import { LazySignal } from "./lazy_signal.ts";

/**
 * Handles a modern or legacy request. Methods that require a session or a stream are not available.
 */
export async function handleSingleRequest(
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
