/**
 * Validation of the options for a single run.
 *
 * @module
 */

import {
  assertNonEmptyString,
  assertOptionalFunction,
  assertOptionalSignal,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { assertBudget } from "../budget/budget.ts";
import { RUN_ALIASES } from "../shared/aliases.ts";
import { assertStepRunner } from "../shared/option_checks.ts";
import { assertDecisions } from "./decisions.ts";
import { assertSignals } from "./tool_waits.ts";
import type { RunOptions } from "./options.ts";

/** Names of the options for a single run. */
export const RUN_NAMES: Readonly<Record<keyof RunOptions, true>> = {
  signal: true,
  messages: true,
  history: true,
  runId: true,
  stepRunner: true,
  decisions: true,
  signals: true,
  budget: true,
  now: true,
  onEvent: true,
  around: true,
};

/** Options of a run of an agent. */
export const AGENT_RUN_NAMES: ReadonlySet<string> = namesOf<RunOptions & { output: unknown }>({
  ...RUN_NAMES,
  output: true,
});

/**
 * Validates the options for a single run. Every run calls this function, so it does not use a table
 * of rules.
 *
 * @param options Options as the caller wrote them.
 * @param names Names of the options that the caller may set.
 * @throws {TypeError} If the options contain an unknown name, or an option has the wrong type.
 */
export function assertRunOptions(options: RunOptions, names: ReadonlySet<string>): void {
  assertRecord("options", options);
  assertNames("options", options, names, RUN_ALIASES);
  const { around, budget, decisions, messages, now, onEvent, runId, signal, signals, stepRunner } =
    options;
  assertOptionalSignal("signal", signal);
  if (stepRunner !== undefined) assertStepRunner("stepRunner", stepRunner);
  if (messages !== undefined) assertMessages("messages", messages);
  if (decisions !== undefined) assertDecisions("decisions", decisions);
  if (signals !== undefined) assertSignals("signals", signals);
  if (budget !== undefined) assertBudget("budget", budget);
  if (runId !== undefined) assertNonEmptyString("runId", runId);
  assertOptionalFunction("onEvent", onEvent);
  assertOptionalFunction("around", around);
  assertOptionalFunction("now", now);
}

/**
 * Reads the options for a single run: each option once, including inherited ones, so that the value
 * that was validated is the value that is used.
 *
 * @param options Options as the caller wrote them.
 * @param names Names of the options that the caller may set.
 * @returns A plain object with the options that are not `undefined`.
 * @throws {TypeError} If the options contain an unknown name, or an option has the wrong type.
 */
export function readRunOptions<Options extends RunOptions>(
  options: Options,
  names: ReadonlySet<string>,
): Options {
  assertRecord("options", options);
  assertNames("options", options, names, RUN_ALIASES);
  const read: Record<string, unknown> = {};
  for (const name of names) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) read[name] = value;
  }
  assertRunOptions(read, names);
  // The cast is safe: each member has the value that it has in `options`, and an option that is
  // `undefined` is the same as an absent option.
  return read as unknown as Options;
}

/** Asserts that a value is an array of messages. The messages are validated when the run starts. */
export function assertMessages(name: string, messages: unknown): void {
  if (!Array.isArray(messages)) rejectArgument(name, "an array", messages);
}
