/**
 * `parley-kit peer`: what a client under test starts as its server; it joins the client to the kit.
 *
 * @module
 */

import { connectTcp } from "../platform/net.ts";
import { exitNow, readInput, writeBytes } from "../platform/process.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { type Command, usageError } from "./command.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  port: { type: "string" },
  token: { type: "string" },
};

/** The command `peer`. */
export const PEER: Command = {
  summary: "join a client under test to the kit (started by the client)",
  usage: "parley-kit peer --port N --token TEXT",
  run: peerCommand,
};

async function peerCommand(words: readonly string[]): Promise<number> {
  const args = readArguments(words, FLAGS);
  const port = Number(args.text("port"));
  const token = args.text("token");
  if (!Number.isInteger(port) || port < 1 || token === undefined) {
    throw usageError("Cannot join: --port and --token are needed");
  }
  const connection = await connectTcp(port).catch(() => {
    throw usageError(`Cannot join: nobody listens on port ${port}`);
  });
  connection.write(`${token}\n`);
  connection.read(writeBytes);
  readInput((chunk) => connection.write(chunk), () => connection.end());
  await connection.closed;
  // The input of a client that goes on would keep this process.
  return exitNow(0);
}
