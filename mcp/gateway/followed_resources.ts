/**
 * Updates to individual resources of one server. All of the gateway's subscribers to a resource
 * share one subscription on the server.
 *
 * @module
 */

import type { Quota } from "@parley/internal/quota";
import { McpError, McpErrorCode } from "../shared/error.ts";

/** An open subscription to resources on the server. */
export interface OpenResources {
  /** URIs that the server has accepted. */
  readonly accepted: readonly string[];
  /** Ends the subscription. */
  close(): Promise<void>;
}

/**
 * Opens a subscription to resources. `onUpdated` is called with the URI of each resource that has
 * changed.
 */
export type OpenResourcesOf = (
  uris: readonly string[],
  onUpdated: (uri: string) => void,
) => Promise<OpenResources>;

/** A subscription to the server, which can be shared by several subscribers. */
interface SharedStream {
  readonly opened: Promise<OpenResources>;
  /** URIs in the subscription that still have subscribers. */
  readonly used: Set<string>;
}

/** A subscriber to resources. */
interface Subscriber {
  readonly party: string | undefined;
  readonly notify: (uri: string) => void;
}

/** The use of a share by one resource. */
interface Payer {
  readonly party: string | undefined;
  readonly quota: Quota;
}

/** The attempts of one call to subscribe to resources. */
interface Attempts {
  /** Errors of the server. */
  readonly failures: unknown[];
  /** URIs for which the call itself has sent a subscription. */
  readonly tried: Set<string>;
}

/** Maximum number of resources in one subscription. Servers limit the length of a subscription. */
const MAX_URIS = 500;

/**
 * Maximum number of failures of one call, after which a rejected subscription is not divided any
 * more.
 */
const MAX_FAILURES = 16;

/** Options for {@linkcode FollowedResources}. */
export interface FollowedResourcesOptions {
  /** Opens a subscription to the server. */
  readonly open: OpenResourcesOf;
  /** Called with errors that subscribers do not see. */
  readonly onError: (error: unknown) => void;
  /** Returns the resources that all subscribers may use, each resource counted once. */
  readonly quota: () => Quota;
}

/** The resources of a server whose updates the gateway relays. */
export class FollowedResources {
  readonly #options: FollowedResourcesOptions;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  readonly #streams = new Map<string, SharedStream>();
  /** The party whose share each resource uses, which is the party of one of its subscribers. */
  readonly #payers = new Map<string, Payer>();

  /** Creates a collection without subscribers. */
  constructor(options: FollowedResourcesOptions) {
    this.#options = options;
  }

  /**
   * Subscribes to resources. Opens subscriptions on the server for the resources that have no
   * subscriber yet. A resource that the server rejects does not affect the other resources, and the
   * resources of one subscriber do not affect other subscribers. Returns the URIs that the server
   * has accepted, without those beyond the share of the party, and a function that unsubscribes.
   *
   * @throws Any error that `open` throws, if the server accepts no resource.
   */
  async follow(
    uris: readonly string[],
    onUpdated: (uri: string) => void,
    party?: string,
  ): Promise<{ readonly accepted: readonly string[]; readonly stop: () => void }> {
    const subscriber: Subscriber = { party, notify: (uri) => onUpdated(uri) };
    const own = new Set(uris.filter((uri) => this.#add(uri, subscriber)));
    const remove = (uri: string): void => {
      if (own.delete(uri)) this.#remove(uri, subscriber);
    };
    const stop = (): void => [...own].forEach(remove);
    const { accepted, failures } = await this.#openAll([...own]);
    for (const uri of own) if (!accepted.has(uri)) remove(uri);
    const [failure] = failures;
    if (failure !== undefined && accepted.size === 0) throw failure;
    if (failure !== undefined) this.#options.onError(failure);
    return { accepted: uris.filter((uri) => accepted.has(uri)), stop };
  }

  /**
   * Subscribes again to all resources that have subscribers, after the server has ended a
   * subscription or the connection was lost. All resources with subscribers are reported as
   * updated, because the gateway may have missed an update. A failure for the resources of one
   * party does not affect other parties.
   *
   * @throws The first error that `open` throws.
   */
  async restore(): Promise<void> {
    const old = new Set(this.#streams.values());
    this.#streams.clear();
    for (const stream of old) this.#close(stream);
    const byParty = new Map<string | undefined, Set<string>>();
    for (const [uri, subscribers] of this.#subscribers) {
      for (const { party } of subscribers) {
        const own = byParty.get(party) ?? new Set();
        byParty.set(party, own.add(uri));
      }
    }
    const all = Array.from(byParty.values(), (own) => this.#openAll([...own]));
    const [failure] = (await Promise.all(all)).flatMap(({ failures }) => failures);
    for (const uri of [...this.#subscribers.keys()]) this.#notify(uri);
    if (failure !== undefined) throw failure;
  }

  /**
   * Opens subscriptions for the resources that have none. If a subscription that another call has
   * opened fails, tries again. Returns the URIs that the server has accepted.
   */
  async #openAll(
    uris: readonly string[],
  ): Promise<{ readonly accepted: ReadonlySet<string>; readonly failures: readonly unknown[] }> {
    const attempts: Attempts = { failures: [], tried: new Set() };
    const openMissing = async (): Promise<void> => {
      const missing = uris.filter((uri) => !attempts.tried.has(uri) && this.#isMissing(uri));
      const parts: Promise<void>[] = [];
      for (let at = 0; at < missing.length; at += MAX_URIS) {
        parts.push(this.#openPart(missing.slice(at, at + MAX_URIS), attempts));
      }
      await Promise.all(parts);
      await Promise.allSettled(uris.map((uri) => this.#streams.get(uri)?.opened));
    };
    await openMissing();
    await openMissing();
    const accepted = new Set<string>();
    for (const uri of uris) {
      const opened = await this.#streams.get(uri)?.opened.catch(ignore);
      if (opened?.accepted.includes(uri)) accepted.add(uri);
    }
    return { accepted, failures: attempts.failures };
  }

  /** Opens a subscription. If the server rejects it, opens a subscription for each half. */
  async #openPart(uris: readonly string[], attempts: Attempts): Promise<void> {
    const missing = uris.filter((uri) => this.#isMissing(uri));
    if (missing.length === 0) return;
    for (const uri of missing) attempts.tried.add(uri);
    try {
      await this.#openStream(missing).opened;
    } catch (error) {
      attempts.failures.push(error);
      const { length } = missing;
      if (length === 1 || attempts.failures.length > MAX_FAILURES || !isRejection(error)) return;
      const middle = Math.ceil(length / 2);
      const halves = [missing.slice(0, middle), missing.slice(middle)];
      await Promise.all(halves.map((half) => this.#openPart(half, attempts)));
    }
  }

  #isMissing(uri: string): boolean {
    return this.#subscribers.has(uri) && !this.#streams.has(uri);
  }

  #openStream(uris: readonly string[]): SharedStream {
    const opened = this.#options.open(uris, (uri) => this.#notify(uri));
    const stream: SharedStream = { opened, used: new Set(uris) };
    for (const uri of uris) this.#streams.set(uri, stream);
    opened.catch(() => {
      for (const uri of uris) if (this.#streams.get(uri) === stream) this.#streams.delete(uri);
    });
    return stream;
  }

  /** Adds a subscriber. Returns `false` if the share of its party is used up. */
  #add(uri: string, subscriber: Subscriber): boolean {
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    if (!this.#payers.has(uri)) {
      const quota = this.#options.quota();
      const { party } = subscriber;
      if (!quota.has(1, party)) return false;
      quota.take(1, party);
      this.#payers.set(uri, { quota, party });
    }
    this.#subscribers.set(uri, subscribers.add(subscriber));
    return true;
  }

  #remove(uri: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.delete(subscriber);
    if (subscribers === undefined) return;
    if (this.#payers.get(uri)?.party === subscriber.party) this.#charge(uri, subscribers);
    if (subscribers.size > 0) return;
    this.#subscribers.delete(uri);
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    stream?.used.delete(uri);
    if (stream?.used.size === 0) this.#close(stream);
  }

  /**
   * Moves the use of a share to the party of a remaining subscriber, which may exceed its share,
   * because the resource is followed for it.
   */
  #charge(uri: string, remaining: ReadonlySet<Subscriber>): void {
    const payer = this.#payers.get(uri);
    const parties = Array.from(remaining, ({ party }) => party);
    if (payer === undefined || parties.includes(payer.party)) return;
    const { quota } = payer;
    quota.take(-1, payer.party);
    this.#payers.delete(uri);
    if (parties.length === 0) return;
    const [party] = parties;
    quota.take(1, party);
    this.#payers.set(uri, { quota, party });
  }

  #close({ opened }: SharedStream): void {
    // A stream that could not be opened does not need to be closed, and its subscribers have
    // received the error.
    opened.then((resources) => resources.close().catch(this.#options.onError), () => {});
  }

  #notify(uri: string): void {
    for (const { notify } of this.#subscribers.get(uri) ?? []) notify(uri);
  }
}

/** Returns `true` if the server has rejected a subscription, and might accept a part of it. */
function isRejection(error: unknown): boolean {
  return !(error instanceof McpError) || error.code === McpErrorCode.ProtocolError;
}

function ignore(): void {}
