/**
 * Options for push notifications.
 *
 * @module
 */

import {
  assertCount,
  assertOptionalBoolean,
  assertOptionalFunction,
} from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From, withMethods } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import { memoryPushConfigs, type PushConfigStore } from "./push_config.ts";

/**
 * Options for push notifications, with which an agent sends the updates of a task to a URL of the
 * client: each change of the state and the complete result, in order. A notification that is sent
 * again can arrive twice.
 *
 * A URL must be an HTTPS URL with a public DNS name. Only the name is checked: to reject names that
 * have a private address, pass a `fetch` that checks the address, or use a proxy.
 */
export interface PushOptions {
  /**
   * Store of the configurations. If omitted, they are in the memory of the process. The process
   * that has received a configuration sends the notifications.
   */
  readonly store?: PushConfigStore;
  /** Sends a notification. If omitted, the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /**
   * Returns exactly `true` to accept a URL that meets the rules. If omitted, all of them are
   * accepted.
   */
  readonly checkUrl?: (url: URL, signal: AbortSignal) => boolean | Promise<boolean>;
  /**
   * Accepts every HTTP URL, also with private addresses; for development and for private networks.
   *
   * @default {false}
   */
  readonly allowPrivateAddresses?: boolean;
  /**
   * Maximum number of configurations of a task; a positive integer.
   *
   * @default {10}
   */
  readonly maxConfigsPerTask?: number;
  /**
   * Maximum number of configurations in this process; a positive integer. A party, or a
   * caller without one, may have a tenth of them.
   *
   * @default {10_000}
   */
  readonly maxConfigs?: number;
  /**
   * Maximum time for `checkUrl` and for each attempt to send a notification, in milliseconds; a
   * positive integer.
   *
   * @default {15_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum number of attempts to send a notification; a positive integer. A notification is sent
   * again after a failure of the connection and after the HTTP status 429 or one of 500 and above.
   *
   * @default {4}
   */
  readonly maxAttempts?: number;
  /**
   * Delay before the second attempt, in milliseconds; a positive integer. Each further delay is
   * twice as long.
   *
   * @default {1_000}
   */
  readonly retryDelayMs?: number;
  /**
   * Called with an error for each notification that was not delivered. The error names the task,
   * not the URL. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Settings of push notifications. */
export interface PushSettings {
  readonly store: PushConfigStore;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly checkUrl: PushOptions["checkUrl"];
  readonly allowPrivateAddresses: boolean;
  readonly maxConfigsPerTask: number;
  readonly maxConfigs: number;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly onError: (error: unknown) => void;
}

/** Names of the options that have a default. */
type DefaultName =
  | "allowPrivateAddresses"
  | "maxConfigsPerTask"
  | "maxConfigs"
  | "timeoutMs"
  | "maxAttempts"
  | "retryDelayMs";

/** The reader of {@linkcode PushOptions}. */
export const readPushOptions: OptionsReader<PushOptions, DefaultName> = optionsReader<
  PushOptions
>("push")({
  store: withMethods("a PushConfigStore", ["put", "list", "delete"]),
  fetch: assertOptionalFunction,
  checkUrl: assertOptionalFunction,
  allowPrivateAddresses: withDefault(false, assertOptionalBoolean),
  maxConfigsPerTask: withDefault(10, assertCount),
  maxConfigs: withDefault(10_000, assertCount),
  timeoutMs: withDefault(15_000, int32From(1)),
  maxAttempts: withDefault(4, assertCount),
  retryDelayMs: withDefault(1_000, int32From(1)),
  onError: assertOptionalFunction,
});

/** Returns the settings of options that were read. */
export function toPushSettings(options: ReturnType<typeof readPushOptions>): PushSettings {
  const { fetch, onError, store, ...settings } = options;
  return {
    ...settings,
    store: store ?? memoryPushConfigs(),
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
    onError: createErrorReporter("a2aHandler", onError),
  };
}
