/**
 * Options for the gateway.
 *
 * @module
 */

import type { McpClient } from "../client/client.ts";
import type { Principal } from "../server/exchange_context.ts";
import { type McpServerConfig, SERVER_RULES, type ServerDefault } from "../server/server_config.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertOptionalBoolean,
  assertPositiveNumber,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { oneOf, recordOf, withMethods } from "@parley/internal/option-checks";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { OwnerStore } from "./owner_store.ts";
import { MAX_TOTAL_MS, REQUEST_TIMEOUT_MS } from "../client/request_options.ts";

/** The client of the gateway on whose behalf an upstream server is used. */
export interface Caller {
  /** Authenticated principal, or `undefined` if the request is not authenticated. */
  readonly principal: Principal | undefined;
  /** Signal that is aborted when the caller is no longer waiting or the gateway closes. */
  readonly signal: AbortSignal;
}

/** A server behind the gateway. */
export interface Upstream {
  /**
   * Client for the server. A single client is used for all callers. A function must return a client
   * for each principal within `listTimeoutMs`, for example one with that principal's credentials.
   * Each call to the function must return a different client. The gateway connects the clients,
   * reconnects them if a connection is lost, and disconnects them when it closes.
   *
   * A legacy server requests only input that the `capabilities` or `handlers` option of its client
   * declares.
   */
  readonly client: McpClient | ((caller: Caller) => McpClient | Promise<McpClient>);
  /**
   * Prefix for the names of the server's tools and prompts, or `""` for no prefix. If omitted, the
   * prefix is the server's key followed by `_`.
   */
  readonly prefix?: string;
  /**
   * Whether the gateway lists the resources of the server. The gateway requests all pages of a
   * list, so a server with many resources, such as one that lists the rows of a table, would exceed
   * `maxItems`. If false, the resources are not requested. The resource templates are still listed,
   * and callers can read and subscribe to the resources that the templates cover.
   *
   * @default {true}
   */
  readonly listResources?: boolean;
  /**
   * Returns `true` if a caller can use an item on the server. All return values except `true` hide
   * the item. `name` is the server's own name for the tool or prompt, the URI of the resource or
   * the URI template of the resource template. For a resource that is not listed, `allow` is called
   * with the URI and with its decoded and normalized form, also for a resource that a template
   * covers if `listResources` is false. The server may read the same resource under other
   * spellings, for example with another case or a slash at the end, so compare such a URI with the
   * resources that the caller can use, and not with those to hide. If omitted, all callers can use
   * all items.
   */
  readonly allow?: (name: string, caller: Caller) => boolean;
}

/**
 * Options for {@linkcode mcpGateway}. The options inherited from {@linkcode McpServerConfig} apply
 * to the gateway's server.
 */
export interface GatewayOptions extends McpServerConfig {
  /**
   * Servers behind the gateway, keyed by server key. A server's key is the default prefix of its
   * items and appears in errors and task ids.
   */
  readonly upstreams: Readonly<Record<string, Upstream>>;
  /**
   * Behavior of lists while a server is unreachable. With `omit`, a list contains the items of the
   * reachable servers, and the failure is reported to `onError`. With `fail`, list requests fail.
   *
   * @default {"omit"}
   */
  readonly onUnreachable?: "omit" | "fail";
  /**
   * Expected fingerprints, keyed by the tool's name at the gateway; see
   * {@linkcode toolFingerprint}. A tool whose fingerprint differs from the expected one is omitted
   * and reported to `onError`. A tool without an expected fingerprint is not checked.
   */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /**
   * Store for the owners of the items of the servers with one client for all callers. With a store,
   * an item has the same owner after a restart, even if the owner is down when the gateway starts.
   * If the store fails or does not respond within `listTimeoutMs`, the gateway does not start, and
   * a server that offers new items is treated as unreachable. If omitted, the owners are stored in
   * memory.
   */
  readonly owners?: OwnerStore;
  /**
   * Timeout for a server's response to a request or its next notification, in milliseconds.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum time that the gateway waits for a server during a request, regardless of progress and
   * of the number of input requests, in milliseconds.
   *
   * @default {600_000}
   */
  readonly maxTotalMs?: number;
  /**
   * Timeout for each list request to a server, and for each call to a function that returns a
   * client, in milliseconds. The client of each server enforces the connection timeout.
   *
   * @default {30_000}
   */
  readonly listTimeoutMs?: number;
  /**
   * How long a server is treated as unreachable after a failed connection or list request, in
   * milliseconds. The gateway does not try to reach the server again until `retryMs` has passed.
   *
   * @default {5000}
   */
  readonly retryMs?: number;
  /**
   * How long list changes are collected before the gateway's clients are notified, in milliseconds.
   *
   * @default {100}
   */
  readonly debounceMs?: number;
  /**
   * Maximum number of servers behind the gateway.
   *
   * @default {100}
   */
  readonly maxUpstreams?: number;
  /**
   * Maximum total number of tools, resources, resource templates and prompts of one server. A
   * server with more than `maxItems` items is treated as unreachable. The server's client limits
   * the pages and characters of the server's lists. Items of the gateway's own server beyond
   * `maxItems` are left out and reported to `onError`, as are its pages beyond `maxItems`.
   *
   * @default {10_000}
   */
  readonly maxItems?: number;
  /**
   * Maximum number of principals whose clients stay connected. The clients of the principal that
   * has been idle for the longest time are disconnected. If all connected principals have requests
   * in flight, requests from other principals receive error -32603.
   *
   * @default {1000}
   */
  readonly maxCallers?: number;
  /**
   * Maximum number of requests of one authenticated principal in flight on a server that has one
   * client for all callers. Up to 100 further requests of the principal are queued; beyond them,
   * requests receive error -32603. The client of the server limits the requests of all principals
   * together with its option `maxConcurrent`, which must be larger.
   *
   * @default {25}
   */
  readonly maxRequestsPerPrincipal?: number;
  /**
   * Maximum number of relayed tasks. Beyond `maxTasks`, the oldest relayed task is discarded. An
   * authenticated principal's share of the relayed tasks is limited to `maxSharePerPrincipal`;
   * beyond it, the principal's oldest task is discarded.
   *
   * @default {10_000}
   */
  readonly maxTasks?: number;
}

/** The gateway's own options that have a default. */
type GatewayDefault =
  | "onUnreachable"
  | "fingerprints"
  | "timeoutMs"
  | "maxTotalMs"
  | "listTimeoutMs"
  | "retryMs"
  | "debounceMs"
  | "maxUpstreams"
  | "maxItems"
  | "maxCallers"
  | "maxRequestsPerPrincipal"
  | "maxTasks";

/** The options that the gateway itself uses, after reading. */
export interface GatewaySettings extends
  Pick<
    Settings<GatewayOptions, GatewayDefault | ServerDefault>,
    | Exclude<GatewayDefault, "fingerprints" | "maxUpstreams">
    | "maxSharePerPrincipal"
    | "pageSize"
  > {
  /** Store for the owners of items. */
  readonly owners: OwnerStore | undefined;
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Called with errors that callers do not see. */
  readonly onError: (error: unknown) => void;
}

const readGateway: OptionsReader<GatewayOptions, GatewayDefault | ServerDefault> = optionsReader<
  GatewayOptions
>("options")({
  ...SERVER_RULES,
  upstreams: required(assertObject),
  onUnreachable: withDefault("omit", oneOf("omit", "fail")),
  fingerprints: withDefault({}, recordOf(assertString)),
  owners: withMethods("a store of owners", ["load", "save"]),
  timeoutMs: withDefault(REQUEST_TIMEOUT_MS, assertPositiveNumber),
  maxTotalMs: withDefault(MAX_TOTAL_MS, assertPositiveNumber),
  listTimeoutMs: withDefault(30_000, assertPositiveNumber),
  retryMs: withDefault(5000, assertPositiveNumber),
  debounceMs: withDefault(100, assertPositiveNumber),
  maxUpstreams: withDefault(100, assertCount),
  maxItems: withDefault(10_000, assertCount),
  maxCallers: withDefault(1000, assertCount),
  maxRequestsPerPrincipal: withDefault(25, assertCount),
  maxTasks: withDefault(10_000, assertCount),
});

const readUpstream = optionsReader<Upstream>("upstream")({
  client: required(assertClient),
  prefix: assertString,
  listResources: assertOptionalBoolean,
  allow: assertFunction,
});

/**
 * Reads the options of a gateway. Returns the servers, the gateway's own options, and the
 * configuration of the server that the gateway's clients connect to.
 *
 * @throws {TypeError} If a name is not an option, or an option has the wrong type.
 * @throws {RangeError} If a limit or a timeout is out of range, or there are more than
 * `maxUpstreams` servers.
 */
export function readOptions(options: GatewayOptions): {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly settings: GatewaySettings;
  readonly config: McpServerConfig;
} {
  const { upstreams, fingerprints, maxUpstreams, ...read } = readGateway(options);
  const {
    onUnreachable,
    owners,
    timeoutMs,
    maxTotalMs,
    listTimeoutMs,
    retryMs,
    debounceMs,
    maxItems,
    maxCallers,
    maxRequestsPerPrincipal,
    maxTasks,
    ...config
  } = read;
  const entries = Object.entries(upstreams);
  if (entries.length > maxUpstreams) {
    throw new RangeError(
      `"upstreams" must have at most ${maxUpstreams} members ("maxUpstreams"), got ${entries.length}`,
    );
  }
  return {
    upstreams: new Map(
      entries.map(([key, upstream]) => [key, defined(readUpstream(upstream, `upstreams.${key}`))]),
    ),
    settings: {
      onUnreachable,
      fingerprints: new Map(Object.entries(fingerprints)),
      owners,
      timeoutMs,
      maxTotalMs,
      listTimeoutMs,
      retryMs,
      debounceMs,
      maxItems,
      maxCallers,
      maxRequestsPerPrincipal,
      maxTasks,
      maxSharePerPrincipal: config.maxSharePerPrincipal,
      pageSize: config.pageSize,
      onError: createErrorReporter("mcpGateway", config.onError),
    },
    config: defined(config),
  };
}

function assertClient(name: string, client: unknown): void {
  // Another copy of this package may have created the client, so `instanceof` would reject it.
  if (typeof client === "function" || typeof Reflect.get(Object(client), "relay") === "function") {
    return;
  }
  rejectArgument(name, "an McpClient or a function that returns one", client);
}
