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
import type { StepStore } from "./storage.ts";

/** The claim with which steps are recorded. */
export interface StepClaim {
  readonly steps: StepStore;
  readonly key: string;
  readonly runId: string;
  readonly epoch: number;
}

/**
 * Loads the recorded steps of a run and returns a step runner that records further steps. If
 * another process has claimed the run, the step runner rejects.
 *
 * @throws {AgentError} With code `run_damaged` if a recorded step is not valid.
 */
export async function openStepRunner({ epoch, key, runId, steps }: StepClaim): Promise<StepRunner> {
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
  return recordSteps(journal);
}

/** Creates the error of a process that no longer executes a run. */
export function takenOver(runId: string): AgentError {
  const reason = "another process has taken over the run, or the lease has expired";
  return AgentError.run("run_fenced", "continue", { runId, reason });
}
