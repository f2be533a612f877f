/**
 * Reads an endless event stream with a watcher, collects the garbage, aborts the request, and
 * prints whether the read ends.
 *
 *     deno run -A --v8-flags=--expose-gc conformance/testdata/abort_after_collection.ts
 *
 * @module
 */

import { listenHttp } from "../platform/http.ts";
import { exitNow } from "../platform/process.ts";
import { waitFor } from "../subject/wait_for.ts";
import { watchedFetch } from "../subject/watched_fetch.ts";

const WATCHER = { request: () => ({ head: () => {}, body: () => {}, end: () => {} }) };

const listener = await listenHttp((_, reply) => {
  reply.head(200, { "content-type": "text/event-stream" });
  reply.write(": first\n\n");
  return Promise.resolve();
});
const controller = new AbortController();

/** Reads the stream. The signal and the first response are garbage after the first chunk. */
async function read(firstChunk: () => void): Promise<void> {
  const signal = AbortSignal.any([controller.signal, new AbortController().signal]);
  const url = `http://127.0.0.1:${listener.port}/`;
  const response = await watchedFetch(url, { headers: {}, signal }, WATCHER);
  const reader = response.body?.getReader();
  await reader?.read();
  firstChunk();
  await reader?.read();
}

const { promise: started, resolve } = Promise.withResolvers<void>();
const ended = read(resolve).then(() => "ended", () => "aborted");
await started;
// V8 adds the function if its flag is set.
const { gc } = globalThis as { readonly gc?: () => void };
for (let round = 0; round < 5; round++) {
  gc?.();
  // A collected object is finalized in a later task.
  await new Promise((next) => setTimeout(next, 20));
}
controller.abort();
const outcome = await waitFor(ended, 5000);
console.log(gc === undefined ? "no collection" : typeof outcome === "string" ? outcome : "hangs");
exitNow(0);
