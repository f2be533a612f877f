/**
 * Streams of news in the stateless era: a request that is answered when the stream ends.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import type { RpcNotification, RpcRequest } from "../jsonrpc/message.ts";
import type { Connection } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { type RequestOptions, RequestTimeout, resultOf } from "./send_request.ts";
import {
  readFilter,
  type Subscription,
  type SubscriptionFilter,
  toSubscription,
} from "./subscription.ts";

/**
 * Opens the stream. Time-outs hold until the server has acknowledged it; `stop` ends it without an error. A stream that is
 * not read loses the newest.
 *
 * @throws {McpError} as {@linkcode sendRequest}
 */
export async function openSubscription(
  connection: Connection,
  request: RpcRequest,
  options: RequestOptions,
  stop: AbortController,
): Promise<Subscription> {
  const { signal: caller = new AbortController().signal } = options;
  const timeout = new RequestTimeout(connection, request.method, options);
  const signal = AbortSignal.any([caller, timeout.signal, stop.signal]);
  const queue = new Queue<RpcNotification>();
  let ended = Promise.resolve();
  const acknowledged = new Promise<SubscriptionFilter>((resolve, reject) => {
    let hear = (first: RpcNotification): void => {
      if (first.method !== NotificationMethod.SubscriptionAcknowledged) {
        return reject(unacknowledged());
      }
      hear = (news) => void queue.tryPush(news);
      resolve(readFilter(first.params));
    };
    const onNotification = (message: RpcNotification): void => hear(message);
    ended = connection.exchange(request, {
      signal,
      pauseTimeout: timeout.pauseTimeout,
      onNotification,
    })
      .then((response) => {
        resultOf(response);
        reject(unacknowledged());
        queue.end();
      })
      .catch((error) => {
        reject(error);
        queue.end(stop.signal.aborted ? undefined : error);
      })
      .finally(() => stop.abort());
  });
  try {
    return toSubscription(await acknowledged, queue, () => {
      stop.abort();
      return ended;
    });
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    timeout.end();
  }
}

function unacknowledged(): McpError {
  return McpError.protocolError("the server does not acknowledge the subscription");
}
