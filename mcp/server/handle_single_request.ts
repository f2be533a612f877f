/**
 * One request, one response, nothing before and nothing after.
 *
 * @module
 */

import { failure, type RpcRequest, type RpcResponse } from "../jsonrpc/message.ts";
import { Method } from "../protocol/methods.ts";
import type { Peer } from "../protocol/client_description.ts";
import { readPeer } from "../protocol/modern.ts";
import type { ServerCore, ServerSelf } from "./server_core.ts";
import { methodNotFound } from "./dispatch.ts";
import { dressHandshake, dressStateless } from "./encode_response.ts";
import { answerHandshake, STRANGER } from "./initialize.ts";
import { LazySignal } from "./lazy_signal.ts";

/** Answers a request of any era. What would need a session or a stream is not offered here. */
export async function answerAlone(server: ServerCore, request: RpcRequest): Promise<RpcResponse> {
  const { id, method, params } = request;
  if (method === Method.Listen) return failure(id, methodNotFound(method));
  const claim = readPeer(params);
  switch (claim.kind) {
    case "invalid":
      return failure(id, claim.error);
    case "peer":
      return dressStateless(await answer(server, request, claim.peer), method, server.identity);
    case "none":
      return answerHandshake(request, withoutPush(server))?.response ??
        dressHandshake(await answer(server, request, STRANGER));
    default:
      return claim satisfies never;
  }
}

function answer(server: ServerCore, request: RpcRequest, peer: Peer): Promise<RpcResponse> {
  return server.exchange(request, { peer, signal: new LazySignal() });
}

/** Nothing can be announced to a client that no stream leads to. */
export function withoutPush(server: ServerCore): ServerSelf {
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
