/**
 * `subscriptions/listen`: a request that stays open and brings news.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
 * @module
 */

import { McpError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { MetaKey } from "../protocol/meta.ts";
import { Notice } from "../protocol/methods.ts";
import type { Change, ChangeSource } from "./changes.ts";
import type { MethodContext } from "./context.ts";
import type { MethodHandler } from "./dispatch.ts";
import type { ExtraNews, ServerExtension, TellNews } from "./extension.ts";
import { invalidParams, readObject } from "./params.ts";

/** Limits of subscriptions. */
export interface SubscriptionLimits {
  /** How many streams of news may be open at once. */
  readonly maxListening: number;
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
  let listening = 0;
  return async (params, context) => {
    const wanted = readObject(params, "notifications");
    const filter = readFilter(wanted, capabilities(), limits);
    const listenMore = async (tell: TellNews): Promise<readonly ExtraNews[]> => {
      const news = extensions.map((extension) => extension.listen?.(wanted, context, tell));
      return (await Promise.all(news)).flatMap((one) => one ?? []);
    };
    if (listening >= limits.maxListening) {
      const rpcCode = RpcErrorCode.InternalError;
      throw McpError.protocolError("Too many streams are open", { rpcCode });
    }
    listening++;
    try {
      await bringNews(changes, filter, context, listenMore);
    } finally {
      listening--;
    }
    return { _meta: { [MetaKey.SubscriptionId]: context.requestId } };
  };
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
