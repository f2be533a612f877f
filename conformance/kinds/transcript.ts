/**
 * Rules that hold for all conversations with a model, in the neutral form of loop cases.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Names of the rules, which are the names of invariants. */
export const TranscriptRule = {
  /**
   * Each assistant message with tool calls is followed by one tool message with one result for each
   * of them, and each result belongs to a call. Calls that the provider executed need no result.
   */
  OneResult: "transcript/one-result-for-each-call",
  /** The results in a tool message are in the order of the calls. */
  Order: "transcript/results-in-call-order",
  /**
   * Only the first message can be a system message, roles are known, and call ids are present and
   * unique.
   */
  Form: "transcript/form",
} as const;

/** A value of {@linkcode TranscriptRule}. */
export type TranscriptRule = (typeof TranscriptRule)[keyof typeof TranscriptRule];

/** The violations of each rule. */
export type TranscriptProblems = Readonly<Record<TranscriptRule, readonly string[]>>;

/**
 * Finds the violations of all rules.
 *
 * @param messages The conversation, unvalidated.
 */
export function findTranscriptProblems(messages: unknown): TranscriptProblems {
  if (!Array.isArray(messages)) {
    return problems({ form: [`${show(messages, 60)} instead of an array of messages`] });
  }
  const invalid = messages.findIndex((message) => !isObject(message));
  if (invalid >= 0) {
    const what = show(messages[invalid], 60);
    return problems({ form: [`${what} instead of an object (message ${invalid})`] });
  }
  const valid = messages.filter(isObject);
  return problems({
    form: [...findRoleProblems(valid), ...findIdProblems(valid)],
    results: valid.flatMap((message, index) => findResultProblems(valid, message, index)),
    order: valid.flatMap((message, index) => findOrderProblems(message, valid[index - 1])),
  });
}

function problems(
  { form = [], results = [], order = [] }: {
    readonly form?: readonly string[];
    readonly results?: readonly string[];
    readonly order?: readonly string[];
  },
): TranscriptProblems {
  return {
    [TranscriptRule.OneResult]: results,
    [TranscriptRule.Order]: order,
    [TranscriptRule.Form]: form,
  };
}

function findRoleProblems(messages: readonly Fields[]): readonly string[] {
  return messages.flatMap(({ role }, index) => {
    if (role === "system" && index > 0) {
      return [`a system message that is not the first message (message ${index})`];
    }
    const isKnown = ["system", "user", "assistant", "tool"].includes(String(role));
    return isKnown ? [] : [`the unknown role ${show(role, 40)} (message ${index})`];
  });
}

function findIdProblems(messages: readonly Fields[]): readonly string[] {
  const ids = messages.flatMap((message) => message.role === "assistant" ? callIds(message) : []);
  return ids.flatMap((id, index) => {
    if (id === "") return ["a tool call without an id"];
    return ids.indexOf(id) < index ? [`a duplicate call id "${id}"`] : [];
  });
}

/** Compares the results after an assistant message with its calls, in any order. */
function findResultProblems(
  messages: readonly Fields[],
  message: Fields,
  index: number,
): readonly string[] {
  if (message.role === "tool") {
    const results = resultIds(message).join(", ");
    return callIds(messages[index - 1] ?? {}).length > 0
      ? []
      : [`tool results without preceding tool calls: ${results} (message ${index})`];
  }
  const open = callIds(message);
  const next = messages[index + 1];
  if (message.role !== "assistant" || open.length === 0) return [];
  if (next?.role !== "tool") return [`tool calls without results: ${open.join(", ")}`];
  const results = resultIds(next);
  return sorted(results) === sorted(open)
    ? []
    : [`tool results for ${results.join(", ")} after tool calls ${open.join(", ")}`];
}

function findOrderProblems(message: Fields, before: Fields = {}): readonly string[] {
  if (message.role !== "tool") return [];
  const [results, open] = [resultIds(message), callIds(before)];
  // Results that do not belong to the calls are the subject of another rule.
  const isOrdered = results.join("\n") === open.join("\n") || sorted(results) !== sorted(open);
  return isOrdered
    ? []
    : [`tool results for ${results.join(", ")} after tool calls ${open.join(", ")}`];
}

function sorted(ids: readonly string[]): string {
  return ids.toSorted().join("\n");
}

function resultIds(message: Fields): readonly string[] {
  return parts(message, "tool-result").map(({ toolCallId }) => String(toolCallId));
}

/**
 * Returns the ids of the calls that need a result in the next message. Calls that the provider
 * executed need no result, because the provider returns it.
 */
function callIds(message: Fields): readonly string[] {
  return parts(message, "tool-call")
    .filter(({ providerExecuted }) => providerExecuted !== true)
    .map(({ toolCallId }) => String(toolCallId ?? ""));
}

function parts({ content }: Fields, type: string): readonly Fields[] {
  return Array.isArray(content)
    ? content.filter((part): part is Fields => isObject(part) && part.type === type)
    : [];
}
