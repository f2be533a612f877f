/**
 * The commands of `parley-runs`.
 *
 * @module
 */

import { toEventJson } from "../loop/event_json.ts";
import type { RunFilter, SignalOutcome } from "../runs/contracts.ts";
import { DEFAULT_PAGE } from "../runs/list_query.ts";
import type { Runs } from "../runs/runs.ts";
import type { SignalResult } from "../runs/run_options.ts";
import { AgentError } from "../shared/error.ts";
import { escapeText } from "@parley/internal/escape-text";
import type { JsonValue } from "../shared/json.ts";
import { formatPosition, type RunsRequest } from "./arguments.ts";
import {
  formatJson,
  formatList,
  formatRun,
  formatSignal,
  formatStep,
  type OutputStyle,
} from "./format.ts";

/** Output of a command. */
export interface CommandOutput extends OutputStyle {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** Reasons why a signal was not stored, keyed by outcome. */
const REFUSALS: Readonly<Partial<Record<SignalOutcome, string>>> = {
  conflict: "the run has a signal with the same key and a different value",
  ended: "the run is done, failed or cancelled",
  full: "the run has reached the maximum number of signals",
  not_found: "there is no such run",
};

/**
 * Executes a command.
 *
 * @throws {AgentError} If the command fails, for example because the run does not exist.
 */
export async function execute(
  runs: Runs,
  { command, isJson }: RunsRequest,
  output: CommandOutput,
): Promise<void> {
  switch (command.name) {
    case "list":
      return await list(runs, command.filter, isJson, output);
    case "show": {
      const run = await find(runs, "show", command.runId);
      return output.out(isJson ? formatJson(run) : formatRun(run, output));
    }
    case "follow":
      return await follow(runs, command.runId, output);
    case "steps":
      await find(runs, "list the steps of", command.runId);
      for await (const step of runs.steps(command.runId)) {
        output.out(isJson ? formatJson(step) : formatStep(step, output));
      }
      return;
    case "signals":
      await find(runs, "list the signals of", command.runId);
      for await (const signal of runs.signals(command.runId)) {
        output.out(isJson ? formatJson(signal) : formatSignal(signal, output));
      }
      return;
    case "signal":
      return await signal(runs, command, isJson, output);
    case "cancel": {
      const { runId } = command;
      const { status } = await find(runs, "cancel", runId);
      if (!await runs.cancel(runId)) throw failure("cancel", runId, `the run is ${status}`);
      return output.out(isJson ? formatJson({ runId, outcome: "cancelled" }) : "Cancelled\n");
    }
    default:
      return command satisfies never;
  }
}

async function list(
  runs: Runs,
  filter: RunFilter,
  isJson: boolean,
  output: CommandOutput,
): Promise<void> {
  const found = await runs.list(filter);
  // The command has no agents, so it cannot determine whether an agent accepts a run.
  const records = found.map(({ isAccepted: _, ...run }) => run);
  output.out(isJson ? records.map(formatJson).join("") : formatList(records, output));
  const last = records.at(-1);
  if (last === undefined || records.length < (filter.limit ?? DEFAULT_PAGE)) return;
  const position = JSON.stringify(formatPosition(last, filter.order));
  output.err(`There may be more runs: use --after ${escapeText(position)}\n`);
}

/**
 * Writes the events of a run until it ends.
 *
 * @throws The signal's reason if the user interrupts the command, which does not affect the run.
 */
async function follow(runs: Runs, runId: string, output: CommandOutput): Promise<void> {
  const { err, out, signal } = output;
  const { epoch } = await find(runs, "follow", runId);
  const live = await runs.attach(runId, { until: "ended", signal });
  if (live === undefined) {
    const reason = "the run has ended, and its events are not stored or not kept anymore";
    throw failure("follow", runId, reason);
  }
  if (live.epoch === 0 && epoch > 0) {
    err("The worker has stored no events of this run; workers need the option storeEvents\n");
  }
  for await (const { cursor, event } of live) {
    const isOwn = event.type === "run_state" || event.type === "log_reset";
    out(formatJson({ cursor, event: isOwn ? event : toEventJson(event) }));
  }
  signal.throwIfAborted();
}

async function signal(
  runs: Runs,
  { key, runId, value }: {
    readonly key: string;
    readonly runId: string;
    readonly value: JsonValue;
  },
  isJson: boolean,
  { err, out }: CommandOutput,
): Promise<void> {
  const before = await find(runs, "signal", runId);
  const result = await runs.signal(runId, key, value);
  const text = textOfResult(runId, result);
  out(isJson ? formatJson({ runId, key, ...result }) : text);
  const isAwaited = before.waitingFor.some((wait) => wait.key === key);
  if (result.outcome === "stored" && !isAwaited) {
    err(`The run does not wait for ${escapeText(JSON.stringify(key))} now\n`);
  }
}

/**
 * Describes a stored signal.
 *
 * @throws {AgentError} If the signal was not stored.
 */
function textOfResult(runId: string, result: SignalResult): string {
  if (result.outcome === "stored_not_awaited") {
    const keys = result.waitingFor.map((wait) => wait.kind === "time" ? wait.due : wait.key);
    const id = escapeText(JSON.stringify(runId));
    return `Stored; run ${id} waits for: ${escapeText(keys.join(", "))}\n`;
  }
  const refusal = REFUSALS[result.outcome];
  if (refusal !== undefined) throw failure("signal", runId, refusal);
  return result.outcome === "stored" ? "Stored\n" : "The run already has this signal\n";
}

async function find(runs: Runs, action: string, runId: string) {
  const run = await runs.get(runId);
  if (run === undefined) throw failure(action, runId, "there is no such run");
  return run;
}

function failure(action: string, runId: string, reason: string): AgentError {
  return AgentError.core(`Cannot ${action} run ${JSON.stringify(runId)}: ${reason}`);
}
