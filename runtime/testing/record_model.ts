/**
 * A language model that records the responses of another model.
 *
 * @module
 */

import { assertCount, assertOptionalFunction } from "@parley/internal/assert-argument";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { isRetryable, retryDelayOf } from "../shared/model_failure.ts";
import { assertModel } from "../shared/option_checks.ts";
import { toStepValue } from "../shared/step_value.ts";

/** A recorded response. */
export interface RecordedResponse {
  /** The {@linkcode ModelResponse}, as JSON. Bytes have the form `{ "$bytes": "<base64>" }`. */
  readonly response: JsonValue;
}

/** A recorded failure of a model call. */
export interface RecordedFailure {
  /** The error properties that the loop uses. */
  readonly failure: {
    /** Reason for the failure. */
    readonly reason: string;
    /** Whether the loop retries the call. */
    readonly retryable: boolean;
    /** Retry delay requested by the provider, in milliseconds. */
    readonly retryAfterMs?: number;
  };
}

/** A recorded model call: JSON that {@linkcode scriptedModel} replays. */
export type RecordedTurn = RecordedResponse | RecordedFailure;

/** Options for {@linkcode recordModel}. */
export interface RecordModelOptions {
  /**
   * Called with each turn before it is stored. Returns the turn to store, for example with personal
   * data removed.
   */
  readonly redact?: (turn: RecordedTurn) => RecordedTurn;
  /**
   * Maximum number of model calls. Further calls reject.
   *
   * @default {1000}
   */
  readonly maxTurns?: number;
  /**
   * Maximum total length of the recorded turns as JSON, in characters. If a turn exceeds this
   * limit, the model call rejects.
   *
   * @default {67_108_864}
   */
  readonly maxChars?: number;
}

const readRecordModelOptions = optionsReader<RecordModelOptions>("options")({
  redact: assertOptionalFunction,
  maxTurns: withDefault(1000, assertCount),
  maxChars: withDefault(67_108_864, assertCount),
});

/** A model that records its responses. */
export interface RecordingModel extends LanguageModel {
  /** The turns of all finished model calls, in the order in which the calls started. */
  readonly turns: readonly RecordedTurn[];
}

/**
 * Returns a model that forwards calls to another model and records the responses and failures.
 * Record a real model once, store `turns` as JSON, and replay them with {@linkcode scriptedModel}
 * in tests. Requests are not recorded.
 *
 * @param model Model to record.
 * @param options Redaction and limits.
 * @throws {TypeError} If `model` is not a `LanguageModel` or `redact` is not a function.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Record a model and replay the recording
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { recordModel, scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const real = scriptedModel([{ text: "Hello" }]); // in practice, a model of a provider
 * const model = recordModel(real);
 * const recorded = new ToolLoopAgent({ name: "a", model });
 * await recorded.run("Hi");
 * const fixture = JSON.stringify(model.turns);
 *
 * const replayed = new ToolLoopAgent({ name: "a", model: scriptedModel(JSON.parse(fixture)) });
 * assertEquals((await replayed.run("Hi")).finalText, "Hello");
 * ```
 */
export function recordModel(
  model: LanguageModel,
  options: RecordModelOptions = {},
): RecordingModel {
  assertModel("model", model);
  const recording = new Recording(readRecordModelOptions(options));
  return {
    modelId: model.modelId,
    ...defined({ provider: model.provider, nativeOutput: model.nativeOutput }),
    get turns(): readonly RecordedTurn[] {
      return recording.turns;
    },
    async generate(request: ModelRequest): Promise<ModelResponse> {
      const record = recording.start();
      let response: ModelResponse;
      try {
        response = await model.generate(request);
      } catch (error) {
        record(toFailure(error));
        throw error;
      }
      record({ response: toStepValue(response) });
      return response;
    },
    ...model.stream === undefined ? {} : {
      stream: (request: ModelRequest) => recordStream(recording, model, request),
    },
  };
}

async function* recordStream(
  recording: Recording,
  model: LanguageModel,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent> {
  const record = recording.start();
  let turn: RecordedTurn = toFailure(new Error("the stream ended without a response"));
  try {
    for await (const event of model.stream?.(request) ?? []) {
      if (event.type === "finish") turn = { response: toStepValue(event.response) };
      yield event;
    }
  } catch (error) {
    turn = toFailure(error);
    throw error;
  } finally {
    record(turn);
  }
}

type Limits = Settings<RecordModelOptions, "maxTurns" | "maxChars">;

/**
 * The turns of a recording. The turns of concurrent calls are stored in the order in which the
 * calls started.
 */
class Recording {
  readonly #limits: Limits;
  readonly #turns: (RecordedTurn | undefined)[] = [];
  #chars = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get turns(): readonly RecordedTurn[] {
    return this.#turns.filter((turn) => turn !== undefined);
  }

  /**
   * Reserves the position of a call when the call starts. Returns a function that stores the turn
   * of the call.
   */
  start(): (turn: RecordedTurn) => void {
    const { redact, maxTurns, maxChars } = this.#limits;
    const index = this.#turns.length;
    if (index >= maxTurns) {
      throw AgentError.core(`Cannot record another model call: "maxTurns" is ${maxTurns}`);
    }
    this.#turns.push(undefined);
    return (turn) => {
      const stored = redact === undefined ? turn : redact(turn);
      const length = JSON.stringify(stored).length;
      if (this.#chars + length > maxChars) {
        throw AgentError.core(`Cannot record more than ${maxChars} characters`);
      }
      this.#chars += length;
      this.#turns[index] = stored;
    };
  }
}

function toFailure(error: unknown): RecordedFailure {
  const { details }: UnknownRecord = isRecord(error) ? error : {};
  // The message of a model error starts with a prefix that is added again when the recording is
  // replayed.
  const reason = isRecord(details) ? details.reason : undefined;
  return {
    failure: {
      reason: typeof reason === "string" ? reason : errorMessageOf(error),
      retryable: isRetryable(error),
      ...defined({ retryAfterMs: retryDelayOf(error) }),
    },
  };
}
