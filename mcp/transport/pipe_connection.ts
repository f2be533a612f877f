/**
 * Connections over pipes, with the MCP rules for cancellation and for matching notifications with
 * requests.
 *
 * @module
 */

import { notification } from "../jsonrpc/message.ts";
import { Multiplexer } from "./multiplexer.ts";
import type { ConnectionReports, Pipe, PipeConnection } from "../jsonrpc/contracts.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";

/**
 * Creates a connection over a pipe. Errors in received frames that match no request are passed to
 * `onError`.
 */
export function connectPipe(pipe: Pipe, reports: ConnectionReports): PipeConnection {
  const { onError, tolerance } = reports;
  return new Multiplexer(pipe, {
    onError,
    ...(tolerance !== undefined && { tolerance }),
    // The client uses request ids as progress tokens, so a progress token identifies its request.
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
