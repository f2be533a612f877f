/**
 * The standard streams of the process that this code runs in, on Deno, Node and Bun, without importing their modules.
 *
 * @module
 */

import { type ChunkSource, readChunks } from "./chunks.ts";

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
  readonly stdout: {
    write(text: string, done: (error?: Error | null) => void): boolean;
  };
  exit(code: number): never;
}

/** What comes in over standard input. */
export interface ProcessInput {
  /** The bytes, until the input ends or is closed. */
  readonly chunks: AsyncIterable<Uint8Array>;
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
  return { chunks: readChunks(node.stdin), close: () => Promise.resolve(node.stdin.destroy()) };
}

/**
 * Opens standard output: the function that is returned writes a text and resolves once it is handed over.
 *
 * @throws {TypeError} when this runtime has none, such as a browser
 */
export function openOutput(): (text: string) => Promise<void> {
  const { deno, node } = findRuntime();
  if (deno !== undefined) return writeDirectly(deno);
  return (text) =>
    new Promise((resolve, reject) => {
      node.stdout.write(text, (error) => error ? reject(error) : resolve());
    });
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
function writeDirectly({ stdout }: DenoStreams): (text: string) => Promise<void> {
  const encoder = new TextEncoder();
  return async (text) => {
    let rest = encoder.encode(text);
    if (rest.length <= SHORT_BYTES) rest = rest.subarray(stdout.writeSync(rest));
    while (rest.length > 0) rest = rest.subarray(await stdout.write(rest));
  };
}

type Runtime =
  | { readonly deno: DenoStreams; readonly node?: undefined }
  | { readonly deno?: undefined; readonly node: NodeStreams };

function findRuntime(): Runtime {
  const runtime: { readonly Deno?: DenoStreams; readonly process?: NodeStreams } = globalThis;
  if (runtime.Deno !== undefined) return { deno: runtime.Deno };
  if (runtime.process?.stdin !== undefined) return { node: runtime.process };
  throw new TypeError("Cannot use standard streams: this runtime has none");
}

/** How much is read at once. */
const CHUNK_BYTES = 65_536;

/** Without a stream in between, which takes a third of the time of a short message. */
function readDirectly({ stdin }: DenoStreams): ProcessInput {
  let isClosed = false;
  async function* readAll(): AsyncGenerator<Uint8Array, void> {
    const buffer = new Uint8Array(CHUNK_BYTES);
    while (!isClosed) {
      const length = await stdin.read(buffer);
      if (length === null) return;
      yield buffer.subarray(0, length);
    }
  }
  const close = (): Promise<void> => {
    if (!isClosed) stdin.close();
    isClosed = true;
    return Promise.resolve();
  };
  return { chunks: readAll(), close };
}
