/**
 * An MCP server over stdio that the kit starts.
 *
 * @module
 */

import { readJson } from "../kit/json.ts";
import type { Exit } from "../platform/child_process.ts";
import { type LineProcess, startLineProcess } from "./line_process.ts";
import type { ProcessGroups } from "./process_groups.ts";
import type { RpcConnection, RpcWire } from "./rpc_connection.ts";
import type { LineWatcher } from "./wire_watcher.ts";
import { excerpt } from "../kit/escape_text.ts";

/** Maximum number of malformed lines. The kit kills a server that exceeds this limit. */
const MAX_MALFORMED_LINES = 1000;

/** Pause between the chunks of a message, in milliseconds. */
const PIECE_MS = 2;

/** Time allowed for the server to exit after its input is closed, in milliseconds. */
const STOP_MS = 2000;

/**
 * Starts a server.
 *
 * @param command The program and its arguments.
 * @param groups Watchdog for the process.
 * @param watcher Receives a copy of all lines.
 * @throws {KitError} With code `subject_start` if the command cannot be started.
 */
export async function startStdioServer(
  command: readonly string[],
  groups: ProcessGroups,
  watcher?: LineWatcher,
): Promise<StdioServer> {
  const inbox: Inbox = { peer: undefined, malformedLines: [], count: 0, onFlood: () => {} };
  const process = await startLineProcess({
    command,
    groups,
    ...(watcher === undefined ? {} : { onBytes: (line) => watcher.received(line) }),
    onLine: (line) => take(inbox, line),
    onOverflow: (bytes) => inbox.malformedLines.push(`a line of more than ${bytes - 1} bytes`),
  });
  inbox.onFlood = () => process.signal("KILL");
  return new StdioServer(process, inbox, watcher);
}

interface Inbox {
  peer: RpcConnection | undefined;
  readonly malformedLines: string[];
  count: number;
  onFlood: () => void;
}

/** A running server. */
export class StdioServer implements RpcWire {
  /** Transport. */
  readonly transport = "stdio";
  /** Resolves when the process has exited. */
  readonly exited: Promise<Exit>;
  readonly #process: LineProcess;
  readonly #inbox: Inbox;
  readonly #watcher: LineWatcher | undefined;
  #exit: Exit | undefined;

  /**
   * Creates a `StdioServer` for a running process. Use {@linkcode startStdioServer} to start a
   * server.
   */
  constructor(process: LineProcess, inbox: Inbox, watcher?: LineWatcher) {
    this.#process = process;
    this.#inbox = inbox;
    this.#watcher = watcher;
    this.exited = process.exited;
    this.exited.then((exit) => {
      this.#exit = exit;
      this.#inbox.peer?.end();
    });
  }

  /** Exit status of the process, or `undefined` while it is running. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Sets the receiver of the server's messages. */
  attach(peer: RpcConnection): void {
    this.#inbox.peer = peer;
    if (this.#exit !== undefined) peer.end();
  }

  /** Returns the malformed lines received since the last call. */
  takeMalformedLines(): readonly string[] {
    return this.#inbox.malformedLines.splice(0);
  }

  send(message: unknown): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(line: string): void {
    const text = `${line}\n`;
    this.#watcher?.sent(text);
    this.#process.write(text);
  }

  async sendBytes(bytes: Uint8Array, chunks: readonly number[]): Promise<void> {
    this.#watcher?.sent(bytes);
    let at = 0;
    for (const size of [...chunks, bytes.length]) {
      if (at >= bytes.length) return;
      this.#process.write(bytes.subarray(at, at + size));
      at += size;
      // Without this pause, a pipe can join consecutive writes into one chunk.
      await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
    }
  }

  /** Closes standard input. */
  closeInput(): void {
    this.#watcher?.ended();
    this.#process.closeInput();
  }

  /** Sends a signal such as `SIGTERM`. */
  signal(name: string): void {
    this.#process.signal(name.replace(/^SIG/, ""));
  }

  /** Starts a case: {@linkcode errorExcerpt} omits the output of earlier cases. */
  beginCase(): void {
    this.#process.beginCase();
  }

  /** Excerpt from standard error since the last case started. */
  errorExcerpt(): string {
    return this.#process.errorExcerpt();
  }

  /**
   * Closes standard input and waits for the process to exit, or kills the process after a timeout.
   */
  async close(): Promise<void> {
    await this.#process.stop(STOP_MS);
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }
}

function take(inbox: Inbox, line: string): void {
  if (inbox.count > MAX_MALFORMED_LINES) return;
  const parsed = readJson(line);
  if (parsed !== undefined) return inbox.peer?.take(parsed.value);
  inbox.peer?.trace.add("←", line);
  if (inbox.malformedLines.length < 5) inbox.malformedLines.push(excerpt(line, 200));
  if (++inbox.count > MAX_MALFORMED_LINES) inbox.onFlood();
}
