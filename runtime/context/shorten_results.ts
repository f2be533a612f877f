/**
 * Shortens tool results in the view of a conversation.
 *
 * @module
 */

import type { IterationContext, IterationPlan } from "../loop/iteration_plan.ts";
import { limitOutput } from "../loop/output_limit.ts";
import type { ModelMessage } from "../shared/model.ts";
import { lengthOf, lengthOfPart } from "../shared/message_length.ts";

/** Minimum length of a shortened tool result, in characters. */
const MIN_RESULT_CHARS = 500;

/**
 * Shortens the longest tool results if the view is too long even after a compaction, for example
 * because of one large result in the last iteration. The transcript keeps the whole results.
 */
export function shortenResults(
  { messages, view }: IterationContext,
  plan: IterationPlan | undefined,
  maxChars: number,
): IterationPlan | undefined {
  const { history } = plan ?? {};
  const selected = history === undefined
    ? view
    : [...history.head, ...messages.slice(history.from)];
  const lengths = selected.flatMap(({ role, content }) =>
    role === "tool" ? content.map(lengthOfPart) : []
  );
  const excess = lengthOf(selected) - maxChars;
  if (excess <= 0 || lengths.length === 0) return plan;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const maxToolOutputChars = Math.max(MIN_RESULT_CHARS, largestCap(lengths, total - excess));
  const limits = { maxToolOutputChars, maxToolFileChars: Infinity };
  const head = selected.filter(({ role }) => role !== "system").map((message): ModelMessage =>
    message.role === "tool"
      ? {
        ...message,
        content: message.content.map((part) => ({
          ...part,
          output: limitOutput(part.output, limits),
        })),
      }
      : message
  );
  return { ...plan, history: { head, from: messages.length } };
}

/** Returns the largest maximum length with which the sum of the lengths does not exceed a total. */
function largestCap(lengths: readonly number[], total: number): number {
  let left = total;
  const sorted = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Infinity;
}
