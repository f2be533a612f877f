/**
 * Interrupts event streams.
 *
 * @module
 */

/**
 * Wraps `fetch` to interrupt the event stream of the first matching request after its first
 * progress notification.
 */
export function breakOnce(
  fetch: typeof globalThis.fetch,
  matches: (body: string) => boolean,
): BreakingFetch {
  let breaks = 0;
  const breaking: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (breaks > 0 || typeof init?.body !== "string" || !matches(init.body)) return response;
    if (response.body === null) return response;
    breaks++;
    return new Response(response.body.pipeThrough(breakAfterProgress()), response);
  };
  return { fetch: breaking, breaks: () => breaks };
}

/** Result of {@linkcode breakOnce}. */
export interface BreakingFetch {
  /** The wrapped `fetch`. */
  readonly fetch: typeof fetch;
  /** Returns the number of interrupted streams. */
  readonly breaks: () => number;
}

/**
 * Forwards chunks up to the first progress notification, then drops the next chunk and errors the
 * stream.
 */
function breakAfterProgress(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let text = "";
  return new TransformStream({
    transform(chunk, controller) {
      if (/notifications\/progress[^]*\n\n/.test(text)) {
        return controller.error(new TypeError("The connection was interrupted"));
      }
      text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
  });
}
