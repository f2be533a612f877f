/**
 * Server configuration.
 *
 * @module
 */

import type { Implementation } from "../protocol/capabilities.ts";
import {
  assertFunction,
  assertNonEmptyString,
  assertObject,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import type { CacheHint } from "../protocol/modern.ts";
import type { AroundRequest } from "../protocol/around_request.ts";
import type { ChangeBus } from "./change_bus.ts";
import type { ServerRequestDescription } from "./dispatch.ts";
import type { ServerExtension } from "./extension.ts";
import type { IsVisible } from "./registry.ts";
import type { RequestStateOptions } from "./request_state.ts";
import type { SchemaValidator } from "./schema.ts";

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
   * Validator for JSON Schemas. If omitted, {@linkcode jsonSchemaValidator} is used with its default limits. Standard
   * Schemas do not need a validator.
   */
  readonly validator?: SchemaValidator;
  /** Request state encryption. Processes that serve the same clients must have the same keys. */
  readonly requestState?: RequestStateOptions;
  /**
   * Maximum number of unsent notifications per request. Notifications beyond `maxQueuedNotifications` are dropped.
   *
   * @default {1000}
   */
  readonly maxQueuedNotifications?: number;
  /**
   * Maximum number of open `subscriptions/listen` streams. Requests beyond `maxSubscriptionStreams` receive error
   * -32603.
   *
   * @default {1024}
   */
  readonly maxSubscriptionStreams?: number;
  /**
   * Maximum share of `maxSubscriptionStreams` and `maxSubscriptionChars` per authenticated principal, greater than 0
   * and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Maximum number of resource subscriptions per `subscriptions/listen` stream. Requests with more subscriptions than
   * `maxResourceSubscriptions` receive error -32602.
   *
   * @default {1000}
   */
  readonly maxResourceSubscriptions?: number;
  /**
   * Maximum number of characters in all open `subscriptions/listen` requests, as JSON. Each URI counts as its length
   * plus 128 characters. Requests beyond `maxSubscriptionChars` receive error -32603.
   *
   * @default {8_388_608}
   */
  readonly maxSubscriptionChars?: number;
  /**
   * Bus that carries changes to the other processes that serve the same clients, so that clients of every process
   * receive notifications about changed lists and updated resources. If omitted, only clients of this process receive
   * the notifications.
   */
  readonly changeBus?: ChangeBus;
  /**
   * Maximum number of changes waiting to be published to `changeBus`. Changes beyond `maxUnpublishedChanges` are
   * reported to `onError` and not published. A repeated change counts only once while it is waiting.
   *
   * @default {1000}
   */
  readonly maxUnpublishedChanges?: number;
  /**
   * Decides which tools, resources, resource templates and prompts a principal can see and use. A request for an item
   * that the principal cannot see receives the same response as a request for an unknown item. The principal receives
   * no updates to resources that it cannot see. If omitted, all principals can see all items. Notifications about
   * changed lists are sent to all principals. `visible` is called for each item in a list, so it must be fast.
   * `visible` is synchronous: if permissions are stored in a database, read them during authentication and add them to
   * the principal.
   */
  readonly visible?: IsVisible;
  /**
   * Wraps the handler for each request, for example to trace requests or to limit their rate. Requests with an unknown
   * method are not wrapped, and in a legacy session, neither are `initialize`, `ping`, `logging/setLevel`,
   * `resources/subscribe` and `resources/unsubscribe`. An `McpError` with an `rpcCode` that the function throws is sent
   * to the client; any other error is reported to `onError` and sent as error -32603.
   */
  readonly around?: AroundRequest<ServerRequestDescription>;
  /** Server extensions, such as tasks. */
  readonly extensions?: readonly ServerExtension[];
  /**
   * Called with errors whose details are not sent to the client, and with invalid return values from tools. If omitted,
   * errors are printed to standard error: each error once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Returns the members of the configuration that the server sends to clients. The server sends only members that it
 * knows, because a misspelled option can contain a secret.
 */
export function implementationOf(config: McpServerConfig): Implementation {
  const info = { name: config.name, version: config.version };
  for (const key of ["title", "description", "websiteUrl", "icons"] as const) {
    if (config[key] !== undefined) Object.assign(info, { [key]: config[key] });
  }
  return info;
}

/** Maximum number of keys for request state encryption, because decryption tries all keys. */
const MAX_KEYS = 8;

/**
 * Checks the keys for request state encryption.
 *
 * @throws {TypeError} If the value is not an array of `Uint8Array`.
 * @throws {RangeError} If there are no keys or more than 8 keys, or a key is not 32 bytes long.
 */
export function assertKeys(keys?: readonly Uint8Array[]): void {
  if (keys === undefined) return;
  const given: unknown = keys;
  if (!Array.isArray(given)) {
    // The invalid value is not quoted in the error, because it may be a secret.
    throw new TypeError(`"requestState.keys" must be an array, got a ${typeof keys}`);
  }
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    throw new RangeError(
      `"requestState.keys" must contain 1 to ${MAX_KEYS} keys, got ${keys.length}`,
    );
  }
  for (const [index, key] of keys.entries()) {
    if (!(key instanceof Uint8Array)) {
      throw new TypeError(
        `"requestState.keys[${index}]" must be a Uint8Array, got a ${typeof key}`,
      );
    }
    if (key.length === 32) continue;
    throw new RangeError(
      `"requestState.keys[${index}]" must be 32 bytes long, got ${key.length}`,
    );
  }
}

/**
 * Checks that the caching rules can be sent to clients.
 *
 * @throws {RangeError} If `ttlMs` is negative or not an integer, or if `cacheScope` is unknown.
 */
export function assertCache(cache?: CacheHint): void {
  if (cache === undefined) return;
  const { ttlMs, cacheScope } = cache;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new RangeError(`"cache.ttlMs" must be a non-negative integer, got ${formatValue(ttlMs)}`);
  }
  if (cacheScope === "public" || cacheScope === "private") return;
  throw new RangeError(
    `"cache.cacheScope" must be "public" or "private", got ${formatValue(cacheScope)}`,
  );
}

/**
 * Checks the structure of server extensions.
 *
 * @throws {TypeError} If the value is not an array of objects with an `id`.
 */
export function assertExtensions(extensions: readonly ServerExtension[]): void {
  const given: unknown = extensions;
  if (!Array.isArray(given)) {
    throw new TypeError(`"extensions" must be an array, got ${formatValue(given)}`);
  }
  for (const [index, extension] of extensions.entries()) {
    assertObject(`extensions[${index}]`, extension);
    assertNonEmptyString(`extensions[${index}].id`, extension.id);
    const { attach, open = false } = extension;
    if (attach !== undefined) assertFunction(`extensions[${index}].attach`, attach);
    if (typeof open !== "boolean") {
      throw new TypeError(
        `"extensions[${index}].open" must be a boolean, got ${formatValue(open)}`,
      );
    }
  }
}
