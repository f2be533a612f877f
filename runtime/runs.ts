/**
 * Durable runs, which survive crashes and continue on other workers.
 *
 * @module
 */

export type { RunContext } from "./shared/run_context.ts";
export type { RunFailure } from "./shared/run_failure.ts";
export type { JournalEntry } from "./journal/journal.ts";
export type { RunStateEvent } from "./log/log_entry.ts";
export type { AgentVersion, AgentVersions } from "./runs/agent_versions.ts";
export { type RunClock, systemClock } from "./runs/clock.ts";
export type {
  AgentAddress,
  AppendOutcome,
  CloseOutcome,
  OpenRun,
  QueueWorkOptions,
  RunAddress,
  RunDelivery,
  RunEnd,
  RunEngine,
  RunFilter,
  RunJournal,
  RunPosition,
  RunQueue,
  SignalOutcome,
  WakeOptions,
} from "./runs/contracts.ts";
export type { NewRun, RunRecord, RunSignal, RunStatus, RunWait } from "./runs/run_record.ts";
export type { RunLogOptions, RunReadOptions } from "./log/log_options.ts";
export type { LiveEvent, LiveRun, LogResetEvent } from "./log/live_run.ts";
export { type LocalRunsOptions, memoryRuns, type MemoryRunsOptions } from "./runs/memory.ts";
export { openRuns } from "./runs/open_runs.ts";
export { Runs } from "./runs/runs.ts";
export type { RunResult } from "./loop/run_result.ts";
export { readRunResult, requireRunValue } from "./runs/run_result.ts";
export type {
  ListedRun,
  OpenRunsOptions,
  RunResultOptions,
  RunStart,
  RunWorkOptions,
  SignalResult,
} from "./runs/run_options.ts";
