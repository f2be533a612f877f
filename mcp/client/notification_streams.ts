/**
 * Streams of news in the legacy era: servers announce changed lists to everybody, changed resources to those who have
 * subscribed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions Subscriptions}
 * @module
 */

import type { RequestOptions } from "./send_request.ts";
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

/** The notification streams of one legacy session. */
export class NotificationStreams {
  readonly #session: Pick<Session, "server" | "request">;
  readonly #streams = new Map<Queue<RpcNotification>, SubscriptionFilter>();

  /** Subscribes through a session. */
  constructor(session: Pick<Session, "server" | "request">) {
    this.#session = session;
  }

  /** The resources that are subscribed to. */
  get uris(): readonly string[] {
    return [
      ...new Set(
        [...this.#streams.values()].flatMap((filter) => filter.resourceSubscriptions ?? []),
      ),
    ];
  }

  /**
   * Opens a stream; subscribes to the resources that it wants.
   *
   * @throws {McpError} as a request
   */
  async listen(filter: SubscriptionFilter, options: RequestOptions = {}): Promise<Subscription> {
    const accepted = narrowFilter(filter, this.#session.server.capabilities);
    const uris = accepted.resourceSubscriptions ?? [];
    await this.#subscribe(uris, options);
    const queue = new Queue<RpcNotification>();
    this.#streams.set(queue, accepted);
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

  /** Passes news on to whoever wants them; says whether somebody did. A stream that is not read loses the newest. */
  deliver(notification: RpcNotification): boolean {
    let isWanted = false;
    for (const [queue, filter] of this.#streams) {
      if (!matchesFilter(notification, filter)) continue;
      isWanted = true;
      queue.tryPush(notification);
    }
    return isWanted;
  }

  /** The server is gone. */
  end(reason: unknown): void {
    for (const queue of this.#streams.keys()) queue.end(reason);
    this.#streams.clear();
  }

  /** Subscribes to all of them or, when one is refused, to none. */
  async #subscribe(uris: readonly string[], options: RequestOptions): Promise<void> {
    for (const [index, uri] of uris.entries()) {
      try {
        await this.#session.request(Method.Subscribe, { uri }, options);
      } catch (error) {
        await this.#unsubscribe(uris.slice(0, index));
        throw error;
      }
    }
  }

  /** Leaves those that no other stream wants. At the latest they end with the connection. */
  async #unsubscribe(uris: readonly string[]): Promise<void> {
    const wanted = this.uris;
    await Promise.all(
      uris.filter((uri) => !wanted.includes(uri)).map(async (uri) => {
        await this.#session.request(Method.Unsubscribe, { uri }).catch(() => {});
      }),
    );
  }
}
