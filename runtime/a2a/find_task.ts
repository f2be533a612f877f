/**
 * Finds the task of a caller.
 *
 * @module
 */

import type { Caller, ServedAgent, ServedRun } from "../serve/contracts.ts";
import { A2aError } from "./errors.ts";

/**
 * Returns the run of a task. A task of another caller does not exist for the caller (section
 * 3.3.2).
 *
 * @throws {A2aError} With reason `TASK_NOT_FOUND`.
 */
export async function findTask(agent: ServedAgent, caller: Caller, id: string): Promise<ServedRun> {
  const run = await agent.get(caller, id);
  if (run !== undefined) return run;
  throw new A2aError("TASK_NOT_FOUND", undefined, { metadata: { taskId: id } });
}
