/**
 * News that a client has asked for: of lists that change, of resources that change.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { Queue } from "../shared/bounded_queue.ts";
import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { Connection } from "../jsonrpc/contracts.ts";
import { resultOf, type RpcNotification, type RpcRequest } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import { type RequestOptions, RequestTimeout } from "./send_request.ts";

/** Which news are wanted. */
export interface SubscriptionFilter {
  /** Of the list of tools. */
  readonly toolsListChanged?: boolean;
  /** Of the list of prompts. */
  readonly promptsListChanged?: boolean;
  /** Of the list of resources. */
  readonly resourcesListChanged?: boolean;
  /** Of the contents of these resources. */
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream of news. Iterate it once; it ends when it is closed or the server ends it, and throws when it breaks. */
export interface Subscription extends AsyncIterable<RpcNotification> {
  /** What the server has agreed to tell. */
  readonly accepted: SubscriptionFilter;
  /** Ends the stream. May be called again. */
  close(): Promise<void>;
  /** Ends the stream. */
  [Symbol.asyncDispose](): Promise<void>;
}

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
    let receive = (first: RpcNotification): void => {
      if (first.method !== NotificationMethod.SubscriptionAcknowledged) {
        return reject(unacknowledged());
      }
      receive = (news) => void queue.tryPush(news);
      resolve(readFilter(first.params));
    };
    const onNotification = (message: RpcNotification): void => receive(message);
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

/** Makes a stream of a queue. */
export function toSubscription(
  accepted: SubscriptionFilter,
  queue: Queue<RpcNotification>,
  stop: () => Promise<void>,
): Subscription {
  let stopped: Promise<void> | undefined;
  const close = (): Promise<void> => {
    queue.end();
    return stopped ??= stop();
  };
  return {
    accepted,
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  };
}

/** Reads what a server has agreed to. */
export function readFilter(params: JsonObject | undefined): SubscriptionFilter {
  const filter = isJsonObject(params?.notifications) ? params.notifications : {};
  const { resourceSubscriptions: uris } = filter;
  return {
    ...(filter.toolsListChanged === true ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged === true ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged === true ? { resourcesListChanged: true } : {}),
    ...(Array.isArray(uris) ? { resourceSubscriptions: uris.filter(isText) } : {}),
  };
}

/** What a server with these capabilities can tell of what is wanted. */
export function narrowFilter(
  wanted: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = wanted;
  const uris = wanted.resourceSubscriptions ?? [];
  return {
    ...(toolsListChanged && tools?.listChanged ? { toolsListChanged } : {}),
    ...(promptsListChanged && prompts?.listChanged ? { promptsListChanged } : {}),
    ...(resourcesListChanged && resources?.listChanged ? { resourcesListChanged } : {}),
    ...(uris.length > 0 && resources?.subscribe ? { resourceSubscriptions: uris } : {}),
  };
}

/** Whether a notification is among the wanted news. */
export function matchesFilter(
  { method, params }: RpcNotification,
  filter: SubscriptionFilter,
): boolean {
  switch (method) {
    case NotificationMethod.ToolsChanged:
      return filter.toolsListChanged === true;
    case NotificationMethod.PromptsChanged:
      return filter.promptsListChanged === true;
    case NotificationMethod.ResourcesChanged:
      return filter.resourcesListChanged === true;
    case NotificationMethod.ResourceUpdated:
      return isText(params?.uri) && filter.resourceSubscriptions?.includes(params.uri) === true;
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
