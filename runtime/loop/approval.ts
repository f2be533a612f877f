/**
 * Who may say whether a tool call is executed, and what they may say.
 *
 * @module
 */

import { isRecord } from "../shared/json.ts";
import type { ToolCall, ToolDefinition } from "../shared/model.ts";
import type { ToolAnnotations, ToolCallOrigin } from "../tools/tool.ts";

/** The answer to an approval request. */
export type ApprovalDecision =
  | {
    /** Execute the call. */
    readonly decision: "approve";
    /** Another input instead of the model's; it is validated like the model's. */
    readonly input?: unknown;
  }
  | {
    /** Do not execute the call; the model is told. */
    readonly decision: "deny";
    /** Why, for the model. */
    readonly reason?: string;
  }
  | {
    /** Nobody can say now: end the run with stop reason `approval_pending`, to be resumed later. */
    readonly decision: "defer";
  };

/** What is asked. Calls whose tool is unknown or whose input is invalid are never asked for. */
export interface ApprovalRequest extends ToolCallOrigin {
  /** The call; frozen: another input is part of the answer. */
  readonly toolCall: ToolCall;
  /** The tool as the model sees it, and what it promises. */
  readonly tool: ToolDefinition & {
    /** Hints about its effects. */
    readonly annotations?: ToolAnnotations;
  };
}

/**
 * Decides on a tool call. Calls of one batch are asked for one after the other, in call order, before any of them is
 * executed. A handler that throws, or answers with anything else, denies.
 *
 * @param request the call and its circumstances
 */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => boolean | ApprovalDecision | Promise<boolean | ApprovalDecision>;

/**
 * The default handler: every call is approved. The loop knows it and does not ask.
 *
 * @returns true
 *
 * @example Say it explicitly
 * ```ts
 * import { autoApprove } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(autoApprove());
 * ```
 */
export function autoApprove(): boolean {
  return true;
}

/**
 * Reads what a handler, or a journal, says.
 *
 * @param value anything
 * @returns the decision, or undefined when it is none
 *
 * @example Short and long form
 * ```ts
 * import { readApprovalDecision } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readApprovalDecision(true), { decision: "approve" });
 * assertEquals(readApprovalDecision({ decision: "deny", reason: "no" }), { decision: "deny", reason: "no" });
 * assertEquals(readApprovalDecision("yes"), undefined);
 * ```
 */
export function readApprovalDecision(value: unknown): ApprovalDecision | undefined {
  if (value === true) return { decision: "approve" };
  if (value === false) return { decision: "deny" };
  if (!isRecord(value)) return undefined;
  switch (value.decision) {
    case "approve":
      return { decision: "approve", ..."input" in value && { input: value.input } };
    case "deny":
      return { decision: "deny", ...typeof value.reason === "string" && { reason: value.reason } };
    case "defer":
      return { decision: "defer" };
    default:
      return undefined;
  }
}
