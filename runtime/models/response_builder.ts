/**
 * Reading an answer, whole or piece by piece, into a draft that knows its interface.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { ModelDelta, ModelResponse } from "../shared/model.ts";
import { malformed, parseRecord, quote, type WireObject } from "./response_fields.ts";
import type { EndpointResponse } from "./send_request.ts";
import type { ServerSentEvent } from "./sse.ts";

/** An answer that is being put together. */
export interface ResponseBuilder {
  /** Whether the server has said that, or why, the answer ends. */
  readonly isFinished: boolean;
  /**
   * Takes a whole answer.
   *
   * @throws {AgentError} `model_error` if it is no answer
   */
  addWhole(body: WireObject): void;
  /**
   * Takes a piece of a streamed answer.
   *
   * @returns what is new in it, or `"end"` when nothing comes after it
   * @throws {AgentError} `model_error` if it is no piece of an answer, or reports an error
   */
  addEvent(event: ServerSentEvent): readonly ModelDelta[] | "end";
  /**
   * The answer as it is now.
   *
   * @throws {AgentError} `model_error` if there never was one
   */
  finish(): ModelResponse;
}

/** Reads a whole answer. */
export async function readResponse(
  response: EndpointResponse,
  builder: ResponseBuilder,
): Promise<ModelResponse> {
  builder.addWhole(parseRecord(await response.text(), "the body"));
  return builder.finish();
}

/**
 * Reads a streamed answer.
 *
 * @param answer what the server sends
 * @param draft where it is put together
 * @param signal the caller's signal
 * @returns the whole answer, after all pieces
 */
export async function* readStream(
  response: EndpointResponse,
  builder: ResponseBuilder,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelDelta, ModelResponse> {
  // Some servers and gateways do not stream although asked to.
  if (response.mediaType === "application/json") return await readResponse(response, builder);
  try {
    for await (const event of response.events()) {
      // Without data it only keeps the connection alive.
      if (event.data === "") continue;
      const deltas = builder.addEvent(event);
      if (deltas === "end") break;
      yield* deltas;
    }
  } catch (error) {
    // A connection that breaks, or stays open, after the last word has still said everything.
    const isOver = builder.isFinished && !AgentError.isAgentError(error) && !signal?.aborted;
    if (!isOver) throw error;
  }
  if (!builder.isFinished) throw cutOff(response.mediaType);
  return builder.finish();
}

/** The error for a stream that ends too early. Where it never was a stream of events, another try would not help. */
function cutOff(mediaType: string): AgentError {
  if (mediaType !== "text/event-stream") {
    return malformed(`its type is ${quote(mediaType)}, not "text/event-stream"`);
  }
  return AgentError.modelError("the stream ended before the answer did", { retryable: true });
}
