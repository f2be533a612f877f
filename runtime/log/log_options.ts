/**
 * Options for the log of runs and for its readers.
 *
 * @module
 */

import {
  assertCount,
  assertNonNegative,
  assertOptionalSignal,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { int32From, oneOf } from "@parley/internal/option-checks";
import { type DefaultRule, type OptionCheck, withDefault } from "@parley/internal/options";
import { readCursor } from "./live_run.ts";

/** Limits of the log of runs. */
export interface RunLogOptions {
  /**
   * Time for which the events of an ended run can still be read, in milliseconds.
   *
   * @default {30_000}
   */
  readonly keepEndedMs?: number;
  /**
   * Interval at which streamed text is written to the storage, in milliseconds. With 0, each part
   * is written immediately.
   *
   * @default {25}
   */
  readonly flushMs?: number;
  /**
   * Maximum number of stored events of a run; a positive integer. Beyond it, streamed text is not
   * stored anymore, and tool results are replaced by a note: a page then receives each message when
   * it is complete.
   *
   * @default {20_000}
   */
  readonly maxRunEvents?: number;
  /**
   * Maximum size of the stored events of a run, in UTF-16 code units of JSON; a positive integer.
   * Has the same effect as `maxRunEvents`.
   *
   * @default {16_777_216}
   */
  readonly maxRunChars?: number;
  /**
   * Maximum number of readers in this process; a positive integer. A loop over a run beyond this
   * number rejects with code `capacity_exceeded`.
   *
   * @default {10_000}
   */
  readonly maxReaders?: number;
}

/** Rules for the limits of a log. */
export const RUN_LOG_RULES: Readonly<Record<keyof RunLogOptions, DefaultRule<number>>> = {
  keepEndedMs: withDefault(30_000, int32From(0)),
  flushMs: withDefault(25, assertNonNegative),
  maxRunEvents: withDefault(20_000, assertCount),
  maxRunChars: withDefault(16_777_216, assertCount),
  maxReaders: withDefault(10_000, assertCount),
};

/** Options of a reader of a run. */
export interface RunReadOptions {
  /**
   * Cursor of the last event that the reader has received. If omitted, or if the run has been taken
   * over since, all events are read.
   */
  readonly after?: string;
  /** Ends the reading. Does not stop the run. */
  readonly signal?: AbortSignal;
  /**
   * Whether the loop over the events ends when the run waits for a decision, or waits with the run.
   *
   * @default {"waiting"}
   */
  readonly until?: "waiting" | "ended";
}

/** Rules for the options of a reader. */
export const RUN_READ_RULES: {
  readonly after: OptionCheck;
  readonly signal: OptionCheck;
  readonly until: DefaultRule<"waiting" | "ended">;
} = {
  after: (name, value) => {
    if (value === undefined) return;
    if (typeof value !== "string") rejectArgument(name, "the cursor of an event", value);
    readCursor(value);
  },
  signal: assertOptionalSignal,
  until: withDefault("waiting", oneOf("waiting", "ended")),
};
