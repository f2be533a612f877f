/**
 * Subscribes the gateway's clients to resources and tasks on the servers behind the gateway, and
 * ends the clients' subscription streams.
 *
 * @module
 */

import { narrowFilter, type SubscriptionFilter } from "../client/subscription.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import { assertDeclared } from "../server/extension.ts";
import type {
  ExtensionSubscription,
  SendExtensionNotification,
  Subscriber,
} from "../server/extension_subscription.ts";
import { invalidParams } from "../server/params.ts";
import type { JsonObject } from "../shared/json.ts";
import { TASK_NOTIFICATION, TASKS_EXTENSION } from "../tasks/task.ts";
import type { ConnectionPool } from "./connection_pool.ts";
import type { CallerServers, ItemFinder, OfferedItem } from "./offer.ts";
import type { GatewaySettings } from "./options.ts";
import { relayedCapabilities } from "./relay.ts";
import type { RelayedTask, RelayedTasks } from "./relayed_tasks.ts";
import type { UpstreamConnection } from "./upstream_connection.ts";

/** Dependencies of {@linkcode RelayedSubscriptions}. */
export interface SubscriptionOptions {
  readonly pool: ConnectionPool;
  readonly finder: ItemFinder;
  readonly tasks: RelayedTasks;
  readonly settings: GatewaySettings;
}

/** The subscription of one client. */
interface OpenSubscription {
  readonly servers: CallerServers;
  readonly subscriber: Subscriber;
  readonly send: SendExtensionNotification;
  /** Servers that send updates for the client's resources and tasks. */
  readonly used: Set<UpstreamConnection>;
  /** Functions that end the individual parts of the subscription. */
  readonly stops: (() => void)[];
}

/** Subscribes the gateway's clients to resources and tasks on the servers. */
export class RelayedSubscriptions {
  readonly #pool: ConnectionPool;
  readonly #finder: ItemFinder;
  readonly #tasks: RelayedTasks;
  readonly #settings: GatewaySettings;

  /** Creates an empty collection of subscriptions. */
  constructor({ pool, finder, tasks, settings }: SubscriptionOptions) {
    this.#pool = pool;
    this.#finder = finder;
    this.#tasks = tasks;
    this.#settings = settings;
  }

  /**
   * Subscribes a client to its resources and tasks. The client's connections stay open until the
   * subscription stops. If all servers that the subscription uses have ended their subscription
   * streams, calls `end`.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if `taskIds` is not valid,
   * -32021 if the client does not declare the tasks extension, and -32603 if too many principals
   * have requests in flight.
   */
  async open(
    wanted: JsonObject,
    subscriber: Subscriber,
    send: SendExtensionNotification,
    end: () => void,
  ): Promise<ExtensionSubscription> {
    const taskIds = readTaskIds(wanted, subscriber);
    const { servers, release } = this.#pool.hold(subscriber.principal);
    const { connections } = servers;
    const used = new Set<UpstreamConnection>();
    const stops = [release];
    const stop = (): void => {
      for (const each of stops.splice(0)) each();
    };
    const isUsed = (connection: UpstreamConnection): boolean =>
      used.has(connection) || sendsLists(connection, wanted);
    const onEnd = (): void => {
      const all = connections.filter(isUsed);
      if (all.length > 0 && all.every(({ streams }) => streams.hasEnded)) end();
    };
    for (const connection of connections) stops.push(connection.streams.onEnd(onEnd));
    const subscription = { servers, subscriber, send, used, stops };
    try {
      await this.#reopen(connections.filter((one) => one.streams.hasEnded && isUsed(one)));
      const resources = await this.#followResources(wanted, subscription);
      const tasks = await this.#followTasks(taskIds, subscription);
      return { accepted: { ...resources, ...tasks }, stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /**
   * Reopens the subscription streams that servers have ended, so that the client misses no changes
   * to their lists.
   */
  async #reopen(connections: readonly UpstreamConnection[]): Promise<void> {
    const { onError } = this.#settings;
    await Promise.all(connections.map((connection) => connection.openStreams().catch(onError)));
  }

  /** Returns the part of the filter that names the resources. */
  async #followResources(
    { resourceSubscriptions: uris }: JsonObject,
    subscription: OpenSubscription,
  ): Promise<JsonObject> {
    // The gateway's server has checked that `resourceSubscriptions` is an array of strings.
    if (!Array.isArray(uris)) return {};
    const refused = new Set<unknown>();
    const byServer = new Map<UpstreamConnection, Map<string, OfferedItem>>();
    const { servers, subscriber: { signal } } = subscription;
    const pauses = this.#finder.pausesFor(servers);
    const searches: Promise<void>[] = [];
    const search = async (uri: string): Promise<void> => {
      const found = await this.#find(uri, subscription, () => refused.add(uri));
      if (found === undefined) return;
      const own = byServer.get(found.connection) ?? new Map<string, OfferedItem>();
      byServer.set(found.connection, own.set(uri, found));
    };
    for (const uri of uris) {
      if (pauses.isDue()) await pauses.pause(signal);
      searches.push(search(uri));
    }
    await Promise.all(searches);
    await Promise.all(Array.from(byServer, async ([connection, own]) => {
      const accepted = await this.#followOn(connection, own, subscription);
      for (const uri of own.keys()) if (!accepted.has(uri)) refused.add(uri);
    }));
    return { resourceSubscriptions: uris.filter((uri) => !refused.has(uri)) };
  }

  /**
   * Returns the item that a URI belongs to, or `undefined` if no server behind the gateway offers
   * the resource to the client. The gateway's own server might still offer the resource.
   */
  async #find(
    uri: string,
    { servers, subscriber }: OpenSubscription,
    onFailure: () => void,
  ): Promise<OfferedItem | undefined> {
    try {
      return await this.#finder.findReadable(uri, servers, subscriber);
    } catch (error) {
      this.#settings.onError(error);
      onFailure();
      return undefined;
    }
  }

  /** Returns the URIs that the server has accepted. */
  async #followOn(
    connection: UpstreamConnection,
    resources: ReadonlyMap<string, OfferedItem>,
    { servers, subscriber, send, used, stops }: OpenSubscription,
  ): Promise<ReadonlySet<string>> {
    if (connection.capabilities?.resources?.subscribe !== true) return new Set();
    const onUpdated = (uri: string): void => {
      const found = resources.get(uri);
      // `allow` and `visible` may hide a resource that the client could see when it subscribed.
      const isReadable = (): boolean =>
        found !== undefined && this.#finder.canSee(found.claim, servers, subscriber) &&
        this.#finder.canRead(uri, servers, subscriber);
      if (!this.#isPermitted(isReadable)) return;
      send(NotificationMethod.ResourceUpdated, uri, { uri });
    };
    try {
      const streams = await connection.openStreams();
      const { accepted, stop } = await streams.follow(
        [...resources.keys()],
        onUpdated,
        subscriber.principal?.subject,
      );
      stops.push(stop);
      if (accepted.length > 0) used.add(connection);
      return new Set(accepted);
    } catch (error) {
      this.#settings.onError(error);
      return new Set();
    }
  }

  /** Returns the part of the filter that names the tasks. */
  async #followTasks(
    taskIds: readonly string[] | undefined,
    subscription: OpenSubscription,
  ): Promise<JsonObject> {
    if (taskIds === undefined) return {};
    const { servers, subscriber } = subscription;
    const tasks = taskIds.flatMap((id) => this.#tasks.get(id, subscriber.principal) ?? [])
      .filter(({ claim }) => this.#finder.canSee(claim, servers, subscriber));
    const accepted = await Promise.all(servers.connections.map(async (connection) => {
      const own = tasks.filter(({ claim }) => claim.server === connection.key);
      return own.length === 0 ? [] : await this.#followTasksOn(connection, own, subscription);
    }));
    return { taskIds: accepted.flat() };
  }

  /** Returns the gateway's ids for the tasks that the server has accepted. */
  async #followTasksOn(
    connection: UpstreamConnection,
    tasks: readonly RelayedTask[],
    { servers, subscriber, send, used, stops }: OpenSubscription,
  ): Promise<readonly string[]> {
    const { onError } = this.#settings;
    const own = new Map(tasks.map((task) => [task.taskId, task]));
    try {
      const streams = await connection.openStreams();
      const capabilities = relayedCapabilities(connection, subscriber);
      const { accepted, close } = await streams.listen(
        { extensions: { taskIds: [...own.keys()] } },
        ({ method, params: { _meta, ...task } = {} }) => {
          const found = own.get(String(task.taskId));
          if (method !== TASK_NOTIFICATION || found === undefined) return;
          const { id, claim } = found;
          if (!this.#isPermitted(() => this.#finder.canSee(claim, servers, subscriber))) return;
          send(TASK_NOTIFICATION, id, { ...task, taskId: id });
        },
        { client: { capabilities } },
      );
      stops.push(() => void close().catch(onError));
      used.add(connection);
      const taskIds = accepted.extensions?.taskIds;
      return Array.isArray(taskIds) ? taskIds.flatMap((id) => own.get(id)?.id ?? []) : [];
    } catch (error) {
      onError(error);
      return [];
    }
  }

  /**
   * Returns the result of a check, or `false` if the check throws. All subscribers to a resource
   * share one stream, so an error for one subscriber must not end the stream.
   */
  #isPermitted(check: () => boolean): boolean {
    try {
      return check();
    } catch (error) {
      this.#settings.onError(error);
      return false;
    }
  }
}

/** Reads the task ids in a filter. */
function readTaskIds(
  { taskIds }: JsonObject,
  { client }: Subscriber,
): readonly string[] | undefined {
  if (taskIds === undefined) return undefined;
  assertDeclared(client, TASKS_EXTENSION);
  if (Array.isArray(taskIds) && taskIds.every((id) => typeof id === "string")) {
    return [...new Set(taskIds)];
  }
  throw invalidParams('Invalid params: "taskIds" must be an array of strings');
}

/** Returns `true` if a server reports changes to a list that a client subscribes to. */
function sendsLists({ capabilities = {} }: UpstreamConnection, wanted: JsonObject): boolean {
  const filter: SubscriptionFilter = {
    toolsListChanged: wanted.toolsListChanged === true,
    promptsListChanged: wanted.promptsListChanged === true,
    resourcesListChanged: wanted.resourcesListChanged === true,
  };
  return Object.keys(narrowFilter(filter, capabilities)).length > 0;
}
