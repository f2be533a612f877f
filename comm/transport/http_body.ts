/**
 * Reads the bodies of HTTP requests and responses with a size limit, and splits them into lines.
 *
 * @module
 */

import { abortable } from "../shared/abortable.ts";
import { type CommError, messageTooLarge } from "../shared/error.ts";
import { LineSplitter } from "./line_splitter.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Reads a body. Returns `undefined` if the body is larger than the limit. Rejects with the signal's
 * reason if the signal aborts.
 */
export async function readBody(
  body: Body | null,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readChunks(body, signal)) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Reads the lines of a body. Yields an error for each line that is larger than the limit. */
export async function* readLines(
  body: Body | null,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array | CommError> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of readChunks(body, signal)) {
    for (const line of splitter.push(chunk)) {
      yield line instanceof Uint8Array ? line : messageTooLarge(maxBytes, line.bytes);
    }
  }
  for (const line of splitter.end()) {
    yield line instanceof Uint8Array ? line : messageTooLarge(maxBytes, line.bytes);
  }
}

/** Reads the chunks of a body. Cancels the body if the caller stops early or the signal aborts. */
async function* readChunks(body: Body | null, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
