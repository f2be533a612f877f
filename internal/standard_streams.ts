/**
 * Standard streams of the current process on Deno, Node.js and Bun, without imports of runtime
 * modules.
 *
 * @module
 */

import { type ChunkReader, type ChunkSource, readChunks } from "./read_chunks.ts";
import { type TextSink, writeText } from "./write_text.ts";

/** The subset of `Deno` that this module uses. */
interface DenoStreams {
  readonly stdin: { read(into: Uint8Array): Promise<number | null>; close(): void };
  readonly stdout: {
    write(bytes: Uint8Array): Promise<number>;
    writeSync(bytes: Uint8Array): number;
  };
  exit(code: number): never;
}

/**
 * The subset of the Node.js `process` object that this module uses. Bun's `process` object has the
 * same members.
 */
interface NodeStreams {
  readonly stdin: ChunkSource & { destroy(): void };
  readonly stdout: TextSink & { on(event: "error", listener: () => void): unknown };
  exit(code: number): never;
}

/** Standard input of the process. */
export interface ProcessInput {
  /** Reads bytes until the input ends or is closed. */
  readonly read: ChunkReader;
  /** Stops reading. */
  readonly close: () => Promise<void>;
}

/**
 * Opens standard input.
 *
 * @throws {TypeError} If the runtime has no standard input, as in browsers.
 */
export function openInput(): ProcessInput {
  const { deno, node } = findRuntime();
  if (deno !== undefined) {
    return readDirectly(deno);
  }
  return { read: readChunks(node.stdin), close: () => Promise.resolve(node.stdin.destroy()) };
}

/**
 * Opens standard output. Returns a function that writes text. The returned function returns
 * `undefined` if the text was written synchronously, otherwise a promise that resolves when the
 * text is written.
 *
 * @throws {TypeError} If the runtime has no standard output, as in browsers.
 */
export function openOutput(): (text: string) => Promise<void> | undefined {
  const { deno, node } = findRuntime();
  if (deno !== undefined) return writeDirectly(deno);
  const { stdout } = node;
  // Without a listener, Node.js ends the process if the reader of the output disappears. The writes
  // report the error.
  stdout.on("error", () => {});
  return (text) => writeText(stdout, text);
}

/** Exits the process. */
export function exitProcess(code: number): void {
  const { deno, node } = findRuntime();
  (deno ?? node).exit(code);
}

/**
 * Maximum number of bytes that are written synchronously. Every operating system's pipes can buffer
 * at least this many bytes.
 */
const SHORT_BYTES = 4096;

/**
 * Writes short strings synchronously, as Node.js does for pipes, because an asynchronous write
 * takes as long as all other steps of handling a request combined. The synchronous write blocks
 * only if the client has left a full pipe buffer unread.
 */
function writeDirectly({ stdout }: DenoStreams): (text: string) => Promise<void> | undefined {
  const encoder = new TextEncoder();
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await stdout.write(rest));
  };
  return (text) => {
    const bytes = encoder.encode(text);
    const length = bytes.length <= SHORT_BYTES ? stdout.writeSync(bytes) : 0;
    return length === bytes.length ? undefined : writeAll(bytes.subarray(length));
  };
}

type Runtime =
  | { readonly deno: DenoStreams; readonly node?: undefined }
  | { readonly deno?: undefined; readonly node: NodeStreams };

function findRuntime(): Runtime {
  const runtime: { readonly Deno?: DenoStreams; readonly process?: NodeStreams } = globalThis;
  if (runtime.Deno !== undefined) return { deno: runtime.Deno };
  if (runtime.process?.stdin !== undefined) return { node: runtime.process };
  throw new TypeError("Cannot open standard streams: not available in this runtime");
}

/** Size of the read buffer, in bytes. */
const CHUNK_BYTES = 65_536;

/**
 * Reads without a `ReadableStream`, which would account for a third of the time that a short
 * message takes.
 */
function readDirectly({ stdin }: DenoStreams): ProcessInput {
  let isClosed = false;
  const read: ChunkReader = async (take) => {
    const buffer = new Uint8Array(CHUNK_BYTES);
    while (!isClosed) {
      const length = await stdin.read(buffer);
      if (length === null) return;
      const waited = take(buffer.subarray(0, length));
      if (waited !== undefined && !await waited) return;
    }
  };
  const close = (): Promise<void> => {
    if (!isClosed) stdin.close();
    isClosed = true;
    return Promise.resolve();
  };
  return { read, close };
}
