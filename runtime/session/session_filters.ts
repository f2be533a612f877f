/**
 * Filters for lists of sessions and of their runs.
 *
 * @module
 */

import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { asRecord } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import type { RunHistoryPosition } from "../log/run_log.ts";

/** Which sessions {@linkcode Sessions.list} returns. */
export interface SessionFilter {
  /** Only sessions in this state. `"idle"` selects sessions whose newest run has ended. */
  readonly status?: SessionStatus;
  /** Only sessions whose id is greater, to read the next page. */
  readonly after?: string;
  /**
   * Maximum number of sessions; a positive integer.
   *
   * @default {100}
   */
  readonly limit?: number;
}

/**
 * State of a session:
 *
 * - `"idle"`: no run is in progress.
 * - `"running"`: a process executes a run.
 * - `"waiting"`: the newest run waits for a decision on a tool call, or for a signal.
 * - `"interrupted"`: the process that executed the newest run has stopped.
 */
export type SessionStatus = "idle" | "running" | "waiting" | "interrupted";

/** Throws unless a value is a non-empty string or `undefined`. */
export function assertOptionalText(name: string, value: unknown): void {
  if (value === undefined || typeof value === "string" && value !== "") return;
  rejectArgument(name, "a non-empty string", value);
}

/** Reads the filter of a list. */
export const readSessionFilter: OptionsReader<SessionFilter, "limit"> = optionsReader<
  SessionFilter
>("filter")({
  status: (name, value) =>
    value === undefined || oneOf("idle", "running", "waiting", "interrupted")(name, value),
  after: assertOptionalText,
  limit: withDefault(100, assertCount),
});

/** Which runs {@linkcode Sessions.runs} returns. */
export interface SessionRunFilter {
  /** Only runs of sessions whose id starts with this text. */
  readonly prefix?: string;
  /** Only runs after this one, to read the next page: the last run of the previous page. */
  readonly after?: RunHistoryPosition;
  /**
   * Maximum number of runs; a positive integer.
   *
   * @default {100}
   */
  readonly limit?: number;
}

function assertPosition(name: string, value: unknown): void {
  if (value === undefined) return;
  const { changedAt, runId } = asRecord(value);
  if (typeof runId === "string" && Number.isSafeInteger(changedAt)) return;
  rejectArgument(name, "the last run of the previous page", value);
}

/** Reads the filter of a list of runs. */
export const readSessionRunFilter: OptionsReader<SessionRunFilter, "limit"> = optionsReader<
  SessionRunFilter
>("filter")({
  prefix: assertOptionalText,
  after: assertPosition,
  limit: withDefault(100, assertCount),
});
