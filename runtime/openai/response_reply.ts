/**
 * Replies to the requests for responses: as one body, or as a stream.
 *
 * @module
 */

import { sseResponse } from "../shared/sse_response.ts";
import {
  type ApiErrorBody,
  clientClosed,
  runCancelled,
  runFailed,
  toApiError,
} from "./api_error.ts";
import { type EndpointRequest, type EndpointSettings, takePlace } from "./endpoint.ts";
import type { ResponseEvent } from "./response_encoder.ts";
import { formatResponse } from "./response_object.ts";
import type { OpenedResponse } from "./response_runs.ts";
import { whileConnected } from "./while_connected.ts";

/** A response to send. */
export interface ReplyTarget {
  /** Opens the response. Called after the request has a place. */
  readonly open: () => Promise<OpenedResponse>;
  /** Number of the last event that the client has received. */
  readonly after?: number;
  /** Whether the run continues if the client disconnects. */
  readonly isDetached: boolean;
}

/** Sends a response as one body: immediately, if it continues in the background. */
export async function sendResponse(
  { caller, request }: EndpointRequest,
  settings: EndpointSettings,
  { isDetached, open }: ReplyTarget,
): Promise<Response> {
  if (isDetached) {
    const { head } = await open();
    return Response.json(formatResponse(head, { status: "in_progress", output: [] }));
  }
  const leave = takePlace(settings, caller);
  try {
    const opened = await open();
    const reading = new AbortController();
    const cancel = (): void => {
      reading.abort(new DOMException("The client disconnected", "AbortError"));
      opened.run.cancel().catch(settings.errors.report);
    };
    const state = await whileConnected(request, opened.encode(reading.signal).read(), cancel)
      .catch(async (error) => {
        if (reading.signal.aborted) throw clientClosed();
        await opened.giveUp();
        throw error;
      });
    if (state.status === "cancelled") throw runCancelled();
    if (state.error !== undefined) throw runFailed(state.error.message);
    return Response.json(formatResponse(opened.head, state));
  } finally {
    leave();
  }
}

/** Sends a response as a stream of events. */
export async function streamResponse(
  { caller }: EndpointRequest,
  settings: EndpointSettings,
  { after, isDetached, open }: ReplyTarget,
): Promise<Response> {
  const leave = takePlace(settings, caller);
  try {
    const opened = await open();
    const reading = new AbortController();
    return sseResponse<StreamEvent>({
      chunks: readEvents(opened, settings, { after, leave, signal: reading.signal }),
      encode: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      keepAliveMs: settings.keepAliveMs,
      onError: settings.errors.report,
      onDisconnect: async () => {
        leave();
        reading.abort(new DOMException("The client disconnected", "AbortError"));
        if (!isDetached) await opened.run.cancel();
      },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

type StreamEvent =
  | ResponseEvent
  | {
    readonly type: "error";
    readonly sequence_number: number;
  } & Pick<ApiErrorBody, "code" | "message" | "param">;

/** Yields the events of a response. An error is the last event, because the status was sent. */
async function* readEvents(
  opened: OpenedResponse,
  settings: EndpointSettings,
  { after, leave, signal }: {
    readonly after: number | undefined;
    readonly leave: () => void;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<StreamEvent, void> {
  let number = after ?? -1;
  try {
    for await (const event of opened.encode(signal).events(after)) {
      number = event.sequence_number;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    await opened.giveUp();
    const { code, message, param } = toApiError(error, settings.errors).body;
    yield { type: "error", code, message, param, sequence_number: number + 1 };
  } finally {
    leave();
  }
}
