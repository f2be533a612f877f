/**
 * Connections that break.
 *
 * @module
 */

/** Wraps `fetch` so that the event stream that answers the first matching request breaks after its first progress. */
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

/** What {@linkcode breakOnce} makes. */
export interface BreakingFetch {
  /** Makes requests. */
  readonly fetch: typeof fetch;
  /** How often a stream has been cut. */
  readonly breaks: () => number;
}

/** What comes first is let through; the next thing is lost, and the rest with it. */
function breakAfterProgress(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let text = "";
  return new TransformStream({
    transform(chunk, controller) {
      if (/notifications\/progress[^]*\n\n/.test(text)) {
        return controller.error(new TypeError("The connection has been cut"));
      }
      text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
  });
}
