/**
 * Options for serving one client over a pipe.
 *
 * @module
 */

import { assertOptionalSignal } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { SESSION_RULES } from "../session_contract.ts";

/** Options for {@linkcode servePipe}. */
export interface ServePipeOptions {
  /** Signal that stops serving when it is aborted. */
  readonly signal?: AbortSignal;
  /**
   * Maximum number of concurrently handled requests. Requests beyond `maxConcurrent` are queued.
   *
   * @default {100}
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of queued requests. Requests beyond `maxQueued` receive error -32603.
   *
   * @default {1000}
   */
  readonly maxQueued?: number;
  /**
   * Time allowed for in-flight requests to complete after the end of the input, in milliseconds.
   * Requests still in flight after `drainTimeoutMs` are aborted.
   *
   * @default {2000}
   */
  readonly drainTimeoutMs?: number;
  /**
   * Timeout for the client's response to a server request in a legacy session, in milliseconds.
   *
   * @default {600_000}
   */
  readonly inputTimeoutMs?: number;
  /**
   * Maximum number of resource subscriptions in a legacy session.
   *
   * @default {1000}
   */
  readonly maxResourceSubscriptions?: number;
}

/** Options for serving a pipe that have a default. */
export type PipeDefault = Exclude<keyof ServePipeOptions, "signal">;

/** Rules for the options for serving a pipe. */
export const PIPE_RULES:
  & { readonly signal: OptionCheck }
  & { readonly [Name in PipeDefault]: DefaultRule<number> } = {
    ...SESSION_RULES,
    signal: assertOptionalSignal,
    maxConcurrent: withDefault(100, int32From(1)),
    maxQueued: withDefault(1000, int32From(0)),
    drainTimeoutMs: withDefault(2000, int32From(0)),
  };

/** Options for serving a pipe after reading. */
export type PipeSettings = Settings<ServePipeOptions, PipeDefault>;
