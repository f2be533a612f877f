/**
 * Limits for the calls of several models and agents in one process.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertCount, assertLimit, assertOptionalFunction } from "@parley/internal/assert-argument";
import { Fifo } from "@parley/internal/fifo";
import { integerFrom } from "@parley/internal/option-checks";
import { asRecord, isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { AgentError } from "../shared/error.ts";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { retryDelayOf } from "../shared/model_failure.ts";
import { assertModel } from "../shared/option_checks.ts";
import { readCount, totalOf } from "../shared/usage.ts";
import { estimateTokens } from "./estimate_tokens.ts";

/**
 * Options for {@linkcode createModelLimiter}.
 *
 * @example Count more tokens for each call
 * ```ts
 * import { createModelLimiter, type ModelLimiterOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: ModelLimiterOptions = {
 *   tokensPerMinute: 400_000,
 *   estimateTokens: ({ messages }) => 2_000 * messages.length,
 * };
 * assertEquals(createModelLimiter(options).queued, 0);
 * ```
 */
export interface ModelLimiterOptions {
  /**
   * Maximum number of concurrent calls.
   *
   * @default {Infinity}
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of calls that start within a minute.
   *
   * @default {Infinity}
   */
  readonly callsPerMinute?: number;
  /**
   * Maximum number of tokens within a minute, input and output. A call starts if the tokens of the
   * last minute and the estimate for the call do not exceed the limit. A call whose estimate alone
   * exceeds the limit starts if no tokens were used in the last minute.
   *
   * @default {Infinity}
   */
  readonly tokensPerMinute?: number;
  /**
   * Maximum number of waiting calls. A further call rejects with a retryable error.
   *
   * @default {1000}
   */
  readonly maxQueued?: number;
  /**
   * Returns an estimate of the tokens of a call, a non-negative number, which counts until the call
   * has ended. Then the tokens that the provider reports count, if it reports any. Defaults to a
   * quarter of the characters of the messages, without files. If the result is not valid, the call
   * rejects with a `RangeError`.
   */
  readonly estimateTokens?: (request: ModelRequest) => number;
  /**
   * Clock, in milliseconds. While the result is not a finite number, calls reject with a
   * `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

/**
 * Limits that models share. Created by {@linkcode createModelLimiter}.
 *
 * @example Call a model one call at a time
 * ```ts
 * import { createModelLimiter, type ModelLimiter } from "@parley/runtime/models";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter: ModelLimiter = createModelLimiter({ maxConcurrent: 1 });
 * const active: number[] = [];
 * const turn = () => {
 *   active.push(limiter.active);
 *   return { text: "Hello" };
 * };
 * const model = limiter.limit(scriptedModel([turn, turn]));
 *
 * const request = { messages: [], tools: [], options: {} };
 * await Promise.all([model.generate(request), model.generate(request)]);
 * assertEquals(active, [1, 1]);
 * assertEquals([limiter.active, limiter.queued], [0, 0]);
 * ```
 */
export interface ModelLimiter {
  /** Number of calls in progress. */
  readonly active: number;
  /** Number of waiting calls. */
  readonly queued: number;
  /**
   * Returns a model whose calls wait until the limits permit them. The model has the same id as
   * `model`. A call rejects with a retryable `AgentError` with code `model_error` if `maxQueued`
   * calls are already waiting, and with the signal's reason if its signal is aborted.
   *
   * @param model Model to call.
   * @throws {TypeError} If the value is not a `LanguageModel`.
   */
  limit(model: LanguageModel): LanguageModel;
}

/** Asserts that a limit is a positive integer or `Infinity`. */
function assertMaximum(name: string, value: unknown): void {
  if (value !== Infinity) assertCount(name, value);
}

const readModelLimiterOptions = optionsReader<ModelLimiterOptions>("options")({
  maxConcurrent: withDefault(Infinity, assertMaximum),
  callsPerMinute: withDefault(Infinity, assertMaximum),
  tokensPerMinute: withDefault(Infinity, assertMaximum),
  maxQueued: withDefault(1000, integerFrom(0)),
  estimateTokens: withDefault(estimateTokens, assertOptionalFunction),
  now: withDefault(() => Date.now(), assertOptionalFunction),
});

const MINUTE_MS = 60_000;

/** Longest time for which a retry delay stops all calls, in milliseconds. */
const MAX_BLOCK_MS = 300_000;

/** A call that has started within the last minute. */
interface StartedCall {
  readonly startedAt: number;
  /** The estimate, or the reported tokens after the call has ended. */
  tokens: number;
  /** Whether the tokens no longer count, because the call started more than a minute ago. */
  isForgotten: boolean;
}

interface Waiter {
  readonly tokens: number;
  readonly start: (call: StartedCall) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Creates limits that several models share, for example all models of one account.
 *
 * - Calls start in the order in which they arrive. An aborted call leaves the queue. If `maxQueued`
 *   calls are waiting, a further call rejects.
 * - If a call fails with a retry delay of the provider, no call starts until the delay has passed,
 *   for at most five minutes. Parallel agents therefore do not repeat the same failure.
 * - The time that a call waits is part of the `modelTimeoutMs` of its run.
 * - The limits apply to one process. Several processes need a gateway.
 *
 * @param options Limits.
 * @throws {TypeError} If an option is unknown or not a function.
 * @throws {RangeError} If a limit is not a positive integer or `Infinity`, or `maxQueued` is not a
 * non-negative integer.
 *
 * @example Share the limits of an account
 * ```ts
 * import { createModelLimiter } from "@parley/runtime/models";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter = createModelLimiter({ maxConcurrent: 8, callsPerMinute: 500 });
 * const fast = limiter.limit(scriptedModel([{ text: "Hello" }], "fast"));
 * const careful = limiter.limit(scriptedModel([{ text: "Hello" }], "careful"));
 *
 * const request = { messages: [], tools: [], options: {} };
 * await Promise.all([fast.generate(request), careful.generate(request)]);
 * assertEquals(limiter.active, 0);
 * ```
 */
export function createModelLimiter(options: ModelLimiterOptions = {}): ModelLimiter {
  return new SharedLimits(readModelLimiterOptions(options));
}

class SharedLimits implements ModelLimiter {
  readonly #settings: ReturnType<typeof readModelLimiterOptions>;
  readonly #waiters = new Set<Waiter>();
  /** Calls that have started within the last minute, in the order of their starts. */
  readonly #calls = new Fifo<StartedCall>();
  /** Sum of the tokens of `#calls`. */
  #tokens = 0;
  #active = 0;
  #blockedUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: ReturnType<typeof readModelLimiterOptions>) {
    this.#settings = settings;
  }

  get active(): number {
    return this.#active;
  }

  get queued(): number {
    return this.#waiters.size;
  }

  limit(model: LanguageModel): LanguageModel {
    assertModel("model", model);
    const { stream } = model;
    return {
      ...model,
      generate: (request) => this.#generate(model, request),
      ...stream === undefined
        ? {}
        : { stream: (request) => this.#stream(() => stream.call(model, request), request) },
    };
  }

  async #generate(model: LanguageModel, request: ModelRequest): Promise<ModelResponse> {
    const call = await this.#acquire(request);
    try {
      const response = await model.generate(request);
      this.#setTokens(call, response);
      return response;
    } catch (error) {
      this.#block(error);
      throw error;
    } finally {
      this.#release();
    }
  }

  async *#stream(
    open: () => AsyncIterable<ModelStreamEvent>,
    request: ModelRequest,
  ): AsyncGenerator<ModelStreamEvent, void> {
    const call = await this.#acquire(request);
    try {
      for await (const event of open()) {
        if (isRecord(event) && event.type === "finish") this.#setTokens(call, event.response);
        yield event;
      }
    } catch (error) {
      this.#block(error);
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Waits until the limits permit a call. */
  async #acquire(request: ModelRequest): Promise<StartedCall> {
    const { signal } = request;
    signal?.throwIfAborted();
    const { estimateTokens, maxQueued } = this.#settings;
    const estimate = estimateTokens(request);
    reportRejection(estimate, () => {});
    const tokens = Math.ceil(estimate);
    assertLimit("estimateTokens()", tokens, 0);
    const now = askClock(this.#settings.now);
    if (this.#waiters.size === 0 && this.#permits(tokens, now)) return this.#start(tokens, now);
    if (this.#waiters.size >= maxQueued) {
      const reason = `${this.#waiters.size} calls are already waiting ("maxQueued")`;
      throw AgentError.modelError(reason, { retryable: true });
    }
    const started = Promise.withResolvers<StartedCall>();
    const waiter: Waiter = { tokens, start: started.resolve, fail: started.reject };
    const leave = (): void => {
      this.#waiters.delete(waiter);
      started.reject(signal?.reason);
      this.#startWaiting();
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#waiters.add(waiter);
    this.#schedule(now);
    try {
      return await started.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /**
   * Starts the waiting calls that the limits permit, in order. With an invalid clock, no call may
   * start and no timer can be set, so all waiting calls fail.
   */
  #startWaiting(): void {
    if (this.#waiters.size === 0) return clearTimeout(this.#timer);
    try {
      const now = askClock(this.#settings.now);
      for (const waiter of this.#waiters) {
        if (!this.#permits(waiter.tokens, now)) break;
        this.#waiters.delete(waiter);
        waiter.start(this.#start(waiter.tokens, now));
      }
      this.#schedule(now);
    } catch (error) {
      for (const waiter of this.#waiters) waiter.fail(error);
      this.#waiters.clear();
    }
  }

  #start(tokens: number, now: number): StartedCall {
    const call: StartedCall = { startedAt: now, tokens, isForgotten: false };
    this.#calls.push(call);
    this.#tokens += tokens;
    this.#active++;
    return call;
  }

  #permits(tokens: number, now: number): boolean {
    const { maxConcurrent, callsPerMinute, tokensPerMinute } = this.#settings;
    this.#forgetUntil(now - MINUTE_MS);
    if (now < this.#blockedUntil || this.#active >= maxConcurrent) return false;
    if (this.#calls.size >= callsPerMinute) return false;
    return this.#tokens === 0 || this.#tokens + tokens <= tokensPerMinute;
  }

  #forgetUntil(time: number): void {
    for (let call = this.#calls.first; call !== undefined; call = this.#calls.first) {
      if (call.startedAt > time) return;
      this.#calls.shift();
      this.#tokens -= call.tokens;
      // The tokens of a call that is still in progress no longer count.
      call.isForgotten = true;
    }
  }

  /** Starts a timer for the time at which the first waiting call can start. */
  #schedule(now: number): void {
    clearTimeout(this.#timer);
    if (this.#waiters.size === 0) return;
    const isBlocked = now < this.#blockedUntil;
    // The end of a call starts the next one if only the number of concurrent calls is limited.
    const { first } = this.#calls;
    if (!isBlocked && first === undefined) return;
    const dueAt = isBlocked ? this.#blockedUntil : (first?.startedAt ?? now) + MINUTE_MS;
    const delayMs = Math.min(Math.max(dueAt - now, 1), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#startWaiting(), delayMs);
  }

  /**
   * Replaces the estimate for a call by the tokens that the provider reports, if it reports any.
   */
  #setTokens(call: StartedCall, response: unknown): void {
    const tokens = tokensOf(response);
    if (tokens === 0 || call.isForgotten) return;
    this.#tokens += tokens - call.tokens;
    call.tokens = tokens;
  }

  /** Lets no call start until the retry delay of a failed call has passed. */
  #block(error: unknown): void {
    const requestedMs = retryDelayOf(error);
    if (requestedMs === undefined) return;
    const delayMs = Math.min(requestedMs, MAX_BLOCK_MS);
    this.#blockedUntil = Math.max(this.#blockedUntil, askClock(this.#settings.now) + delayMs);
  }

  #release(): void {
    this.#active--;
    this.#startWaiting();
  }
}

/** Returns the tokens in the usage of a response, which can contain any value, or 0. */
function tokensOf(response: unknown): number {
  const { inputTokens, outputTokens, totalTokens } = asRecord(asRecord(response).usage);
  return totalOf(totalTokens, readCount(inputTokens) ?? 0, readCount(outputTokens) ?? 0);
}
