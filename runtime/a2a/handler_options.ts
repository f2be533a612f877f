/**
 * Options for the A2A endpoint.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertStrings,
} from "@parley/internal/assert-argument";
import { arrayOf, int32From, nested, oneOf } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, required, withDefault } from "@parley/internal/options";
import type { Principal } from "../serve/contracts.ts";
import type { AgentCard } from "./agent_card.ts";
import type { A2aExtension } from "./extensions.ts";
import { type PushOptions, readPushOptions } from "./push_options.ts";

/** Options for {@linkcode a2aHandler}. */
export interface A2aHandlerOptions {
  /**
   * Media types of the parts that the agent accepts, with `*` for any type.
   *
   * @default {["text/plain", "application/json"]}
   */
  readonly inputModes?: readonly string[];
  /**
   * Media types of the parts that the agent produces. A request that accepts none of them is
   * rejected.
   *
   * @default {["text/plain", "application/json"]}
   */
  readonly outputModes?: readonly string[];
  /**
   * Accepts requests without a principal. All of these requests have the same caller, so each
   * anonymous client can read and cancel the tasks of the others.
   *
   * @default {false}
   */
  readonly allowAnonymous?: boolean;
  /**
   * Party that decides on tool calls that require approval. `"operator"`: the program that serves
   * the agent. A message to a task that waits for approval denies the pending calls. `"caller"`:
   * also the caller, who receives the inputs of the calls, with the extension
   * {@linkcode A2A_APPROVALS}.
   *
   * @default {"operator"}
   */
  readonly approvals?: "operator" | "caller";
  /**
   * Response to a message. `"message"` responds with the result, and with a task only if the task
   * waits or has not been completed.
   *
   * @default {"task"}
   */
  readonly respondWith?: "task" | "message";
  /**
   * Returns the card for an authenticated caller, or `undefined` for no card. If omitted, the
   * operation is not supported.
   */
  readonly extendedCard?: (
    principal: Principal,
  ) => AgentCard | undefined | Promise<AgentCard | undefined>;
  /** Options for push notifications. If omitted, they are not supported. */
  readonly push?: PushOptions;
  /** Extensions that the agent supports in addition to those of this package. */
  readonly extensions?: readonly A2aExtension[];
  /**
   * Maximum size of a request body, in bytes; a positive integer.
   *
   * @default {4_194_304}
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum number of parts of a message; a positive integer.
   *
   * @default {100}
   */
  readonly maxParts?: number;
  /**
   * Maximum number of streams of a caller that are open at the same time; a positive integer.
   *
   * @default {32}
   */
  readonly maxStreamsPerCaller?: number;
  /**
   * Interval of comments that keep a stream open while there is no update, in milliseconds; a
   * positive integer.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
  /**
   * Called with errors whose text the client does not receive. If omitted, each distinct error is
   * printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readExtension = optionsReader<A2aExtension>("extension")({
  uri: required(assertNonEmptyString),
  description: assertNonEmptyString,
  params: assertObject,
  isRequired: assertOptionalBoolean,
  check: assertOptionalFunction,
});

const MODES: readonly string[] = ["text/plain", "application/json"];

/** Names of the options that have a default. */
type DefaultName =
  | "inputModes"
  | "outputModes"
  | "allowAnonymous"
  | "approvals"
  | "respondWith"
  | "extensions"
  | "maxBodyBytes"
  | "maxParts"
  | "maxStreamsPerCaller"
  | "keepAliveMs";

const NO_EXTENSIONS: readonly A2aExtension[] = [];

/** The reader of {@linkcode A2aHandlerOptions}. */
export const readHandlerOptions: OptionsReader<A2aHandlerOptions, DefaultName> = optionsReader<
  A2aHandlerOptions
>("options")({
  inputModes: withDefault(MODES, assertStrings),
  outputModes: withDefault(MODES, assertStrings),
  allowAnonymous: withDefault(false, assertOptionalBoolean),
  approvals: withDefault("operator", oneOf("operator", "caller")),
  respondWith: withDefault("task", oneOf("task", "message")),
  extendedCard: assertFunction,
  push: nested(readPushOptions),
  extensions: withDefault(NO_EXTENSIONS, arrayOf("extensions", nested(readExtension))),
  maxBodyBytes: withDefault(4_194_304, assertCount),
  maxParts: withDefault(100, assertCount),
  maxStreamsPerCaller: withDefault(32, assertCount),
  keepAliveMs: withDefault(15_000, int32From(1)),
  onError: assertOptionalFunction,
});
