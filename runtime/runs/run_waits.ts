/**
 * The decisions, signals and times that a run waits for.
 *
 * @module
 */

import type { PendingBatch } from "../shared/output.ts";
import { toStepValue } from "../shared/step_value.ts";
import type { RunWait } from "./run_record.ts";

/** Lists the decisions, signals and times that a run waits for. */
export function waitsIn({ approvals, waits = [] }: PendingBatch): readonly RunWait[] {
  return [
    ...approvals.map(({ key, path, reason, toolCall }): RunWait => {
      const { input, toolCallId, toolName } = toolCall;
      const call = { toolName, toolCallId, input: toStepValue(input) };
      return { kind: "approval", key, path, reason, ...call };
    }),
    ...waits.map(({ due, key, path, toolCall: { toolCallId, toolName } }): RunWait =>
      due === undefined
        ? { kind: "signal", key, path, toolName, toolCallId }
        : { kind: "time", key, path, toolName, toolCallId, due }
    ),
  ];
}
