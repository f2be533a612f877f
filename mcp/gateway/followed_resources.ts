/**
 * Updates to individual resources of one server. All of the gateway's subscribers to a resource
 * share one subscription on the server.
 *
 * @module
 */

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

/** Options for {@linkcode FollowedResources}. */
export interface FollowedResourcesOptions {
  /** Opens a subscription to the server. */
  readonly open: OpenResourcesOf;
  /** Called with errors that subscribers do not see. */
  readonly onError: (error: unknown) => void;
}

/** The resources of a server whose updates the gateway relays. */
export class FollowedResources {
  readonly #open: OpenResourcesOf;
  readonly #onError: (error: unknown) => void;
  readonly #subscribers = new Map<string, Set<(uri: string) => void>>();
  readonly #streams = new Map<string, SharedStream>();

  /** Creates a collection without subscribers. */
  constructor({ open, onError }: FollowedResourcesOptions) {
    this.#open = open;
    this.#onError = onError;
  }

  /**
   * Subscribes to resources. Opens a subscription on the server for the resources that have no
   * subscriber yet. Returns the URIs that the server has accepted, and a function that
   * unsubscribes.
   *
   * @throws Any error that `open` throws.
   */
  async follow(
    uris: readonly string[],
    onUpdated: (uri: string) => void,
  ): Promise<{ readonly accepted: readonly string[]; readonly stop: () => void }> {
    // The wrapper of `onUpdated` gives each subscriber a unique identity, because two subscribers
    // may pass the same function.
    const subscriber = (uri: string): void => onUpdated(uri);
    for (const uri of uris) this.#add(uri, subscriber);
    let isStopped = false;
    const stop = (): void => {
      if (isStopped) return;
      isStopped = true;
      for (const uri of uris) this.#remove(uri, subscriber);
    };
    try {
      this.#openStream(uris.filter((uri) => !this.#streams.has(uri)));
      const opened = await Promise.all(
        uris.map(async (uri) => (await this.#streams.get(uri)?.opened)?.accepted.includes(uri)),
      );
      return { accepted: uris.filter((_uri, index) => opened[index] === true), stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /**
   * Subscribes again to all resources that have subscribers, after the server has ended a
   * subscription or the connection was lost. All resources with subscribers are reported as
   * updated, because the gateway may have missed an update.
   *
   * @throws Any error that `open` throws.
   */
  async restore(): Promise<void> {
    const uris = [...this.#subscribers.keys()];
    const old = new Set(this.#streams.values());
    this.#streams.clear();
    for (const stream of old) this.#close(stream);
    await this.#openStream(uris)?.opened;
    for (const uri of uris) this.#notify(uri);
  }

  #openStream(uris: readonly string[]): SharedStream | undefined {
    if (uris.length === 0) return undefined;
    const opened = this.#open(uris, (uri) => this.#notify(uri));
    const stream: SharedStream = { opened, used: new Set(uris) };
    for (const uri of uris) this.#streams.set(uri, stream);
    // The subscribers receive the error, and the next subscription tries again.
    opened.catch(() => {
      for (const uri of uris) if (this.#streams.get(uri) === stream) this.#streams.delete(uri);
    });
    return stream;
  }

  #add(uri: string, subscriber: (uri: string) => void): void {
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    subscribers.add(subscriber);
    this.#subscribers.set(uri, subscribers);
  }

  #remove(uri: string, subscriber: (uri: string) => void): void {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.delete(subscriber);
    if (subscribers === undefined || subscribers.size > 0) return;
    this.#subscribers.delete(uri);
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    stream?.used.delete(uri);
    if (stream?.used.size === 0) this.#close(stream);
  }

  #close({ opened }: SharedStream): void {
    // A stream that could not be opened does not need to be closed, and its subscribers have
    // received the error.
    opened.then((resources) => resources.close().catch(this.#onError), () => {});
  }

  #notify(uri: string): void {
    for (const subscriber of this.#subscribers.get(uri) ?? []) subscriber(uri);
  }
}
