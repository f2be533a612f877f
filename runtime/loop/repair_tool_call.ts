/**
 * Repair of tool calls with invalid input, by the `repairToolCall` option or from the journal.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { copyJsonValue, freezeJson } from "../shared/json.ts";
import { asRecord, defined } from "@parley/internal/json";
import type { ToolCall } from "../shared/model.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { CallDeadline } from "./deadlines.ts";
import type { Replay } from "./replay.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";
import type { ToolCallRepair } from "./tool_call_repair.ts";

/** A tool call with invalid input. */
export interface InvalidToolCall {
  /** State of the tool call. */
  readonly execution: ToolCallExecution;
  /** The registered tool that the model called. */
  readonly entry: RegisteredTool;
  /** Reason why the input is invalid, sent to the model if the repair fails. */
  readonly reason: string;
}

/**
 * Repairs the input of a tool call.
 *
 * @returns The call with the repaired input, or `undefined` if the input was not repaired.
 * @throws {AgentError} If the step runner fails.
 */
export async function repairCall(
  invalid: InvalidToolCall,
  repair: ToolCallRepair,
  replay: Replay | undefined,
): Promise<ToolCall | undefined> {
  const { execution } = invalid;
  const callRepair = (): Promise<unknown> => requestRepair(invalid, repair);
  try {
    const answer = asRecord(
      replay ? await replay.repair(execution.keyOf("repair"), callRepair) : await callRepair(),
    );
    const { rawInput: _, ...call } = execution.call;
    return "input" in answer ? { ...call, input: freezeJson(answer.input) } : undefined;
  } catch (error) {
    // An aborted repair is not recorded, so a resumed run requests the repair again.
    if (execution.run.isAborted) return undefined;
    throw error;
  }
}

async function requestRepair(
  { execution, entry, reason }: InvalidToolCall,
  repair: ToolCallRepair,
): Promise<unknown> {
  const { call, iteration, run } = execution;
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  const deadline = new CallDeadline(execution.timeoutMs);
  const { signal } = deadline;
  const origin = { agentName, agentDid, path, runId, iteration, messages: [...messages], signal };
  // `repairToolCall` receives a copy of the tool call, so it cannot change the transcript.
  const toolCall: ToolCall = JSON.parse(JSON.stringify(call));
  const request = defined({ ...origin, toolCall, tool: entry.definition, reason });
  try {
    const answer = await run.deadlines.wait(repair(request), deadline);
    const input = copyJsonValue(asRecord(answer).input);
    return input === undefined ? null : { input };
  } catch (error) {
    if (run.isAborted) throw error;
    // If the handler throws or times out, the model receives the original error.
    const text = `Cannot repair the call to tool "${call.toolName}": ${errorMessageOf(error)}`;
    run.report(AgentError.core(text, { cause: error }));
    return null;
  }
}
