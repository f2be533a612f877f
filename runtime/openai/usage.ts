/**
 * The token counts of runs in the form of OpenAI's interfaces.
 *
 * @module
 */

import type { TokenUsage } from "../shared/usage.ts";

/** Token counts of a chat completion. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Token counts of a response. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens_details: { readonly reasoning_tokens: number };
}

/** Formats the usage of a run for a chat completion. */
export function formatChatUsage(usage: TokenUsage): ChatUsage {
  const { cachedInputTokens = 0, inputTokens, outputTokens, reasoningTokens = 0, totalTokens } =
    usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** Formats the usage of a run for a response. */
export function formatResponseUsage(usage: TokenUsage): ResponseUsage {
  const { cachedInputTokens = 0, inputTokens, outputTokens, reasoningTokens = 0, totalTokens } =
    usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
