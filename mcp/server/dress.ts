/**
 * Neutral messages of the server core, dressed for the wire of an era.
 *
 * @module
 */

import type { RpcNotification, RpcResponse } from "../rpc/message.ts";
import { encodeHandshakeResult } from "../protocol/handshake.ts";
import { encodeResult } from "../protocol/stateless.ts";
import type { ServerSelf } from "./core.ts";

/** Dresses a message for the stateless era. */
export function dressStateless<Message extends RpcNotification | RpcResponse>(
  message: Message,
  method: string,
  self: ServerSelf,
): Message {
  if (!("result" in message)) return message;
  return { ...message, result: encodeResult(method, message.result, self.info, self.cache) };
}

/** Dresses a message for the handshake era. */
export function dressHandshake<Message extends RpcNotification | RpcResponse>(
  message: Message,
): Message {
  if (!("result" in message)) return message;
  return { ...message, result: encodeHandshakeResult(message.result) };
}
