/**
 * A pipe over this process's own standard streams, or over injected lines.
 *
 * @module
 */

import { splitLines } from "../shared/split_lines.ts";
import { openInput, openOutput } from "../shared/standard_streams.ts";
import { LinePipe, type LineWriter, readLines } from "./ndjson_pipe.ts";
import type { StdioLineReader, StdioLineWriter } from "../jsonrpc/contracts.ts";

/** Where lines come from and go to. */
export interface StdioTransportOptions {
  /** Where lines come from. Default: standard input. */
  readonly reader?: StdioLineReader;
  /** Where lines go. Default: standard output. */
  readonly writer?: StdioLineWriter;
  /** How long a line may be, in bytes. Longer ones are skipped. Default 10 MiB. */
  readonly maxLineBytes?: number;
  /** How much may wait until the other side reads, in characters; more is refused with `core`. Default 128 Mi. */
  readonly maxBufferedChars?: number;
}

/**
 * Opens the pipe.
 *
 * @throws {TypeError} when standard streams are wanted and this runtime has none
 */
export function openStdioPipe(options: StdioTransportOptions = {}): LinePipe {
  const { reader, writer = standardWriter(), maxLineBytes, maxBufferedChars } = options;
  const cap = maxLineBytes === undefined ? {} : { maxBytes: maxLineBytes };
  const limits = maxBufferedChars === undefined ? {} : { maxBufferedChars };
  if (reader !== undefined) return new LinePipe(readLines(reader, cap), writer, limits);
  const { read, close } = openInput();
  return new LinePipe(splitLines(read, cap), writer, { ...limits, close });
}

function standardWriter(): LineWriter {
  const write = openOutput();
  return { writeLine: (line) => write(`${line}\n`) };
}
