/**
 * OpenTelemetry spans of runs, after the semantic conventions for generative AI.
 *
 * Give `telemetry(...)` to a run or an agent as `emit`. Nothing is measured without it, and no OpenTelemetry package is
 * needed here: the caller's own objects are passed in.
 *
 * - `invoke_agent {agent}` around a run, below the span that is active when it starts; a sub-agent's below its parent's
 * - `chat {model}` around a model call with all its retries
 * - `execute_tool {tool}` around a tool's execution
 *
 * The conventions are still in development, so their names may change with a minor version of this package. They are those
 * of 2026-11, and all in this file.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @module
 */

import type { LoopEvent, LoopEventSink } from "../loop/events.ts";
import { AgentError, reasonOf } from "../shared/error.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** Attributes of a span. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** The part of OpenTelemetry's `Span` that is used here. */
export interface TelemetrySpan {
  /**
   * Adds attributes.
   *
   * @param attributes the attributes
   */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /**
   * Says whether the work failed.
   *
   * @param status 2 is an error
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/**
 * What the spans are made with: a tracer, and `trace` and `context` of `@opentelemetry/api`.
 *
 * @typeParam Context OpenTelemetry's `Context`
 * @typeParam Span OpenTelemetry's `Span`
 */
export interface TelemetryOptions<Context, Span extends TelemetrySpan> {
  /** For example `trace.getTracer("my-app")`. */
  readonly tracer: {
    /**
     * Starts a span.
     *
     * @param name its name
     * @param options its kind and first attributes
     * @param context where it belongs
     */
    startSpan(
      name: string,
      options: { kind: number; attributes: TelemetryAttributes },
      context: Context,
    ): Span;
  };
  /** `trace` of `@opentelemetry/api`. */
  readonly trace: {
    /** Makes a context for the spans below a span. */
    readonly setSpan: (context: Context, span: Span) => Context;
  };
  /** `context` of `@opentelemetry/api`. */
  readonly context: {
    /** The context of the code that runs now. */
    active(): Context;
  };
  /** Attributes for every span, for example `gen_ai.conversation.id`. Default: none. */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record what is said: messages, tool inputs and tool results. It is likely to be personal or secret.
   * Default: false.
   */
  readonly captureContent?: boolean;
  /** How long one recorded content may be, in UTF-16 code units; the rest is cut off. Default: 65536. */
  readonly maxContentLength?: number;
}

/** OpenTelemetry's `SpanKind` and `SpanStatusCode`, as far as they are needed. */
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** The conventions want a provider, whatever it is. */
const UNKNOWN_PROVIDER = "unknown";

/**
 * Makes a listener that turns what happens in runs into spans. One listener serves any number of runs and agents.
 *
 * @typeParam Context OpenTelemetry's `Context`
 * @typeParam Span OpenTelemetry's `Span`
 * @param options the tracer and what to record
 * @returns a listener for `emit`
 * @throws {RangeError} if `maxContentLength` is no positive integer
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 *
 * @example Names of spans
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { telemetry } from "@parley/runtime/telemetry";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // In real life: import { context, trace } from "@opentelemetry/api"; const tracer = trace.getTracer("my-app");
 * const names: string[] = [];
 * const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
 * const tracer = {
 *   startSpan: (name: string) => {
 *     names.push(name);
 *     return span;
 *   },
 * };
 * const trace = { setSpan: () => ({}) };
 * const context = { active: () => ({}) };
 *
 * await runToolLoop({
 *   model: scriptedModel([{ text: "Hello" }], "small"),
 *   registry: new ToolRegistry(),
 *   agentName: "greeter",
 *   emit: telemetry({ tracer, trace, context }),
 * }, "Hi");
 * assertEquals(names, ["invoke_agent greeter", "chat small"]);
 * ```
 */
export function telemetry<Context, Span extends TelemetrySpan>(
  options: TelemetryOptions<Context, Span>,
): LoopEventSink {
  const { maxContentLength = 65_536 } = options;
  if (!Number.isSafeInteger(maxContentLength) || maxContentLength < 1) {
    throw new RangeError(
      `Cannot use maxContentLength ${maxContentLength}: it is no positive integer`,
    );
  }
  const runs = new Map<string, RunSpans<Context, Span>>();
  return (event) => {
    const { runId } = event;
    if (event.type === "run_started") {
      runs.set(runId, new RunSpans(options, event, findParent(runs, runId)));
      return;
    }
    runs.get(runId)?.take(event);
    if (event.type === "run_finished" || event.type === "run_failed") runs.delete(runId);
  };
}

/** The context of the run that a sub-agent's belongs to: its run id begins with its parent's. */
function findParent<Context, Span extends TelemetrySpan>(
  runs: ReadonlyMap<string, RunSpans<Context, Span>>,
  runId: string,
): Context | undefined {
  let parentId = "";
  for (const id of runs.keys()) {
    if (id.length > parentId.length && runId.startsWith(`${id}/`)) parentId = id;
  }
  return runs.get(parentId)?.contextFor(runId.slice(parentId.length));
}

type EventOf<Type extends LoopEvent["type"]> = Extract<LoopEvent, { type: Type }>;

interface Chat<Span> {
  readonly span: Span;
  readonly startedAt: number;
  hasBegun: boolean;
}

/** The open spans of one run. */
class RunSpans<Context, Span extends TelemetrySpan> {
  readonly #options: TelemetryOptions<Context, Span>;
  readonly #context: Context;
  readonly #run: Span;
  readonly #tools = new Map<string, Span>();
  #chat: Chat<Span> | undefined;
  #callIds: readonly string[] = [];

  constructor(
    options: TelemetryOptions<Context, Span>,
    event: EventOf<"run_started">,
    parent: Context = options.context.active(),
  ) {
    const { runId, agentName, agentDid, modelId, provider = UNKNOWN_PROVIDER } = event;
    this.#options = options;
    this.#run = this.#start("invoke_agent", agentName, INTERNAL, {
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": modelId,
      "gen_ai.agent.name": agentName,
      ...agentDid === undefined ? {} : { "gen_ai.agent.id": agentDid },
      "parley.run.id": runId,
    }, parent);
    this.#context = options.trace.setSpan(parent, this.#run);
  }

  /**
   * Where a sub-agent's run belongs: below the tool that started it.
   *
   * @param path what its run id adds to this one's
   */
  contextFor(path: string): Context {
    const position = /^\/i\d+\/tool\/(\d+)\//.exec(path)?.[1];
    const span = this.#tools.get(this.#callIds[Number(position)] ?? "");
    return span === undefined ? this.#context : this.#options.trace.setSpan(this.#context, span);
  }

  take(event: LoopEvent): void {
    switch (event.type) {
      case "model_started":
        return this.#startChat(event);
      case "model_delta":
        return this.#noteFirstChunk();
      case "model_finished":
        return this.#finishChat(event);
      case "tool_started":
        return this.#startTool(event);
      case "tool_finished":
        return this.#finishTool(event.toolResult);
      case "run_finished":
        return this.#finish(event);
      case "run_failed":
        return this.#fail(event.error);
      default:
    }
  }

  /** A repeated call is part of the first one. */
  #startChat({ modelId, provider = UNKNOWN_PROVIDER }: EventOf<"model_started">): void {
    if (this.#chat !== undefined) return;
    const span = this.#start("chat", modelId, CLIENT, {
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": modelId,
    }, this.#context);
    this.#chat = { span, startedAt: performance.now(), hasBegun: false };
  }

  #noteFirstChunk(): void {
    const chat = this.#chat;
    if (chat === undefined || chat.hasBegun) return;
    chat.hasBegun = true;
    chat.span.setAttributes({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": (performance.now() - chat.startedAt) / 1000,
    });
  }

  #finishChat(event: EventOf<"model_finished">): void {
    const { message, finishReason, usage, modelId, responseId } = event;
    this.#callIds = message.content.flatMap((part) =>
      part.type === "tool-call" ? [part.toolCallId] : []
    );
    this.#chat?.span.setAttributes({
      "gen_ai.response.finish_reasons": [finishReason],
      ...modelId === undefined ? {} : { "gen_ai.response.model": modelId },
      ...responseId === undefined ? {} : { "gen_ai.response.id": responseId },
      ...usageAttributes(usage),
      ...this.#content("gen_ai.output.messages", () => [
        { ...describeMessage(message), finish_reason: finishReason },
      ]),
    });
    this.#chat?.span.end();
    this.#chat = undefined;
  }

  #startTool({ toolCall }: EventOf<"tool_started">): void {
    const { toolName, toolCallId, input } = toolCall;
    const span = this.#start("execute_tool", toolName, INTERNAL, {
      "gen_ai.tool.name": toolName,
      "gen_ai.tool.call.id": toolCallId,
      "gen_ai.tool.type": "function",
      ...this.#content("gen_ai.tool.call.arguments", () => input),
    }, this.#context);
    this.#tools.set(toolCallId, span);
  }

  #finishTool(result: ToolResult): void {
    const span = this.#tools.get(result.toolCallId);
    if (span === undefined) return;
    this.#tools.delete(result.toolCallId);
    span.setAttributes(this.#content("gen_ai.tool.call.result", () => describeResult(result)));
    if (result.isError) setFailed(span, result.code ?? "tool_error");
    span.end();
  }

  #finish({ stopReason, output }: EventOf<"run_finished">): void {
    // A tool that waits for approval has not failed: it runs again when the run is resumed.
    this.#endOpen(stopReason === "approval_pending" ? undefined : stopReason);
    this.#run.setAttributes({
      "parley.run.stop_reason": stopReason,
      ...usageAttributes(output.totalUsage),
      ...this.#content("gen_ai.input.messages", () => inputOf(output).map(describeMessage)),
      ...this.#content("gen_ai.output.messages", () => outputOf(output).map(describeMessage)),
    });
    this.#run.end();
  }

  #fail(error: unknown): void {
    const type = errorTypeOf(error);
    this.#endOpen(type, reasonOf(error));
    setFailed(this.#run, type, reasonOf(error));
    this.#run.end();
  }

  /** What the end of the run leaves open did not come to its own end. */
  #endOpen(type?: string, reason?: string): void {
    const open = [...this.#tools.values(), ...this.#chat === undefined ? [] : [this.#chat.span]];
    for (const span of open) {
      if (type !== undefined) setFailed(span, type, reason);
      span.end();
    }
    this.#tools.clear();
    this.#chat = undefined;
  }

  #start(
    operation: string,
    target: string,
    kind: number,
    attributes: TelemetryAttributes,
    context: Context,
  ): Span {
    const all = {
      ...this.#options.attributes,
      "gen_ai.operation.name": operation,
      ...attributes,
    };
    return this.#options.tracer.startSpan(
      `${operation} ${target}`,
      { kind, attributes: all },
      context,
    );
  }

  /** One attribute with content as JSON text, if content is wanted. */
  #content(name: string, describe: () => unknown): TelemetryAttributes {
    const { captureContent = false, maxContentLength = 65_536 } = this.#options;
    return captureContent ? { [name]: toText(describe()).slice(0, maxContentLength) } : {};
  }
}

function setFailed(span: TelemetrySpan, type: string, message?: string): void {
  span.setAttributes({ "error.type": type });
  span.setStatus({ code: ERROR, ...message === undefined ? {} : { message } });
}

function errorTypeOf(error: unknown): string {
  if (AgentError.isAgentError(error)) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

function usageAttributes(usage: TokenUsage): TelemetryAttributes {
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    ...cachedInputTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_read.input_tokens": cachedInputTokens },
    ...cacheWriteTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_write.input_tokens": cacheWriteTokens },
    ...reasoningTokens === undefined
      ? {}
      : { "gen_ai.usage.reasoning.output_tokens": reasoningTokens },
  };
}

/** What the run began with. */
function inputOf({ messages, iterations }: ToolLoopOutput): readonly ModelMessage[] {
  const first = iterations[0];
  const end = first === undefined ? -1 : messages.indexOf(first.assistantMessage);
  return end === -1 ? messages : messages.slice(0, end);
}

/** What the run came to. */
function outputOf({ iterations }: ToolLoopOutput): readonly AssistantMessage[] {
  return iterations.slice(-1).map(({ assistantMessage }) => assistantMessage);
}

function describeMessage({ role, content }: ModelMessage): { role: string; parts: unknown[] } {
  if (typeof content === "string") return { role, parts: [{ type: "text", content }] };
  const parts: readonly (TextPart | ReasoningPart | FilePart | ToolCall | ToolResult)[] = content;
  return { role, parts: parts.map(describePart) };
}

function describePart(part: TextPart | ReasoningPart | FilePart | ToolCall | ToolResult): unknown {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text };
    case "file":
      // Bytes have no place in a trace.
      return { type: "omitted_file", mime_type: part.mediaType };
    case "tool-call": {
      const { toolCallId, toolName, rawInput, input } = part;
      return { type: "tool_call", id: toolCallId, name: toolName, arguments: rawInput ?? input };
    }
    case "tool-result":
      return {
        type: "tool_call_response",
        id: part.toolCallId,
        response: describeResult(part),
      };
    default:
      return part satisfies never;
  }
}

function describeResult({ output }: ToolResult): unknown {
  if (output.type === "execution-denied") return output.reason ?? "";
  return output.type === "content" ? output.value.map(describePart) : output.value;
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    // The input of a call may be anything, and a trace must not end the run.
    return `not recorded: ${reasonOf(error)}`;
  }
}
