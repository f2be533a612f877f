/**
 * One model call: streamed when somebody listens, repeated when the failure is a passing one, cut short on abort.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined, isRecord } from "../shared/json.ts";
import {
  type GenerationOptions,
  isRetryable,
  type ModelRequest,
  type ModelStreamEvent,
  type ToolDefinition,
} from "../shared/model.ts";
import { UNKNOWN_USAGE } from "../shared/usage.ts";
import { CallDeadline } from "./deadlines.ts";
import { type ParsedResponse, readModelResponse, readUsage } from "./response.ts";
import type { RunState } from "./run_state.ts";

/** The longest wait between two tries that is not the provider's own wish. */
const MAX_RETRY_DELAY_MS = 60_000;

/** The longest delay a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What differs from call to call. */
export interface ModelCallInput {
  /** The iteration. */
  readonly iteration: number;
  /** The tools the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** The settings. */
  readonly options: GenerationOptions;
}

/**
 * Asks the run's model about the transcript.
 *
 * @throws {AgentError} code `model_error`: it failed, too often or for good
 * @throws whatever it failed with, when the run was aborted
 */
export async function callModel(run: RunState, input: ModelCallInput): Promise<ParsedResponse> {
  const { config: { estimateUsage, healthProfile }, limits, messages } = run;
  let response: ParsedResponse;
  for (let attempt = 0;; attempt++) {
    const deadline = new CallDeadline(limits.modelTimeoutMs);
    try {
      response = readModelResponse(
        await run.deadlines.wait(start(run, input, deadline, attempt), deadline),
      );
      break;
    } catch (error) {
      healthProfile?.recordInference();
      if (run.isAborted) throw error;
      healthProfile?.recordError();
      const failure = toModelError(error, deadline);
      if (attempt >= limits.modelRetries || !failure.retryable) throw failure;
      await waitForRetry(run, input.iteration, attempt + 1, failure);
    }
  }
  if (estimateUsage && response.usage === UNKNOWN_USAGE) {
    const usage = readUsage(estimateUsage(messages, response.message));
    response = { ...response, usage: { ...usage, estimated: true } };
  }
  healthProfile?.recordInference(response.usage);
  return response;
}

/** Never throws: a model that does is one that failed. */
function start(
  run: RunState,
  { iteration, tools, options }: ModelCallInput,
  deadline: CallDeadline,
  attempt: number,
): Promise<unknown> {
  const { config: { model }, emit, messages } = run;
  const { modelId, provider, stream } = model;
  emit?.(defined({ type: "model_started" as const, iteration, modelId, provider, attempt }));
  const { signal } = deadline;
  const request: ModelRequest = { messages, tools, options, signal };
  if (!emit || !stream) return model.generate(request);
  return readStream(run, iteration, stream.call(model, request), deadline);
}

/**
 * Reads a streamed answer to its end, and tells the listener of each piece.
 *
 * @returns the response, unread; undefined when nobody waits for it any more
 * @throws {Error} retryable: the stream ended before the answer was complete
 */
async function readStream(
  run: RunState,
  iteration: number,
  stream: AsyncIterable<ModelStreamEvent>,
  deadline: CallDeadline,
): Promise<unknown> {
  let finish: { readonly response: unknown } | undefined;
  try {
    for await (const event of stream) {
      // Leaving the loop closes the stream.
      if (deadline.isCancelled) return undefined;
      if (event.type === "finish") {
        finish = event;
        break;
      }
      run.emit?.({ type: "model_delta", iteration, delta: event });
      // A pause lets the answer come to its end; a reader who cannot keep up holds it.
      if (run.shouldPause && !run.control.lifecycle) await run.waitUntilResumed();
    }
  } catch (error) {
    // What a stream fails with after its answer takes nothing away from that.
    if (!finish) throw error;
  }
  if (finish) return finish.response;
  const error = new Error("the stream ended before the answer was complete");
  throw Object.assign(error, { retryable: true });
}

/**
 * Waits before another try.
 *
 * @param attempt how many tries there were
 * @param failure what the last one failed with
 * @throws the signal's reason, when the run is aborted
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

/** The provider's wish, or a random time below a limit that doubles with each try ("full jitter"). */
function retryDelay({ limits, config }: RunState, attempt: number, failure: AgentError): number {
  const { retryAfterMs: requestedMs } = failure;
  if (requestedMs !== undefined) return requestedMs;
  const { random = Math.random } = config;
  return Math.min(limits.retryDelayMs * 2 ** (attempt - 1), MAX_RETRY_DELAY_MS) * random();
}

function toModelError(cause: unknown, { isCancelled, timeoutMs }: CallDeadline): AgentError {
  if (AgentError.isAgentError(cause) && cause.is("model_error")) return cause;
  const { retryAfterMs: requestedMs } = isRecord(cause) ? cause : {};
  return AgentError.modelError(
    isCancelled ? `it took longer than ${timeoutMs} ms` : errorMessageOf(cause),
    defined({
      cause,
      retryable: isCancelled || isRetryable(cause),
      retryAfterMs: typeof requestedMs === "number" && requestedMs >= 0 ? requestedMs : undefined,
    }),
  );
}
