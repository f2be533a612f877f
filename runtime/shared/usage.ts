/**
 * Token counts and how they add up.
 *
 * @module
 */

/** Tokens that one model call, or the sum of several, has used. */
export interface TokenUsage {
  /** Tokens of the prompt, cached ones included. */
  readonly inputTokens: number;
  /** Tokens of the answer, reasoning included. */
  readonly outputTokens: number;
  /** What the provider counts as the total; usually input plus output. */
  readonly totalTokens: number;
  /** The part of `inputTokens` that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of `inputTokens` that was written to the provider's cache. */
  readonly cacheWriteTokens?: number;
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens?: number;
  /** Present when at least one model call did not say what it used, so that the true count is higher. */
  readonly estimated?: true;
}

/** Counts that are being made. */
export type MutableUsage = { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] };

/** Nothing used: where sums begin. */
export const NO_USAGE: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
});

/** What counts for a model call that reported no usage. */
export const UNKNOWN_USAGE: TokenUsage = Object.freeze({ ...NO_USAGE, estimated: true });

/**
 * Adds two counts; an optional count is present in the sum when either side has it.
 *
 * @param a one count
 * @param b the other
 * @returns the sum
 *
 * @example Sum two model calls
 * ```ts
 * import { addUsage } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const first = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
 * const second = { inputTokens: 20, outputTokens: 1, totalTokens: 21, cachedInputTokens: 8 };
 * assertEquals(addUsage(first, second), {
 *   inputTokens: 30,
 *   outputTokens: 3,
 *   totalTokens: 33,
 *   cachedInputTokens: 8,
 * });
 * ```
 */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: MutableUsage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
  const cached = sumOf(a.cachedInputTokens, b.cachedInputTokens);
  const written = sumOf(a.cacheWriteTokens, b.cacheWriteTokens);
  const reasoning = sumOf(a.reasoningTokens, b.reasoningTokens);
  if (cached !== undefined) sum.cachedInputTokens = cached;
  if (written !== undefined) sum.cacheWriteTokens = written;
  if (reasoning !== undefined) sum.reasoningTokens = reasoning;
  if (a.estimated || b.estimated) sum.estimated = true;
  return sum;
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? a ?? b : a + b;
}
