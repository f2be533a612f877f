/**
 * Connections that break.
 *
 * @module
 */

/** Wraps `fetch` so that the event stream that answers the first matching request breaks after its first progress. */
export function cutOnce(
  fetch: typeof globalThis.fetch,
  matches: (body: string) => boolean,
): CuttingFetch {
  let cuts = 0;
  const cutting: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (cuts > 0 || typeof init?.body !== "string" || !matches(init.body)) return response;
    if (response.body === null) return response;
    cuts++;
    return new Response(response.body.pipeThrough(cutAfterProgress()), response);
  };
  return { fetch: cutting, cuts: () => cuts };
}

/** What {@linkcode cutOnce} makes. */
export interface CuttingFetch {
  /** Makes requests. */
  readonly fetch: typeof fetch;
  /** How often a stream has been cut. */
  readonly cuts: () => number;
}

/** What comes first is let through; the next thing is lost, and the rest with it. */
function cutAfterProgress(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
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
