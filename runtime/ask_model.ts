/**
 * One model call: streamed when somebody listens, repeated when the failure is a passing one, cut short on abort.
 *
 * @module
 */

import { AgentError, reasonOf } from "./error.ts";
import { isRecord } from "./json.ts";
import {
  type GenerationOptions,
  isRetryable,
  type LanguageModel,
  type ModelRequest,
  type ModelStreamEvent,
  type ToolDefinition,
} from "./model.ts";
import { type Answer, readAnswer } from "./read_answer.ts";
import type { RunScope } from "./run_scope.ts";
import { Cancellation, Interruption } from "./waits.ts";

/** What differs from call to call. */
export interface Question {
  /** The iteration. */
  readonly iteration: number;
  /** The tools the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** The settings. */
  readonly options: GenerationOptions;
}

/** The longest wait between two tries that is not the provider's own wish. */
const MAX_RETRY_DELAY_MS = 60_000;

/** A request whose signal is made when the model asks for it. */
class Request implements ModelRequest {
  readonly messages: ModelRequest["messages"];
  readonly tools: ModelRequest["tools"];
  readonly options: GenerationOptions;
  readonly #cancellation: Cancellation;

  constructor(
    messages: ModelRequest["messages"],
    { tools, options }: Question,
    cancellation: Cancellation,
  ) {
    this.messages = messages;
    this.tools = tools;
    this.options = options;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}

/**
 * Asks the run's model about the transcript.
 *
 * @throws {AgentError} code `model_error`: it failed, too often or for good
 * @throws {Interruption} the run was aborted
 */
export async function askModel(run: RunScope, question: Question): Promise<Answer> {
  for (let attempt = 0;; attempt++) {
    try {
      const answer = readAnswer(await tryOnce(run, question, attempt));
      run.config.healthProfile?.recordInference(answer.usage);
      return answer;
    } catch (error) {
      run.config.healthProfile?.recordInference();
      if (run.isAborted) throw new Interruption("aborted");
      run.config.healthProfile?.recordError();
      if (attempt >= run.limits.modelRetries || !mayRetry(error)) throw asModelError(run, error);
      await waitForRetry(run, question, attempt + 1, error);
    }
  }
}

function tryOnce(run: RunScope, question: Question, attempt: number): Promise<unknown> {
  const { model } = run.config;
  const { iteration } = question;
  if (run.sink !== undefined) {
    run.emit({ type: "model_started", iteration, ...describeModel(model), attempt });
  }
  const cancellation = new Cancellation(run.limits.modelTimeoutMs);
  const request = new Request(run.messages, question, cancellation);
  const work = run.sink !== undefined && model.stream !== undefined
    ? readStream(run, iteration, model.stream(request), cancellation)
    : model.generate(request);
  return run.waits.wait(Promise.resolve(work), cancellation);
}

async function readStream(
  run: RunScope,
  iteration: number,
  stream: AsyncIterable<ModelStreamEvent>,
  cancellation: Cancellation,
): Promise<unknown> {
  for await (const event of stream) {
    // Nobody waits for the rest any more; leaving the loop closes the stream.
    if (cancellation.isCancelled) throw new Interruption("aborted");
    if (event.type === "finish") return event.response;
    run.emit({ type: "model_delta", iteration, delta: event });
    await run.waitForReader();
  }
  throw AgentError.modelError("the stream ended before the answer was complete", {
    retryable: true,
  });
}

function mayRetry(error: unknown): boolean {
  return error instanceof Interruption || isRetryable(error);
}

async function waitForRetry(
  run: RunScope,
  { iteration }: Question,
  attempt: number,
  error: unknown,
): Promise<void> {
  const delayMs = retryDelay(run, attempt, error);
  if (run.sink !== undefined) {
    const reason = asModelError(run, error).message;
    run.emit({ type: "model_retry", iteration, attempt, delayMs, reason });
  }
  if (delayMs > 0) await run.waits.delay(delayMs);
}

/** The provider's wish, or a random time below a limit that doubles with each try ("full jitter"). */
function retryDelay(run: RunScope, attempt: number, error: unknown): number {
  const wish = isRecord(error) ? error.retryAfterMs : undefined;
  if (typeof wish === "number" && wish >= 0) return wish;
  const limit = Math.min(run.limits.retryDelayMs * 2 ** (attempt - 1), MAX_RETRY_DELAY_MS);
  return limit * (run.config.random ?? Math.random)();
}

function asModelError(run: RunScope, error: unknown): AgentError {
  if (AgentError.isAgentError(error) && error.code === "model_error") return error;
  const reason = error instanceof Interruption
    ? `it took longer than ${run.limits.modelTimeoutMs} ms`
    : reasonOf(error);
  return AgentError.modelError(reason, { cause: error, retryable: mayRetry(error) });
}

/** The model of a run, for events. */
export function describeModel(
  { modelId, provider }: LanguageModel,
): { modelId: string; provider?: string } {
  return provider === undefined ? { modelId } : { modelId, provider };
}
