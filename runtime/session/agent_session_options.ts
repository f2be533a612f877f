/**
 * Options for sessions with one owner.
 *
 * @module
 */

import {
  assertCount,
  assertNonEmptyString,
  assertOptionalSignal,
} from "@parley/internal/assert-argument";
import { withMethods } from "@parley/internal/option-checks";
import {
  namesOf,
  type OptionsReader,
  optionsReader,
  required,
  withDefault,
} from "@parley/internal/options";
import type { StepRunner } from "../journal/step_runner.ts";
import type { RunOptions } from "../loop/options.ts";
import { RUN_NAMES } from "../loop/run_options.ts";
import type { StreamOptions } from "../loop/stream.ts";
import { SESSION_ALIASES } from "../shared/aliases.ts";
import { assertStepRunner } from "../shared/option_checks.ts";
import type { SessionStore } from "./store.ts";

/** Options for `AgentSession`. */
export interface AgentSessionOptions {
  /** Id of the session, for example a conversation id; a non-empty string. */
  readonly id: string;
  /** Storage for the session. */
  readonly store: SessionStore;
  /**
   * Records the steps of the session's runs, so that a run can be resumed after a crash or a
   * deferred approval. If omitted, an interrupted run cannot be resumed and leaves no record.
   */
  readonly stepRunner?: StepRunner;
  /**
   * Maximum number of records in the session; a positive integer. A session with this many records
   * rejects further runs.
   *
   * @default {10_000}
   */
  readonly maxRecords?: number;
  /**
   * Maximum total length of the session's records as JSON, in UTF-16 code units; a positive
   * integer. A session that exceeds this length rejects further runs. The length is checked before
   * a run, so the run's own record can exceed the maximum.
   *
   * @default {67_108_864}
   */
  readonly maxChars?: number;
}

/**
 * Options for one run in a session: the same as for an agent, except for the options that the
 * session sets.
 */
export type SessionRunOptions = Omit<RunOptions, "history" | "messages" | "runId">;

/** Reads the options of a session. */
export const readSessionOptions: OptionsReader<AgentSessionOptions, "maxChars" | "maxRecords"> =
  optionsReader<AgentSessionOptions>("options", SESSION_ALIASES)({
    id: required(assertNonEmptyString),
    store: required(withMethods("a SessionStore", ["load", "append"])),
    stepRunner: assertStepRunner,
    maxRecords: withDefault(10_000, assertCount),
    maxChars: withDefault(67_108_864, assertCount),
  });

/** Reads the options for giving up a run. */
export const readAbandonOptions: OptionsReader<{ readonly signal?: AbortSignal }, never> =
  optionsReader<{ readonly signal?: AbortSignal }>("options")({
    signal: assertOptionalSignal,
  });

const { history: _history, messages: _messages, runId: _runId, ...OWN_RUN_NAMES } = RUN_NAMES;
/** Names of the options for a run. */
export const SESSION_RUN_NAMES: ReadonlySet<string> = namesOf<SessionRunOptions>(OWN_RUN_NAMES);
/** Names of the options for a run whose events are read. */
export const SESSION_STREAM_NAMES: ReadonlySet<string> = namesOf<SessionRunOptions & StreamOptions>(
  {
    ...OWN_RUN_NAMES,
    maxQueued: true,
    warnAfterMs: true,
  },
);
