/**
 * The interface for the `parley-kit` commands.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Arguments } from "../platform/read_arguments.ts";
import type { CommandIo } from "../kit/command_io.ts";

/** A command. */
export interface Command {
  /** Purpose, in a few words. */
  readonly summary: string;
  /** Help text. */
  readonly usage: string;
  /** Runs the command. Resolves to the exit code. */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

/**
 * Checks that options which would have no effect are not set.
 *
 * @param args The command line.
 * @param names Names of the options.
 * @param reason Why the options have no effect, such as `without --random`.
 * @throws {KitError} With code `usage` if one of the options is set.
 */
export function assertUnused(args: Arguments, names: readonly string[], reason: string): void {
  const name = names.find((each) => args.has(each) || args.text(each) !== undefined);
  if (name !== undefined) throw usageError(`Cannot use --${name} ${reason}`);
}

/** Creates an error for invalid usage. */
export function usageError(reason: string): KitError {
  return new KitError(KitErrorCode.Usage, reason);
}
