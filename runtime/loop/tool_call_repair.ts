/**
 * Types for repairing tool calls with invalid input.
 *
 * @module
 */

import type { ToolCall, ToolDefinition } from "../shared/model.ts";
import type { ToolCallOrigin } from "../tools/tool.ts";

/** A tool call with invalid input. */
export interface RepairRequest extends ToolCallOrigin {
  /** Tool call. `rawInput` is set if the input is not valid JSON. */
  readonly toolCall: ToolCall;
  /** Tool definition that was sent to the model. */
  readonly tool: ToolDefinition;
  /** Reason why the input is invalid. */
  readonly reason: string;
}

/**
 * Repairs tool input that is not valid JSON or does not match the tool's schema. Called at most
 * once per tool call.
 *
 * The repaired input is validated, then passed to the approval handler and finally to the tool. The
 * transcript keeps the original input. If `repairToolCall` returns `undefined`, throws or exceeds
 * the tool's timeout, the model receives the original error.
 *
 * @param request Tool call, tool definition and error.
 * @returns An object with the repaired input, or `undefined` if the input cannot be repaired.
 */
export type ToolCallRepair = (
  request: RepairRequest,
) =>
  | { readonly input: unknown }
  | undefined
  | Promise<{ readonly input: unknown } | undefined>;
