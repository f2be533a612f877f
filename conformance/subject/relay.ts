/**
 * The relay between a client under test and the kit. The client starts the relay in place of a
 * server.
 *
 * This file can also run as a separate program, because each client case starts a relay, and this
 * file loads in 0.09 s but the complete kit in 0.24 s.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { startInSameGroup } from "../platform/child_process.ts";
import { toFilePath } from "../platform/file_path.ts";
import { type Connection, connectTcp } from "../platform/net.ts";
import {
  environment,
  exitNow,
  handleSignal,
  isMainModule,
  isWindows,
  pauseInput,
  readInput,
  resumeInput,
  runtimeCommand,
  workingFolder,
  writeBytes,
} from "../platform/process.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { runProgram } from "../platform/run_program.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  port: { type: "string" },
  token: { type: "string" },
};

/** Returns the program and arguments that start the relay, without port and token. */
export function relayCommand(): readonly string[] {
  const { url } = import.meta;
  return runtimeCommand(url.startsWith("file:") ? toFilePath(url, isWindows()) : url);
}

/**
 * Relays messages between standard input and output and the kit until the kit closes the
 * connection.
 *
 * @param words `--port N --token TEXT`
 * @throws {KitError} With code `usage` if an argument is missing or the connection fails.
 */
export async function runRelay(words: readonly string[]): Promise<number> {
  const behavior = readBehavior();
  if (behavior.wraps === true) return await runWrapped(words, behavior);
  const args = readArguments(words, FLAGS);
  const port = Number(args.text("port"));
  const token = args.text("token");
  if (!Number.isInteger(port) || port < 1 || token === undefined) {
    throw cannotJoin("--port and --token are required");
  }
  const connection = await connectTcp(port).catch(() => {
    throw cannotJoin(`no program is listening on port ${port}`);
  });
  connection.write(`${token}\n`);
  behave(connection, behavior);
  await connection.closed;
  // Exits explicitly, because a client that keeps the relay's standard input open would keep the
  // process running.
  return exitNow(0);
}

/** Behavior of a server process, which a case sets with the variable `PARLEY_RELAY`, in JSON. */
interface Behavior {
  /**
   * Whether the relay first sends its working directory and the names of its environment variables
   * to the kit.
   */
  readonly reports?: boolean;
  /**
   * Events that the relay reports to the kit instead of exiting: `end` (of its input) and names of
   * signals.
   */
  readonly ignores?: readonly string[];
  /**
   * Whether the kit can pause the relay, which then does not read its input until the kit sends a
   * message.
   */
  readonly pauses?: boolean;
  /**
   * Whether the relay runs in a child process, as a server that is started by a package runner
   * does.
   */
  readonly wraps?: boolean;
}

function readBehavior(): Behavior {
  const { PARLEY_RELAY = "{}" } = environment();
  return JSON.parse(PARLEY_RELAY) as Behavior;
}

/** Starts the relay as a child process, and exits with it. */
async function runWrapped(words: readonly string[], behavior: Behavior): Promise<number> {
  const inner = JSON.stringify({ ...behavior, wraps: false });
  // Some runtimes do not end a program on SIGTERM while it runs a child process.
  handleSignal("SIGTERM", () => exitNow(0));
  await startInSameGroup([...relayCommand(), ...words], { PARLEY_RELAY: inner });
  return exitNow(0);
}

function behave(connection: Connection, { reports, ignores = [], pauses }: Behavior): void {
  const report = (method: string, params: object = {}): void =>
    connection.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  if (reports === true) {
    report("relay/started", { cwd: workingFolder(), variables: Object.keys(environment()) });
  }
  for (const name of ignores.filter((each) => each !== "end")) {
    handleSignal(name, () => report("relay/signal", { name }));
  }
  const end = (): void => ignores.includes("end") ? report("relay/end") : connection.end();
  connection.read((chunk) => {
    if (pauses === true && new TextDecoder().decode(chunk).includes("relay/pause")) {
      pauseInput();
      return report("relay/paused");
    }
    resumeInput();
    writeBytes(chunk);
  });
  readInput((chunk) => connection.write(chunk), end);
}

function cannotJoin(reason: string): KitError {
  return new KitError(KitErrorCode.Usage, `Cannot connect to the kit: ${reason}`);
}

// The promise is not awaited, because the published library contains this module, and Node.js
// cannot `require()` a module with top-level await.
if (isMainModule(import.meta)) void runProgram(runRelay);
