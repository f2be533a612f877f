/**
 * Token counts of model calls, and a function that adds token counts.
 *
 * @module
 */

/**
 * Number of tokens used by one or more model calls. The counts are integers from 0 to
 * `Number.MAX_SAFE_INTEGER`.
 */
export interface TokenUsage {
  /** Number of tokens in the prompt, including cached tokens. */
  readonly inputTokens: number;
  /** Number of tokens in the response, including reasoning. */
  readonly outputTokens: number;
  /**
   * Total number of tokens as reported by the provider, usually the sum of input and output. If the
   * reported number is less than the sum, the sum.
   */
  readonly totalTokens: number;
  /** Number of input tokens read from the provider's cache, included in `inputTokens`. */
  readonly cachedInputTokens?: number;
  /** Number of input tokens written to the provider's cache, included in `inputTokens`. */
  readonly cacheWriteTokens?: number;
  /** Number of output tokens used for reasoning, included in `outputTokens`. */
  readonly reasoningTokens?: number;
  /**
   * Present if the provider did not report the complete usage of at least one model call. If
   * `estimated` is set, the counts are estimates or may be too low.
   */
  readonly estimated?: true;
}

/** Token counts with mutable properties. */
export type MutableUsage = { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] };

/** Token usage with all counts zero, the initial value of a sum. */
export const NO_USAGE: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
});

/** Usage of a model call that did not report token counts. */
export const UNKNOWN_USAGE: TokenUsage = Object.freeze({ ...NO_USAGE, estimated: true });

/**
 * Adds token counts. An optional count is present in the sum if it is present in at least one
 * operand. A sum is at most `Number.MAX_SAFE_INTEGER`, so that it can be stored as JSON.
 *
 * @param a First set of token counts to add.
 * @param b Second set of token counts to add.
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
    inputTokens: addCounts(a.inputTokens, b.inputTokens),
    outputTokens: addCounts(a.outputTokens, b.outputTokens),
    totalTokens: addCounts(a.totalTokens, b.totalTokens),
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
  return a === undefined || b === undefined ? a ?? b : addCounts(a, b);
}

/**
 * Returns the value if it is a count: an integer from 0 to `Number.MAX_SAFE_INTEGER`. Returns
 * `undefined` otherwise. A model or a provider may report any value.
 */
export function readCount(value: unknown): number | undefined {
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  // Adding 0 converts -0, which JSON cannot represent.
  return isCount ? value + 0 : undefined;
}

/**
 * Returns the total of a model call: the total that the provider reported, but at least the sum of
 * input and output, so that a total of 0 does not disable a token limit.
 */
export function totalOf(reported: unknown, inputTokens: number, outputTokens: number): number {
  return Math.max(readCount(reported) ?? 0, addCounts(inputTokens, outputTokens));
}

/** Adds counts. The sum is at most `Number.MAX_SAFE_INTEGER`. */
export function addCounts(a: number, b: number, c = 0): number {
  const sum = a + b + c;
  // If an operand is `NaN`, the sum is the maximum, so that a limit is exceeded.
  return sum <= Number.MAX_SAFE_INTEGER ? sum : Number.MAX_SAFE_INTEGER;
}
