/**
 * A pipe over the standard streams of the current process, or over a custom reader and writer.
 *
 * @module
 */

import { withMethods } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { MAX_LINE_BYTES, splitLines } from "@parley/internal/split-lines";
import { openInput, openOutput } from "@parley/internal/standard-streams";
import { LinePipe, type LineWriter, MAX_BUFFERED_CHARS, readLines } from "./ndjson_pipe.ts";
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
   * Maximum number of characters to buffer while the peer is not reading. Calls beyond
   * `maxBufferedChars` reject with code `core`.
   *
   * @default {134_217_728}
   */
  readonly maxBufferedChars?: number;
  /**
   * Maximum number of consecutive lines that are not JSON-RPC messages. Beyond `maxJunkLines`, the
   * connection ends with code `transport_error`. If omitted, `StdioTransport` allows 1000 lines
   * that are not messages, and `serveStdio` allows any number.
   */
  readonly maxJunkLines?: number;
}

/** Options for a pipe over standard streams that have a default. */
type StdioDefault = "maxLineBytes" | "maxBufferedChars";

/** Options for a pipe over standard streams after reading. */
export type StdioSettings = Settings<StdioTransportOptions, StdioDefault>;

/**
 * Returns the rules for the options of a pipe over standard streams. `check` is the check of each
 * limit.
 */
export function stdioRules(check: OptionCheck):
  & { readonly [Name in StdioDefault]: DefaultRule<number> }
  & { readonly [Name in Exclude<keyof StdioTransportOptions, StdioDefault>]: OptionCheck } {
  return {
    reader: withMethods("a LineReader", ["readLine"]),
    writer: withMethods("a LineWriter", ["writeLine"]),
    maxLineBytes: withDefault(MAX_LINE_BYTES, check),
    maxBufferedChars: withDefault(MAX_BUFFERED_CHARS, check),
    maxJunkLines: check,
  };
}

/**
 * Opens a pipe over the standard streams, or over a custom reader and writer.
 *
 * @throws {TypeError} If standard streams are required but the runtime has none.
 */
export function openStdioPipe(settings: StdioSettings): LinePipe {
  const { reader, writer = standardWriter(), maxBufferedChars, maxJunkLines } = settings;
  const cap = { maxBytes: settings.maxLineBytes };
  const limits = { maxBufferedChars, ...(maxJunkLines === undefined ? {} : { maxJunkLines }) };
  if (reader !== undefined) return new LinePipe(readLines(reader, cap), writer, limits);
  const { read, close } = openInput();
  return new LinePipe(splitLines(read, cap), writer, { ...limits, close });
}

function standardWriter(): LineWriter {
  const write = openOutput();
  return { writeLine: (line) => write(`${line}\n`) };
}
