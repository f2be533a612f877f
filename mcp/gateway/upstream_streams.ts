/**
 * The gateway's subscription streams on one server: changes to lists, resources and tasks.
 *
 * @module
 */

import type { McpClient } from "../client/client.ts";
import type { ListenOptions } from "../client/request_options.ts";
import type { Subscription, SubscriptionFilter } from "../client/subscription.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import { findRevision } from "../protocol/revisions.ts";
import { McpError } from "../shared/error.ts";
import { Quota } from "@parley/internal/quota";
import { FollowedResources, type OpenResources } from "./followed_resources.ts";
import type { GatewaySettings } from "./options.ts";
import { escapeText } from "@parley/internal/escape-text";

/** Lists whose changes the gateway reports to its clients. */
export type ChangedList = "tools" | "resources" | "prompts";

/** All values of {@linkcode ChangedList}. */
export const ALL_LISTS: readonly ChangedList[] = ["tools", "resources", "prompts"];

/**
 * Maximum number of resources of one server whose updates are relayed, by protocol era. All
 * subscribers share one legacy session, and servers limit the subscriptions of a session.
 */
const MAX_FOLLOWED = { legacy: 1000, modern: 100_000 } as const;

/** Dependencies of {@linkcode UpstreamStreams}. */
export interface StreamOptions {
  /** The gateway's options. */
  readonly settings: GatewaySettings;
  /** Signal that is aborted when the connection closes. */
  readonly closing: AbortSignal;
  /** Called when the server reports that a list has changed. */
  readonly onChange: (list: ChangedList) => void;
  /** Called when a stream that the gateway did not close ends. */
  readonly onLoss: () => void;
}

/** The subscription streams on one server. */
export class UpstreamStreams {
  readonly #key: string;
  readonly #options: StreamOptions;
  readonly #resources: FollowedResources;
  readonly #endListeners = new Set<() => void>();
  /** All streams of the current connection that the gateway has not closed. */
  readonly #live = new Set<Subscription>();
  /** The stream that reports changes to lists. */
  #lists: Pick<Subscription, "close"> | undefined;
  #client: McpClient | undefined;
  #isOpen = false;
  #hasEnded = false;

  /** Creates an instance without open streams. `key` is the server's key. */
  constructor(key: string, options: StreamOptions) {
    this.#key = key;
    this.#options = options;
    const { maxSharePerPrincipal, onError } = options.settings;
    const legacy = new Quota(MAX_FOLLOWED.legacy, maxSharePerPrincipal);
    const modern = new Quota(MAX_FOLLOWED.modern, maxSharePerPrincipal);
    this.#resources = new FollowedResources({
      open: (uris, onUpdated) => this.#listenToResources(uris, onUpdated),
      onError,
      quota: () => this.#isLegacy ? legacy : modern,
    });
  }

  get #isLegacy(): boolean {
    return findRevision(this.#client?.server?.protocolVersion)?.era === "legacy";
  }

  /** Whether the streams have been opened, and none of them has ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the server has ended a stream without ending the connection. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Registers a listener that is called when the server ends a stream. Returns a function that
   * removes the listener.
   */
  onEnd(listener: () => void): () => void {
    this.#endListeners.add(listener);
    return () => void this.#endListeners.delete(listener);
  }

  /** Discards the streams of a connection that has ended. */
  reset(): void {
    this.#isOpen = false;
    this.#lists = undefined;
    this.#live.clear();
  }

  /**
   * Opens the stream for changes to lists and the streams for resources that have subscribers.
   * Streams that cannot be opened are reported as errors.
   */
  async open(client: McpClient): Promise<void> {
    this.#client = client;
    this.#isOpen = true;
    this.#hasEnded = false;
    await this.#listenToLists(client).catch(this.#report);
    await this.#resources.restore().catch(this.#report);
  }

  /**
   * Subscribes to resources for a principal with the given subject. Returns the URIs that the
   * server has accepted, and a function that unsubscribes.
   *
   * @throws {McpError} If the server rejects the subscription.
   */
  async follow(
    uris: readonly string[],
    onUpdated: (uri: string) => void,
    subject?: string,
  ): Promise<{ readonly accepted: readonly string[]; readonly stop: () => void }> {
    return await this.#resources.follow(uris, onUpdated, subject);
  }

  /**
   * Opens a stream, which is not reopened if it is lost.
   *
   * @throws {McpError} If the server rejects the subscription.
   */
  async listen(
    filter: SubscriptionFilter,
    onNotification: (notification: RpcNotification) => void,
    options: Pick<ListenOptions, "client"> = {},
  ): Promise<Pick<Subscription, "accepted" | "close">> {
    if (this.#client === undefined) throw McpError.transportError("gateway", "not connected");
    const { closing: signal, settings: { listTimeoutMs: timeoutMs } } = this.#options;
    const stream = await this.#client.listen(filter, { ...options, signal, timeoutMs });
    this.#live.add(stream);
    this.#read(stream, onNotification).then(
      () => this.#onEnd(stream),
      (cause) => this.#onEnd(stream, { cause }),
    );
    const close = async (): Promise<void> => {
      this.#live.delete(stream);
      await stream.close();
    };
    return { accepted: stream.accepted, close };
  }

  async #listenToLists(client: McpClient): Promise<void> {
    await this.#lists?.close();
    this.#lists = undefined;
    const { tools, prompts, resources } = client.server?.capabilities ?? {};
    const toolsListChanged = tools?.listChanged === true;
    const promptsListChanged = prompts?.listChanged === true;
    const resourcesListChanged = resources?.listChanged === true;
    if (!toolsListChanged && !promptsListChanged && !resourcesListChanged) return;
    const filter = { toolsListChanged, promptsListChanged, resourcesListChanged };
    this.#lists = await this.listen(filter, ({ method }) => {
      const list = CHANGED_LIST.get(method);
      if (list !== undefined) this.#options.onChange(list);
    });
  }

  async #listenToResources(
    uris: readonly string[],
    onUpdated: (uri: string) => void,
  ): Promise<OpenResources> {
    const { accepted, close } = await this.listen(
      { resourceSubscriptions: uris },
      ({ method, params }) => {
        const uri = params?.uri;
        if (method === NotificationMethod.ResourceUpdated && typeof uri === "string") {
          onUpdated(uri);
        }
      },
    );
    return { accepted: accepted.resourceSubscriptions ?? [], close };
  }

  async #read(
    stream: Subscription,
    onNotification: (notification: RpcNotification) => void,
  ): Promise<void> {
    for await (const notification of stream) onNotification(notification);
  }

  /**
   * Handles the end of a stream that the gateway has not closed. When a connection is lost, all of
   * its streams end, and only the first end is reported.
   */
  #onEnd(stream: Subscription, failure?: { readonly cause: unknown }): void {
    if (!this.#live.has(stream) || this.#options.closing.aborted) return;
    this.#live.clear();
    this.#isOpen = false;
    this.#hasEnded = failure === undefined;
    if (failure !== undefined) this.#report(failure.cause);
    this.#options.onLoss();
    if (failure === undefined) this.#endListeners.forEach((listener) => listener());
  }

  readonly #report = (cause: unknown): void => {
    const { closing, settings } = this.#options;
    if (closing.aborted) return;
    const text = cause instanceof Error ? cause.message : String(cause);
    const failed = `Cannot subscribe to changes from the server "${this.#key}": ${text}`;
    settings.onError(new Error(escapeText(failed), { cause }));
  };
}

const CHANGED_LIST: ReadonlyMap<string, ChangedList> = new Map([
  [NotificationMethod.ToolsChanged, "tools"],
  [NotificationMethod.ResourcesChanged, "resources"],
  [NotificationMethod.PromptsChanged, "prompts"],
]);
