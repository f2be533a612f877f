/**
 * Passes a message to the task that waits for it.
 *
 * @module
 */

import type { MessageJson } from "@parley/internal/a2a-message";
import { InvalidMember } from "@parley/internal/proto-json";
import { isRecord } from "@parley/internal/json";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { RunWait } from "../runs/run_record.ts";
import type { Caller, ServedRun } from "../serve/contracts.ts";
import type { JsonValue } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import { A2aError } from "./errors.ts";
import { A2A_APPROVALS } from "./extensions.ts";
import { findTask } from "./find_task.ts";
import { textOfMessage } from "./message_turn.ts";
import type { A2aService } from "./service.ts";

/** A message to a task. */
export interface TaskAnswer {
  readonly caller: Caller;
  readonly message: MessageJson;
  readonly turn: UserTurn;
  /** Whether the message can approve tool calls. */
  readonly canApprove: boolean;
}

/**
 * Passes a message to a task. The message is the value of the signal that the task waits for. If
 * the task waits only for approvals, the message denies the pending calls, with its text as the
 * reason: a caller can negotiate, correct or reject, but does not approve (section 7.6.1).
 *
 * @throws {A2aError} With reason `TASK_NOT_FOUND` or `UNSUPPORTED_OPERATION`.
 */
export async function answerTask({ agent }: A2aService, answer: TaskAnswer): Promise<ServedRun> {
  const { caller, message } = answer;
  const run = await findTask(agent, caller, message.taskId ?? "");
  if (message.contextId !== undefined && message.contextId !== run.sessionId) {
    throw new InvalidMember("message.contextId", "the contextId of the task");
  }
  if (run.state.status !== "waiting") {
    throw new A2aError("UNSUPPORTED_OPERATION", "The task does not accept messages");
  }
  for (const [key, value] of inputsOf(run.state.waitingFor, answer)) {
    if (await run.input(key, value)) continue;
    throw new A2aError("UNSUPPORTED_OPERATION", "The task has received another message");
  }
  return await findTask(agent, caller, run.id);
}

function inputsOf(
  waits: readonly RunWait[],
  answer: TaskAnswer,
): readonly (readonly [string, ApprovalDecision | JsonValue])[] {
  const [signal, ...others] = waits.filter(({ kind }) => kind === "signal");
  if (others.length > 0) {
    throw new A2aError("UNSUPPORTED_OPERATION", "The task waits for several inputs");
  }
  if (signal !== undefined) return [[signal.key, valueOf(answer)]];
  const approvals = waits.filter(({ kind }) => kind === "approval");
  if (approvals.length === 0) {
    throw new A2aError("UNSUPPORTED_OPERATION", "The task does not wait for a message");
  }
  const approved = approvedKeysOf(answer);
  const reason = textOfMessage(answer.message);
  const denial: ApprovalDecision = { decision: "deny", ...reason !== "" && { reason } };
  return approvals.map(({ key }) =>
    approved.has(key) ? [key, { decision: "approve" }] : [key, denial]
  );
}

/** The value of a signal is the first data of the message, or else its text. */
function valueOf({ message, turn }: TaskAnswer): JsonValue {
  for (const part of message.parts) if ("data" in part) return part.data;
  return typeof turn === "string" ? turn : textOfMessage(message);
}

function approvedKeysOf({ canApprove, message }: TaskAnswer): ReadonlySet<unknown> {
  const decisions = canApprove ? message.metadata?.[A2A_APPROVALS] : undefined;
  if (decisions === undefined) return new Set();
  const approve = isRecord(decisions) ? decisions.approve : undefined;
  if (Array.isArray(approve)) return new Set<unknown>(approve);
  throw new InvalidMember(
    `message.metadata["${A2A_APPROVALS}"]`,
    'an object with an array "approve"',
  );
}
