/**
 * Has the input of a call mended: by the journal, or by whom the caller has named. Loaded when the first one has to be.
 *
 * @module
 */

import type { Approvable } from "./ask_approval.ts";
import type { Core } from "./core.ts";
import { fieldsOf } from "./fields.ts";
import type { ToolCall } from "./model.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { CallContext } from "./tool_context.ts";

/** A call whose input is wrong. */
export interface BrokenCall {
  readonly item: CallContext;
  readonly entry: RegisteredTool;
  /** What is wrong. */
  readonly fact: string;
  /** The same, as the model would be told. */
  readonly reason: string;
}

/**
 * Has it mended, and looks at it again.
 *
 * @throws {AgentError} the step runner failed
 */
export async function repairCall(
  core: Core,
  batch: Approvable,
  broken: BrokenCall,
): Promise<void> {
  const { item, entry, fact } = broken;
  const repaired = await askFor(core, batch.replay, broken);
  if (repaired === undefined) return await batch.invalid(item, entry, fact);
  item.call = repaired;
  await batch.validate(item, entry, repaired.input);
}

/** The call with another input; undefined when it stays as it is. */
async function askFor(
  core: Core,
  replay: Replay | undefined,
  broken: BrokenCall,
): Promise<ToolCall | undefined> {
  const { item } = broken;
  const ask = (): Promise<unknown> => askOnce(core, broken);
  try {
    const answer = fieldsOf(
      replay === undefined ? await ask() : await replay.repair(item.keyOf("repair"), ask),
    );
    const { rawInput: _, ...call } = item.call;
    return "input" in answer ? { ...call, input: answer.input } : undefined;
  } catch (error) {
    // An aborted repair is not recorded: a resumed run asks again.
    if (item.run.isAborted) return undefined;
    throw error;
  }
}

async function askOnce(
  { Cancellation, defined, isJsonValue }: Core,
  { item, entry, reason }: BrokenCall,
): Promise<unknown> {
  const { call, iteration, run } = item;
  const { agentName, path, runId, messages, config: { agentDid, repairToolCall } } = run;
  const cancellation = new Cancellation(item.timeoutMs);
  const { signal } = cancellation;
  const origin = { agentName, agentDid, path, runId, iteration, messages: [...messages], signal };
  // The conversation keeps the model's own words, whatever is done with these.
  const toolCall: ToolCall = JSON.parse(JSON.stringify(call));
  const request = defined({ ...origin, toolCall, tool: entry.definition, reason });
  try {
    const answer = await run.waits.wait(repairToolCall?.(request), cancellation);
    const { input } = fieldsOf(answer);
    return isJsonValue(input) ? { input } : null;
  } catch (error) {
    if (run.isAborted) throw error;
    // Whatever it throws, and when it takes too long: the call stays as it is, and the model is told.
    return null;
  }
}
