/**
 * Reads complete and streamed responses with an API's response builder.
 *
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { AgentError } from "../shared/error.ts";
import type { AssistantMessage, FinishReason, ModelDelta, ModelResponse } from "../shared/model.ts";
import { malformed, parseRecords, quote, type WireObject } from "./response_fields.ts";
import type { EndpointResponse } from "./send_request.ts";

/** Data of the last event of a stream of OpenAI's APIs, which gateways send for other APIs too. */
export const END = "[DONE]";

/** Builds a response from a response body or from the events of a stream. */
export interface ResponseBuilder {
  /** Whether the finish reason or the end of the stream was received. */
  readonly isFinished: boolean;
  /**
   * Adds a complete response.
   *
   * @throws {AgentError} With code `model_error` if the response is malformed or reports an error.
   */
  addWhole(body: WireObject): void;
  /**
   * Adds an event from a streamed response.
   *
   * @returns The added deltas, or `"end"` after the last event.
   * @throws {AgentError} With code `model_error` if the event is malformed or reports an error.
   */
  addEvent(event: SseEvent): readonly ModelDelta[] | "end";
  /**
   * Returns a response with the data added so far.
   *
   * @throws {AgentError} With code `model_error` if no response data was added.
   */
  finish(): ModelResponse;
}

/** Adds warnings to a response. */
export function withWarnings(
  response: ModelResponse,
  warnings: readonly string[],
): ModelResponse {
  if (warnings.length === 0) return response;
  return { ...response, warnings: [...response.warnings ?? [], ...warnings] };
}

/**
 * Reads a complete response.
 *
 * @param response The server's response.
 * @param builder Response builder for the API.
 * @param signal The caller's signal.
 */
export async function readResponse(
  response: EndpointResponse,
  builder: ResponseBuilder,
  signal: AbortSignal | undefined,
): Promise<ModelResponse> {
  // Some servers and gateways stream every response.
  if (await response.format() !== "events") return await readWhole(response, builder);
  const events = readEvents(response, builder, signal);
  let item = await events.next();
  while (!item.done) item = await events.next();
  return item.value;
}

/**
 * Reads a streamed response. Yields the deltas and returns the complete response.
 *
 * @param response The server's response.
 * @param builder Response builder for the API.
 * @param signal The caller's signal.
 */
export async function* readStream(
  response: EndpointResponse,
  builder: ResponseBuilder,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelDelta, ModelResponse> {
  const format = await response.format();
  // Some servers and gateways do not support streaming and send a complete response.
  const isWhole = format === "json" ||
    (format === "unknown" && response.mediaType === "application/json");
  if (isWhole) return await readWhole(response, builder);
  return yield* readEvents(response, builder, signal);
}

async function readWhole(
  response: EndpointResponse,
  builder: ResponseBuilder,
): Promise<ModelResponse> {
  for (const body of parseRecords(await response.text(), "the body")) builder.addWhole(body);
  return finish(builder);
}

function finish(builder: ResponseBuilder): ModelResponse {
  const response = builder.finish();
  assertOutput(response, ({ type }) => type !== "reasoning");
  return response;
}

/** Finish reasons that do not explain an empty response. */
const UNEXPLAINED: ReadonlySet<FinishReason> = new Set(["error", "other", "tool-calls"]);

/**
 * Asserts that a response contains output, or has a finish reason that explains why it is empty.
 *
 * @param isOutput Returns true if a content part is output.
 * @throws {AgentError} With code `model_error` if the response is empty and the server does not
 * report a known reason. Such a response is retryable, because another attempt usually succeeds.
 */
export function assertOutput(
  { finishReason, message, rawFinishReason }: ModelResponse,
  isOutput: (part: AssistantMessage["content"][number]) => boolean,
): void {
  if (!UNEXPLAINED.has(finishReason) || message.content.some(isOutput)) return;
  const reason = rawFinishReason === undefined ? "no reason" : `reason ${quote(rawFinishReason)}`;
  throw AgentError.modelError(`the response is empty, and ended for ${reason}`, {
    retryable: true,
  });
}

/** Events without data, which some servers send to keep the connection open. */
const EMPTY_EVENTS: ReadonlySet<string> = new Set(["", "null", '""', "[]"]);

async function* readEvents(
  response: EndpointResponse,
  builder: ResponseBuilder,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelDelta, ModelResponse> {
  try {
    for await (const item of response.events()) {
      if (item.kind !== "event") continue;
      const data = item.data.trim();
      if (EMPTY_EVENTS.has(data)) continue;
      const deltas = builder.addEvent({ ...item, data: data === `"${END}"` ? END : data });
      if (deltas === "end") break;
      yield* deltas;
    }
  } catch (error) {
    // The response is complete even if the connection fails or times out after the finish reason
    // was received.
    const isOver = builder.isFinished && !AgentError.isAgentError(error) && !signal?.aborted;
    if (!isOver) throw error;
  }
  if (!builder.isFinished) throw cutOff(response.mediaType);
  return finish(builder);
}

/**
 * Creates the error for an incomplete stream, which is retryable only if the response was an event
 * stream.
 */
function cutOff(mediaType: string): AgentError {
  if (mediaType !== "text/event-stream") {
    return malformed(`expected content type "text/event-stream", got ${quote(mediaType)}`);
  }
  return AgentError.modelError("the stream ended before the response was complete", {
    retryable: true,
  });
}
