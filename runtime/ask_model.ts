/**
 * One model call: streamed when somebody listens, repeated when the failure is a passing one, cut short on abort.
 *
 * @module
 */

import { AgentError, reasonOf } from "./error.ts";
import { defined, isRecord } from "./json.ts";
import {
  type GenerationOptions,
  isRetryable,
  type ModelRequest,
  type ToolDefinition,
} from "./model.ts";
import { type Answer, readAnswer, readUsage } from "./read_answer.ts";
import type { RunScope } from "./run_scope.ts";
import { UNKNOWN_USAGE } from "./usage.ts";
import { Cancellation } from "./waits.ts";

/** What differs from call to call. */
export interface Question {
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
export async function askModel(run: RunScope, question: Question): Promise<Answer> {
  const { config: { estimateUsage, healthProfile }, limits, messages } = run;
  let answer: Answer;
  for (let attempt = 0;; attempt++) {
    const call = new Cancellation(limits.modelTimeoutMs);
    try {
      answer = readAnswer(await run.waits.wait(start(run, question, call, attempt), call));
      break;
    } catch (error) {
      healthProfile?.recordInference();
      if (run.isAborted) throw error;
      healthProfile?.recordError();
      const failure = toModelError(error, call);
      if (attempt >= limits.modelRetries || !failure.retryable) throw failure;
      const { waitForRetry } = await import("./model_retry.ts").catch(() => {
        // Where there is no network there may be nothing to load either: what the model failed with says more.
        throw failure;
      });
      await waitForRetry(run, question.iteration, attempt + 1, failure);
    }
  }
  if (estimateUsage && answer.usage === UNKNOWN_USAGE) {
    const usage = readUsage(estimateUsage(messages, answer.message));
    answer = { ...answer, usage: { ...usage, estimated: true } };
  }
  healthProfile?.recordInference(answer.usage);
  return answer;
}

/** Never throws: a model that does is one that failed. */
function start(
  run: RunScope,
  { iteration, tools, options }: Question,
  call: Cancellation,
  attempt: number,
): Promise<unknown> {
  const { config: { model }, emit, messages } = run;
  const { modelId, provider, stream } = model;
  emit?.(defined({ type: "model_started" as const, iteration, modelId, provider, attempt }));
  const { signal } = call;
  const request: ModelRequest = { messages, tools, options, signal };
  if (!emit || !stream) return model.generate(request);
  return import("./read_stream.ts").then(({ readStream }) =>
    readStream(run, iteration, stream.call(model, request), call)
  );
}

function toModelError(cause: unknown, { isCancelled, timeoutMs }: Cancellation): AgentError {
  if (AgentError.isAgentError(cause) && cause.is("model_error")) return cause;
  const { retryAfterMs: wish } = isRecord(cause) ? cause : {};
  return AgentError.modelError(
    isCancelled ? `it took longer than ${timeoutMs} ms` : reasonOf(cause),
    defined({
      cause,
      retryable: isCancelled || isRetryable(cause),
      retryAfterMs: typeof wish === "number" && wish >= 0 ? wish : undefined,
    }),
  );
}
