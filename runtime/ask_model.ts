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
  type LanguageModel,
  type ModelRequest,
  type ToolDefinition,
} from "./model.ts";
import { type Answer, readAnswer, readUsage } from "./read_answer.ts";
import type { RunScope } from "./run_scope.ts";
import { UNKNOWN_USAGE } from "./usage.ts";
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
  const { estimateUsage, healthProfile } = run.config;
  let answer: Answer;
  for (let attempt = 0;; attempt++) {
    try {
      answer = readAnswer(await tryOnce(run, question, attempt));
      break;
    } catch (error) {
      healthProfile?.recordInference();
      if (run.isAborted) throw new Interruption("aborted");
      healthProfile?.recordError();
      const failure = toModelError(run, error);
      if (attempt >= run.limits.modelRetries || !failure.retryable) throw failure;
      const { waitForRetry } = await import("./model_retry.ts");
      await waitForRetry(run, question.iteration, attempt + 1, failure);
    }
  }
  if (estimateUsage !== undefined && answer.usage === UNKNOWN_USAGE) {
    const usage = readUsage(estimateUsage(run.messages, answer.message));
    answer = { ...answer, usage: { ...usage, estimated: true } };
  }
  healthProfile?.recordInference(answer.usage);
  return answer;
}

function tryOnce(run: RunScope, question: Question, attempt: number): Promise<unknown> {
  const { model } = run.config;
  const { iteration } = question;
  run.emit?.({ type: "model_started", iteration, ...describeModel(model), attempt });
  const cancellation = new Cancellation(run.limits.modelTimeoutMs);
  const request = new Request(run.messages, question, cancellation);
  const work = run.emit !== undefined && model.stream !== undefined
    ? readStream(run, iteration, model.stream(request), cancellation)
    : model.generate(request);
  return run.waits.wait(Promise.resolve(work), cancellation);
}

async function readStream(
  ...args: Parameters<typeof import("./read_stream.ts").readStream>
): Promise<unknown> {
  const { readStream } = await import("./read_stream.ts");
  return await readStream(...args);
}

function toModelError({ limits }: RunScope, cause: unknown): AgentError {
  if (AgentError.isAgentError(cause) && cause.code === "model_error") return cause;
  const isLate = cause instanceof Interruption;
  const reason = isLate ? `it took longer than ${limits.modelTimeoutMs} ms` : reasonOf(cause);
  const retryable = isLate || isRetryable(cause);
  const { retryAfterMs: wish } = isRecord(cause) ? cause : {};
  const retryAfterMs = typeof wish === "number" && wish >= 0 ? wish : undefined;
  return AgentError.modelError(reason, defined({ cause, retryable, retryAfterMs }));
}

/** The model of a run, for events. */
export function describeModel(
  { modelId, provider }: LanguageModel,
): { modelId: string; provider?: string } {
  return defined({ modelId, provider });
}
