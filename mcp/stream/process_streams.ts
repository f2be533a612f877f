/**
 * The standard streams of the process that this code runs in, on Deno, Node and Bun, without importing anything.
 *
 * @module
 */

/** The part of Deno that is used here. */
interface DenoStreams {
  readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
  readonly stdout: { readonly writable: WritableStream<Uint8Array> };
  exit(code: number): never;
}

/** The part of Node's `process` that is used here; Bun has it too. */
interface NodeStreams {
  readonly stdin: AsyncIterable<Uint8Array> & { destroy(): void };
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
    const reader = deno.stdin.readable.getReader();
    return { chunks: readAll(reader), close: () => reader.cancel() };
  }
  return { chunks: node.stdin, close: () => Promise.resolve(node.stdin.destroy()) };
}

/**
 * Opens standard output: the function that is returned writes a text and resolves once it is handed over.
 *
 * @throws {TypeError} when this runtime has none, such as a browser
 */
export function openOutput(): (text: string) => Promise<void> {
  const { deno, node } = findRuntime();
  if (deno !== undefined) {
    const writer = deno.stdout.writable.getWriter();
    const encoder = new TextEncoder();
    return (text) => writer.write(encoder.encode(text));
  }
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

type Runtime =
  | { readonly deno: DenoStreams; readonly node?: undefined }
  | { readonly deno?: undefined; readonly node: NodeStreams };

function findRuntime(): Runtime {
  const runtime: { readonly Deno?: DenoStreams; readonly process?: NodeStreams } = globalThis;
  if (runtime.Deno !== undefined) return { deno: runtime.Deno };
  if (runtime.process?.stdin !== undefined) return { node: runtime.process };
  throw new TypeError("Cannot use standard streams: this runtime has none");
}

async function* readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
