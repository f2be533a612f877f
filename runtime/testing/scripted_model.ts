/**
 * A language model that answers from a script and remembers what it was asked.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type {
  AssistantMessage,
  FinishReason,
  GenerationOptions,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
  ToolCall,
  ToolDefinition,
} from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** A tool call of a scripted answer. */
export interface ScriptedCall {
  /** The tool. */
  readonly toolName: string;
  /** The input. Default: `{}`. */
  readonly input?: unknown;
  /** Text that is no JSON, in place of the input. */
  readonly rawInput?: string;
  /** The id. Default: `call_<turn>_<position>`. */
  readonly toolCallId?: string;
}

/** What the model answers. */
export interface ScriptedAnswer {
  /** Text, put first. */
  readonly text?: string;
  /** Tool calls, put after the text. */
  readonly calls?: readonly ScriptedCall[];
  /** The whole content, in place of text and calls. */
  readonly content?: AssistantMessage["content"];
  /** Why it ends. Default: `tool-calls` if there are calls, else `stop`. */
  readonly finishReason?: FinishReason;
  /** What it costs. Default: one token in, one out; `null` leaves it out. */
  readonly usage?: TokenUsage | null;
}

/** A model call that fails. */
export interface ScriptedFailure {
  /** What it rejects with. */
  readonly error: unknown;
}

/**
 * One turn: an answer, a failure, or a function that makes one of them when the turn comes, and may wait, look at the
 * request, or answer anything at all.
 */
export type ScriptedTurn =
  | ScriptedAnswer
  | ScriptedFailure
  | ((request: ModelRequest) => unknown);

/** A request as it was when it came. */
export interface RecordedRequest {
  /** The conversation; a copy of the list. */
  readonly messages: readonly ModelMessage[];
  /** The tools. */
  readonly tools: readonly ToolDefinition[];
  /** The settings. */
  readonly options: GenerationOptions;
}

/** A model with a script. */
export interface ScriptedModel extends LanguageModel {
  /** The requests so far. */
  readonly requests: readonly RecordedRequest[];
  /** How many turns are left. */
  readonly remaining: number;
  /**
   * Checks that the script was used up.
   *
   * @throws {AgentError} code `model_error`: turns are left
   */
  assertComplete(): void;
}

const ONE_TOKEN_EACH: TokenUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/**
 * Makes a model that answers from a script, one turn for each call. A call beyond the script fails.
 *
 * @param turns the turns, in order
 * @param modelId the model's id
 * @returns the model; it streams, too
 *
 * @example Script, run, check
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
  const requests: RecordedRequest[] = [];

  async function generate(request: ModelRequest): Promise<ModelResponse> {
    const { messages, tools, options } = request;
    const index = requests.length;
    requests.push({ messages: [...messages], tools, options });
    const turn = turns[index];
    if (turn === undefined) {
      throw AgentError.modelError(
        `the script has ${turns.length} turns, this is call ${index + 1}`,
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
      if (left > 0) throw AgentError.modelError(`the script has ${left} turns left`);
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
  // What is no scripted answer is passed on as it is: tests want to know what the loop makes of rubbish.
  return isAnswer(made) ? toResponse(made, index) : made as ModelResponse;
}

function isFailure(value: unknown): value is ScriptedFailure {
  return typeof value === "object" && value !== null && "error" in value;
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
    ...rawInput === undefined ? {} : { rawInput },
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
