/**
 * MCP servers as child processes on Deno, Node.js and Bun. Pass the result of
 * {@linkcode spawnServer} as a client's `transport`. For a server in the current process, use
 * `serveStdio()` from `@parley/mcp/server`.
 *
 * @module
 */

import { resolveWithin } from "@parley/internal/timers";
import { type ChildProcessByStdio, spawn as spawnProgram } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import crossSpawn from "cross-spawn";
import { assertNonNegative, assertString, assertStrings } from "@parley/internal/assert-argument";
import { integerFrom, oneOf, recordOf } from "@parley/internal/option-checks";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { McpError } from "./shared/error.ts";
import { LinePipe, MAX_BUFFERED_CHARS, MAX_JUNK_LINES } from "./transport/ndjson_pipe.ts";
import type { Pipe, PipeSource } from "./jsonrpc/contracts.ts";
import { type ChunkReader, readChunks } from "@parley/internal/read-chunks";
import { exitReason } from "./shared/exit_reason.ts";
import { inheritedEnv } from "./shared/inherited_env.ts";
import { assertProcessText, withoutArguments } from "./shared/process_arguments.ts";
import { MAX_LINE_BYTES, splitLines } from "@parley/internal/split-lines";
import { writeText } from "@parley/internal/write-text";

/**
 * On Windows, runs scripts such as `npx.cmd`, which `node:child_process` cannot find or start
 * without a shell. On all other operating systems, `cross-spawn` calls `spawn()` from
 * `node:child_process`. The `cross-spawn` package has no type declarations.
 */
const spawn: typeof spawnProgram = crossSpawn;

/** Exit status of a server process. */
export interface ServerExit {
  /** Exit code, or `null` if a signal terminated the process. */
  readonly code: number | null;
  /** Signal that terminated the process, or `null` if the process exited without a signal. */
  readonly signal: string | null;
}

/** Options for {@linkcode spawnServer}. */
export interface SpawnServerOptions {
  /** Working directory; by default, the current process's working directory. */
  readonly cwd?: string;
  /**
   * Additional environment variables, which take precedence over inherited variables. The
   * environment can contain secrets, so the process inherits only the variables that most programs
   * need:
   * - `HOME`, `LANG`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR` and `USER`; on Windows, the
   *   corresponding variables
   * - `DENO_DIR`, `DENO_TLS_CA_STORE`, `NODE_EXTRA_CA_CERTS`, `SSL_CERT_DIR` and `SSL_CERT_FILE`
   * - `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case. A proxy URL
   *   can contain a password; set a variable to an empty string to withhold it.
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Destination for standard error. `pipe` stores the output for {@linkcode SpawnedServer.stderr};
   * `inherit` also writes it to the current process's standard error.
   *
   * @default {"pipe"}
   */
  readonly stderr?: "pipe" | "inherit";
  /**
   * Maximum length of the stored standard error, in characters. Output that precedes the last
   * `maxStderr` characters is discarded.
   *
   * @default {65_536}
   */
  readonly maxStderr?: number;
  /**
   * Maximum length of an output line, in bytes. Lines longer than `maxLineBytes` are skipped.
   *
   * @default {10_485_760}
   */
  readonly maxLineBytes?: number;
  /**
   * Maximum number of characters buffered for the process's stdin. When the buffer is full, calls
   * reject with code `core`.
   *
   * @default {134_217_728}
   */
  readonly maxBufferedChars?: number;
  /**
   * Maximum number of consecutive output lines that are not JSON-RPC messages. Beyond
   * `maxJunkLines`, the connection ends with code `transport_error`.
   *
   * @default {1000}
   */
  readonly maxJunkLines?: number;
  /**
   * Time to wait for the process to exit after its stdin is closed, and again after SIGTERM, in
   * milliseconds.
   *
   * @default {2000}
   */
  readonly graceMs?: number;
}

/**
 * A server process, for use as a client transport. Each call to the client's `connect()` starts a
 * new process.
 */
export interface SpawnedServer extends PipeSource {
  /** Process id, or `undefined` if no process is running. */
  readonly pid: number | undefined;
  /** Standard error output of the last process. Only the last `maxStderr` characters are kept. */
  readonly stderr: string;
  /** Exit status of the last process that exited, or `undefined` if no process has exited. */
  readonly exit: ServerExit | undefined;
}

/**
 * Creates a client transport that runs a server as a child process. The process starts when the
 * client connects. When the client disconnects, the process's stdin is closed. If the process does
 * not exit, it receives SIGTERM and then SIGKILL. Child processes in the same process group are
 * terminated too. A child process that has left the group, for example with `setsid`, keeps
 * running.
 *
 * @param command Program to run.
 * @param args Arguments for the program.
 * @param options Working directory, environment and limits.
 * @throws {TypeError} If the command, an argument or an option has the wrong type, or an argument
 * or environment variable contains U+0000. Errors do not contain the arguments and variables.
 * @throws {RangeError} If a limit is not a non-negative integer, or `graceMs` is negative or not a
 * number.
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown Shutdown}
 *
 * @example Call a tool of a server process
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
  assertArguments(command, args);
  return new ServerProcess(command, [...args], readOptions(options));
}

function assertArguments(command: string, args: readonly string[]): void {
  assertString("command", command);
  if (command === "") throw new TypeError(`"command" must be the name of a program, got ""`);
  assertStrings("args", args);
  for (const [index, arg] of args.entries()) assertProcessText(`args[${index}]`, arg);
}

/** Options for a server process that have a default. */
type SpawnDefault = Exclude<keyof SpawnServerOptions, "cwd">;

const readOptions = optionsReader<SpawnServerOptions>("options")({
  cwd: assertString,
  env: withDefault({}, recordOf(assertProcessText)),
  stderr: withDefault("pipe", oneOf("pipe", "inherit")),
  maxStderr: withDefault(65_536, integerFrom(0)),
  maxLineBytes: withDefault(MAX_LINE_BYTES, integerFrom(0)),
  maxBufferedChars: withDefault(MAX_BUFFERED_CHARS, integerFrom(0)),
  maxJunkLines: withDefault(MAX_JUNK_LINES, integerFrom(0)),
  graceMs: withDefault(2000, assertNonNegative),
});

/** Maximum time to wait for a process to exit after its streams have ended, in milliseconds. */
const LAST_WORDS_MS = 500;

/** Maximum time to wait for a process to exit after SIGKILL, in milliseconds. */
const KILLED_MS = 5000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

class ServerProcess implements SpawnedServer {
  readonly label: string;
  readonly canReopen = true;
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #options: Settings<SpawnServerOptions, SpawnDefault>;
  #child: Child | undefined;
  #stderr = "";
  #exit: ServerExit | undefined;

  constructor(
    command: string,
    args: readonly string[],
    options: Settings<SpawnServerOptions, SpawnDefault>,
  ) {
    // The label does not contain the arguments, because arguments can contain secrets.
    this.label = command;
    this.#command = command;
    this.#args = args;
    this.#options = { ...options, env: { ...options.env } };
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
      throw McpError.connectionFailed(this.label, "the process is already running");
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
        reject(this.#startError(cause));
      });
    });
    return this.#pipe(child, { exited, gone, closing });
  }

  #tryStart(): Child {
    try {
      return this.#start();
    } catch (cause) {
      // `spawn()` can throw synchronously, for example on Deno without permission to run programs.
      throw this.#startError(cause);
    }
  }

  #startError(error: unknown): McpError {
    const cause = withoutArguments(error);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = /\s/.test(this.#command)
      ? '; pass the arguments of the program in the array "args" instead of in "command"'
      : "";
    return McpError.connectionFailed(this.label, `${reason}${hint}`, { cause });
  }

  #start(): Child {
    this.#stderr = "";
    const { cwd, env } = this.#options;
    const child = spawn(this.#command, [...this.#args], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...inheritedEnv(process.env, process.platform), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      // Start the process in its own process group, because wrappers such as `npx` run the actual
      // server as a child process, which must be terminated too.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#keepStderr(text));
    // Ignore errors here, because `writeLine()` rejects on write errors, and the end of the output
    // shows that the process has exited.
    child.stdin.on("error", () => {});
    return child;
  }

  #keepStderr(text: string): void {
    const { stderr, maxStderr } = this.#options;
    const all = this.#stderr + text;
    this.#stderr = all.slice(Math.max(all.length - maxStderr, 0));
    if (stderr === "inherit") process.stderr.write(text);
  }

  /** Terminates the remaining child processes and reads the remaining output. */
  async #ended(child: Child, exit: ServerExit, closing: AbortSignal): Promise<void> {
    const { graceMs } = this.#options;
    this.#exit = exit;
    this.#child = undefined;
    kill(child, "SIGKILL");
    const read = new Promise<void>((resolve) => {
      if (child.stdout.closed) resolve();
      child.stdout.once("close", resolve);
      closing.addEventListener("abort", () => resolve(), { once: true });
      if (closing.aborted) resolve();
    });
    // A process outside the process group can keep the output open, so the wait is limited.
    await resolveWithin(read, graceMs);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  #pipe(child: Child, { exited, gone, closing }: {
    readonly exited: Promise<ServerExit>;
    readonly gone: Promise<void>;
    readonly closing: AbortController;
  }): Pipe {
    const { maxLineBytes, maxBufferedChars, maxJunkLines } = this.#options;
    const writer = {
      writeLine: (line: string) =>
        writeText(child.stdin, `${line}\n`)?.catch(async () => {
          throw new Error(await this.#howItEnded(exited));
        }),
    };
    const output = this.#output(child, exited, closing.signal);
    return new LinePipe(splitLines(output, { maxBytes: maxLineBytes }), writer, {
      label: this.label,
      maxJunkLines,
      diagnose: () => this.#lastWords(),
      maxBufferedChars,
      close: async () => {
        closing.abort();
        await this.#shutDown(child, exited);
        await resolveWithin(gone, KILLED_MS);
      },
    });
  }

  /**
   * Returns a reader for stdout. If the output ends before the pipe is closed, the reader fails
   * with the exit status.
   */
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
      ? "the process closed its stdin or stdout"
      : `the process exited (${exit.signal ?? `exit code ${exit.code}`})`;
    const words = exitReason(stripVTControlCharacters(this.#stderr));
    return words === "" ? how : `${how}: ${words}`;
  }

  /** Returns the most informative line of standard error while the process runs. */
  #lastWords(): string | undefined {
    const words = exitReason(stripVTControlCharacters(this.#stderr));
    return this.#child === undefined || words === "" ? undefined : `standard error: "${words}"`;
  }

  async #shutDown(child: Child, exited: Promise<ServerExit>): Promise<void> {
    const { graceMs } = this.#options;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await resolveWithin(exited, graceMs) !== undefined) return;
      kill(child, signal);
    }
  }
}

/**
 * Terminates a process and its process group, or only the process if the runtime does not allow
 * signals to process groups.
 */
function kill(child: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") {
      spawnProgram("taskkill", ["/pid", `${child.pid}`, "/T", "/F"]).on("error", () => {});
    } else process.kill(-child.pid, signal);
  } catch {
    // Either the process group is empty, or the runtime does not allow signals to groups: Deno
    // requires `--allow-run` without a list of programs. Without permission to signal groups, only
    // the process itself is terminated, immediately with SIGKILL.
    child.kill("SIGKILL");
  }
}
