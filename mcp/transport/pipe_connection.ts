/**
 * A pipe as a connection, with what MCP says about which notification belongs to which request.
 *
 * @module
 */

import { notification } from "../jsonrpc/message.ts";
import { Multiplexer } from "./multiplexer.ts";
import type { Connection, Pipe } from "../jsonrpc/contracts.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";

/** Starts to use a pipe. What comes in and means nothing is reported. */
export function connectPipe(pipe: Pipe, onError: (error: unknown) => void): Connection {
  return new Multiplexer(pipe, {
    onError,
    // Progress tokens of this client are request ids.
    ownerOf: ({ method, params }) =>
      method === NotificationMethod.Progress
        ? params?.progressToken
        : metaOf(params)[MetaKey.SubscriptionId],
    cancellation: ({ id, method }) =>
      method === Method.Initialize
        ? undefined
        : notification(NotificationMethod.Cancelled, { requestId: id }),
  });
}
