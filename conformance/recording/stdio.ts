/**
 * Records an MCP server over stdio. The recorded messages come from a client or from a file.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { isObject, type JsonValue } from "../kit/json.ts";
import { type Exit, startChild } from "../platform/child_process.ts";
import { readInput, writeBytes } from "../platform/process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { waitFor } from "../subject/wait_for.ts";
import { ByteLineSplitter } from "../subject/lines.ts";
import type { Recorder } from "./recorder.ts";

/** Options for recording over stdio. */
export interface StdioOptions {
  /** Program and arguments of the server. */
  readonly command: readonly string[];
  /** Recorder for the events. */
  readonly recorder: Recorder;
  /** Watchdog for the process. */
  readonly groups: ProcessGroups;
  /** Stops the server when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Maximum length of a recorded line, in bytes. A line that exceeds this length truncates the
 * recording.
 */
const MAX_LINE_BYTES = 67_108_864;
const ANSWER_MS = 10_000;
const EXIT_MS = 3000;

/** Relays messages unchanged between this process's standard input and output and the server. */
export async function relayStdio(options: StdioOptions): Promise<Exit> {
  const { recorder } = options;
  const input = new ByteLineSplitter({
    line: (bytes) => recorder.addLine("c2s", bytes),
    overflow: () => recorder.truncate(),
  }, MAX_LINE_BYTES);
  const server = await startServer(options, writeBytes);
  readInput((chunk) => {
    input.push(chunk);
    server.write(chunk);
  }, () => {
    input.end();
    recorder.add({ dir: "c2s", eof: true });
    server.closeInput();
  });
  return await server.ended;
}

/** Sends messages sequentially, waiting for the response to each request. */
export async function playStdio(
  messages: readonly JsonValue[],
  options: StdioOptions,
): Promise<Exit> {
  const { recorder } = options;
  const waiting = new Map<unknown, () => void>();
  const server = await startServer(options, () => {}, (message) => waiting.get(message.id)?.());
  for (const message of messages) {
    const bytes = new TextEncoder().encode(JSON.stringify(message));
    recorder.addLine("c2s", bytes);
    const isRequest = isObject(message) && "id" in message && "method" in message;
    const answered = new Promise<void>((resolve) => {
      if (isRequest) waiting.set(message.id, resolve);
      else resolve();
    });
    server.write(bytes);
    server.write(new Uint8Array([10]));
    await waitFor(Promise.race([answered, server.ended]), ANSWER_MS);
  }
  recorder.add({ dir: "c2s", eof: true });
  server.closeInput();
  await waitFor(server.ended, EXIT_MS);
  server.kill();
  return await server.ended;
}

interface RecordedServer {
  readonly ended: Promise<Exit>;
  write(bytes: Uint8Array): void;
  closeInput(): void;
  kill(): void;
}

async function startServer(
  { command, recorder, groups, signal }: StdioOptions,
  onOutput: (chunk: Uint8Array) => void,
  onMessage: (message: Readonly<Record<string, unknown>>) => void = () => {},
): Promise<RecordedServer> {
  const decoder = new TextDecoder();
  const output = new ByteLineSplitter({
    line: (bytes) => {
      recorder.addLine("s2c", bytes);
      const message = readMessage(bytes);
      if (message !== undefined) onMessage(message);
    },
    overflow: () => recorder.truncate(),
  }, MAX_LINE_BYTES);
  const child = await startChild(command, {
    onOutput: (chunk) => {
      onOutput(chunk);
      output.push(chunk);
    },
    onErrorOutput: (chunk) => recorder.add({ stderr: decoder.decode(chunk, { stream: true }) }),
  }).catch((cause: Error) => {
    const message = `Cannot start "${command.join(" ")}": ${cause.message}`;
    throw new KitError(KitErrorCode.SubjectStart, message, { cause });
  });
  groups.add(child.pid);
  const kill = (): void => groups.send(child.pid, "KILL");
  signal.addEventListener("abort", kill, { once: true });
  const ended = child.exited.then((exit) => {
    signal.removeEventListener("abort", kill);
    output.end();
    recorder.add({ exit });
    groups.drop(child.pid);
    return exit;
  });
  return {
    ended,
    kill,
    write: (bytes) => child.write(bytes),
    closeInput: () => child.closeInput(),
  };
}

function readMessage(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) && "id" in value && !("method" in value) ? value : undefined;
  } catch {
    // The recorder stores lines that are not valid JSON unchanged.
    return undefined;
  }
}
