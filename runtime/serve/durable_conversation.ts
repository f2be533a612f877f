/**
 * The conversations of sessions whose runs are durable.
 *
 * @module
 */

import type { RunRecord } from "../runs/run_record.ts";
import { readRunInput } from "../runs/run_input.ts";
import { readRunResult } from "../runs/run_result.ts";
import type { Runs } from "../runs/runs.ts";
import { toUserMessage } from "../loop/conversation.ts";
import type { AssistantMessage, MessageInput, ModelMessage } from "../shared/model.ts";
import { toMessages } from "./read_start.ts";

/**
 * Number of runs among which the newest one is searched. Runs that change in the same millisecond
 * are in the order of their ids.
 */
const CANDIDATES = 10;

/** Returns the newest run of a session: each run contains the conversation of the runs before. */
export async function findNewest(runs: Runs, prefix: string): Promise<RunRecord | undefined> {
  const [first, ...others] = await runs.list({ prefix, order: "updated", limit: CANDIDATES });
  return others.reduce<RunRecord | undefined>(
    (newest, run) =>
      newest !== undefined && earlierOf(newest).length >= earlierOf(run).length ? newest : run,
    first,
  );
}

/** Returns the conversation before a run. */
export function earlierOf({ input }: RunRecord): readonly ModelMessage[] {
  return (readRunInput(input).messages ?? []).flatMap(toModelMessages);
}

/**
 * Returns the conversation at the end of a run: its message and its final response, without its
 * tool calls and reasoning, which are part of the run only.
 */
export function conversationOf(run: RunRecord): readonly ModelMessage[] {
  const { message } = readRunResult(run) ?? {};
  const content = message?.content.filter(({ type }) => type === "text" || type === "file") ?? [];
  const answer: AssistantMessage = { role: "assistant", content };
  return [
    ...earlierOf(run),
    toUserMessage(readRunInput(run.input).turn),
    ...content.length > 0 ? [answer] : [],
  ];
}

function toModelMessages(message: MessageInput): readonly ModelMessage[] {
  const { content, role } = message;
  const isText = typeof content === "string" && (role === "user" || role === "assistant");
  // The cast is safe: of all messages, only those of the type `TextMessage` have this form.
  return isText ? toMessages([{ role, content }]) : [message as ModelMessage];
}
