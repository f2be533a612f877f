/**
 * Who may mend the input of a tool call, and how they are asked.
 *
 * @module
 */

import type { ToolCall, ToolDefinition } from "../shared/model.ts";
import type { ToolCallOrigin } from "../tools/tool.ts";

/** A call that cannot be executed as it is. */
export interface RepairRequest extends ToolCallOrigin {
  /** The call; with `rawInput` when its input is no JSON. */
  readonly toolCall: ToolCall;
  /** The tool as the model sees it. */
  readonly tool: ToolDefinition;
  /** What is wrong, in the words that the model would be told. */
  readonly reason: string;
}

/**
 * Mends the input of a call that is no JSON or breaks the tool's schema. Asked once for a call; what it makes of it is
 * validated, shown to the approval handler and executed, while the conversation keeps the model's own words. When it
 * gives up, throws, or takes longer than tools may, the model is told what is wrong.
 *
 * @param request the call and its circumstances
 * @returns the input in an object, or undefined to give up
 */
export type ToolCallRepair = (
  request: RepairRequest,
) =>
  | { readonly input: unknown }
  | undefined
  | Promise<{ readonly input: unknown } | undefined>;
