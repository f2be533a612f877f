/**
 * Reads the bodies of HTTP requests and responses with a size limit and an abort signal.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { concatBytes } from "./concat_bytes.ts";

/** Body of a `Request` or `Response`. */
export type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Options for {@linkcode readBody}. */
export interface ReadBodyOptions {
  /** Maximum size of the body, in bytes. */
  readonly maxBytes: number;
  /** Stops reading. */
  readonly signal: AbortSignal;
  /** Called with the size of each chunk, in bytes. */
  readonly onChunk?: (bytes: number) => void;
}

/**
 * Reads a body. Returns `undefined` if the body is larger than `maxBytes`. Ignores the
 * `content-length` header, which is untrusted. Rejects with the signal's reason if the signal
 * aborts.
 */
export async function readBody(
  body: Body | null,
  { maxBytes, signal, onChunk }: ReadBodyOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readChunks(body, signal)) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
    onChunk?.(chunk.length);
  }
  return concatBytes(chunks);
}

/** Reads the chunks of a body. Cancels the body if the caller stops early or the signal aborts. */
export async function* readChunks(
  body: Body | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let isDone = false;
  try {
    for (;;) {
      const result = await abortable(reader.read(), signal);
      isDone = result.done;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    // A failure to cancel is ignored: the body is no longer needed, and the connection is closed
    // anyway.
    if (!isDone) reader.cancel().catch(() => {});
  }
}
