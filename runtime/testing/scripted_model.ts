/**
 * A language model that returns scripted responses and records the requests.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { AgentError } from "../shared/error.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  FinishReason,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
  ToolCall,
  ToolDefinition,
} from "../shared/model.ts";
import { fromStepValue } from "../shared/step_value.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { RecordedTurn } from "./record_model.ts";

/** A tool call in a scripted response. */
export interface ScriptedCall {
  /** Name of the tool. */
  readonly toolName: string;
  /** Input of the tool call. Defaults to an empty object. */
  readonly input?: unknown;
  /** Input text that is not valid JSON, used in place of `input`. */
  readonly rawInput?: string;
  /** Id of the tool call. Defaults to `call_<turn>_<position>`. */
  readonly toolCallId?: string;
}

/** A scripted response. */
export interface ScriptedAnswer {
  /** Text at the start of the content. */
  readonly text?: string;
  /** Tool calls that follow the text. */
  readonly calls?: readonly ScriptedCall[];
  /** The complete content, used instead of `text` and `calls`. */
  readonly content?: AssistantMessage["content"];
  /**
   * Finish reason. Defaults to `"tool-calls"` if the response contains tool calls, otherwise to
   * `"stop"`.
   */
  readonly finishReason?: FinishReason;
  /**
   * Token usage. Defaults to one input token and one output token. If `null`, the response reports
   * no usage.
   */
  readonly usage?: TokenUsage | null;
}

/** A model call that fails. */
export interface ScriptedFailure {
  /** Value that the call rejects with. */
  readonly error: unknown;
}

/**
 * A turn in a script: a response, a failure, a turn recorded with `recordModel`, or a function,
 * possibly asynchronous, that returns a response or a failure. Any other value that the function
 * returns is used unchanged as the model's response.
 */
export type ScriptedTurn =
  | ScriptedAnswer
  | ScriptedFailure
  | RecordedTurn
  | ((request: ModelRequest) => unknown);

/** A recorded request. */
export interface RecordedRequest {
  /** Copy of the request's message array. */
  readonly messages: readonly ModelMessage[];
  /** Tools in the request. */
  readonly tools: readonly ToolDefinition[];
  /** Settings in the request. */
  readonly options: GenerationOptions;
}

/** A scripted model. */
export interface ScriptedModel extends LanguageModel {
  /** Requests received so far. */
  readonly requests: readonly RecordedRequest[];
  /** Number of unused turns in the script. */
  readonly remaining: number;
  /**
   * Asserts that model calls have used all turns in the script.
   *
   * @throws {AgentError} With code `model_error` if the script has unused turns.
   */
  assertComplete(): void;
}

const ONE_TOKEN_EACH: TokenUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/**
 * Creates a model that returns scripted responses, one turn per call. The scripted model supports
 * streaming. A model call rejects if the script has no turns left.
 *
 * @param turns Turns in the script, in order.
 * @param modelId Id of the model.
 * @throws {TypeError} If `turns` is not an array.
 *
 * @example Use a scripted model in a run
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Good morning" }]);
 * const output = await runToolLoop({ model, registry: new ToolRegistry() }, "Hello");
 * assertEquals(output.finalText, "Good morning");
 * assertEquals(model.requests[0]?.messages.length, 1);
 * model.assertComplete();
 * ```
 */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  modelId = "scripted",
): ScriptedModel {
  if (!Array.isArray(turns)) rejectArgument("turns", "an array of turns", turns);
  const requests: RecordedRequest[] = [];

  async function generate(request: ModelRequest): Promise<ModelResponse> {
    const { messages, tools, options } = request;
    const index = requests.length;
    requests.push({ messages: [...messages], tools, options });
    const turn = turns[index];
    if (turn === undefined) {
      throw AgentError.modelError(
        `no turn for model call ${index + 1}; turns in the script: ${turns.length}`,
      );
    }
    return await play(turn, request, index);
  }

  return {
    modelId,
    requests,
    get remaining(): number {
      return Math.max(turns.length - requests.length, 0);
    },
    assertComplete(): void {
      const left = turns.length - requests.length;
      if (left > 0) throw AgentError.modelError(`unused turns in the script: ${left}`);
    },
    generate,
    async *stream(request): AsyncGenerator<ModelStreamEvent> {
      const response = await generate(request);
      yield* deltasOf(response);
      yield { type: "finish", response };
    },
  };
}

async function play(
  turn: ScriptedTurn,
  request: ModelRequest,
  index: number,
): Promise<ModelResponse> {
  const made: unknown = typeof turn === "function" ? await turn(request) : turn;
  if (isFailure(made)) throw made.error;
  if (isRecorded(made)) return playRecorded(made);
  // Values that are not turns are returned unchanged, so tests can check how the loop handles
  // malformed responses.
  return isAnswer(made) ? toResponse(made, index) : made as ModelResponse;
}

function isFailure(value: unknown): value is ScriptedFailure {
  return typeof value === "object" && value !== null && "error" in value;
}

function isRecorded(value: unknown): value is RecordedTurn {
  return typeof value === "object" && value !== null && ("response" in value || "failure" in value);
}

function playRecorded(turn: RecordedTurn): ModelResponse {
  // The loop validates every response, so a damaged recording is reported as a malformed response.
  if ("response" in turn) return fromStepValue(turn.response) as ModelResponse;
  const { reason, ...options } = turn.failure;
  throw AgentError.modelError(reason, options);
}

function isAnswer(value: unknown): value is ScriptedAnswer {
  return typeof value === "object" && value !== null && !("message" in value);
}

function toResponse(answer: ScriptedAnswer, index: number): ModelResponse {
  const { calls = [], text, usage = ONE_TOKEN_EACH } = answer;
  const content: AssistantMessage["content"] = answer.content ?? [
    ...text === undefined ? [] : [{ type: "text", text } as const],
    ...calls.map((call, position) => toToolCall(call, `call_${index}_${position}`)),
  ];
  const hasCalls = content.some((part) => part.type === "tool-call");
  return {
    message: { role: "assistant", content },
    finishReason: answer.finishReason ?? (hasCalls ? "tool-calls" : "stop"),
    ...usage === null ? {} : { usage },
  };
}

function toToolCall(call: ScriptedCall, defaultId: string): ToolCall {
  const { toolName, input = {}, rawInput, toolCallId = defaultId } = call;
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input,
    ...defined({ rawInput }),
  };
}

function* deltasOf({ message }: ModelResponse): Generator<ModelStreamEvent> {
  for (const part of message.content) {
    if (part.type === "text") {
      for (const delta of part.text.match(/\S+\s*|\s+/g) ?? []) yield { type: "text-delta", delta };
    } else if (part.type === "reasoning") {
      yield { type: "reasoning-delta", delta: part.text };
    } else if (part.type === "tool-call") {
      const { toolCallId, toolName, input, rawInput } = part;
      const delta = rawInput ?? JSON.stringify(input) ?? "";
      yield { type: "tool-input-delta", toolCallId, toolName, delta };
    }
  }
}
