/**
 * `subscriptions/listen`: a request that stays open and brings news.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { MetaKey } from "../protocol/meta.ts";
import { Notice } from "../protocol/methods.ts";
import type { Change, ChangeSource } from "./change_notifier.ts";
import type { MethodContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import type { ExtraNews, ServerExtension, TellNews } from "./extension.ts";
import { invalidParams, readObject } from "./params.ts";
import { Quota } from "./quota.ts";

/** Limits of subscriptions. */
export interface SubscriptionLimits {
  /** How many streams of news may be open at once. */
  readonly maxListening: number;
  /** How many of those may be one principal's: a part from 0 to 1. */
  readonly maxShare: number;
  /** How many resources one of them may follow. */
  readonly maxSubscriptions: number;
}

/** What a client wants to hear of. */
interface Filter {
  readonly kinds: ReadonlySet<Change["kind"]>;
  readonly uris: ReadonlySet<string>;
}

/** The handler of `subscriptions/listen`. */
export function listenMethod(
  changes: ChangeSource,
  capabilities: () => ServerCapabilities,
  limits: SubscriptionLimits,
  extensions: readonly ServerExtension[],
): MethodHandler {
  const listening = new Quota(limits.maxListening, limits.maxShare);
  return async (params, context) => {
    const subject = context.principal?.subject;
    const wanted = readObject(params, "notifications");
    const filter = readFilter(wanted, capabilities(), limits);
    const listenMore = (tell: TellNews): Promise<readonly ExtraNews[]> =>
      all(extensions.map(async (extension) => await extension.listen?.(wanted, context, tell)));
    if (!listening.has(1, subject)) {
      const rpcCode = RpcErrorCode.InternalError;
      throw McpError.protocolError("Too many streams are open", { rpcCode });
    }
    listening.take(1, subject);
    try {
      await bringNews(changes, filter, context, listenMore);
    } finally {
      listening.take(-1, subject);
    }
    return { _meta: { [MetaKey.SubscriptionId]: context.requestId } };
  };
}

/** The news of all extensions. When one of them refuses, there are none, and the others are told so. */
async function all(
  asked: readonly Promise<ExtraNews | undefined>[],
): Promise<readonly ExtraNews[]> {
  const settled = await Promise.allSettled(asked);
  const news = settled.flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : []);
  const refused = settled.find((one) => one.status === "rejected");
  if (refused === undefined) return news;
  for (const one of news) one.stop();
  throw refused.reason;
}

/** What is asked for and can be had. */
function readFilter(
  wanted: JsonObject,
  { tools, prompts, resources }: ServerCapabilities,
  { maxSubscriptions }: SubscriptionLimits,
): Filter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } =
    wanted;
  if (!isStrings(resourceSubscriptions)) {
    throw invalidParams('Invalid params: "resourceSubscriptions" is not a list of URIs');
  }
  if (resourceSubscriptions.length > maxSubscriptions) {
    throw invalidParams(`Invalid params: more than ${maxSubscriptions} resources`);
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

/** Sends news until the client or the server has enough. What a slow client has not taken yet is told once. */
async function bringNews(
  changes: ChangeSource,
  { kinds, uris }: Filter,
  context: MethodContext,
  listenMore: (tell: TellNews) => Promise<readonly ExtraNews[]>,
): Promise<void> {
  const { signal, requestId, notify } = context;
  const about = { _meta: { [MetaKey.SubscriptionId]: requestId } };
  const waiting = new Map<string, JsonObject>();
  let wake = (): void => {};
  let isOver = signal.aborted;
  const stop = (): void => {
    isOver = true;
    wake();
  };
  const unlisten = changes.listen((change) => {
    if (change.kind !== "resource") {
      if (kinds.has(change.kind)) waiting.set(LIST_CHANGED[change.kind], about);
    } else if (uris.has(change.uri)) {
      waiting.set(`${Notice.ResourceUpdated} ${change.uri}`, { ...about, uri: change.uri });
    }
    wake();
  }, stop);
  signal.addEventListener("abort", stop, { once: true });
  let more: readonly ExtraNews[] = [];
  try {
    more = await listenMore((method, subject, params) => {
      waiting.set(`${method} ${subject}`, { ...about, ...params });
      wake();
    });
    const accepted = more.map((news) => news.accepted);
    const notifications = Object.assign(formatFilter(kinds, uris), ...accepted);
    await notify(Notice.SubscriptionAcknowledged, { ...about, notifications });
    while (!isOver) {
      for (const [key, params] of waiting) {
        waiting.delete(key);
        await notify(key.split(" ", 1)[0] ?? key, params);
      }
      if (!isOver && waiting.size === 0) await new Promise<void>((resolve) => wake = resolve);
    }
    // Asked for beside the answer (MCP 2026-07-28, cancellation), and for nothing else.
    if (!signal.aborted) await notify(Notice.Cancelled, { ...about, requestId });
  } finally {
    unlisten();
    for (const news of more) news.stop();
    signal.removeEventListener("abort", stop);
  }
}

const LIST_CHANGED = {
  tools: Notice.ToolsChanged,
  prompts: Notice.PromptsChanged,
  resources: Notice.ResourcesChanged,
} as const;

function formatFilter(
  kinds: ReadonlySet<Change["kind"]>,
  uris: ReadonlySet<string>,
): JsonObject {
  return {
    ...(kinds.has("tools") && { toolsListChanged: true }),
    ...(kinds.has("prompts") && { promptsListChanged: true }),
    ...(kinds.has("resources") && { resourcesListChanged: true }),
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
  };
}
