/**
 * The gateway's connection to one server, with the server's items.
 *
 * @module
 */

import type { McpClient } from "../client/client.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { LOG_LEVELS, type LogLevel } from "../protocol/logging.ts";
import { type Era, findRevision } from "../protocol/revisions.ts";
import { abortable } from "@parley/internal/abortable";
import { formatValue } from "@parley/internal/format-value";
import { prefixInNames } from "@parley/internal/prefixed-name";
import { McpError } from "../shared/error.ts";
import { reportRejection } from "@parley/internal/report-rejection";
import { MAX_TIMER_MS, sleep } from "@parley/internal/timers";
import { type Items, toItems } from "./items.ts";
import { requestLists } from "./upstream_lists.ts";
import type { Caller, GatewaySettings, Upstream } from "./options.ts";
import type { Ownership } from "./ownership.ts";
import { unavailable } from "./relayed_outcome.ts";
import { RequestLanes } from "./request_lanes.ts";
import { ALL_LISTS, type ChangedList, UpstreamStreams } from "./upstream_streams.ts";

/**
 * Called when lists have changed. `subject` is the subject of the only principal whose lists have
 * changed, `null` for unauthenticated callers, or `undefined` for all callers.
 */
export type OnListsChanged = (
  lists: readonly ChangedList[],
  subject: string | null | undefined,
) => void;

/** Dependencies of an {@linkcode UpstreamConnection}. */
export interface ConnectionOptions {
  /** The gateway's options. */
  readonly settings: GatewaySettings;
  /** Signal that is aborted when the gateway closes. */
  readonly closing: AbortSignal;
  /** Called when any of the server's lists may have changed. */
  readonly onChange: OnListsChanged;
  /** Subject of the principal that each client was created for. */
  readonly owners: WeakMap<McpClient, string | undefined>;
}

/** The users of a connection. */
export interface ConnectionUse {
  /** Principal of the callers that use the connection. */
  readonly principal: Caller["principal"];
  /** Owners of the items of the server and of the servers with the same callers. */
  readonly ownership: Ownership;
  /** Whether all principals use the connection. */
  readonly isShared: boolean;
  /** Starts the first load of the servers with the same callers. */
  readonly loadAll: () => void;
}

/** A connection to a server. The connection opens on first use and reopens after it is lost. */
export class UpstreamConnection {
  /** Key of the server. */
  readonly key: string;
  /** Prefix for the names of the server's tools and prompts. */
  readonly prefix: string;
  /** Text that the names of the server's tools and prompts start with at the gateway. */
  readonly namePrefix: string;
  /** Whether the server's resources are listed. If not, its resource templates provide them. */
  readonly listsResources: boolean;
  readonly #upstream: Upstream;
  readonly #options: ConnectionOptions;
  readonly #use: ConnectionUse;
  readonly #openClient: () => McpClient | Promise<McpClient>;
  #client: McpClient | undefined;
  #capabilities: ServerCapabilities | undefined;
  #hasHadResources = false;
  #connecting: Promise<McpClient> | undefined;
  #items: Items | undefined;
  /** The load of the lists in progress, and the version of the lists when this load started. */
  #loading: { readonly items: Promise<Items>; readonly version: number } | undefined;
  /** The next load of the lists, which starts when the outdated load in progress has finished. */
  #nextLoad: Promise<Items> | undefined;
  #version = 0;
  #isReloading = false;
  #failure: { readonly error: McpError; readonly until: number } | undefined;
  readonly #streams: UpstreamStreams;
  #logLevel: LogLevel | undefined;
  /** Time of the latest report of a lost subscription, in the future if the report is delayed. */
  #lossReportedAt = -Infinity;
  readonly #closed = new AbortController();
  readonly #lanes: RequestLanes;

  /**
   * Creates a connection that is not open yet.
   *
   * @param key Key of the server.
   * @param upstream Server behind the gateway.
   * @param use Principal of the callers that use the connection, and the owners of its items.
   * @param options Settings, and the callback for changes.
   */
  constructor(
    key: string,
    upstream: Upstream,
    use: ConnectionUse,
    options: ConnectionOptions,
  ) {
    const { client, listResources = true, prefix = `${key}_` } = upstream;
    this.key = key;
    this.prefix = prefix;
    this.namePrefix = prefixInNames(prefix);
    this.listsResources = listResources;
    this.#upstream = upstream;
    this.#use = use;
    this.#lanes = new RequestLanes(options.settings.maxRequestsPerPrincipal);
    const closing = AbortSignal.any([options.closing, this.#closed.signal]);
    this.#options = { ...options, closing };
    this.#openClient = typeof client === "function"
      ? () => this.#create(client, use.principal)
      : () => client;
    const { settings } = options;
    this.#streams = new UpstreamStreams(key, {
      settings,
      closing,
      onChange: (list) => {
        this.invalidate();
        this.#reloadLater();
        this.#notify([list]);
      },
      onLoss: () => {
        this.invalidate();
        this.#reportLoss();
      },
    });
  }

  /**
   * Subject of the only principal that uses the connection, `null` if only unauthenticated callers
   * use it, or `undefined` if all callers use it.
   */
  get subject(): string | null | undefined {
    return this.#use.isShared ? undefined : this.#use.principal?.subject ?? null;
  }

  /** The server's items, or `undefined` if they must be loaded. */
  get loaded(): Items | undefined {
    return this.#client?.connected === true ? this.#items : undefined;
  }

  /**
   * Capabilities that the server declared on its most recent connection, or `undefined` before the
   * first connection.
   */
  get capabilities(): ServerCapabilities | undefined {
    return this.#capabilities;
  }

  /**
   * Whether the server might provide resources: it has never been reached, or it has declared
   * resources at least once.
   */
  get mayHaveResources(): boolean {
    return this.#capabilities === undefined || this.#hasHadResources;
  }

  /** Whether items may be hidden from callers. */
  get hasAllow(): boolean {
    return this.#upstream.allow !== undefined;
  }

  /** Returns `true` if a caller can use an item with the given name on the server. */
  allows(name: string, caller: Caller): boolean {
    const { allow } = this.#upstream;
    if (allow === undefined) return true;
    const allowed: unknown = allow(name, caller);
    // A JavaScript caller may return a promise, which must not count as `true`.
    reportRejection(allowed, this.#options.settings.onError);
    return allowed === true;
  }

  /**
   * Returns the server's items. Connects and requests the lists if necessary.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the server is unreachable
   * or its lists are not valid.
   */
  async items(): Promise<Items> {
    const { loaded } = this;
    if (loaded !== undefined) return loaded;
    if (this.#failure !== undefined && Date.now() < this.#failure.until) throw this.#failure.error;
    this.#use.ownership.begin(this.#use.loadAll);
    return await this.#loadOnce();
  }

  /**
   * Runs a relayed request of a caller; see {@linkcode RequestLanes.use}. The number of requests is
   * limited only on a connection that all principals share.
   */
  async relay<T>({ principal, signal }: Caller, request: () => Promise<T>): Promise<T> {
    const subject = this.#use.isShared ? principal?.subject : undefined;
    return await this.#lanes.use(subject, signal, request);
  }

  /**
   * Discards the items, so the lists are requested again on the next use, and after a failure when
   * `retryMs` has elapsed.
   */
  invalidate(): void {
    this.#version++;
    this.#items = undefined;
  }

  /** Discards the items and the last failure. */
  retry(): void {
    this.invalidate();
    this.#failure = undefined;
  }

  /**
   * Returns the connected client. Connects if necessary.
   *
   * @throws {McpError} If the client cannot connect.
   */
  async client(): Promise<McpClient> {
    if (this.#client?.connected === true && this.#streams.isOpen) return this.#client;
    return await (this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined));
  }

  /**
   * Returns the open subscription streams. Connects if necessary.
   *
   * @throws {McpError} If the client cannot connect.
   */
  async openStreams(): Promise<UpstreamStreams> {
    await this.client();
    return this.#streams;
  }

  /** The subscription streams, some of which may have ended. */
  get streams(): Pick<UpstreamStreams, "hasEnded" | "onEnd"> {
    return this.#streams;
  }

  /** Protocol era of the server. */
  get era(): Era | undefined {
    return findRevision(this.#client?.server?.protocolVersion)?.era;
  }

  /**
   * Lowers the log level of a legacy server, which has one level for all requests. Modern servers
   * receive the log level with each request.
   */
  async wantLogs(client: McpClient, level: LogLevel | undefined): Promise<void> {
    if (level === undefined || this.era !== "legacy" || !this.#capabilities?.logging) return;
    const current = this.#logLevel;
    if (current !== undefined && LOG_LEVELS.indexOf(current) <= LOG_LEVELS.indexOf(level)) return;
    this.#logLevel = level;
    const { listTimeoutMs: timeoutMs, onError } = this.#options.settings;
    await client.setLogLevel(level, { timeoutMs }).catch(onError);
  }

  /** Disconnects the client. A closed connection reports no changes and cannot be reopened. */
  async close(): Promise<void> {
    this.#closed.abort(McpError.transportError("gateway", "closed"));
    this.invalidate();
    await this.#connecting?.catch(ignore);
    await this.#client?.disconnect();
  }

  /**
   * Loads the lists, with at most one load in progress, because a server may change its lists
   * faster than the gateway can load them.
   */
  #loadOnce(): Promise<Items> {
    if (this.#loading === undefined) {
      const version = this.#version;
      this.#loading = { version, items: this.#load(version) };
    }
    const { items, version } = this.#loading;
    if (version === this.#version) return items;
    return this.#nextLoad ??= items.then(ignore, ignore).then(() => {
      this.#nextLoad = undefined;
      return this.#loadOnce();
    });
  }

  /**
   * Loads the lists after a change, so that new items are claimed in the order in which the servers
   * list them, and clashes are reported, before a caller uses the items.
   */
  #reloadLater(): void {
    if (this.#isReloading) return;
    this.#isReloading = true;
    const { closing, settings: { debounceMs } } = this.#options;
    sleep(debounceMs, closing).then(() => {
      this.#isReloading = false;
      // A connection that is lost opens again when it is used.
      if (this.#client?.connected === true) this.items().catch(ignore);
    }, ignore);
  }

  async #load(version: number): Promise<Items> {
    const { settings: { onError, retryMs } } = this.#options;
    const { ownership } = this.#use;
    let isRecovered = false;
    try {
      const client = await this.client();
      const items = await ownership.apply(this.key, await this.#list(client));
      if (version === this.#version) this.#items = items;
      isRecovered = this.#failure !== undefined;
      this.#failure = undefined;
      return items;
    } catch (cause) {
      const { error, report, canRetry } = unavailable(this.key, cause);
      if (this.#options.closing.aborted) throw error;
      onError(report);
      this.#failure = { error, until: Date.now() + (canRetry ? 0 : retryMs) };
      throw error;
    } finally {
      ownership.settle(this.key);
      this.#loading = undefined;
      if (isRecovered) this.#notify(ALL_LISTS);
    }
  }

  #notify(lists: readonly ChangedList[]): void {
    this.#options.onChange(lists, this.subject);
  }

  async #list(client: McpClient): Promise<Items> {
    const { settings, closing: signal } = this.#options;
    const { listTimeoutMs: timeoutMs } = settings;
    const lists = await requestLists(client, {
      listResources: this.listsResources,
      signal,
      timeoutMs,
    });
    const { key, prefix } = this;
    return await toItems(lists, { key, prefix, ...settings });
  }

  /** Creates the client for a principal. */
  async #create(
    client: (caller: Caller) => McpClient | Promise<McpClient>,
    principal: Caller["principal"],
  ): Promise<McpClient> {
    const { closing, owners, settings: { listTimeoutMs } } = this.#options;
    const signal = AbortSignal.any([
      closing,
      AbortSignal.timeout(Math.min(listTimeoutMs, MAX_TIMER_MS)),
    ]);
    const created = await abortable(Promise.resolve(client({ principal, signal })), signal);
    const path = `upstreams.${this.key}.client`;
    if (typeof created?.relay !== "function") {
      throw new TypeError(`"${path}" must return an McpClient, got ${formatValue(created)}`);
    }
    if (owners.has(created) && owners.get(created) !== principal?.subject) {
      throw new TypeError(`"${path}" must return a different client for each principal`);
    }
    owners.set(created, principal?.subject);
    return created;
  }

  async #connect(): Promise<McpClient> {
    const { closing } = this.#options;
    closing.throwIfAborted();
    const client = this.#client ??= await this.#openClient();
    if (!client.connected) {
      this.#streams.reset();
      this.#logLevel = undefined;
      this.#items = undefined;
      await client.connect({ signal: closing });
    }
    this.#capabilities = client.server?.capabilities;
    if (this.#capabilities?.resources !== undefined) this.#hasHadResources = true;
    // The subscription streams are opened before the lists are requested, so that no change is
    // missed.
    if (!this.#streams.isOpen) await this.#streams.open(client);
    return client;
  }

  /**
   * Reports that all lists may have changed, at most once per `retryMs`. Clients respond to a
   * report by requesting the lists, which makes the gateway reconnect, so without the delay, a
   * server that ends every connection would be restarted over and over.
   */
  #reportLoss(): void {
    const { closing, settings: { retryMs } } = this.#options;
    const now = Date.now();
    if (closing.aborted || now < this.#lossReportedAt) return;
    const isRepeated = now - this.#lossReportedAt < retryMs;
    this.#lossReportedAt = isRepeated ? now + retryMs : now;
    if (isRepeated) sleep(retryMs, closing).then(() => this.#notify(ALL_LISTS), ignore);
    else this.#notify(ALL_LISTS);
  }
}

function ignore(): void {}
