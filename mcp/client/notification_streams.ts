/**
 * Subscription streams in a legacy session. Legacy servers send list changes to every client, and
 * resource updates to subscribed clients.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions Subscriptions}
 * @module
 */

import { DEFAULT_REQUEST, type SessionRequestSettings } from "./request_options.ts";
import type { Session } from "./session.ts";
import {
  matchesFilter,
  narrowFilter,
  type Subscription,
  type SubscriptionFilter,
  toSubscription,
} from "./subscription.ts";
import { Method } from "../protocol/methods.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import { Queue } from "../shared/bounded_queue.ts";

/** The subscription streams in a legacy session. */
export class NotificationStreams {
  readonly #session: Pick<Session, "server" | "request">;
  readonly #streams = new Map<Queue<RpcNotification>, SubscriptionFilter>();

  /** Creates an empty set of streams for a session. */
  constructor(session: Pick<Session, "server" | "request">) {
    this.#session = session;
  }

  /** URIs of all resources that the session's streams subscribe to. */
  get uris(): readonly string[] {
    return [
      ...new Set(
        [...this.#streams.values()].flatMap((filter) => filter.resourceSubscriptions ?? []),
      ),
    ];
  }

  /**
   * Opens a stream and subscribes to the resources in its filter.
   *
   * @throws {McpError} If a subscription fails, with the same codes as {@linkcode Session.request}.
   */
  async listen(filter: SubscriptionFilter, options: SessionRequestSettings): Promise<Subscription> {
    const accepted = narrowFilter(filter, this.#session.server.capabilities);
    const uris = accepted.resourceSubscriptions ?? [];
    const queue = new Queue<RpcNotification>();
    // The stream is registered before its requests are sent, so that closing another stream does
    // not unsubscribe from a resource that this stream subscribes to.
    this.#streams.set(queue, accepted);
    await this.#subscribe(queue, uris, options);
    const { signal } = options;
    const abort = (): void => {
      queue.end(signal?.reason);
      subscription.close();
    };
    const subscription = toSubscription(accepted, queue, async () => {
      signal?.removeEventListener("abort", abort);
      this.#streams.delete(queue);
      await this.#unsubscribe(uris);
    });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    return subscription;
  }

  /**
   * Delivers a notification to all streams whose filter it matches. Returns `true` if the
   * notification matches the filters of at least one stream. If a stream's queue is full, the
   * notification is dropped for that stream.
   */
  deliver(notification: RpcNotification): boolean {
    let isWanted = false;
    for (const [queue, filter] of this.#streams) {
      if (!matchesFilter(notification, filter)) continue;
      isWanted = true;
      queue.tryPush(notification);
    }
    return isWanted;
  }

  /** Ends all streams with a reason. */
  end(reason: unknown): void {
    for (const queue of this.#streams.keys()) queue.end(reason);
    this.#streams.clear();
  }

  /**
   * Subscribes to resources. If one subscription fails, removes the stream and the earlier
   * subscriptions.
   */
  async #subscribe(
    queue: Queue<RpcNotification>,
    uris: readonly string[],
    options: SessionRequestSettings,
  ): Promise<void> {
    for (const [index, uri] of uris.entries()) {
      try {
        await this.#session.request(Method.Subscribe, { uri }, options);
      } catch (error) {
        this.#streams.delete(queue);
        await this.#unsubscribe(uris.slice(0, index));
        throw error;
      }
    }
  }

  /**
   * Unsubscribes from resources that no other stream uses. Errors from unsubscribing are ignored,
   * because all subscriptions end with the session.
   */
  async #unsubscribe(uris: readonly string[]): Promise<void> {
    const wanted = this.uris;
    await Promise.all(
      uris.filter((uri) => !wanted.includes(uri)).map(async (uri) => {
        await this.#session.request(Method.Unsubscribe, { uri }, DEFAULT_REQUEST).catch(() => {});
      }),
    );
  }
}
