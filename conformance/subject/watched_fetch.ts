/**
 * Requests with `fetch` that a watcher observes.
 *
 * @module
 */

import type { HttpWatcher } from "./wire_watcher.ts";

/** A request whose headers and body can be copied for a watcher. */
export interface WatchedInit {
  /** HTTP method. */
  readonly method?: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request without following redirects.
 *
 * @param url URL of the server.
 * @param init The request.
 * @param watcher Receives a copy of the request and its response.
 */
export async function watchedFetch(
  url: string,
  init: WatchedInit,
  watcher: HttpWatcher | undefined,
): Promise<Response> {
  const { method = "GET", headers, body = "" } = init;
  const { pathname, search } = new URL(url);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const watch = watcher?.request({ method, path: `${pathname}${search}`, headers, body: bytes });
  const response = await fetch(url, { ...init, redirect: "manual" });
  watch?.head(response.status, Object.fromEntries(response.headers.entries()));
  if (response.body === null) watch?.end();
  if (watch === undefined || response.body === null) return response;
  const copy = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      watch.body(chunk);
      controller.enqueue(chunk);
    },
    flush: () => watch.end(),
  });
  const { status, headers: received } = response;
  // Without the signal, Deno forgets the abort of a piped body after a garbage collection.
  const copied = response.body.pipeThrough(copy, { signal: init.signal });
  return new Response(copied, { status, headers: received });
}
