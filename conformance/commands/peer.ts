/**
 * `parley-kit peer`: the relay between a client under test and the kit.
 *
 * @module
 */

import { runRelay } from "../subject/relay.ts";
import type { Command } from "./command.ts";

/** The `peer` command. */
export const PEER: Command = {
  summary: "connect a client under test to the kit (started by the client)",
  usage: `parley-kit peer --port N --token TEXT

Runs the relay that a client under test starts in place of its server. The kit
passes this command to the client.`,
  run: runRelay,
};
