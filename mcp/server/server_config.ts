/**
 * Server configuration.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertRecord,
  assertShare,
  assertString,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { defined } from "@parley/internal/json";
import { arrayOf, integerFrom, withMethods } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionRules,
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { Implementation } from "../protocol/capabilities.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { AroundRequest } from "../protocol/around_request.ts";
import type { ChangeBus } from "./change_bus.ts";
import type { ServerRequestDescription } from "./dispatch.ts";
import type { ServerExtension } from "./extension.ts";
import type { IsVisible } from "./registry.ts";
import { jsonSchemaValidator } from "./json_schema.ts";
import {
  readRequestState,
  type RequestStateOptions,
  type RequestStateSettings,
} from "./request_state.ts";
import type { SchemaValidator } from "./schema.ts";
import { MAX_RESOURCE_SUBSCRIPTIONS } from "./subscriptions.ts";

/** Configuration for an {@linkcode McpServer}. */
export interface McpServerConfig extends Implementation {
  /** Instructions for the client's model that describe how to use the server. */
  readonly instructions?: string;
  /**
   * Maximum number of items per page in a list result. Some clients read only the first page.
   *
   * @default {1000}
   */
  readonly pageSize?: number;
  /** Caching rules for lists and resources. If omitted, results must not be cached. */
  readonly cache?: CacheHint;
  /**
   * Validator for JSON Schemas. If omitted, {@linkcode jsonSchemaValidator} is used with its
   * default limits. Standard Schemas do not need a validator.
   */
  readonly validator?: SchemaValidator;
  /** Request state encryption. Processes that serve the same clients must have the same keys. */
  readonly requestState?: RequestStateOptions;
  /**
   * Maximum number of unsent notifications per request. Notifications beyond
   * `maxQueuedNotifications` are dropped.
   *
   * @default {1000}
   */
  readonly maxQueuedNotifications?: number;
  /**
   * Maximum number of open `subscriptions/listen` streams. Requests beyond `maxSubscriptionStreams`
   * receive error -32603.
   *
   * @default {1024}
   */
  readonly maxSubscriptionStreams?: number;
  /**
   * Maximum share of `maxSubscriptionStreams` and `maxSubscriptionChars` per authenticated
   * principal, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Maximum number of resource subscriptions per `subscriptions/listen` stream. Requests with more
   * subscriptions than `maxResourceSubscriptions` receive error -32602.
   *
   * @default {1000}
   */
  readonly maxResourceSubscriptions?: number;
  /**
   * Maximum number of characters in all open `subscriptions/listen` requests, as JSON. Each URI
   * counts as its length plus 128 characters. Requests beyond `maxSubscriptionChars` receive error
   * -32603. The same limit applies to the task states that the clients of the streams have not read
   * yet; a stream that would exceed it ends with error -32603.
   *
   * @default {8_388_608}
   */
  readonly maxSubscriptionChars?: number;
  /**
   * Bus that carries changes to the other processes that serve the same clients, so that clients of
   * every process receive notifications about changed lists and updated resources. If omitted, only
   * clients of this process receive the notifications.
   */
  readonly changeBus?: ChangeBus;
  /**
   * Maximum number of changes waiting to be published to `changeBus`. Changes beyond
   * `maxUnpublishedChanges` are reported to `onError` and not published. A repeated change counts
   * only once while it is waiting.
   *
   * @default {1000}
   */
  readonly maxUnpublishedChanges?: number;
  /**
   * Maximum time that {@linkcode McpServer.close} waits for `changeBus` and for each extension, in
   * milliseconds. If one of them does not respond in time, the error is reported to `onError`, and
   * the extension continues to close in the background.
   *
   * @default {3000}
   */
  readonly closeTimeoutMs?: number;
  /**
   * Decides which tools, resources, resource templates and prompts a principal can see and use. A
   * request for an item that the principal cannot see receives the same response as a request for
   * an unknown item. A URI is hidden if it resembles the URI of a hidden resource, for example if
   * only the percent-encoding differs, or if a hidden resource template covers it and no resource
   * with this URI is registered. A URI that is not registered is also hidden if it is the URI of a
   * hidden item with additional query or path parameters, a user name or, for `file` URIs, a host.
   * While an item is hidden, URIs of templates that contain a dot segment, a backslash, a control
   * character or white space, or have more than 8192 characters, are hidden too. The principal
   * receives no updates to resources that it cannot see, and no notifications about the
   * registration and removal of items that it cannot see. With a change bus, notifications about
   * changed lists are sent to all principals of the other processes. If omitted, all principals can
   * see all items. `visible` is called for each item in a list, so it must be fast. `visible` is
   * synchronous: if permissions are stored in a database, read them during authentication and add
   * them to the principal.
   */
  readonly visible?: IsVisible;
  /**
   * Wraps the handler for each request, for example to trace requests or to limit their rate.
   * Requests with an unknown method are not wrapped, and in a legacy session, neither are
   * `initialize`, `ping`, `logging/setLevel`, `resources/subscribe` and `resources/unsubscribe`. An
   * `McpError` with an `rpcCode` that the function throws is sent to the client; any other error is
   * reported to `onError` and sent as error -32603.
   */
  readonly around?: AroundRequest<ServerRequestDescription>;
  /** Server extensions, such as tasks. */
  readonly extensions?: readonly ServerExtension[];
  /**
   * Called with errors whose details are not sent to the client, and with invalid return values
   * from tools. If omitted, errors are printed to standard error: each error once, and at most 20
   * per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options of a server that have a default. */
export type ServerDefault =
  | "pageSize"
  | "maxQueuedNotifications"
  | "maxSubscriptionStreams"
  | "maxSharePerPrincipal"
  | "maxResourceSubscriptions"
  | "maxSubscriptionChars"
  | "maxUnpublishedChanges"
  | "closeTimeoutMs"
  | "extensions";

/** Configuration of a server after reading. */
export interface ServerSettings
  extends Omit<Settings<McpServerConfig, ServerDefault>, "requestState" | "validator"> {
  readonly requestState: RequestStateSettings;
  readonly validator: SchemaValidator;
}

/** Rules for the configuration of a server, which the options of a gateway include. */
export const SERVER_RULES:
  & OptionRules<McpServerConfig>
  & { readonly [Name in ServerDefault]: DefaultRule<Required<McpServerConfig>[Name]> } = {
    name: required(assertNonEmptyString),
    version: required(assertNonEmptyString),
    title: assertString,
    description: assertString,
    websiteUrl: assertString,
    icons: arrayOf("icons", assertObject),
    instructions: assertString,
    pageSize: withDefault(1000, assertCount),
    cache: assertObject,
    validator: withMethods("a SchemaValidator", ["compile"]),
    requestState: assertObject,
    maxQueuedNotifications: withDefault(1000, assertCount),
    maxSubscriptionStreams: withDefault(1024, assertCount),
    maxSharePerPrincipal: withDefault(0.25, assertShare),
    maxResourceSubscriptions: withDefault(MAX_RESOURCE_SUBSCRIPTIONS, assertCount),
    maxSubscriptionChars: withDefault(8 * 1024 * 1024, assertCount),
    changeBus: withMethods("a ChangeBus", ["publish", "subscribe"]),
    maxUnpublishedChanges: withDefault(1000, assertCount),
    closeTimeoutMs: withDefault(3000, assertCount),
    visible: assertFunction,
    around: assertFunction,
    extensions: withDefault([], arrayOf("server extensions", assertExtension)),
    onError: assertFunction,
  };

const readOptions: OptionsReader<McpServerConfig, ServerDefault> = optionsReader<McpServerConfig>(
  "config",
)(SERVER_RULES);

/**
 * Reads the configuration of a server.
 *
 * @throws {TypeError} If an option has the wrong type, or a name is not an option.
 * @throws {RangeError} If a limit, a key or a caching rule is invalid.
 */
export function readServerConfig(config: McpServerConfig): ServerSettings {
  const settings = readOptions(config);
  const { cache, extensions, requestState = {}, validator = jsonSchemaValidator() } = settings;
  return {
    ...settings,
    extensions: [...extensions],
    cache: cache && readCache(cache),
    validator,
    requestState: readRequestState(requestState, "requestState"),
  };
}

/** Returns the members of the configuration that the server sends to clients. */
export function implementationOf(config: Settings<Implementation, never>): Implementation {
  const { name, version, title, description, websiteUrl, icons } = config;
  return { name, version, ...defined({ title, description, websiteUrl, icons }) };
}

/**
 * Reads caching rules.
 *
 * @throws {RangeError} If `ttlMs` is negative or not an integer, or if `cacheScope` is unknown.
 */
export const readCache: OptionsReader<CacheHint, never> = optionsReader<CacheHint>("cache")({
  ttlMs: required(integerFrom(0)),
  cacheScope: required(assertCacheScope),
});

function assertCacheScope(name: string, value: unknown): void {
  if (value === "public" || value === "private") return;
  throw new RangeError(`"${name}" must be "public" or "private", got ${formatValue(value)}`);
}

function assertExtension(name: string, extension: unknown): void {
  assertRecord(name, extension);
  assertNonEmptyString(`${name}.id`, extension.id);
  if (extension.attach !== undefined) assertFunction(`${name}.attach`, extension.attach);
  assertOptionalBoolean(`${name}.open`, extension.open);
}
