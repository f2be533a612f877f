/**
 * Subscription streams: notifications about list changes and resource updates.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import {
  assertObject,
  assertOptionalBoolean,
  assertString,
} from "@parley/internal/assert-argument";
import { type OptionsReader, optionsReader } from "@parley/internal/options";
import { Queue } from "../shared/bounded_queue.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { arrayOf } from "@parley/internal/option-checks";
import type { Connection } from "../jsonrpc/contracts.ts";
import { resultOf, type RpcNotification, type RpcRequest } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import type { RequestSettings } from "./request_options.ts";
import { RequestTimeout } from "./send_request.ts";

/** Changes that a subscription stream reports. */
export interface SubscriptionFilter {
  /** Changes to the list of tools. */
  readonly toolsListChanged?: boolean;
  /** Changes to the list of prompts. */
  readonly promptsListChanged?: boolean;
  /** Changes to the list of resources. */
  readonly resourcesListChanged?: boolean;
  /** URIs of the resources whose updates are reported. */
  readonly resourceSubscriptions?: readonly string[];
  /**
   * Members that protocol extensions add to the filter, such as `{ taskIds: ["1"] }`. Legacy
   * servers do not receive members from extensions.
   */
  readonly extensions?: JsonObject;
}

/** Reads the filter for a subscription stream. */
export const readWantedFilter: OptionsReader<SubscriptionFilter, never> = optionsReader<
  SubscriptionFilter
>("filter")({
  toolsListChanged: assertOptionalBoolean,
  promptsListChanged: assertOptionalBoolean,
  resourcesListChanged: assertOptionalBoolean,
  resourceSubscriptions: arrayOf("URIs", assertString),
  extensions: assertObject,
});

/**
 * A subscription stream, which can be iterated once. The iteration ends when the client or the
 * server closes the stream, and throws if the connection is lost. At most 1000 unread notifications
 * are queued, and further notifications are dropped.
 */
export interface Subscription extends AsyncIterable<RpcNotification> {
  /** Filter that the server has accepted. */
  readonly accepted: SubscriptionFilter;
  /** Closes the stream. Later calls to `close()` have no effect. */
  close(): Promise<void>;
  /** Closes the stream. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a subscription stream in a modern session. The timeouts apply until the server acknowledges
 * the subscription. Aborting `stop` ends the stream without an error. If the stream's queue is
 * full, new notifications are dropped. Notifications that the filter in the request does not
 * contain are dropped too.
 *
 * @throws {McpError} If the stream cannot be opened, with the same codes as
 * {@linkcode sendRequest}.
 */
export async function openSubscription(
  connection: Connection,
  request: RpcRequest,
  options: RequestSettings,
  stop: AbortController,
): Promise<Subscription> {
  const { signal: caller = new AbortController().signal } = options;
  const timeout = new RequestTimeout(connection, request, options);
  const signal = AbortSignal.any([caller, timeout.signal, stop.signal]);
  const queue = new Queue<RpcNotification>();
  const wanted = readFilter(request.params);
  let ended = Promise.resolve();
  const acknowledged = new Promise<SubscriptionFilter>((resolve, reject) => {
    let receive = (first: RpcNotification): void => {
      if (first.method !== NotificationMethod.SubscriptionAcknowledged) {
        return reject(unacknowledged());
      }
      receive = (notification) => {
        if (isExpected(notification, wanted)) queue.tryPush(notification);
      };
      resolve(commonFilter(wanted, readFilter(first.params)));
    };
    const onNotification = (message: RpcNotification): void => {
      const { [MetaKey.SubscriptionId]: id = request.id } = metaOf(message.params);
      // A notification that names a different subscription does not belong to this stream.
      if (id === request.id) receive(message);
    };
    ended = connection.exchange(request, {
      signal,
      pauseTimeout: timeout.pauseTimeout,
      onNotification,
    })
      .then((response) => {
        resultOf(response, request.method);
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
  return McpError.protocolError("the server did not acknowledge the subscription");
}

/** Creates a subscription stream that reads from a queue. */
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

/** Reads the accepted filter from the parameters of `notifications/subscriptions/acknowledged`. */
export function readFilter(params: JsonObject | undefined): SubscriptionFilter {
  const {
    toolsListChanged,
    promptsListChanged,
    resourcesListChanged,
    resourceSubscriptions: uris,
    ...extensions
  } = isRecord(params?.notifications) ? params.notifications : {};
  return {
    ...(toolsListChanged === true ? { toolsListChanged } : {}),
    ...(promptsListChanged === true ? { promptsListChanged } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
    ...(Array.isArray(uris) ? { resourceSubscriptions: uris.filter(isText) } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
}

/** Returns the part of a filter that a server with the given capabilities supports. */
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

/** Returns `true` if the notification matches the filter. */
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

/** Returns the part of the accepted filter that the client has requested. */
function commonFilter(
  wanted: SubscriptionFilter,
  { resourceSubscriptions: uris, extensions = {}, ...accepted }: SubscriptionFilter,
): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = accepted;
  const requested = new Set(wanted.resourceSubscriptions);
  const own = Object.entries(extensions).filter(([key]) =>
    Object.hasOwn(wanted.extensions ?? {}, key)
  );
  return {
    ...(toolsListChanged && wanted.toolsListChanged && { toolsListChanged }),
    ...(promptsListChanged && wanted.promptsListChanged && { promptsListChanged }),
    ...(resourcesListChanged && wanted.resourcesListChanged && { resourcesListChanged }),
    ...(uris !== undefined && wanted.resourceSubscriptions !== undefined && {
      resourceSubscriptions: uris.filter((uri) => requested.has(uri)),
    }),
    ...(own.length > 0 && { extensions: Object.fromEntries(own) }),
  };
}

/**
 * Returns `true` if a notification on a stream belongs to the requested filter. An updated resource
 * may be below a resource that the client has subscribed to. The notifications of extensions are
 * not known.
 */
function isExpected(message: RpcNotification, wanted: SubscriptionFilter): boolean {
  const { method, params } = message;
  if (method === NotificationMethod.ResourceUpdated) {
    const { uri } = params ?? {};
    return isText(uri) &&
      (wanted.resourceSubscriptions ?? []).some((each) =>
        uri === each || uri.startsWith(each.endsWith("/") ? each : `${each}/`)
      );
  }
  return matchesFilter(message, wanted) ||
    (wanted.extensions !== undefined && !CORE_METHODS.has(method));
}

const CORE_METHODS: ReadonlySet<string> = new Set(Object.values(NotificationMethod));

function isText(value: unknown): value is string {
  return typeof value === "string";
}
