/**
 * Options for a server's tasks extension.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertOptionalBoolean,
  assertShare,
  assertString,
} from "@parley/internal/assert-argument";
import { withMethods } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import { TASK_STORE_FUNCTIONS, type TaskStore } from "./task_store.ts";

/** Options for `serverTasks`. */
export interface ServerTasksOptions {
  /**
   * Task store. All processes that serve the same clients must use the same store. If omitted, a
   * `memoryTaskStore` is used.
   */
  readonly store?: TaskStore;
  /**
   * Time to live of a task after its creation, in milliseconds. A task that is still running when
   * its time to live ends is aborted and fails.
   *
   * @default {3_600_000}
   */
  readonly ttlMs?: number;
  /**
   * Polling interval recommended to clients, in milliseconds.
   *
   * @default {1000}
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum time until a task fails after its process exits, in milliseconds. A process loses its
   * tasks if it cannot reach the store, or if its event loop is blocked, for longer than `leaseMs`.
   * Requests that another process has received, such as `tasks/cancel`, take effect within a
   * quarter of `leaseMs`, even if the store reports no changes.
   *
   * @default {15_000}
   */
  readonly leaseMs?: number;
  /**
   * Maximum number of running tasks in this process. Calls that would start another task fail with
   * error -32603.
   *
   * @default {1000}
   */
  readonly maxRunning?: number;
  /**
   * Maximum share of `maxRunning` per authenticated principal, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Maximum number of tasks in one `subscriptions/listen` request.
   *
   * @default {1000}
   */
  readonly maxTaskSubscriptions?: number;
  /**
   * Called with errors that are not sent to clients. If omitted, errors are printed to standard
   * error: each error once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options for `ServerTasks.start`. */
export interface StartOptions {
  /**
   * Whether the call must become a task. If `true`, clients that do not support tasks receive error
   * -32021. If `required` is `false` or omitted, clients that do not support tasks wait for the
   * result.
   *
   * @default {false}
   */
  readonly required?: boolean;
  /** Initial user-facing status message. */
  readonly statusMessage?: string;
  /**
   * Time to live of the task that `start` creates, in milliseconds. If omitted,
   * {@linkcode ServerTasksOptions.ttlMs} is used.
   */
  readonly ttlMs?: number;
}

/**
 * Options for `serverTasks` that have a default, except `store`, whose default is created for each
 * server.
 */
type ServerTasksDefault = Exclude<keyof ServerTasksOptions, "store" | "onError">;

/** Reads the options for `serverTasks`. */
export const readServerTasks: OptionsReader<ServerTasksOptions, ServerTasksDefault> = optionsReader<
  ServerTasksOptions
>("options")({
  store: withMethods("a TaskStore", TASK_STORE_FUNCTIONS),
  ttlMs: withDefault(3_600_000, assertCount),
  pollIntervalMs: withDefault(1000, assertCount),
  leaseMs: withDefault(15_000, assertCount),
  maxRunning: withDefault(1000, assertCount),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
  maxTaskSubscriptions: withDefault(1000, assertCount),
  onError: assertFunction,
});

/** Reads the options for `ServerTasks.start`. */
export const readStart: OptionsReader<StartOptions, "required"> = optionsReader<StartOptions>(
  "options",
)({
  required: withDefault(false, assertOptionalBoolean),
  statusMessage: assertString,
  ttlMs: assertCount,
});
