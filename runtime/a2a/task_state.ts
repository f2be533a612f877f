/**
 * The state of a task, which follows from the state of its run.
 *
 * @module
 */

import type { ServedRunState } from "../serve/contracts.ts";
import type { AgentStopReason } from "../shared/output.ts";
import type { A2aTaskState } from "./types.ts";

/** States of a task that has ended. */
const ENDED: ReadonlySet<A2aTaskState> = new Set<A2aTaskState>([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

/** Returns `true` if a task in this state has ended. */
export function isEnded(state: A2aTaskState): boolean {
  return ENDED.has(state);
}

/** States of the tasks whose run is done. A run that a limit has ended is done. */
const STATE_OF_DONE: Readonly<Record<AgentStopReason, A2aTaskState>> = {
  model_stop: "TASK_STATE_COMPLETED",
  tool_stop: "TASK_STATE_COMPLETED",
  custom_condition: "TASK_STATE_COMPLETED",
  content_filtered: "TASK_STATE_REJECTED",
  max_iterations: "TASK_STATE_FAILED",
  max_total_tokens: "TASK_STATE_FAILED",
  budget_exceeded: "TASK_STATE_FAILED",
  repeated_tool_calls: "TASK_STATE_FAILED",
  output_truncated: "TASK_STATE_FAILED",
  output_invalid: "TASK_STATE_FAILED",
  terminated: "TASK_STATE_FAILED",
  aborted: "TASK_STATE_CANCELED",
  // A run that waits is not done. A run that is done with these reasons has been given up.
  approval_pending: "TASK_STATE_CANCELED",
  waiting: "TASK_STATE_CANCELED",
};

/** Returns the state of the task of a run. */
export function toTaskState({ result, status, waitingFor }: ServedRunState): A2aTaskState {
  switch (status) {
    case "queued":
      return "TASK_STATE_SUBMITTED";
    case "running":
      return "TASK_STATE_WORKING";
    case "failed":
      return "TASK_STATE_FAILED";
    case "cancelled":
      return "TASK_STATE_CANCELED";
    case "done":
      return result === undefined ? "TASK_STATE_FAILED" : STATE_OF_DONE[result.stopReason];
    case "waiting":
      if (waitingFor.some(({ kind }) => kind === "signal")) return "TASK_STATE_INPUT_REQUIRED";
      return waitingFor.some(({ kind }) => kind === "approval")
        ? "TASK_STATE_AUTH_REQUIRED"
        : "TASK_STATE_WORKING";
  }
}

/**
 * Returns the text that explains a state to the caller. It never contains the message of an error,
 * which can contain secrets, or the input of a tool.
 */
export function explainState(state: ServedRunState): string | undefined {
  const { result, status, waitingFor } = state;
  const signal = waitingFor.find(({ kind }) => kind === "signal");
  if (signal !== undefined) return signal.key;
  const names = waitingFor.flatMap((wait) => wait.kind === "approval" ? [wait.toolName] : []);
  if (names.length > 0) return `Approval required: ${names.map((name) => `"${name}"`).join(", ")}`;
  if (status === "failed") return "An error occurred";
  if (status !== "done" || result === undefined) return undefined;
  return toTaskState(state) === "TASK_STATE_COMPLETED"
    ? undefined
    : `The task has ended: ${result.stopReason}`;
}
