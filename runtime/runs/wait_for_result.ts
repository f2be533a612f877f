/**
 * Waits for the end of a durable run, and reports a run that does not end without help.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { AgentError } from "../shared/error.ts";
import { delay, type RunClock } from "./clock.ts";
import type { RunJournal } from "./contracts.ts";
import type { RunRecord, RunWait } from "./run_record.ts";
import { isBlocked, isEnded } from "./memory_journal.ts";
import type { RunEnds } from "./run_ends.ts";

/** Maximum number of waits in a report. */
const MAX_WAITS = 3;

/** Objects and options for a wait. */
export interface ResultWait {
  readonly journal: RunJournal;
  readonly ends: RunEnds;
  readonly clock: RunClock;
  readonly pollIntervalMs: number;
  /** Time after which a run that needs help is reported, in milliseconds. */
  readonly warnAfterMs: number;
  readonly until: "ended" | "waiting";
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Aborted when the runs are closed. */
  readonly closed: AbortSignal;
  /** Returns true if a worker of this program executes the run. */
  readonly isServed: (run: RunRecord) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Waits until a run has ended, or waits for a decision or a signal.
 *
 * @throws {AgentError} With code `run_not_found` if the run does not exist.
 * @throws The reason of a signal that is aborted.
 */
export async function waitForResult(runId: string, wait: ResultWait): Promise<RunRecord> {
  const { clock, closed, ends, journal, pollIntervalMs, signal, until, warnAfterMs } = wait;
  const warnAt = clock.now() + warnAfterMs;
  const reported = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    closed.throwIfAborted();
    const ended = ends.listen(runId);
    try {
      const run = await abortable(journal.get(runId), signal);
      if (run === undefined) {
        const reason = "the run does not exist";
        throw AgentError.run("run_not_found", "wait for", { runId, reason });
      }
      if (isEnded(run.status) || until === "waiting" && isBlocked(run)) return run;
      const leftMs = warnAt - clock.now();
      if (leftMs <= 0) reportOnce(run, wait, reported);
      const stop = AbortSignal.any([ended.signal, closed, ...signal ? [signal] : []]);
      const delayMs = leftMs > 0 ? Math.min(pollIntervalMs, leftMs) : pollIntervalMs;
      await delay(clock, delayMs, stop).catch(() => {});
    } finally {
      ended.cancel();
    }
  }
}

/** Reports a run that needs help, unless this wait has reported the same before. */
function reportOnce(run: RunRecord, wait: ResultWait, reported: Set<string>): void {
  const text = helpFor(run, wait);
  if (text === undefined || reported.has(text)) return;
  reported.add(text);
  wait.onError(AgentError.core(text));
}

/** Describes the help that a run needs, or returns `undefined` if it needs none. */
function helpFor(run: RunRecord, { clock, isServed }: ResultWait): string | undefined {
  const { agent, due, runId, status, version, waitingFor } = run;
  if (isBlocked(run)) {
    const waits = waitingFor.filter(({ kind }) => kind !== "time");
    const shown = waits.slice(0, MAX_WAITS).map(describeWait);
    const text = waits.length > MAX_WAITS ? [...shown, "others"] : shown;
    return `Run "${runId}" waits for ${text.join(" and ")}; ` +
      'call signal(), or use "until: \\"waiting\\""';
  }
  const isDue = due === undefined || Date.parse(due) <= clock.now();
  if (status !== "queued" || !isDue || isServed(run)) return undefined;
  return `Cannot finish run "${runId}": it is queued and no worker of this program executes agent ` +
    `"${agent}" version "${version}"; call work(), or start a worker elsewhere`;
}

function describeWait({ key, kind, toolName }: RunWait): string {
  return kind === "approval"
    ? `the approval "${key}" (tool "${toolName}")`
    : `signal "${key}" (tool "${toolName}")`;
}
