/**
 * Completes the calls of an answer: unique ids, an input. Loaded when a model leaves something to complete.
 *
 * @module
 */

import type { Core } from "./core.ts";
import type { AssistantMessage, ToolCall } from "./model.ts";
import type { CallIds } from "./read_answer.ts";

/** The tool calls of an answer, and the message with the same calls in it. */
export interface LabelledCalls {
  /** The message, with every call complete and its id unique. */
  readonly message: AssistantMessage;
  /** The calls in it. */
  readonly calls: readonly ToolCall[];
}

/**
 * Completes the calls.
 *
 * @param takenIds the ids in the transcript so far; those of the calls are added
 */
export function labelCalls(
  core: Core,
  message: AssistantMessage,
  iteration: number,
  takenIds: CallIds,
): LabelledCalls {
  const calls: ToolCall[] = [];
  const content = message.content.map((part) => {
    if (part.type !== "tool-call") return part;
    const wanted = asText(part.toolCallId) || `call_${iteration}_${calls.length}`;
    const call = complete(core, part, claim(wanted, takenIds));
    calls.push(call);
    return call;
  });
  return { message: { ...message, content }, calls };
}

/** The id itself, or a new one when it is taken; taken from now on. */
function claim(wanted: string, taken: CallIds): string {
  let copy = taken.get(wanted) ?? 0;
  let free = wanted;
  while (taken.has(free)) free = `${wanted}~${++copy}`;
  // Some servers give the same id every time: the next one need not count from the beginning.
  taken.set(wanted, copy).set(free, 1);
  return free;
}

/** What no JSON text can hold, or what is nested too deep for everything that comes after, counts as bad JSON. */
function complete(
  { defined, isJsonValue }: Core,
  call: ToolCall,
  toolCallId: string,
): ToolCall {
  const { input = {}, rawInput } = call;
  const text = asText(rawInput);
  return text === undefined && !isJsonValue(input)
    ? { ...call, toolCallId, input: {}, rawInput: "[an input that is no JSON value]" }
    : { ...defined({ ...call, toolCallId, rawInput: text }), input };
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
