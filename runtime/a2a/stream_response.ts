/**
 * Responses that stream the updates of a task as server-sent events.
 *
 * @module
 */

import { sseResponse, toSseData } from "../shared/sse_response.ts";
import type { A2aService, Outcome } from "./service.ts";
import type { StreamResponse } from "./types.ts";

/** Updates, and how a binding writes them. */
interface StreamContent {
  readonly outcome: Extract<Outcome, { readonly updates: unknown }>;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the data of the event for an update. */
  readonly wrap: (update: StreamResponse) => object;
  /** Returns the data of the last event of a stream that fails. */
  readonly wrapError: (error: unknown) => object;
}

/**
 * Creates a response that streams updates. A client that disconnects does not affect the task
 * (section 3.5.2).
 */
export function streamResponse(service: A2aService, content: StreamContent): Response {
  const { keepAliveMs, report } = service;
  const { headers, outcome: { giveBack, updates }, wrap, wrapError } = content;
  const closed = new AbortController();
  async function* readChunks(): AsyncGenerator<object, void> {
    try {
      for await (const update of updates(closed.signal)) yield wrap(update);
    } catch (error) {
      if (!closed.signal.aborted) yield wrapError(error);
    } finally {
      giveBack();
    }
  }
  return sseResponse({
    chunks: readChunks(),
    encode: toSseData,
    headers,
    keepAliveMs,
    onDisconnect: () => {
      closed.abort();
      giveBack();
      return Promise.resolve();
    },
    onError: report,
  });
}
