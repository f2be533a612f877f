/**
 * Neutral messages of the server core, dressed for the wire of an era.
 *
 * @module
 */

import { encodeHandshakeResult } from "../protocol/handshake.ts";
import { encodeResult } from "../protocol/stateless.ts";
import type { ServerIdentity, ServerMessage } from "./core.ts";

/** Dresses a message for the stateless era. */
export function dressStateless<Message extends ServerMessage>(
  message: Message,
  method: string,
  { info, cache }: ServerIdentity,
): Message {
  if (!("result" in message)) return message;
  return { ...message, result: encodeResult(method, message.result, info, cache) };
}

/** Dresses a message for the handshake era. */
export function dressHandshake<Message extends ServerMessage>(
  message: Message,
): Message {
  if (!("result" in message)) return message;
  return { ...message, result: encodeHandshakeResult(message.result) };
}
