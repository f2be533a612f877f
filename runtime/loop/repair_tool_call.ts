/**
 * The repair of one tool call whose input is invalid: from the journal, or by the caller's `repairToolCall`.
 *
 * @module
 */

import { asRecord, defined, isJsonValue } from "../shared/json.ts";
import type { ToolCall } from "../shared/model.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { CallDeadline } from "./deadlines.ts";
import type { Replay } from "./replay.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";
import type { ToolCallRepair } from "./tool_call_repair.ts";

/** A tool call whose input is invalid. */
export interface InvalidToolCall {
  /** The call. */
  readonly item: ToolCallExecution;
  /** Its tool. */
  readonly entry: RegisteredTool;
  /** Why the input is invalid, as the model would read it. */
  readonly reason: string;
}

/**
 * Repairs the input of a call.
 *
 * @returns the call with another input, or `undefined` if the call stays as it is
 * @throws {AgentError} If the step runner fails.
 */
export async function repairCall(
  invalid: InvalidToolCall,
  repair: ToolCallRepair,
  replay: Replay | undefined,
): Promise<ToolCall | undefined> {
  const { item } = invalid;
  const callRepair = (): Promise<unknown> => requestRepair(invalid, repair);
  try {
    const answer = asRecord(
      replay ? await replay.repair(item.keyOf("repair"), callRepair) : await callRepair(),
    );
    const { rawInput: _, ...call } = item.call;
    return "input" in answer ? { ...call, input: answer.input } : undefined;
  } catch (error) {
    // An aborted repair is not recorded: a resumed run asks again.
    if (item.run.isAborted) return undefined;
    throw error;
  }
}

async function requestRepair(
  { item, entry, reason }: InvalidToolCall,
  repair: ToolCallRepair,
): Promise<unknown> {
  const { call, iteration, run } = item;
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  const deadline = new CallDeadline(item.timeoutMs);
  const { signal } = deadline;
  const origin = { agentName, agentDid, path, runId, iteration, messages: [...messages], signal };
  // The conversation keeps the model's own words, whatever is done with these.
  const toolCall: ToolCall = JSON.parse(JSON.stringify(call));
  const request = defined({ ...origin, toolCall, tool: entry.definition, reason });
  try {
    const answer = await run.deadlines.wait(repair(request), deadline);
    const { input } = asRecord(answer);
    return isJsonValue(input) ? { input } : null;
  } catch (error) {
    if (run.isAborted) throw error;
    // Whatever it throws, and when it takes too long: the call stays as it is, and the model is told.
    return null;
  }
}
