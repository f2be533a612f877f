/**
 * The standard streams of the process that this code runs in, on Deno, Node and Bun, without importing their modules.
 *
 * @module
 */

import { type ChunkReader, type ChunkSource, readChunks } from "./read_chunks.ts";
import { type TextSink, writeText } from "./write_text.ts";

/** The part of Deno that is used here. */
interface DenoStreams {
  readonly stdin: { read(into: Uint8Array): Promise<number | null>; close(): void };
  readonly stdout: {
    write(bytes: Uint8Array): Promise<number>;
    writeSync(bytes: Uint8Array): number;
  };
  exit(code: number): never;
}

/** The part of Node's `process` that is used here; Bun has it too. */
interface NodeStreams {
  readonly stdin: ChunkSource & { destroy(): void };
  readonly stdout: TextSink;
  exit(code: number): never;
}

/** What comes in over standard input. */
export interface ProcessInput {
  /** Gives the bytes, until the input ends or is closed. */
  readonly read: ChunkReader;
  /** Stops reading. */
  readonly close: () => Promise<void>;
}

/**
 * Opens standard input.
 *
 * @throws {TypeError} when this runtime has none, such as a browser
 */
export function openInput(): ProcessInput {
  const { deno, node } = findRuntime();
  if (deno !== undefined) {
    return readDirectly(deno);
  }
  return { read: readChunks(node.stdin), close: () => Promise.resolve(node.stdin.destroy()) };
}

/**
 * Opens standard output: the function that is returned writes a text. It returns nothing when the text is handed over at
 * once, and otherwise a promise that resolves when it is.
 *
 * @throws {TypeError} when this runtime has none, such as a browser
 */
export function openOutput(): (text: string) => Promise<void> | undefined {
  const { deno, node } = findRuntime();
  if (deno !== undefined) return writeDirectly(deno);
  const { stdout } = node;
  return (text) => writeText(stdout, text);
}

/** Ends the process. */
export function exitProcess(code: number): void {
  const { deno, node } = findRuntime();
  (deno ?? node).exit(code);
}

/** What any pipe takes at once. */
const SHORT_BYTES = 4096;

/**
 * Writes short texts at once, as Node does on a pipe: handing them to another thread takes as long as all the rest of a
 * request. Only a client that has left a whole pipe of answers unread makes this wait.
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

/** How much is read at once. */
const CHUNK_BYTES = 65_536;

/** Without a stream in between, which takes a third of the time of a short message. */
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
