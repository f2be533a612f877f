/**
 * Streams of news in the stateless era: a request that is answered when the stream ends.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { McpError } from "../error.ts";
import { Notice } from "../protocol/methods.ts";
import type { RpcNotification, RpcRequest, RpcResponse } from "../rpc/message.ts";
import type { Connection } from "../rpc/transport.ts";
import { Queue } from "../stream/queue.ts";
import { Patience, type RequestOptions, resultOf } from "./request.ts";
import {
  readFilter,
  type Subscription,
  type SubscriptionFilter,
  toSubscription,
} from "./subscription.ts";

type Messages = AsyncIterator<RpcNotification | RpcResponse>;

/**
 * Opens the stream. Time-outs hold until the server has acknowledged it; `stop` ends it without an error.
 *
 * @throws {McpError} as {@linkcode sendRequest}
 */
export async function listenTo(
  connection: Connection,
  request: RpcRequest,
  options: RequestOptions,
  stop: AbortController,
): Promise<Subscription> {
  const { signal: caller = new AbortController().signal } = options;
  const patience = new Patience(connection.label, request.method, options);
  const signal = AbortSignal.any([caller, patience.signal, stop.signal]);
  const messages = connection.exchange(request, { signal, hold: patience.hold })
    [Symbol.asyncIterator]();
  try {
    const accepted = await readAcknowledgement(messages);
    const queue = new Queue<RpcNotification>();
    const pumped = pump(messages, queue, stop.signal).finally(() => stop.abort());
    return toSubscription(accepted, queue, () => {
      stop.abort();
      return pumped;
    });
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    patience.end();
  }
}

async function readAcknowledgement(messages: Messages): Promise<SubscriptionFilter> {
  const { value: first } = await messages.next();
  if (first !== undefined && "method" in first) {
    if (first.method === Notice.SubscriptionAcknowledged) return readFilter(first.params);
  } else if (first !== undefined) resultOf(first);
  throw McpError.protocolError("the server does not acknowledge the subscription");
}

/** Passes news on until there are no more. */
async function pump(
  messages: Messages,
  queue: Queue<RpcNotification>,
  stopped: AbortSignal,
): Promise<void> {
  try {
    for (let next = await messages.next(); !next.done; next = await messages.next()) {
      if ("method" in next.value) await queue.push(next.value);
      else resultOf(next.value);
    }
    queue.end();
  } catch (error) {
    queue.end(stopped.aborted ? undefined : error);
  }
}
