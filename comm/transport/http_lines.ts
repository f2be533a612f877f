/**
 * Reads the lines of HTTP bodies, with a limit on the size of a line.
 *
 * @module
 */

import { type CommError, messageTooLarge, receiveFailed } from "../shared/error.ts";
import { type Body, readChunks } from "../shared/read_body.ts";
import { LineSplitter } from "./line_splitter.ts";

/** Limits of {@linkcode readLines}. */
export interface LineLimits {
  /** Maximum size of a line, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of the body, in bytes. */
  readonly maxTotalBytes: number;
  /** Stops reading. */
  readonly signal: AbortSignal;
}

/**
 * Reads the lines of a body. Yields an error for each line that is larger than `maxBytes`. Throws
 * `receive_failed` if the body is larger than `maxTotalBytes`.
 */
export async function* readLines(
  body: Body | null,
  { maxBytes, maxTotalBytes, signal }: LineLimits,
): AsyncGenerator<Uint8Array | CommError> {
  const splitter = new LineSplitter(maxBytes);
  let bytes = 0;
  for await (const chunk of readChunks(body, signal)) {
    bytes += chunk.length;
    if (bytes > maxTotalBytes) {
      throw receiveFailed(`response is larger than ${maxTotalBytes} bytes`);
    }
    for (const line of splitter.push(chunk)) {
      yield line instanceof Uint8Array ? line : messageTooLarge(maxBytes, line.bytes);
    }
  }
  for (const line of splitter.end()) {
    yield line instanceof Uint8Array ? line : messageTooLarge(maxBytes, line.bytes);
  }
}
