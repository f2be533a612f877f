/**
 * A pipe over the standard streams of the current process, or over a custom reader and writer.
 *
 * @module
 */

import { splitLines } from "../shared/split_lines.ts";
import { openInput, openOutput } from "../shared/standard_streams.ts";
import { LinePipe, type LineWriter, readLines } from "./ndjson_pipe.ts";
import type { StdioLineReader, StdioLineWriter } from "../jsonrpc/contracts.ts";

/** Options for a {@linkcode StdioTransport}. */
export interface StdioTransportOptions {
  /** Source of lines; by default, standard input. */
  readonly reader?: StdioLineReader;
  /** Destination for lines; by default, standard output. */
  readonly writer?: StdioLineWriter;
  /**
   * Maximum length of a received line, in bytes. Lines longer than `maxLineBytes` are skipped.
   *
   * @default {10_485_760}
   */
  readonly maxLineBytes?: number;
  /**
   * Maximum number of characters to buffer while the peer is not reading. Calls beyond `maxBufferedChars` reject with
   * code `core`.
   *
   * @default {134_217_728}
   */
  readonly maxBufferedChars?: number;
  /**
   * Maximum number of consecutive lines that are not JSON-RPC messages. Beyond `maxJunkLines`, the connection ends with
   * code `transport_error`. If omitted, `StdioTransport` allows 1000 lines that are not messages, and `serveStdio`
   * allows any number.
   */
  readonly maxJunkLines?: number;
}

/**
 * Opens a pipe over the standard streams, or over a custom reader and writer.
 *
 * @throws {TypeError} If standard streams are required but the runtime has none.
 */
export function openStdioPipe(options: StdioTransportOptions = {}): LinePipe {
  const { reader, writer = standardWriter(), maxLineBytes, maxBufferedChars, maxJunkLines } =
    options;
  const cap = maxLineBytes === undefined ? {} : { maxBytes: maxLineBytes };
  const limits = {
    ...(maxBufferedChars === undefined ? {} : { maxBufferedChars }),
    ...(maxJunkLines === undefined ? {} : { maxJunkLines }),
  };
  if (reader !== undefined) return new LinePipe(readLines(reader, cap), writer, limits);
  const { read, close } = openInput();
  return new LinePipe(splitLines(read, cap), writer, { ...limits, close });
}

function standardWriter(): LineWriter {
  const write = openOutput();
  return { writeLine: (line) => write(`${line}\n`) };
}
