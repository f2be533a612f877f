/**
 * The journal of a session's run in a storage that several processes share.
 *
 * @module
 */

import {
  type Journal,
  type JournalEntry,
  readJournalEntry,
  recordSteps,
} from "../journal/journal.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { StepStore } from "./storage.ts";

/** The claim with which steps are recorded. */
export interface StepClaim {
  readonly steps: StepStore;
  readonly key: string;
  readonly runId: string;
  readonly epoch: number;
}

/** The recorded steps of a run. */
export interface RecordedRun {
  /** Returns recorded steps, and records further ones. */
  readonly stepRunner: StepRunner;
  /** The signals that the run has received. */
  readonly signals: Readonly<Record<string, JsonValue>>;
}

/**
 * Records signals, and loads the recorded steps of a run. A signal is needed each time that the
 * tool that waits for it is executed again, so all signals of a run are recorded. Of several values
 * with the same key, the first is kept. If another process has claimed the run, the step runner
 * rejects.
 *
 * @param sent Signals that the run receives.
 * @throws {AgentError} With code `run_damaged` if a recorded step is not valid.
 */
export async function openStepRunner(
  { epoch, key, runId, steps }: StepClaim,
  sent: Readonly<Record<string, JsonValue>> = {},
): Promise<RecordedRun> {
  const prefix = `${runId}/signal/`;
  for (const [name, value] of Object.entries(sent)) {
    const entry = { v: 1, key: `${prefix}${name}`, kind: "wait", value, at: Date.now() } as const;
    if (await steps.put(key, epoch, entry) === "fenced") throw takenOver(runId);
  }
  const recorded = new Map<string, JournalEntry>();
  for (const value of await steps.load(key)) {
    const entry = readJournalEntry(value);
    if (typeof entry === "string") {
      throw AgentError.run("run_damaged", "continue", {
        runId,
        reason: `a step is damaged: ${entry}`,
      });
    }
    recorded.set(entry.key, entry);
  }
  const journal: Journal = {
    get: (step) => recorded.get(step),
    async append(entry) {
      const outcome = await steps.put(key, epoch, entry);
      if (outcome === "fenced") throw takenOver(runId);
      if (outcome === "present") {
        const reason = `step "${entry.key}" was recorded by another program`;
        throw AgentError.run("run_damaged", "continue", { runId, reason });
      }
      recorded.set(entry.key, entry);
    },
  };
  const signals = [...recorded].flatMap(([step, { value }]) =>
    step.startsWith(prefix) ? [[step.slice(prefix.length), value] as const] : []
  );
  return { stepRunner: recordSteps(journal), signals: Object.fromEntries(signals) };
}

/** Creates the error of a process that no longer executes a run. */
export function takenOver(runId: string): AgentError {
  const reason = "another process has taken over the run, or the lease has expired";
  return AgentError.run("run_fenced", "continue", { runId, reason });
}
