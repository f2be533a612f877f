/**
 * Approval handlers and their decisions.
 *
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { ToolCall, ToolDefinition } from "../shared/model.ts";
import type { ApprovalReason } from "../shared/output.ts";
import type { ToolAnnotations, ToolCallOrigin } from "../tools/tool.ts";

/** The decision on an {@linkcode ApprovalRequest}. */
export type ApprovalDecision =
  | {
    /** The call is approved and executed. */
    readonly decision: "approve";
    /**
     * Input that replaces the model's input. The input is validated against the tool's schema. If
     * omitted or `undefined`, the model's input is used.
     */
    readonly input?: unknown;
  }
  | {
    /** The call is denied and not executed. The model receives an `execution-denied` result. */
    readonly decision: "deny";
    /** Reason for the denial, sent to the model. */
    readonly reason?: string;
  }
  | {
    /**
     * The decision is deferred. The run ends with stop reason `approval_pending` and can be
     * resumed.
     */
    readonly decision: "defer";
  };

/**
 * A tool call that needs a decision. No decision is requested for calls to unknown tools or calls
 * with invalid input.
 */
export interface ApprovalRequest extends ToolCallOrigin {
  /**
   * The frozen tool call. To change the input, return `input` in the decision. If the call repeats
   * an interrupted execution, the call has the input of that execution.
   */
  readonly toolCall: ToolCall;
  /** Why a decision is needed. */
  readonly reason: ApprovalReason;
  /** The tool's definition and annotations. */
  readonly tool: ToolDefinition & {
    /**
     * Hints about the tool's effects. Absent for the tools of an MCP server, unless `trustHints` is
     * set, so a handler must not approve a call because a hint is absent. The name and the
     * description of such a tool are also written by the server.
     */
    readonly annotations?: ToolAnnotations;
  };
}

/**
 * Decides whether a tool call is executed. Called sequentially for the tool calls in a response, in
 * call order, before any of the calls is executed. If the handler throws or returns an invalid
 * value, the call is denied.
 *
 * @param request The tool call, with information about the run that contains it.
 */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => boolean | ApprovalDecision | Promise<boolean | ApprovalDecision>;

/**
 * Approves every call. `autoApprove` is the default approval handler. If `autoApprove` is set, the
 * loop skips the approval step.
 *
 * @returns Always `true`, which approves the call.
 *
 * @example Approve every call
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
 * Names of the members of a decision. A misspelled `input` would otherwise approve the model's
 * input.
 */
export const DECISION_NAMES: ReadonlySet<string> = new Set(["decision", "input", "reason"]);

/**
 * Reads an approval decision, for example one returned by a handler or stored in a journal. `true`
 * means `approve` and `false` means `deny`. A decision with an unknown member is not valid. A
 * decision that an object inherits is ignored; an `input` or `reason` may be defined by the class
 * of the decision.
 *
 * @param value Untrusted value to read.
 * @returns The decision, or `undefined` if the value is not a valid decision.
 *
 * @example Read decisions in short and long form
 * ```ts
 * import { readApprovalDecision } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readApprovalDecision(true), { decision: "approve" });
 * assertEquals(readApprovalDecision({ decision: "deny", reason: "no" }), { decision: "deny", reason: "no" });
 * assertEquals(readApprovalDecision({ decision: "approve", inputs: {} }), undefined);
 * assertEquals(readApprovalDecision("yes"), undefined);
 * ```
 */
export function readApprovalDecision(value: unknown): ApprovalDecision | undefined {
  if (value === true) return { decision: "approve" };
  if (value === false) return { decision: "deny" };
  if (!isRecord(value)) return undefined;
  // Members of the prototype must not approve a call. Spread syntax copies only own members.
  const own: UnknownRecord = { __proto__: null, ...value };
  const names = Object.keys(own);
  if (names.some((name) => own[name] !== undefined && !DECISION_NAMES.has(name))) return undefined;
  switch (own.decision) {
    case "approve": {
      const input = memberOf(value, own, "input");
      return { decision: "approve", ...input !== undefined && { input } };
    }
    case "deny": {
      const reason = memberOf(value, own, "reason");
      return { decision: "deny", ...typeof reason === "string" && { reason } };
    }
    case "defer":
      return { decision: "defer" };
    default:
      return undefined;
  }
}

/**
 * Returns a member of a decision. Reads the member from the class of the decision if it is not an
 * own member, but not from `Object.prototype`, which other code may have polluted.
 */
function memberOf(value: UnknownRecord, own: UnknownRecord, name: string): unknown {
  if (name in own || name in Object.prototype) return own[name];
  return value[name];
}
