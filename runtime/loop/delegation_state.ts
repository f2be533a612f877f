/**
 * State of a tool call's sub-agents and of the signals and times that the call waits for.
 *
 * @module
 */

import type { Account } from "../budget/account.ts";
import type { PendingApproval, PendingWait } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/**
 * State of the sub-agents that a tool call has started, and of the signals and times that the call
 * waits for.
 */
export interface DelegationState {
  /** Number of sub-agents. */
  children: number;
  /**
   * Error thrown by the step runner in a sub-agent, or by the clock of a tool that waits. The whole
   * run fails with this error, because the tool did not cause the error.
   */
  stepRunnerError?: { readonly error: unknown };
  /** Pending approvals of the sub-agents; the tool call has no result until they are decided. */
  pending?: PendingApproval[];
  /**
   * Signals and times that the tool and its sub-agents wait for. If `waits` is set, `pending` is
   * also set.
   */
  waits?: PendingWait[];
  /** Token usage of the sub-agents, keyed by agent path. */
  usageByAgent?: Record<string, TokenUsage>;
  /** Token usage of the sub-agents, keyed by model id. */
  usageByModel?: Record<string, TokenUsage>;
  /** Amounts that the sub-agents use of the run's budgets. */
  tally?: Account;
}
