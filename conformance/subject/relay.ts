/**
 * The relay between a client under test and the kit. The client starts the relay in place of a server.
 *
 * This file can also run as a separate program, because each client case starts a relay, and this file loads in
 * 0.09 s but the complete kit in 0.24 s.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { connectTcp } from "../platform/net.ts";
import {
  exitNow,
  isMainModule,
  readInput,
  runtimeCommand,
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
  return runtimeCommand(url.startsWith("file:") ? new URL(url).pathname : url);
}

/**
 * Relays messages between standard input and output and the kit until the kit closes the connection.
 *
 * @param words `--port N --token TEXT`
 * @throws {KitError} With code `usage` if an argument is missing or the connection fails.
 */
export async function runRelay(words: readonly string[]): Promise<number> {
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
  connection.read(writeBytes);
  readInput((chunk) => connection.write(chunk), () => connection.end());
  await connection.closed;
  // Exits explicitly, because a client that keeps the relay's standard input open would keep the process running.
  return exitNow(0);
}

function cannotJoin(reason: string): KitError {
  return new KitError(KitErrorCode.Usage, `Cannot connect to the kit: ${reason}`);
}

// The promise is not awaited, because the published library contains this module, and Node.js cannot `require()` a
// module with top-level await.
if (isMainModule(import.meta)) void runProgram(runRelay);
