/**
 * Reads the token counts of the OpenAI Chat Completions and Responses APIs.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @module
 */

import { defined, isRecord } from "@parley/internal/json";
import { readCount, type TokenUsage, totalOf } from "../shared/usage.ts";
import { readRecord, type WireObject } from "./response_fields.ts";

/**
 * Joins the token counts of two events of a stream. A later event may omit counts or report zero,
 * so each count of the result is the larger one.
 */
export function joinUsage(first: WireObject, second: WireObject): WireObject {
  return joinMembers(
    first,
    second,
    (before, value) =>
      isRecord(before) && isRecord(value)
        ? joinMembers(before, value, largerOf)
        : largerOf(before, value),
  );
}

function joinMembers(
  first: WireObject,
  second: WireObject,
  join: (before: unknown, value: unknown) => unknown,
): WireObject {
  const joined = Object.entries(second).map(([name, value]) => [name, join(first[name], value)]);
  return { ...first, ...Object.fromEntries(joined) };
}

function largerOf(before: unknown, value: unknown): unknown {
  const counts = [before, value].flatMap((count) => readCount(count) ?? []);
  return counts.length === 0 ? value ?? before : Math.max(...counts);
}

/**
 * Returns the token counts in a body or a chunk of the Chat Completions API. Some servers report
 * them in the choice or under their own name.
 */
export function chatUsageIn(body: WireObject): WireObject {
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  const places = [body.usage, readRecord(choice).usage, readRecord(body.x_groq).usage];
  return places.map(readRecord).reduce(joinUsage);
}

/** Converts the token counts of a chat completion. Returns `undefined` if there are none. */
export function toChatUsage(usage: WireObject): TokenUsage | undefined {
  const prompt = readRecord(usage.prompt_tokens_details);
  return toUsage({
    // Some gateways use the names of the Responses API.
    input: readCount(usage.prompt_tokens) ?? readCount(usage.input_tokens),
    output: readCount(usage.completion_tokens) ?? readCount(usage.output_tokens),
    total: usage.total_tokens,
    cached: readCount(prompt.cached_tokens) ?? readCount(usage.prompt_cache_hit_tokens) ??
      readCount(usage.cached_tokens) ?? readCount(usage.num_cached_tokens),
    written: readCount(prompt.cache_write_tokens),
    reasoning: readCount(readRecord(usage.completion_tokens_details).reasoning_tokens),
  });
}

/** Converts the token counts of a response. Returns `undefined` if there are none. */
export function toResponsesUsage(usage: WireObject): TokenUsage | undefined {
  const input = readRecord(usage.input_tokens_details);
  return toUsage({
    input: readCount(usage.input_tokens),
    output: readCount(usage.output_tokens),
    total: usage.total_tokens,
    cached: readCount(input.cached_tokens),
    written: readCount(input.cache_write_tokens),
    reasoning: readCount(readRecord(usage.output_tokens_details).reasoning_tokens),
  });
}

interface Counts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total: unknown;
  readonly cached: number | undefined;
  readonly written: number | undefined;
  readonly reasoning: number | undefined;
}

function toUsage({ input, output, total, cached, written, reasoning }: Counts):
  | TokenUsage
  | undefined {
  if (input === undefined && output === undefined) return undefined;
  const inputTokens = input ?? 0;
  const totalTokens = totalOf(total, inputTokens, output ?? 0);
  return {
    inputTokens,
    // Some servers leave the tokens of the reasoning out of the output.
    outputTokens: output === undefined ? 0 : totalTokens - inputTokens,
    totalTokens,
    ...defined({
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
      estimated: input === undefined || output === undefined ? (true as const) : undefined,
    }),
  };
}
