/**
 * Reads a streamed answer to its end, and tells the listener of each piece. Loaded when somebody listens to a model that
 * streams.
 *
 * @module
 */

import type { ModelStreamEvent } from "./model.ts";
import type { RunScope } from "./run_scope.ts";
import type { Cancellation } from "./waits.ts";

/**
 * Reads the stream.
 *
 * @returns the response, unread; undefined when nobody waits for it any more
 * @throws {Error} retryable: the stream ended before the answer was complete
 */
export async function readStream(
  run: RunScope,
  iteration: number,
  stream: AsyncIterable<ModelStreamEvent>,
  cancellation: Cancellation,
): Promise<unknown> {
  let answer: { readonly response: unknown } | undefined;
  try {
    for await (const event of stream) {
      // Leaving the loop closes the stream.
      if (cancellation.isCancelled) return undefined;
      if (event.type === "finish") {
        answer = event;
        break;
      }
      run.emit?.({ type: "model_delta", iteration, delta: event });
      // A pause lets the answer come to its end; a reader who cannot keep up holds it.
      if (run.mustWait && !run.control.lifecycle) await run.rest();
    }
  } catch (error) {
    // What a stream fails with after its answer takes nothing away from that.
    if (!answer) throw error;
  }
  if (answer) return answer.response;
  const error = new Error("the stream ended before the answer was complete");
  throw Object.assign(error, { retryable: true });
}
