/**
 * Handler for `subscriptions/listen`: a long-lived request that streams notifications.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { MetaKey } from "../protocol/meta.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import type { Change } from "./change_bus.ts";
import type { MethodContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import {
  acceptsResource,
  type ExtensionSubscription,
  type NotificationReader,
  type SendExtensionNotification,
} from "./extension_subscription.ts";
import type { ServerCore } from "./server_core.ts";
import { invalidParams, readObject } from "./params.ts";
import { UnsentNotifications } from "./unsent_notifications.ts";
import { Quota } from "@parley/internal/quota";

/** Subscription limits. */
export interface SubscriptionLimits {
  /** Maximum number of open subscription streams. */
  readonly maxSubscriptionStreams: number;
  /** Maximum share of `maxSubscriptionStreams` per principal, greater than 0 and at most 1. */
  readonly maxSharePerPrincipal: number;
  /** Maximum number of resource subscriptions per stream. */
  readonly maxResourceSubscriptions: number;
  /**
   * Maximum number of characters in the requests of all open streams, and in the unread
   * notifications whose parameters an extension has read.
   */
  readonly maxSubscriptionChars: number;
}

/** Default maximum number of resource subscriptions per stream or legacy session. */
export const MAX_RESOURCE_SUBSCRIPTIONS = 1000;

/** Maximum length of a subscribed URI, in characters. */
export const MAX_URI_CHARS = 8192;

/**
 * Number of characters added to the length of each URI to account for the memory of its map entry.
 */
const URI_CHARS = 128;

/** Changes that a subscription stream reports. */
interface Filter {
  readonly kinds: ReadonlySet<Change["kind"]>;
  readonly uris: ReadonlySet<string>;
}

/** Creates the handler for `subscriptions/listen`. */
export function listenMethod(
  server: Pick<ServerCore, "changes" | "canSeeChange" | "listenToExtensions">,
  capabilities: () => ServerCapabilities,
  limits: SubscriptionLimits,
): MethodHandler {
  const streams = new Quota(limits.maxSubscriptionStreams, limits.maxSharePerPrincipal);
  const chars = new Quota(limits.maxSubscriptionChars, limits.maxSharePerPrincipal);
  const unsent = new UnsentNotifications(limits.maxSubscriptionChars, limits.maxSharePerPrincipal);
  return async (params, context) => {
    const subject = context.principal?.subject;
    const filterParams = readObject(params, "notifications");
    const filter = readFilter(filterParams, capabilities(), limits);
    const openExtensions: OpenExtensions = (send, end) =>
      server.listenToExtensions(filterParams, context, send, end);
    const rpcCode = RpcErrorCode.InternalError;
    if (!streams.has(1, subject)) {
      throw McpError.protocolError("Too many subscription streams are open", { rpcCode });
    }
    // The whole request is in memory while its stream is open.
    const size = JSON.stringify(params).length + filter.uris.size * URI_CHARS;
    if (!chars.has(size, subject)) {
      throw McpError.protocolError(
        'Too many characters in subscriptions: "maxSubscriptionChars" is exceeded',
        { rpcCode },
      );
    }
    streams.take(1, subject);
    chars.take(size, subject);
    try {
      const send = sender(context, unsent);
      await streamNotifications(server, filter, context, { openExtensions, send });
    } finally {
      streams.take(-1, subject);
      chars.take(-size, subject);
    }
    return { _meta: { [MetaKey.SubscriptionId]: context.requestId } };
  };
}

/** Sends a notification of a stream, and resolves when the client has read it. */
type Send = (method: string, params: JsonObject | NotificationReader) => Promise<void>;

function sender({ notify, principal, signal }: MethodContext, unsent: UnsentNotifications): Send {
  return async (method, params) => {
    if (typeof params !== "function") return await notify(method, params);
    const read = await abortable(params(), signal);
    if (read === undefined) return;
    const send = (): Promise<void> => notify(method, read);
    await unsent.send(JSON.stringify(read).length, { subject: principal?.subject, send });
  };
}

/** Returns the requested changes that the server supports. */
function readFilter(
  wanted: JsonObject,
  { tools, prompts, resources }: ServerCapabilities,
  { maxResourceSubscriptions }: SubscriptionLimits,
): Filter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } =
    wanted;
  if (!isStrings(resourceSubscriptions)) {
    throw invalidParams('Invalid params: "resourceSubscriptions" must be an array of URIs');
  }
  if (resourceSubscriptions.length > maxResourceSubscriptions) {
    throw invalidParams(
      `Invalid params: "resourceSubscriptions" must have at most ${maxResourceSubscriptions} items`,
    );
  }
  if (resourceSubscriptions.some(({ length }) => length > MAX_URI_CHARS)) {
    throw invalidParams(
      `Invalid params: each URI in "resourceSubscriptions" must have at most ${MAX_URI_CHARS} characters`,
    );
  }
  const kinds = new Set<Change["kind"]>();
  if (toolsListChanged === true && tools?.listChanged) kinds.add("tools");
  if (promptsListChanged === true && prompts?.listChanged) kinds.add("prompts");
  if (resourcesListChanged === true && resources?.listChanged) kinds.add("resources");
  return { kinds, uris: new Set(resources?.subscribe ? resourceSubscriptions : []) };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Subscribes to the notifications of all extensions. */
type OpenExtensions = (
  send: SendExtensionNotification,
  end: () => void,
) => Promise<readonly ExtensionSubscription[]>;

/** Functions of a subscription stream. */
interface StreamFunctions {
  readonly openExtensions: OpenExtensions;
  readonly send: Send;
}

/**
 * Streams notifications until the request is cancelled, the server is closed or an extension ends
 * the stream. If a list or resource changes again before its notification is sent, only one
 * notification is sent.
 */
async function streamNotifications(
  server: Pick<ServerCore, "changes" | "canSeeChange">,
  { kinds, uris }: Filter,
  context: MethodContext,
  { openExtensions, send }: StreamFunctions,
): Promise<void> {
  const { changes } = server;
  const { signal, requestId, notify, principal } = context;
  const about = { _meta: { [MetaKey.SubscriptionId]: requestId } };
  const queued = new Map<string, JsonObject | NotificationReader>();
  let wake = (): void => {};
  let isOver = signal.aborted;
  const stop = (): void => {
    isOver = true;
    wake();
  };
  const unlisten = changes.listen((change) => {
    const isWanted = change.kind === "resource" ? uris.has(change.uri) : kinds.has(change.kind);
    if (!isWanted || !server.canSeeChange(change, principal)) return;
    if (change.kind === "resource") {
      const { uri } = change;
      queued.set(`${NotificationMethod.ResourceUpdated} ${uri}`, { ...about, uri });
    } else queued.set(LIST_CHANGED[change.kind], about);
    wake();
  }, stop);
  signal.addEventListener("abort", stop, { once: true });
  let subscriptions: readonly ExtensionSubscription[] = [];
  try {
    // The acknowledgment promises that the client is notified of changes, including changes in
    // other processes.
    await abortable(changes.ready(), signal);
    const opening = openExtensions((method, subject, params) => {
      queued.set(`${method} ${subject}`, withMembers(about, params));
      wake();
    }, stop);
    subscriptions = await abortable(opening, signal).catch((error) => {
      // Stop subscriptions that open after the request was cancelled. Errors from subscriptions of
      // a cancelled request are not sent to the client.
      opening.then(stopAll, () => {});
      throw error;
    });
    const notifications = formatFilter(kinds, uris, subscriptions);
    await notify(NotificationMethod.SubscriptionAcknowledged, { ...about, notifications });
    while (!isOver) {
      for (const [key, params] of queued) {
        queued.delete(key);
        await send(key.split(" ", 1)[0] ?? key, params);
      }
      if (!isOver && queued.size === 0) await new Promise<void>((resolve) => wake = resolve);
    }
    // When the server ends a `subscriptions/listen` request, it must send a cancelled notification
    // in addition to the response. Only `subscriptions/listen` requires a cancelled notification
    // from a server (MCP 2026-07-28, Cancellation).
    if (!signal.aborted) await notify(NotificationMethod.Cancelled, { ...about, requestId });
  } finally {
    unlisten();
    stopAll(subscriptions);
    signal.removeEventListener("abort", stop);
  }
}

/** Adds members to the parameters of a notification. */
function withMembers(
  members: JsonObject,
  params: JsonObject | NotificationReader,
): JsonObject | NotificationReader {
  if (typeof params !== "function") return { ...members, ...params };
  return async () => {
    const read = await params();
    return read && { ...members, ...read };
  };
}

function stopAll(subscriptions: readonly ExtensionSubscription[]): void {
  for (const subscription of subscriptions) subscription.stop();
}

const LIST_CHANGED = {
  tools: NotificationMethod.ToolsChanged,
  prompts: NotificationMethod.PromptsChanged,
  resources: NotificationMethod.ResourcesChanged,
} as const;

/**
 * Returns the accepted filter: the changes that the server reports, and those that its extensions
 * report.
 */
function formatFilter(
  kinds: ReadonlySet<Change["kind"]>,
  uris: ReadonlySet<string>,
  extensions: readonly ExtensionSubscription[],
): JsonObject {
  const { resourceSubscriptions: _uris, ...others }: JsonObject = Object.assign(
    {},
    ...extensions.map(({ accepted }) => accepted),
  );
  const resourceSubscriptions = Array.from(uris)
    .filter((uri) => extensions.every((one) => acceptsResource(one, uri)));
  return {
    ...others,
    ...(kinds.has("tools") && { toolsListChanged: true }),
    ...(kinds.has("prompts") && { promptsListChanged: true }),
    ...(kinds.has("resources") && { resourcesListChanged: true }),
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
  };
}
