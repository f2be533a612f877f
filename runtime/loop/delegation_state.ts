/**
 * State of the sub-agents and the waits of a tool call.
 *
 * @module
 */

import type { PendingApproval, PendingWait } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** State of the sub-agents that a tool call has started, and of the call's waits. */
export interface DelegationState {
  /** Number of sub-agents. */
  children: number;
  /**
   * Error thrown by the step runner in a sub-agent. The whole run fails with this error, because the tool did not
   * cause the error.
   */
  stepRunnerError?: { readonly error: unknown };
  /**
   * Pending approvals of the sub-agents. The tool call has no result until decisions on these approvals are
   * available.
   */
  pending?: PendingApproval[];
  /** Waits of the tool and its sub-agents. If set, `pending` is also set. */
  waits?: PendingWait[];
  /** Token usage of the sub-agents, keyed by agent path. */
  usageByAgent?: Record<string, TokenUsage>;
}
