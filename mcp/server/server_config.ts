/**
 * Server configuration.
 *
 * @module
 */

import type { Implementation } from "../protocol/capabilities.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { ServerExtension } from "./extension.ts";
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
  /** Request state encryption. Processes that serve the same clients must use the same key. */
  readonly requestState?: RequestStateOptions;
  /**
   * Maximum number of unsent notifications per request. Further notifications are dropped.
   *
   * @default {1000}
   */
  readonly maxQueuedNotifications?: number;
  /**
   * Maximum number of open `subscriptions/listen` streams. Further requests receive error -32603.
   *
   * @default {1024}
   */
  readonly maxSubscriptionStreams?: number;
  /**
   * Maximum share of `maxSubscriptionStreams` and `maxSubscriptionChars` per authenticated principal, greater than 0 and
   * at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Maximum number of resource subscriptions per `subscriptions/listen` stream. Requests with more resource
   * subscriptions receive error -32602.
   *
   * @default {1000}
   */
  readonly maxResourceSubscriptions?: number;
  /**
   * Maximum number of characters in all open `subscriptions/listen` requests, as JSON. Each URI counts 128 characters in
   * addition to its length. Further requests receive error -32603.
   *
   * @default {8_388_608}
   */
  readonly maxSubscriptionChars?: number;
  /** Extensions of the server, such as tasks. */
  readonly extensions?: readonly ServerExtension[];
  /** Called with errors whose details are not sent to the client. If omitted, these errors are ignored. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Checks the length of the key for request state encryption.
 *
 * @throws {RangeError} If the key is not 32 bytes long.
 */
export function assertKey(key?: Uint8Array): void {
  if (key === undefined || key.length === 32) return;
  throw new RangeError(`"requestState.key" must be 32 bytes long, got ${key.length}`);
}

/**
 * Checks that a value is a non-empty string.
 *
 * @throws {TypeError} If the value is not a string or is empty.
 */
export function assertNonEmptyString(name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  const actual = value === "" ? "an empty string" : typeof value;
  throw new TypeError(`"${name}" must be a non-empty string, got ${actual}`);
}

/**
 * Checks a numeric limit.
 *
 * @throws {RangeError} If the limit is not a positive integer.
 */
export function assertLimit(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`"${name}" must be a positive integer, got ${value}`);
}

/**
 * Checks the maximum share per principal.
 *
 * @throws {RangeError} If the share is not greater than 0 and at most 1.
 */
export function assertShare(share: number): void {
  if (share > 0 && share <= 1) return;
  throw new RangeError(
    `"maxSharePerPrincipal" must be greater than 0 and at most 1, got ${share}`,
  );
}
