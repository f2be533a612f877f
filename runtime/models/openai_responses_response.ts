/**
 * Converts complete and streamed responses from the OpenAI Responses API.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { defined, isRecord } from "@parley/internal/json";
import { AgentError } from "../shared/error.ts";
import type { FinishReason, ModelDelta, ModelResponse } from "../shared/model.ts";
import { bodyFailure, isFailure, readBodyFailure } from "./http_error.ts";
import { isForCaller } from "./openai_responses_items.ts";
import {
  isRefusal,
  isToolCall,
  type OutputOptions,
  type OutputPart,
  toParts,
} from "./openai_responses_output.ts";
import { OutputStream } from "./openai_responses_stream.ts";
import { joinUsage, toResponsesUsage } from "./openai_usage.ts";
import { END, type ResponseBuilder } from "./response_builder.ts";
import {
  malformed,
  parseRecord,
  quote,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

/** Statuses of a complete response. */
const COMPLETE: ReadonlySet<unknown> = new Set(["completed", "complete"]);

/** Statuses of a response that the server is still generating, for example in the background. */
const UNFINISHED: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** Events at the end of a stream, each with the status of its response. */
const END_STATUSES: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.cancelled", "cancelled"],
]);

/** Finish reasons of an incomplete response. */
const INCOMPLETE_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"],
]);

/** Builds a response from a response body or from the events of a stream. */
export class ResponsesResponseBuilder implements ResponseBuilder {
  readonly #options: OutputOptions;
  readonly #stream: OutputStream;
  #response: WireObject | undefined;
  #usage: WireObject = {};
  #isFinished = false;

  /** Creates an empty response. */
  constructor(options: OutputOptions) {
    this.#options = options;
    this.#stream = new OutputStream(options);
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  addWhole(body: WireObject): void {
    assertSuccess(body);
    if (!Array.isArray(body.output)) throw missingOutput(body);
    if (UNFINISHED.has(body.status)) {
      throw malformed(`the response is not complete (status "${String(body.status)}")`);
    }
    this.#addResponse(body);
    this.#isFinished = true;
  }

  addEvent({ type: label, data }: SseEvent): readonly ModelDelta[] | "end" {
    if (data === END) {
      // A server that omits the last event has sent the response if all its items are complete.
      this.#isFinished ||= this.#stream.isComplete;
      return "end";
    }
    const event = parseRecord(data, "event data");
    const type = readText(event.type) ?? label;
    const status = END_STATUSES.get(type);
    if (status !== undefined) return this.#end(readRecord(event.response), status);
    switch (type) {
      case "error":
        throw bodyFailure(event);
      case "response.failed":
        throw responseFailure(readRecord(event.response));
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.#addResponse(readRecord(event.response));
        return [];
      default:
        return type.startsWith("response.")
          ? this.#stream.add(type, event)
          : this.#addUnknown(event);
    }
  }

  finish(): ModelResponse {
    const response = this.#response ?? {};
    const { status } = response;
    const reason = readText(readRecord(response.incomplete_details).reason);
    const items = this.#items();
    const content = items.flatMap((item) => toParts(item, this.#options));
    const finishReason = toFinishReason(status, reason, items);
    const rawFinishReason = reason ?? (UNFINISHED.has(status) ? undefined : readText(status));
    if (isEmpty(content, items, finishReason)) throw emptyResponse(rawFinishReason);
    const waiting = items.filter(isForCaller).map(({ type }) => String(type));
    return {
      message: { role: "assistant", content },
      finishReason,
      ...defined({
        rawFinishReason,
        usage: toResponsesUsage(this.#usage),
        modelId: readText(response.model),
        responseId: readText(response.id),
      }),
      ...waiting.length === 0
        ? {}
        : { warnings: waiting.map((type) => `unsupported item, not executed: ${type}`) },
    };
  }

  #end(response: WireObject, status: string): "end" {
    assertSuccess(response);
    this.#addResponse({ ...response, status: readText(response.status) ?? status });
    this.#isFinished = true;
    return "end";
  }

  /** Adds the fields of a response. Later events may omit some of them. */
  #addResponse(response: WireObject): void {
    this.#usage = joinUsage(this.#usage, readRecord(response.usage));
    const fields = Object.entries(response).filter(([, value]) =>
      value !== null && value !== undefined
    );
    this.#response = { ...this.#response, ...Object.fromEntries(fields) };
  }

  /** Adds data that is not an event of this API: an error, or a complete response. */
  #addUnknown(event: WireObject): "end" | [] {
    assertSuccess(event);
    if (Array.isArray(event.choices)) throw missingOutput(event);
    if (!Array.isArray(event.output)) {
      const failure = event.type === undefined ? readBodyFailure(event) : undefined;
      if (failure !== undefined) throw failure;
      return [];
    }
    this.addWhole(event);
    return "end";
  }

  #items(): readonly WireObject[] {
    const { output, output_text } = this.#response ?? {};
    // A damaged item must not cost the others.
    const whole = Array.isArray(output) ? output.filter(isRecord) : [];
    const items = this.#stream.items(whole);
    const text = readText(output_text);
    return items.length === 0 && text !== undefined ? [{ type: "message", content: text }] : items;
  }
}

/** Throws if a response has failed. */
function assertSuccess(response: WireObject): void {
  const { error, status } = response;
  if (isFailure(error)) throw bodyFailure(response);
  if (status === "failed") throw responseFailure(response);
}

/** Creates the error for a body that contains no response. */
function missingOutput(body: WireObject): AgentError {
  if (Array.isArray(body.choices)) {
    return malformed(
      '"output" is missing: the endpoint sent a Chat Completions response; use openAiChat()',
    );
  }
  return readBodyFailure(body) ?? malformed('"output" must be an array');
}

/** Creates the error for a failed response. A failure without a reason is retryable. */
function responseFailure({ error }: WireObject): AgentError {
  return bodyFailure(error ?? { message: "the response failed", code: "server_error" });
}

/**
 * Returns true if a response contains nothing that its finish reason explains. Reasoning without
 * text is a valid response, for example after a tool call.
 */
function isEmpty(
  content: readonly OutputPart[],
  items: readonly WireObject[],
  finishReason: FinishReason,
): boolean {
  if (content.some(({ type }) => type !== "reasoning")) return false;
  if (finishReason === "stop") return items.length === 0;
  return finishReason === "other" || finishReason === "interrupted";
}

function emptyResponse(rawFinishReason: string | undefined): AgentError {
  const status = rawFinishReason === undefined ? "no status" : `status ${quote(rawFinishReason)}`;
  return AgentError.modelError(`the response is empty (${status})`, { retryable: true });
}

function toFinishReason(
  status: unknown,
  reason: string | undefined,
  items: readonly WireObject[],
): FinishReason {
  if (status === "cancelled") return "interrupted";
  if (status === "incomplete" || reason !== undefined) {
    return INCOMPLETE_REASONS.get(reason) ?? "other";
  }
  if (items.some(isToolCall)) return "tool-calls";
  if (items.some(isRefusal)) return "content-filter";
  return COMPLETE.has(status) ? "stop" : "other";
}
