/**
 * The final answer of a run with an `output` schema: how the loop requests it, validates it and
 * chooses its next step.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { isJsonValue } from "../shared/json.ts";
import { copyJson } from "@parley/internal/json";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  LanguageModel,
  MessageInput,
  ToolCall,
  ToolDefinition,
  ToolResult,
  UserMessage,
} from "../shared/model.ts";
import { formatIssues, toInputCheck, toInputJsonSchema } from "@parley/internal/schema";
import type {
  JsonSchema,
  SchemaCheck,
  SchemaCheckResult,
  SchemaIssue,
  SchemaValidator,
} from "../shared/schema.ts";
import type { TypedOutput } from "../shared/output.ts";
import type { Schema } from "../shared/typed_schema.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { toUserMessage } from "./conversation.ts";
import { CallDeadline, type DeadlineScheduler } from "./deadlines.ts";
import { textOf } from "./response.ts";
import { errorResult, invalidInputText, toolResult, withRemedy } from "./tool_result.ts";

/** A compiled `output` schema. */
export interface AnswerSchema {
  /** JSON Schema that the model receives. */
  readonly jsonSchema: JsonSchema;
  /** Validates a final answer. */
  readonly check: SchemaCheck;
}

/**
 * Compiles the `output` schema of a run or an agent.
 *
 * @throws {TypeError} If the schema is invalid or unsupported, or does not describe an object.
 */
export function compileAnswerSchema(
  output: Schema,
  validator: SchemaValidator,
): AnswerSchema {
  return {
    jsonSchema: toInputJsonSchema(output, "output"),
    check: toInputCheck(output, validator, "output"),
  };
}

/**
 * Next step of the loop after a final answer:
 *
 * - `"accept"` ends the run with the value.
 * - `"retry"` calls the model again.
 * - `"reject"` ends the run, because the model has used all retries.
 * - `"abort"` ends the run, because the run was aborted during the validation.
 */
export type AnswerDecision = "accept" | "retry" | "reject" | "abort";

/** Tools and settings for a model call. */
export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly options: GenerationOptions;
  /**
   * Whether the loop has set the tool choice, so that `prepareIteration` cannot change the tool
   * choice.
   */
  readonly isForced: boolean;
}

const TOOL_NAME = "final_answer";
/** Names that {@linkcode freeName} returns. */
const ANSWER_NAME = /^final_answer(_[1-9][0-9]*)?$/;
/** Tool result of an accepted final answer. */
const ACCEPTED = "Accepted";
const NOT_JSON = "not valid JSON";

/** Options for {@linkcode FinalAnswer}. */
export interface FinalAnswerOptions {
  readonly schema: AnswerSchema;
  readonly mode: "auto" | "native" | "tool";
  /** Maximum number of times that the model is called again after an invalid final answer. */
  readonly retries: number;
  /** Timeout for an asynchronous validation, in milliseconds. 0 disables the timeout. */
  readonly timeoutMs: number;
  readonly registry: Pick<ToolRegistry, "names">;
  readonly deadlines: DeadlineScheduler;
  /** Called with an exception thrown by the schema. */
  readonly report: (error: unknown) => void;
}

/** State of the final answer in one run. */
export class FinalAnswer {
  readonly #options: FinalAnswerOptions;
  #retriesLeft: number;
  /** Definition of the tool whose input is the final answer. */
  #tool: ToolDefinition;
  /** Tools of the registry from which `#offered` was created. */
  #listed: readonly ToolDefinition[] | undefined;
  #offered: readonly ToolDefinition[] = [];
  /** Whether the last request asked for JSON text. */
  #isNative = false;
  /**
   * Whether the next response must contain a call to the final-answer tool, if the request includes
   * that tool.
   */
  #mustCall = false;
  #correction: UserMessage | undefined;
  #accepted: { readonly value: unknown; readonly text: string } | undefined;
  #issues: readonly SchemaIssue[] | undefined;

  constructor(options: FinalAnswerOptions) {
    this.#options = options;
    this.#retriesLeft = options.retries;
    this.#tool = answerTool(TOOL_NAME, options.schema);
  }

  /** Name of the final-answer tool. `undefined` if the last request asked for JSON text. */
  get toolName(): string | undefined {
    return this.#isNative ? undefined : this.#tool.name;
  }

  /** JSON text of the accepted final answer. */
  get text(): string | undefined {
    return this.#accepted?.text;
  }

  /** The accepted value, or the issues found in the last rejected final answer. */
  get outcome(): { readonly value?: unknown; readonly outputIssues?: readonly SchemaIssue[] } {
    if (this.#accepted) return { value: this.#accepted.value };
    return this.#issues === undefined ? {} : { outputIssues: this.#issues };
  }

  /** Method that the last request used to ask for the final answer. */
  get mode(): "native" | "tool" {
    return this.#isNative ? "native" : "tool";
  }

  /** Restores the method of asking for the final answer that a recorded request used. */
  restoreMode(mode: "native" | "tool"): void {
    this.#isNative = mode === "native";
    this.#renameTool();
  }

  /**
   * Returns the tools and settings for the next model call.
   *
   * @param model Model that is called.
   * @param tools Tools that the model may call.
   * @param isFinal Whether this is the last model call, in which the model can only give its final
   * answer.
   */
  toOffer(
    model: Pick<LanguageModel, "nativeOutput">,
    tools: readonly ToolDefinition[],
    options: GenerationOptions,
    isFinal: boolean,
  ): Offer {
    this.#isNative = this.#canAnswerInText(model, tools);
    if (this.#isNative) {
      const { jsonSchema: schema } = this.#options.schema;
      const asked = {
        ...options,
        responseFormat: { type: "json", schema, name: TOOL_NAME },
      } as const;
      return isFinal
        ? { tools: [], options: { ...asked, toolChoice: "none" }, isForced: true }
        : { tools, options: asked, isForced: false };
    }
    const offered = this.#withTool(tools);
    const mustCall = isFinal || this.#mustCall;
    if (!mustCall) return { tools: offered, options, isForced: false };
    const { name: toolName } = this.#tool;
    return {
      tools: isFinal ? [this.#tool] : offered,
      options: { ...options, toolChoice: { toolName } },
      isForced: true,
    };
  }

  /**
   * Returns the user message that explains an invalid final answer, and clears the stored message
   * so that it is sent only once.
   */
  takeCorrection(): UserMessage | undefined {
    const correction = this.#correction;
    this.#correction = undefined;
    this.#mustCall = correction !== undefined;
    return correction;
  }

  /** Whether a tool call is a call to the final-answer tool. */
  isAnswerCall({ toolName }: Pick<ToolCall, "toolName">): boolean {
    return toolName === this.toolName;
  }

  /**
   * Whether a response with these tool calls is a final answer: it contains no calls, or only one
   * call to the final-answer tool.
   */
  isAnswer(calls: readonly ToolCall[]): boolean {
    const [first, ...others] = calls;
    return first === undefined || others.length === 0 && this.isAnswerCall(first);
  }

  /**
   * Validates a final answer and chooses the next step.
   *
   * @param call The call to the final-answer tool. If omitted, the text of the message is the final
   * answer.
   */
  async decide(message: AssistantMessage, call: ToolCall | undefined): Promise<AnswerDecision> {
    const answer = call === undefined ? readText(textOf(message)) : readInput(call);
    const verdict = answer === undefined ? failure(NOT_JSON) : await this.#check(answer.json);
    if (this.#options.deadlines.isAborted) return "abort";
    if (verdict.ok) {
      this.#accepted = { value: verdict.value, text: JSON.stringify(answer?.json) };
      return "accept";
    }
    this.#issues = verdict.issues;
    if (verdict.error !== undefined) {
      const text = `Cannot validate the final answer: ${errorMessageOf(verdict.error)}`;
      this.#options.report(AgentError.core(text, { cause: verdict.error }));
    }
    if (this.#retriesLeft === 0) return "reject";
    this.#retriesLeft--;
    if (call === undefined) this.#prepareCorrection(verdict.issues);
    return "retry";
  }

  /** Returns the tool result for the call to the final-answer tool. */
  toResult(call: ToolCall, decision: AnswerDecision, abortText: string): ToolResult {
    if (decision === "accept") return toolResult(call, { type: "text", value: ACCEPTED }, 0);
    if (decision === "abort") {
      return errorResult(call, "not_started", `Not executed: the run ${abortText}`);
    }
    const fact = call.rawInput === undefined ? formatIssues(this.#issues ?? []) : NOT_JSON;
    return errorResult(call, "invalid_input", withRemedy(invalidInputText(call, fact)));
  }

  /**
   * Whether the final answer is requested as JSON text, which requires that the model supports JSON
   * output in a request with these tools.
   */
  #canAnswerInText(
    { nativeOutput }: Pick<LanguageModel, "nativeOutput">,
    tools: readonly ToolDefinition[],
  ): boolean {
    const { mode } = this.#options;
    if (mode !== "auto") return mode === "native";
    return nativeOutput === "with-tools" || nativeOutput === "without-tools" && tools.length === 0;
  }

  /**
   * Adds the final-answer tool to a list of tools. Returns the same array until the tools change,
   * because model adapters cache the converted array.
   */
  #withTool(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    if (this.#listed === tools) return this.#offered;
    this.#renameTool();
    this.#listed = tools;
    this.#offered = Object.freeze([...tools, this.#tool]);
    return this.#offered;
  }

  /**
   * Chooses a different name for the final-answer tool if a registered tool already has that name.
   */
  #renameTool(): void {
    const name = freeName(new Set(this.#options.registry.names()));
    if (name !== this.#tool.name) this.#tool = answerTool(name, this.#options.schema);
  }

  #check(json: unknown): SchemaCheckResult | Promise<SchemaCheckResult> {
    // Validates a copy, because the schema or the caller may modify the value, and the original is
    // part of the transcript.
    const { deadlines, schema, timeoutMs } = this.#options;
    const verdict = schema.check(copyJson(json));
    if (!(verdict instanceof Promise)) return verdict;
    // The validation promise never rejects. The wait for validation rejects on timeout or if the
    // run is aborted.
    return deadlines.wait(verdict, new CallDeadline(timeoutMs)).catch(() =>
      failure(`the validation timed out after ${timeoutMs} ms`)
    );
  }

  #prepareCorrection(issues: readonly SchemaIssue[]): void {
    const remedy = this.#isNative
      ? "Respond only with JSON that matches the schema."
      : `Call the tool "${this.#tool.name}" with your final answer.`;
    const text = `Your final answer is not valid: ${
      formatIssues(issues).replace(/\.$/, "")
    }. ${remedy}`;
    const providerOptions = { parley: { origin: "loop" } };
    this.#correction = Object.freeze({ ...toUserMessage(text), providerOptions });
  }
}

/**
 * Returns the validated final answer of a run.
 *
 * @typeParam Value Type of the final answer.
 * @param output Output of a run with an `output` schema.
 * @throws {AgentError} With code `output_invalid` if the run ended without a valid final answer, or
 * waits for an approval. The error contains the output as `partialOutput`. The output of a waiting
 * run lists the approvals in `pending`.
 *
 * @example Get the validated final answer or an error
 * ```ts
 * import { jsonSchema, requireValue, runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const output = await runToolLoop({
 *   model: scriptedModel([{ calls: [{ toolName: "final_answer", input: { total: 12 } }] }]),
 *   registry: new ToolRegistry(),
 *   output: jsonSchema<{ total: number }>({
 *     type: "object",
 *     properties: { total: { type: "number" } },
 *     required: ["total"],
 *   }),
 * }, "How much is it?");
 * const { total } = requireValue(output);
 * assertEquals(total, 12);
 * ```
 */
export function requireValue<Value>(output: TypedOutput<Value>): Value {
  const { value, stopReason, outputIssues = [] } = output;
  if (value !== undefined) return value;
  throw AgentError.outputInvalid(stopReason, outputIssues, { partialOutput: output });
}

/**
 * Asserts that a conversation to continue without a new turn does not end with an accepted final
 * answer. Such a conversation is finished, although its last message is a tool message.
 *
 * @throws {TypeError} If the last message is the tool result of an accepted final answer.
 */
export function assertNotAnswered(
  messages: readonly MessageInput[] | undefined,
  registry: Pick<ToolRegistry, "names">,
): void {
  const last = messages?.at(-1);
  if (last?.role !== "tool" || last.content.length !== 1) return;
  const isAnswered = last.content.some(({ isError, output, toolName }) =>
    isError !== true && output.type === "text" && output.value === ACCEPTED &&
    ANSWER_NAME.test(toolName) && !registry.names().includes(toolName)
  );
  if (!isAnswered) return;
  throw new TypeError(
    '"userMessage" must be set if "messages" ends with an accepted final answer, got undefined',
  );
}

function answerTool(name: string, { jsonSchema }: AnswerSchema): ToolDefinition {
  const description =
    "Gives your final answer and ends the task. Call this tool alone, after the results of all other " +
    "tool calls.";
  return Object.freeze({ name, description, inputSchema: jsonSchema });
}

/**
 * Returns the first name among `final_answer`, `final_answer_1`, `final_answer_2` and so on that is
 * not the name of a tool.
 */
function freeName(taken: ReadonlySet<string>): string {
  let name = TOOL_NAME;
  for (let suffix = 1; taken.has(name); suffix++) name = `${TOOL_NAME}_${suffix}`;
  return name;
}

function failure(message: string): SchemaCheckResult & { readonly ok: false } {
  return { ok: false, issues: [{ path: "", message }] };
}

function readInput({ input, rawInput }: ToolCall): { readonly json: unknown } | undefined {
  return rawInput === undefined ? { json: input } : undefined;
}

/**
 * Reads JSON text, which may be enclosed in a Markdown code block, because many models add a code
 * block.
 */
function readText(text: string): { readonly json: unknown } | undefined {
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith("```") && trimmed.endsWith("```");
  try {
    const json: unknown = JSON.parse(
      isFenced ? trimmed.slice(trimmed.indexOf("\n") + 1, -"```".length) : trimmed,
    );
    return isJsonValue(json) ? { json } : undefined;
  } catch {
    // The error is not reported here, because the caller tells the model that the text is not valid
    // JSON.
    return undefined;
  }
}
