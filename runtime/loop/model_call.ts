/**
 * A model call with streaming, retries and a timeout.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import { formatValue } from "@parley/internal/format-value";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  LanguageModel,
  ModelDelta,
  ModelMessage,
  ModelRequest,
  ModelStreamEvent,
  ToolDefinition,
} from "../shared/model.ts";
import { isRetryable, retryDelayOf, statusOf } from "../shared/model_failure.ts";
import { type TokenUsage, totalOf } from "../shared/usage.ts";
import { CallDeadline, type CompletionListener } from "./deadlines.ts";
import type { LoopEventBody } from "./events.ts";
import { type ParsedResponse, readEstimate, readModelResponse } from "./response.ts";
import type { RunState } from "./run_state.ts";
import { usageOf } from "./usage_totals.ts";

const NOT_STARTED = new CallDeadline();

/** Input of one model call. */
export interface ModelCallInput {
  /** Index of the iteration. */
  readonly iteration: number;
  /** Model to call. */
  readonly model: LanguageModel;
  /** Messages to send. */
  readonly messages: readonly ModelMessage[];
  /** Tools that the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** Settings for the call. */
  readonly options: GenerationOptions;
}

/**
 * Calls the model. Streams the response if a listener is registered.
 *
 * @throws {AgentError} With code `model_error` if the call fails with a non-retryable error or the
 * retries are exhausted.
 * @throws The unchanged error from the model call if the run is aborted.
 */
export function callModel(run: RunState, input: ModelCallInput): Promise<ParsedResponse> {
  return new Promise((resolve, reject) => new ModelCall(run, input, resolve, reject).start());
}

/** A model call with its attempts. */
class ModelCall implements CompletionListener<unknown> {
  readonly #run: RunState;
  readonly #input: ModelCallInput;
  readonly #resolve: (response: ParsedResponse) => void;
  readonly #reject: (error: unknown) => void;
  /** Timeout and abort state of the current attempt. */
  #deadline = NOT_STARTED;
  /** Number of the current attempt, starting at 0. */
  #attempt = 0;
  startedAt = 0;

  constructor(
    run: RunState,
    input: ModelCallInput,
    resolve: (response: ParsedResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#run = run;
    this.#input = input;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Starts an attempt. */
  start(): void {
    const run = this.#run;
    const deadline = this.#deadline = new CallDeadline(run.config.modelTimeoutMs);
    this.startedAt = Date.now();
    try {
      run.deadlines.follow(
        startModelCall(run, this.#input, deadline, this.#attempt),
        deadline,
        this,
      );
    } catch (error) {
      this.onThrow(error);
    }
  }

  onReturn(value: unknown): void {
    let response: ParsedResponse;
    try {
      response = readModelResponse(value);
    } catch (error) {
      return this.onThrow(error);
    }
    try {
      this.#resolve(completeResponse(this.#run, this.#input, response));
    } catch (error) {
      this.#reject(error);
    }
  }

  onThrow(error: unknown): void {
    this.#waitForRetry(error).then(() => this.start(), this.#reject);
  }

  /**
   * Waits before the next attempt.
   *
   * @throws The error of the call if there is no other attempt.
   */
  async #waitForRetry(error: unknown): Promise<void> {
    const run = this.#run;
    const { config } = run;
    config.healthProfile?.recordInference();
    if (run.isAborted) throw error;
    config.healthProfile?.recordError();
    const failure = toModelError(error, this.#deadline);
    if (this.#attempt >= config.modelRetries || !failure.retryable) throw failure;
    assertRetryDelay(failure, config.maxRetryDelayMs);
    this.#attempt++;
    await waitForRetry(run, this.#input.iteration, this.#attempt, failure);
  }
}

/** Completes the token usage of a response and the id of its model. */
function completeResponse(
  run: RunState,
  { messages, model }: ModelCallInput,
  given: ParsedResponse,
): ParsedResponse {
  const { estimateUsage, healthProfile, model: { modelId: ownId } } = run.config;
  const { modelId } = model;
  let response = given;
  if (estimateUsage && isIncomplete(response.usage)) {
    const estimate = readEstimate(estimateUsage(messages, response.message));
    response = { ...response, usage: completeUsage(response.usage, estimate) };
  }
  if (response.usage.totalTokens === 0) reportMissingUsage(run, model);
  healthProfile?.recordInference(usageOf(response));
  // A journal does not record which model a plan has selected.
  const isSelected = modelId !== ownId && response.modelId === undefined;
  return isSelected ? { ...response, modelId } : response;
}

/** Reports, once per run, that a limit on tokens has no effect, because they are not counted. */
function reportMissingUsage(run: RunState, { modelId }: LanguageModel): void {
  const { estimateUsage, stopConditions = [] } = run.config;
  if (estimateUsage !== undefined || run.isUsageMissing) return;
  const condition = stopConditions.find(({ name }) => name === "maxTotalTokens");
  const limit = condition === undefined
    ? run.budget?.usageLimit
    : `stop condition "${condition.name}"`;
  if (limit === undefined) return;
  run.isUsageMissing = true;
  const reason = `model "${modelId}" does not report its token usage; set "estimateUsage"`;
  run.report(AgentError.core(`Cannot apply ${limit}: ${reason}`));
}

/** Returns true if the model did not report the input or output count, which is then read as 0. */
function isIncomplete({ estimated, inputTokens, outputTokens }: TokenUsage): boolean {
  return estimated === true && (inputTokens === 0 || outputTokens === 0);
}

/** Returns the reported usage, with missing counts replaced by the estimate. */
function completeUsage(reported: TokenUsage, estimate: TokenUsage): TokenUsage {
  const isUnknown = reported.inputTokens === 0 && reported.outputTokens === 0;
  const inputTokens = reported.inputTokens || estimate.inputTokens;
  const outputTokens = reported.outputTokens || estimate.outputTokens;
  const total = isUnknown
    ? Math.max(reported.totalTokens, estimate.totalTokens)
    : reported.totalTokens;
  const totalTokens = totalOf(total, inputTokens, outputTokens);
  return { ...estimate, ...reported, inputTokens, outputTokens, totalTokens };
}

/** Starts one attempt of a model call. Resolves to the model's response, unvalidated. */
function startModelCall(
  run: RunState,
  { iteration, model, messages, tools, options }: ModelCallInput,
  deadline: CallDeadline,
  attempt: number,
): Promise<unknown> {
  const { emit } = run;
  const { modelId, provider, stream } = model;
  emit?.(defined({ type: "model_started" as const, iteration, modelId, provider, attempt }));
  const { signal } = deadline;
  const request: ModelRequest = { messages, tools, options, signal };
  if (!emit || !stream) return model.generate(request);
  return readStream(run, iteration, stream.call(model, request), deadline);
}

/**
 * Reads a streamed response to the end and emits an event for each part.
 *
 * @returns The unvalidated response, or `undefined` if the call is cancelled.
 * @throws {Error} With `retryable` set if the stream ends before the response is complete.
 * @throws {DOMException} With name `TimeoutError` if the deadline has passed.
 */
async function readStream(
  run: RunState,
  iteration: number,
  stream: AsyncIterable<ModelStreamEvent>,
  deadline: CallDeadline,
): Promise<unknown> {
  let finish: { readonly response: unknown } | undefined;
  let hasUnknownPart = false;
  try {
    for await (const event of stream) {
      // Leaving the `for await` loop closes the stream.
      if (deadline.isCancelled) return undefined;
      // A stream that always has data available would prevent the timer from firing.
      if (deadline.dueAt <= Date.now()) throw deadline.expire();
      if (event.type === "finish") {
        finish = event;
        break;
      }
      const delta = toDeltaEvent(iteration, event);
      if (delta !== undefined) run.emit?.(delta);
      else if (!hasUnknownPart) reportUnknownPart(run, event);
      hasUnknownPart ||= delta === undefined;
      // If the reader of the event stream is slow, the loop stops reading the model's response
      // until the reader catches up. If the agent is paused, the loop continues reading the stream.
      if (run.control.queue?.isFull()) await run.waitForReader();
    }
  } catch (error) {
    // An error while closing the stream does not affect a complete response.
    if (!finish) throw error;
  }
  if (finish) return finish.response;
  const error = new Error("the stream ended before the response was complete");
  throw Object.assign(error, { retryable: true });
}

/** Returns the event for a part of a response, or `undefined` if the part is not valid. */
function toDeltaEvent(iteration: number, part: ModelDelta): LoopEventBody | undefined {
  const { delta } = part;
  if (typeof delta !== "string") return undefined;
  switch (part.type) {
    case "text-delta":
      return { type: "text_delta", iteration, text: delta };
    case "reasoning-delta":
      return { type: "reasoning_delta", iteration, reasoning: delta };
    case "tool-input-delta": {
      const { toolCallId, toolName } = part;
      return { type: "tool_input_delta", iteration, toolCallId, toolName, inputText: delta };
    }
    default:
      return undefined;
  }
}

/** Reports a part for which there is no event. The response contains the complete data. */
function reportUnknownPart(run: RunState, part: ModelDelta): void {
  run.report(AgentError.core(`The model streamed an invalid part: ${formatValue(part)}`));
}

/**
 * Waits before the next attempt of the model call.
 *
 * @param attempt Number of the retry, starting at 1.
 * @param failure Error from the last attempt.
 * @throws The signal's reason if the run is aborted.
 */
async function waitForRetry(
  run: RunState,
  iteration: number,
  attempt: number,
  failure: AgentError,
): Promise<void> {
  const delayMs = retryDelay(run, attempt, failure);
  run.emit?.({ type: "model_retry", iteration, attempt, delayMs, reason: failure.message });
  if (delayMs <= 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(delayMs, MAX_TIMER_MS));
  });
  try {
    await run.deadlines.wait(pause);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Throws if the provider requests a longer delay than `maxRetryDelayMs` allows.
 *
 * @throws {AgentError} With code `model_error`, and the requested delay as `retryAfterMs`.
 */
function assertRetryDelay(failure: AgentError, maxRetryDelayMs: number): void {
  const retryAfterMs = retryDelayOf(failure);
  if (retryAfterMs === undefined || retryAfterMs <= maxRetryDelayMs) return;
  if (!failure.is("model_error")) throw failure;
  const { reason, status } = failure.details;
  throw AgentError.modelError(
    `${reason}; the provider requests a delay of ${retryAfterMs} ms, and "maxRetryDelayMs" is ${maxRetryDelayMs}`,
    defined({ cause: failure, retryable: true, retryAfterMs, status }),
  );
}

/**
 * Returns the delay requested by the provider. If the provider did not request a delay, returns a
 * random delay below a maximum that doubles with each attempt ("full jitter").
 */
function retryDelay({ config }: RunState, attempt: number, failure: AgentError): number {
  const requestedMs = retryDelayOf(failure);
  if (requestedMs !== undefined) return requestedMs;
  const { maxRetryDelayMs, random, retryDelayMs } = config;
  return Math.min(retryDelayMs * 2 ** (attempt - 1), maxRetryDelayMs) * random();
}

function toModelError(cause: unknown, { isCancelled, timeoutMs }: CallDeadline): AgentError {
  if (AgentError.isAgentError(cause) && cause.is("model_error")) return cause;
  return AgentError.modelError(
    isCancelled ? `timed out after ${timeoutMs} ms` : errorMessageOf(cause),
    defined({
      cause,
      retryable: isCancelled || isRetryable(cause),
      retryAfterMs: retryDelayOf(cause),
      status: statusOf(cause),
    }),
  );
}
