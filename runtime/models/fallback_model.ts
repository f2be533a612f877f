/**
 * A language model that calls other models when a model is unavailable.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { abortable } from "@parley/internal/abortable";
import { assertOptionalFunction, rejectArgument } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { int32From, integerFrom } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { isRetryable, retryDelayOf, statusOf } from "../shared/model_failure.ts";
import { assertModel } from "../shared/option_checks.ts";
import { createAbortReason, joinSignals } from "../shared/platform.ts";

/**
 * A failed call that {@linkcode fallbackModel} repeats with another model.
 *
 * @example Log the models that fail
 * ```ts
 * import type { ModelFallback } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * function describe({ error, modelId, nextModelId }: ModelFallback): string {
 *   return `${modelId} failed (${error}); calling ${nextModelId}`;
 * }
 * const text = describe({ modelId: "first", nextModelId: "second", error: "HTTP 529" });
 * assertEquals(text, "first failed (HTTP 529); calling second");
 * ```
 */
export interface ModelFallback {
  /** Id of the model whose call failed. */
  readonly modelId: string;
  /** Id of the model that is called next. */
  readonly nextModelId: string;
  /** Error of the failed call. */
  readonly error: unknown;
}

/**
 * Options for {@linkcode fallbackModel}.
 *
 * @example Call the next model also after an unknown model
 * ```ts
 * import { AgentError, isRetryable } from "@parley/runtime";
 * import type { FallbackModelOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: FallbackModelOptions = {
 *   when: (error) =>
 *     isRetryable(error) ||
 *     (AgentError.isAgentError(error) && error.is("model_error") && error.details.status === 404),
 *   timeoutMs: 60_000,
 * };
 * assertEquals(options.when?.(AgentError.modelError("HTTP 404", { status: 404 }), "a"), true);
 * ```
 */
export interface FallbackModelOptions {
  /**
   * Returns true to call the next model after an error. If omitted, the next model is called after
   * retryable errors, and after HTTP status 402 and 429 (exhausted quota). If `when` throws, the
   * call rejects with its error.
   */
  readonly when?: (error: unknown, modelId: string) => boolean;
  /**
   * Timeout for the first event of a stream, or for a whole response without streaming, in
   * milliseconds. After the timeout, the next model is called. Must be shorter than the
   * `modelTimeoutMs` of the run, which aborts the whole call. Reasoning models may be silent for
   * minutes. `0` disables the timeout.
   *
   * @default {300_000}
   */
  readonly timeoutMs?: number;
  /**
   * Time for which a failed model is skipped, in milliseconds. A longer delay that the provider
   * requests takes precedence. `0` disables skipping.
   *
   * @default {30_000}
   */
  readonly cooldownMs?: number;
  /**
   * Called with the failed call before the next model is called. If `onFallback` throws, the call
   * rejects with its error.
   */
  readonly onFallback?: (fallback: ModelFallback) => void;
  /**
   * Clock, in milliseconds. While the result is not a finite number, calls reject with a
   * `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

const readFallbackModelOptions = optionsReader<FallbackModelOptions>("options")({
  when: withDefault(isUnavailable, assertOptionalFunction),
  timeoutMs: withDefault(300_000, int32From(0)),
  cooldownMs: withDefault(30_000, integerFrom(0)),
  onFallback: assertOptionalFunction,
  now: withDefault(() => Date.now(), assertOptionalFunction),
});

type FallbackSettings = ReturnType<typeof readFallbackModelOptions>;

interface Candidate {
  readonly model: LanguageModel;
  /** Time until which the model is skipped, in milliseconds. */
  skipUntil: number;
}

/**
 * Creates a model that calls the first available model of a list.
 *
 * - A failed model is skipped for `cooldownMs`. If all models are skipped, the one that is
 *   available first is called.
 * - If all models fail, the call rejects with the last error. The loop's own retries then start
 *   again.
 * - A stream that fails after its first delta is not continued with another model: the call
 *   rejects, the loop emits `model_retry`, and its next attempt skips the failed model.
 * - An aborted call is never repeated and rejects with the signal's reason. After an error of the
 *   request, such as an invalid key or an unknown model, the next model is called only if `when`
 *   accepts the error.
 * - The `modelId` and `provider` of the response are those of the model that responded, also in the
 *   journal and in events.
 * - `nativeOutput` is declared only if all models declare it.
 * - The tokens of failed attempts are unknown and not counted.
 *
 * Reasoning and signatures are sent back only to the server that created them, so a conversation
 * can move between the models.
 *
 * @param models Models, in order of preference.
 * @param options Conditions, limits and listener.
 * @throws {TypeError} If `models` is empty or contains a value that is not a `LanguageModel`, or an
 * option is unknown or not valid.
 * @throws {RangeError} If `timeoutMs` or `cooldownMs` is not an integer in the allowed range.
 *
 * @example Use a second provider during an outage
 * ```ts
 * import { AgentError, type LanguageModel } from "@parley/runtime";
 * import { fallbackModel } from "@parley/runtime/models";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const first: LanguageModel = {
 *   modelId: "first",
 *   generate: () => Promise.reject(AgentError.modelError("HTTP 529", { retryable: true })),
 * };
 * const model = fallbackModel([first, scriptedModel([{ text: "Hello" }], "second")]);
 * const { modelId } = await model.generate({ messages: [], tools: [], options: {} });
 * assertEquals(modelId, "second");
 * ```
 */
export function fallbackModel(
  models: readonly LanguageModel[],
  options: FallbackModelOptions = {},
): LanguageModel {
  if (!Array.isArray(models)) rejectArgument("models", "a non-empty array", models);
  const list: readonly LanguageModel[] = [...models];
  const [first] = list;
  if (first === undefined) rejectArgument("models", "a non-empty array", models);
  list.forEach((model, index) => assertModel(`models[${index}]`, model));
  const chain = new FallbackChain(list, readFallbackModelOptions(options));
  return {
    modelId: first.modelId,
    ...defined({ provider: first.provider, nativeOutput: weakestOutput(list) }),
    generate: (request) => chain.generate(request),
    stream: (request) => chain.stream(request),
  };
}

/** Returns the form of JSON output that all models support. */
function weakestOutput(models: readonly LanguageModel[]): LanguageModel["nativeOutput"] {
  const outputs = models.map(({ nativeOutput }) => nativeOutput);
  if (outputs.includes(undefined)) return undefined;
  return outputs.includes("without-tools") ? "without-tools" : "with-tools";
}

/** The models of a list, and until when each is skipped. */
class FallbackChain {
  readonly #candidates: readonly Candidate[];
  readonly #settings: FallbackSettings;

  constructor(models: readonly LanguageModel[], settings: FallbackSettings) {
    this.#candidates = models.map((model) => ({ model, skipUntil: 0 }));
    this.#settings = settings;
  }

  async generate(request: ModelRequest): Promise<ModelResponse> {
    const order = this.#order();
    for (const [index, candidate] of order.entries()) {
      const attempt = new Attempt(this.#settings.timeoutMs, request.signal);
      try {
        const calling = candidate.model.generate({ ...request, signal: attempt.signal });
        return named(await abortable(calling, attempt.signal), candidate.model);
      } catch (error) {
        this.#fail(candidate, error, { request, next: order[index + 1] });
      } finally {
        attempt.stop();
      }
    }
    // Unreachable: the list is not empty, and the last failure is thrown.
    throw AgentError.core("No model was called");
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelStreamEvent, void> {
    const order = this.#order();
    for (const [index, candidate] of order.entries()) {
      const attempt = new Attempt(this.#settings.timeoutMs, request.signal);
      let hasStarted = false;
      try {
        for await (const event of openStream(candidate.model, request, attempt.signal)) {
          // Only the wait for the first event is limited. The loop limits the whole call.
          attempt.stop();
          hasStarted = true;
          if (event.type !== "finish") {
            yield event;
            continue;
          }
          yield { ...event, response: named(event.response, candidate.model) };
          return;
        }
        throw AgentError.modelError("the stream ended before the response was complete", {
          retryable: true,
        });
      } catch (error) {
        // After the first delta, only the loop can start the response again.
        this.#fail(candidate, error, { request, next: hasStarted ? undefined : order[index + 1] });
      } finally {
        attempt.stop();
      }
    }
  }

  /** Returns the models to try: the available models, or the model that is available first. */
  #order(): readonly Candidate[] {
    const now = askClock(this.#settings.now);
    const available = this.#candidates.filter(({ skipUntil }) => skipUntil <= now);
    if (available.length > 0) return available;
    return [...this.#candidates].sort((a, b) => a.skipUntil - b.skipUntil).slice(0, 1);
  }

  /**
   * Records a failure. Returns if the next model is to be called.
   *
   * @throws The error if no other model is to be called.
   */
  #fail(
    candidate: Candidate,
    error: unknown,
    { request, next }: { readonly request: ModelRequest; readonly next: Candidate | undefined },
  ): void {
    request.signal?.throwIfAborted();
    const { cooldownMs, now, onFallback, when } = this.#settings;
    const { modelId } = candidate.model;
    if (when(error, modelId) !== true) throw error;
    const requestedMs = retryDelayOf(error) ?? 0;
    if (cooldownMs > 0) candidate.skipUntil = askClock(now) + Math.max(cooldownMs, requestedMs);
    if (next === undefined) throw error;
    onFallback?.({ modelId, nextModelId: next.model.modelId, error });
  }
}

/** The time limit of an attempt, joined with the signal of the caller. */
class Attempt {
  /** Aborts if the caller aborts the call, or the time limit is exceeded. */
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    const late = new AbortController();
    this.signal = joinSignals(late.signal, caller);
    if (timeoutMs === 0) return;
    this.#timer = setTimeout(() => {
      const cause = createAbortReason("The call timed out", "TimeoutError");
      const reason = `no response within ${timeoutMs} ms`;
      late.abort(AgentError.modelError(reason, { cause, retryable: true }));
    }, timeoutMs);
  }

  /** Stops the timer. The caller's signal still aborts the attempt. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Streams a response until the signal aborts, even if the model ignores it. */
async function* openStream(
  model: LanguageModel,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent, void> {
  if (model.stream === undefined) {
    const response = await abortable(model.generate({ ...request, signal }), signal);
    yield { type: "finish", response };
    return;
  }
  const events = model.stream({ ...request, signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(events.next(), signal);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Not awaited, because a stream that ignores its signal might never return.
    events.return?.().catch(() => {});
  }
}

/** Adds the id and the provider of the model that responded, unless the response names them. */
function named(response: ModelResponse, { modelId, provider }: LanguageModel): ModelResponse {
  return { ...defined({ modelId, provider }), ...response };
}

function isUnavailable(error: unknown): boolean {
  if (isRetryable(error)) return true;
  const status = statusOf(error);
  return status === 402 || status === 429;
}
