/**
 * What code that is loaded later needs of the code that is there from the beginning. It is handed over rather than
 * imported: bundlers cut what is imported from both sides into files of its own, one for each set of users, and a page
 * would load ten small files instead of one.
 *
 * @module
 */

import { autoApprove, readApprovalDecision } from "./approval.ts";
import { AgentError, reasonOf } from "./error.ts";
import { defined, isJsonValue } from "./json.ts";
import { ToolResultCode } from "./model.ts";
import { readAnswer } from "./read_answer.ts";
import { CallContext } from "./tool_context.ts";
import { cut, toolResult } from "./tool_result.ts";
import { addUsage } from "./usage.ts";
import { Cancellation } from "./waits.ts";

/** The functions and classes that are handed over. */
export interface Core {
  readonly addUsage: typeof addUsage;
  readonly AgentError: typeof AgentError;
  readonly autoApprove: typeof autoApprove;
  readonly CallContext: typeof CallContext;
  readonly Cancellation: typeof Cancellation;
  readonly cut: typeof cut;
  readonly defined: typeof defined;
  readonly isJsonValue: typeof isJsonValue;
  readonly readAnswer: typeof readAnswer;
  readonly readApprovalDecision: typeof readApprovalDecision;
  readonly reasonOf: typeof reasonOf;
  readonly toolResult: typeof toolResult;
  readonly ToolResultCode: typeof ToolResultCode;
}

/** The one set of them. */
export const CORE: Core = {
  addUsage,
  AgentError,
  autoApprove,
  CallContext,
  Cancellation,
  cut,
  defined,
  isJsonValue,
  readAnswer,
  readApprovalDecision,
  reasonOf,
  toolResult,
  ToolResultCode,
};
