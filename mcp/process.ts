/**
 * MCP servers as child processes, on Deno, Node and Bun.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { McpError } from "./shared/error.ts";
import { LinePipe } from "./transport/ndjson_pipe.ts";
import type { Pipe, PipeSource } from "./jsonrpc/contracts.ts";
import { type ChunkReader, readChunks } from "./shared/read_chunks.ts";
import { exitReason } from "./shared/exit_reason.ts";
import { splitLines } from "./shared/split_lines.ts";
import { resolveWithin } from "./shared/resolve_within.ts";
import { writeText } from "./shared/write_text.ts";

/** How a process has ended. */
export interface ServerExit {
  /** Its exit code; `null` when a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it; `null` when it exited. */
  readonly signal: string | null;
}

/** How a server process is run. */
export interface SpawnServerOptions {
  /** The folder it runs in. Default: this process's. */
  readonly cwd?: string;
  /**
   * Environment variables for it, beside those that every program needs (`PATH`, `HOME` and the like). Nothing else of
   * this process's environment is passed on: it may hold secrets.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Where its standard error goes: kept for {@linkcode SpawnedServer.stderr} only, or shown as well. Default `pipe`. */
  readonly stderr?: "pipe" | "inherit";
  /** How much of its standard error is kept, in characters; the end of it. Default 65 536. */
  readonly maxStderr?: number;
  /** How long a line of its output may be, in bytes. Longer ones are skipped. Default 10 MiB. */
  readonly maxLineBytes?: number;
  /** How much may wait until it reads its input, in characters; further calls reject with `core`. Default 128 Mi. */
  readonly maxBufferedChars?: number;
  /** How long it gets to end after its input is closed, and again after SIGTERM, in milliseconds. Default 2000. */
  readonly graceMs?: number;
}

/** A server process: the transport of a client. It is started when the client connects. */
export interface SpawnedServer extends PipeSource {
  /** The process id, or undefined while none runs. */
  readonly pid: number | undefined;
  /** What the last process has written to standard error, the end of it. */
  readonly stderr: string;
  /** How it has ended, or undefined before its first end. */
  readonly exit: ServerExit | undefined;
}

/**
 * Describes a server that is to run as a child process. A client starts it when it connects, and ends it when it
 * disconnects: by the end of its input, then by SIGTERM, then by SIGKILL. Its children, all that have not left its
 * process group, end with it.
 *
 * @param command the program
 * @param args its arguments
 * @param options folder, environment, limits
 * @throws {RangeError} when a limit or a time is below 0, or not a number
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown Shutdown}
 *
 * @example Use a server process
 * ```ts
 * import { McpClient } from "@parley/mcp";
 * import { spawnServer } from "@parley/mcp/process";
 * import { assertEquals } from "@std/assert";
 *
 * const code = `
 *   import { McpServer, serveStdio } from "@parley/mcp/server";
 *   const server = new McpServer({ name: "greeter", version: "1.0.0" });
 *   server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
 *   await serveStdio(server);
 * `;
 * const transport = spawnServer("deno", ["eval", code]);
 * const client = new McpClient({ transport });
 * await client.connect();
 * try {
 *   const { content } = await client.callTool("greet", {});
 *   assertEquals(content, [{ type: "text", text: "hello" }]);
 * } finally {
 *   await client.disconnect();
 * }
 * assertEquals(transport.exit, { code: 0, signal: null });
 * ```
 */
export function spawnServer(
  command: string,
  args: readonly string[] = [],
  options: SpawnServerOptions = {},
): SpawnedServer {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== "number" || value >= 0) continue;
    throw new RangeError(`Cannot run a server: ${name} is ${value}`);
  }
  return new ServerProcess(command, args, options);
}

/** How long to wait for the exit of a process whose streams have ended. */
const LAST_WORDS_MS = 500;

/** How long a process may take to be gone after SIGKILL, which it cannot refuse. */
const KILLED_MS = 5000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

class ServerProcess implements SpawnedServer {
  readonly label: string;
  readonly canReopen = true;
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #options: SpawnServerOptions;
  #child: Child | undefined;
  #stderr = "";
  #exit: ServerExit | undefined;

  constructor(command: string, args: readonly string[], options: SpawnServerOptions) {
    // Without the arguments, which may hold secrets.
    this.label = command;
    this.#command = command;
    this.#args = args;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get exit(): ServerExit | undefined {
    return this.#exit;
  }

  async openPipe(): Promise<Pipe> {
    if (this.#child !== undefined) {
      throw McpError.connectionFailed(this.label, "the process runs already");
    }
    const child = this.#tryStart();
    this.#child = child;
    const exited = new Promise<ServerExit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    const closing = new AbortController();
    const gone = exited.then((exit) => this.#ended(child, exit, closing.signal));
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (cause) => {
        this.#child = undefined;
        reject(McpError.connectionFailed(this.label, cause.message, { cause }));
      });
    });
    return this.#pipe(child, { exited, gone, closing });
  }

  #tryStart(): Child {
    try {
      return this.#start();
    } catch (cause) {
      // Such as a runtime that does not permit it.
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw McpError.connectionFailed(this.label, reason, { cause });
    }
  }

  #start(): Child {
    this.#stderr = "";
    const { cwd, env = {} } = this.#options;
    const child = spawn(this.#command, [...this.#args], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...inheritedEnv(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own: wrappers such as npx start the real server as their child.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#keepStderr(text));
    // A server that is gone shows by the end of its output; what was not written shows in `write`.
    child.stdin.on("error", () => {});
    return child;
  }

  #keepStderr(text: string): void {
    const { stderr = "pipe", maxStderr = 65_536 } = this.#options;
    const all = this.#stderr + text;
    this.#stderr = all.slice(Math.max(all.length - maxStderr, 0));
    if (stderr === "inherit") process.stderr.write(text);
  }

  /** Ends whoever the process has left behind, and reads what it has written at last. */
  async #ended(child: Child, exit: ServerExit, closing: AbortSignal): Promise<void> {
    const { graceMs = 2000 } = this.#options;
    this.#exit = exit;
    this.#child = undefined;
    kill(child, "SIGKILL");
    const read = new Promise<void>((resolve) => {
      if (child.stdout.closed) resolve();
      child.stdout.once("close", resolve);
      closing.addEventListener("abort", () => resolve(), { once: true });
      if (closing.aborted) resolve();
    });
    // Somebody who has left the process group may hold the output open.
    await resolveWithin(read, graceMs);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  #pipe(child: Child, { exited, gone, closing }: {
    readonly exited: Promise<ServerExit>;
    readonly gone: Promise<void>;
    readonly closing: AbortController;
  }): Pipe {
    const { maxLineBytes, maxBufferedChars } = this.#options;
    const cap = maxLineBytes === undefined ? {} : { maxBytes: maxLineBytes };
    const writer = {
      writeLine: (line: string) =>
        writeText(child.stdin, `${line}\n`)?.catch(async () => {
          throw new Error(await this.#howItEnded(exited));
        }),
    };
    const output = this.#output(child, exited, closing.signal);
    return new LinePipe(splitLines(output, cap), writer, {
      label: this.label,
      ...(maxBufferedChars === undefined ? {} : { maxBufferedChars }),
      close: async () => {
        closing.abort();
        await this.#shutDown(child, exited);
        await resolveWithin(gone, KILLED_MS);
      },
    });
  }

  /** The output; when it ends before it is asked to, the error says how the process has ended. */
  #output(
    child: Child,
    exited: Promise<ServerExit>,
    closing: AbortSignal,
  ): ChunkReader {
    return readChunks(child.stdout, async () => {
      if (closing.aborted) return undefined;
      return McpError.transportError(this.label, await this.#howItEnded(exited));
    });
  }

  async #howItEnded(exited: Promise<ServerExit>): Promise<string> {
    const exit = await resolveWithin(exited, LAST_WORDS_MS);
    const how = exit === undefined
      ? "the process has closed its input or its output"
      : `the process has ended (${exit.signal ?? `exit code ${exit.code}`})`;
    const words = exitReason(stripVTControlCharacters(this.#stderr));
    return words === "" ? how : `${how}: ${words}`;
  }

  async #shutDown(child: Child, exited: Promise<ServerExit>): Promise<void> {
    const { graceMs = 2000 } = this.#options;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await resolveWithin(exited, graceMs) !== undefined) return;
      kill(child, signal);
    }
    await resolveWithin(exited, KILLED_MS);
  }
}

/** Ends a process and all its children; only the process where the runtime does not permit more. */
function kill(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") {
      spawn("taskkill", ["/pid", `${child.pid}`, "/T", "/F"]).on("error", () => {});
    } else process.kill(-child.pid, signal);
  } catch {
    // Either nobody is left in the group, or a group may not be signalled: Deno wants `--allow-run` without a list for
    // that. What it permits then is one signal to the process itself, so it has to be the last one.
    child.kill("SIGKILL");
  }
}

/** What every program needs and nothing more. */
const INHERITED = process.platform === "win32"
  ? [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
  ]
  : ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(INHERITED.flatMap((name) => {
    const value = process.env[name];
    // Exported shell functions are code.
    return value === undefined || value.startsWith("()") ? [] : [[name, value]];
  }));
}
