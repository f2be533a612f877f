/**
 * Reads the lines of HTTP bodies, with a limit on the size of a line.
 *
 * @module
 */

import { type CommError, messageTooLarge } from "../shared/error.ts";
import { type Body, readChunks } from "../shared/read_body.ts";
import { LineSplitter } from "./line_splitter.ts";

/** Reads the lines of a body. Yields an error for each line that is larger than `maxBytes`. */
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
